"""The config.json of a model as Hugging Face writes it: what its embedding, its context and its special ids are."""

import json
from pathlib import Path
from typing import Any

import msgspec

from dataaudit.config.schema import Model
from dataaudit.errors import ConfigError

LENGTHS = ("max_position_embeddings", "n_positions", "n_ctx", "max_sequence_length", "max_seq_len", "seq_length")
"""Names of the context length, in the order in which they count."""
INNER = ("text_config", "llm_config", "language_config")
"""Where a model of more than text keeps the settings of its language model."""
MOST_BYTES = 1 << 24


def filled(model: Model) -> Model:
    """Returns the model with what its ``path`` says in place of what is not given, and without the path.

    So the settings of a run say everything, and are read again without the file.

    Raises:
        ConfigError: the file cannot be read, or is no model's config.json.
    """
    if model.path is None:
        return model
    found = read_model(model.path)
    given = {name: value for name, value in msgspec.structs.asdict(model).items() if value is not None}
    return msgspec.structs.replace(found, **{**given, "path": None})


def read_model(path: str) -> Model:
    """Returns what a model's config.json, or the one in a folder, says; None where it is silent.

    Of several end ids the first is taken. An id below 0 is no id.

    Raises:
        ConfigError: the file cannot be read, or is no model's config.json.
    """
    file = Path(path) / "config.json" if Path(path).is_dir() else Path(path)
    content = _content(file)
    inner: dict[str, Any] = next((content[name] for name in INNER if isinstance(content.get(name), dict)), {})
    settings = {**content, **{name: value for name, value in inner.items() if value is not None}}
    if "vocab_size" not in settings:
        raise ConfigError(
            f"{file}: no model's config.json: it has no vocab_size (its keys: {', '.join(sorted(content)[:8])}). "
            "Give the config.json that stands beside the model's weights."
        )
    length = next((name for name in LENGTHS if settings.get(name) is not None), LENGTHS[0])
    return Model(
        vocab_size=_number(file, settings, "vocab_size", 1),
        max_length=_number(file, settings, length, 1),
        bos_id=_id(file, settings, "bos_token_id"),
        eos_id=_id(file, settings, "eos_token_id"),
        pad_id=_id(file, settings, "pad_token_id"),
    )


def _content(file: Path) -> dict[str, Any]:
    try:
        if file.stat().st_size > MOST_BYTES:
            raise ConfigError(f"{file}: too large for a model's config.json. Give the file beside the weights.")
        content = json.loads(file.read_bytes())
    except OSError as error:
        raise ConfigError(f"{file}: cannot read the model's config: {error.strerror}. Give its config.json.") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{file}: no JSON, where a model's config.json was expected.") from error
    if not isinstance(content, dict):
        raise ConfigError(
            f"{file}: JSON that holds a {type(content).__name__}, where a model's config.json was expected."
        )
    return content


def _id(file: Path, settings: dict[str, Any], name: str) -> int | None:
    value = settings.get(name)
    if isinstance(value, list):
        settings = {name: value[0] if value else None}
    number = _number(file, settings, name, None)
    return number if number is not None and number >= 0 else None


def _number(file: Path, settings: dict[str, Any], name: str, least: int | None) -> int | None:
    value = settings.get(name)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or (least is not None and value < least):
        expected = "a whole number" if least is None else f"a whole number from {least} on"
        raise ConfigError(f"{file}: {name} is {value!r}, where {expected} was expected.")
    return value
