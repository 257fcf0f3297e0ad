"""Loads a config: a preset or a YAML file, with what it extends."""

import hashlib
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from dataaudit.config.document import MarkedMapping, plain, read_document, short
from dataaudit.config.merge import merge, rules_by_id, without_skipped
from dataaudit.config.render import resolve
from dataaudit.config.schema import Config
from dataaudit.config.validate import SHAPE, limit_problems, missing_keys, type_problems
from dataaudit.errors import ConfigError, suggestion

DEFAULT_PRESET = "default"
PACKAGE = Path(__file__).resolve().parents[1]
SUFFIXES = (".yaml", ".yml")
MOST_PROBLEMS = 20


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """A config and where it came from.

    To change a setting, such as the tokenizer of the command line, use ``dataclasses.replace(loaded, config=...)``.

    Attributes:
        name: the preset's name, or the path as the user gave it.
        config: the settings, with everything that is extended merged in.
        marked: the merged YAML, which knows the place of every key.
    """

    name: str
    config: Config
    marked: MarkedMapping

    @property
    def resolved(self) -> dict[str, Any]:
        """The whole config with its defaults, as JSON can hold it; loading it gives the same config."""
        return resolve(self.config)

    @property
    def digest(self) -> str:
        """SHA-256 of the config's canonical JSON, in hex; the same settings give the same digest."""
        return hashlib.sha256(msgspec.json.encode(self.config, order="sorted")).hexdigest()


def presets() -> dict[str, Path]:
    """Returns the presets that come with dataaudit, by name in alphabetical order."""
    folder = PACKAGE / "configs"
    if not folder.is_dir():
        folder = PACKAGE.parent / "configs"
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def load_config(name_or_path: str | None = None) -> LoadedConfig:
    """Returns the preset or the file of that name; None is the default preset.

    A preset's name goes before a file of the same name; write ``./default`` for the file.

    Raises:
        ConfigError: there is no such preset or file, or it is not valid; the message names every fault with its place.
    """
    name = DEFAULT_PRESET if name_or_path is None else name_or_path
    data = without_skipped(_load_chain(name, Path(), ()))
    refuse(missing_keys(data))
    config = msgspec.convert(plain({**data, "extends": None}), Config)
    refuse(limit_problems(config, data))
    return LoadedConfig(name, config, data)


def check_names(loaded: LoadedConfig, signals: Iterable[str], checks: Mapping[str, Collection[str]]) -> None:
    """Compares the names in a config with those that exist.

    Args:
        loaded: the config.
        signals: names of all signals; the config's own number columns are added to them.
        checks: names of each check's options, by check id.

    Raises:
        ConfigError: a rule names an unknown signal, a check or an option of one is unknown, or a number column has the
            name of a signal.
    """
    refuse(_name_problems(loaded, set(signals), checks))


def _load_chain(name: str, folder: Path, loaded: tuple[Path, ...]) -> MarkedMapping:
    """Returns the YAML of a config on top of all that it extends; *loaded* are the files that led here."""
    path, label = _find(name, folder)
    if path.resolve() in loaded:
        raise ConfigError(f"{label}: extends itself through {' -> '.join(each.name for each in loaded)}.")
    data = read_document(path, label)
    refuse(type_problems(data, SHAPE, data.place))
    rules_by_id(data)
    parent = data.get("extends")
    if parent is None:
        return data
    try:
        below = _load_chain(parent, path.parent, (*loaded, path.resolve()))
    except ConfigError as error:
        raise ConfigError(f"{data.value_places['extends']}: extends {parent!r}:\n{error}") from error
    return merge(below, data)


def _find(name: str, folder: Path) -> tuple[Path, str]:
    """Returns the path of a preset or file, and how to call it in messages."""
    known = presets()
    if name in known:
        return known[name], f"{name}.yaml"
    path = folder / name
    try:
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError) as error:
        near = suggestion(name, known)
        what = f"no config {short(name)}: neither a file nor a preset.{near} Presets: {', '.join(known)}."
        raise ConfigError(what) from error
    if is_folder:
        raise ConfigError(f"{path}: the config is a folder. Give a YAML file or a preset: {', '.join(known)}.")
    return path, str(path)


def refuse(problems: Iterator[str]) -> None:
    """Raises a ConfigError that tells all problems, if there are any."""
    found = list(problems)
    if found:
        more = f"\n... and {len(found) - MOST_PROBLEMS} more." if len(found) > MOST_PROBLEMS else ""
        raise ConfigError("\n".join(found[:MOST_PROBLEMS]) + more)


def _name_problems(loaded: LoadedConfig, signals: set[str], checks: Mapping[str, Collection[str]]) -> Iterator[str]:
    marked = loaded.marked
    columns = loaded.config.read.number_columns
    for index, column in enumerate(columns):
        if column in signals:
            place = marked["read"]["number_columns"].places[index]
            yield f"{place}: the number column {column!r} has the name of a signal. Rename the column."
    known = sorted({*signals, *columns})
    for rule in marked.get("rules", ()):
        for owner in (rule, *rule.get("applies_when", ())):
            if owner["signal"] not in known:
                yield (
                    f"{owner.value_places['signal']}: unknown signal {owner['signal']!r} in rule {rule['id']!r}."
                    f"{suggestion(owner['signal'], known)} List all: dataaudit explain --signals"
                )
    for name, levels in marked.get("checks", {}).items():
        if name not in checks:
            place = marked["checks"].key_places[name]
            yield f"{place}: unknown check {name!r}.{suggestion(name, checks)} List all: dataaudit explain --checks"
            continue
        for option in levels.get("options", {}):
            if option not in checks[name]:
                place = levels["options"].key_places[option]
                near = suggestion(option, checks[name]) or f" Its options: {', '.join(checks[name]) or 'none'}."
                yield f"{place}: unknown option {option!r} of check {name!r}.{near}"
