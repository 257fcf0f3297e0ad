"""Changes of single rules, as ``--set RULE.KEY=VALUE`` gives them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import msgspec
import yaml

from dataaudit.config.load import LoadedConfig
from dataaudit.config.schema import Rule
from dataaudit.errors import ConfigError, suggestion

FIXED = ("id", "signal", "applies_when", "source")
"""Keys of a rule that cannot be set."""


def apply_settings(loaded: LoadedConfig, settings: Sequence[str]) -> LoadedConfig:
    """Returns the config with some keys of its rules changed, such as ``gopher/word-count.min=30``.

    The value is YAML: a number, ``null`` to take a limit away, ``true`` for ``skip``.

    Raises:
        ConfigError: the rule or the key is unknown, or the value does not fit.
    """
    rules = list(loaded.config.rules)
    for setting in settings:
        name, key, value = _parse(setting)
        at = next((at for at, rule in enumerate(rules) if rule.id == name), None)
        if at is None:
            known = [rule.id for rule in rules]
            raise ConfigError(f"--set {setting}: no rule {name!r}.{suggestion(name, known)} List all: dataaudit config")
        rules[at] = _changed(rules[at], key, value, setting)
    config = msgspec.structs.replace(loaded.config, rules=tuple(rule for rule in rules if not rule.skip))
    return replace(loaded, config=config)


def _parse(setting: str) -> tuple[str, str, Any]:
    path, equals, text = setting.partition("=")
    name, dot, key = path.strip().rpartition(".")
    if not equals or not dot:
        raise ConfigError(f"--set {setting}: expected RULE.KEY=VALUE, such as gopher/word-count.min=30.")
    try:
        return name, key, yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"--set {setting}: the value is not readable: {text!r}.") from error


def _changed(rule: Rule, key: str, value: Any, setting: str) -> Rule:
    keys = {field.name: field.type for field in msgspec.structs.fields(Rule) if field.name not in FIXED}
    if key not in keys:
        near = suggestion(key, keys) or f" Expected one of: {', '.join(keys)}."
        raise ConfigError(f"--set {setting}: a rule has no key {key!r} that can be set.{near}")
    try:
        converted = msgspec.convert({**msgspec.to_builtins(rule), key: value}, Rule)
    except msgspec.ValidationError as error:
        raise ConfigError(f"--set {setting}: the value does not fit: {error}.") from error
    numbers = isinstance(converted.min, int | float) and isinstance(converted.max, int | float)
    if numbers and converted.min > converted.max:  # type: ignore[operator]
        raise ConfigError(f"--set {setting}: min {converted.min:g} is above max {converted.max:g}.")
    if converted.min is None and converted.max is None and converted.one_of is None:
        raise ConfigError(f"--set {setting}: the rule has no limit any more. To leave it out, set {rule.id}.skip=true.")
    return converted
