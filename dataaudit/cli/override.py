"""Options of the command line that go before the config."""

from dataclasses import replace

import msgspec

from dataaudit.config.load import LoadedConfig


def override(
    loaded: LoadedConfig,
    *,
    tokenizer: str | None,
    text_column: str | None,
    id_column: str | None,
    source_column: str | None,
) -> LoadedConfig:
    """Returns the config with the options that were given."""
    columns = {"text_column": text_column, "id_column": id_column, "source_column": source_column}
    given = {name: value for name, value in columns.items() if value is not None}
    config = loaded.config
    config = msgspec.structs.replace(config, read=msgspec.structs.replace(config.read, **given))
    if tokenizer is not None:
        config = msgspec.structs.replace(config, tokenizer=msgspec.structs.replace(config.tokenizer, path=tokenizer))
    return replace(loaded, config=config)
