"""Writes a config as plain values, and as YAML that loads to the same config."""

import re
from typing import Any

import msgspec
import yaml

from dataaudit.config.document import NUMBER
from dataaudit.config.schema import Config

EMPTY: tuple[Any, ...] = ([], {})


class _Dumper(yaml.SafeDumper):
    """Quotes also the texts that only YAML 1.2 takes for numbers."""


_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(f"(?:{NUMBER.pattern})$"), list("-+.0123456789"))


def resolve(config: Config) -> dict[str, Any]:
    """Returns the whole config, defaults included, as JSON gives it back."""
    resolved: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(config))
    return resolved


def render_yaml(config: Config) -> str:
    """Returns the config as YAML; keys of rules and checks that say nothing are left out."""
    data = resolve(config)
    del data["extends"]
    data["rules"] = _said(data["rules"])
    data["checks"] = {name: _said(levels) for name, levels in data["checks"].items()}
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120)


def _said(value: Any) -> Any:
    """Returns a value without the keys that mean the same when they are left out; a limit of 0 is not one of them."""
    if isinstance(value, list):
        return [_said(item) for item in value]
    if isinstance(value, dict):
        return {key: _said(item) for key, item in value.items() if not (item is None or item is False or item in EMPTY)}
    return value
