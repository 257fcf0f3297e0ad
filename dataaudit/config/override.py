"""Settings given beside the config, by the command line or in Python, which go before it."""

from dataclasses import replace
from typing import TypeVar

import msgspec

from dataaudit.config.load import LoadedConfig
from dataaudit.config.model_file import filled

S = TypeVar("S", bound=msgspec.Struct)


def override(
    loaded: LoadedConfig,
    *,
    tokenizer: str | None = None,
    model: str | None = None,
    vocab_size: int | None = None,
    max_length: int | None = None,
    text_column: str | None = None,
    id_column: str | None = None,
    source_column: str | None = None,
    token_dtype: str | None = None,
    text_beside: str | None = None,
    bos_id: int | None = None,
    eos_id: int | None = None,
    reference: str | None = None,
) -> LoadedConfig:
    """Returns the config with the options that were given; None leaves the config's own.

    What the model's own config.json says fills in what neither gives.

    Raises:
        ConfigError: the model's config.json cannot be read.
    """
    config = loaded.config
    numbers = {"vocab_size": vocab_size, "max_length": max_length, "bos_id": bos_id, "eos_id": eos_id}
    columns = {"text_column": text_column, "id_column": id_column, "source_column": source_column}
    changed = msgspec.structs.replace(
        config,
        read=_with(config.read, **columns, token_dtype=token_dtype, text_beside=text_beside),
        tokenizer=_with(config.tokenizer, path=tokenizer),
        model=filled(_with(config.model, path=model, **numbers)),
        drift=_with(config.drift, reference=reference),
    )
    return replace(loaded, config=changed)


def _with(section: S, **given: str | int | None) -> S:
    return msgspec.structs.replace(section, **{name: value for name, value in given.items() if value is not None})
