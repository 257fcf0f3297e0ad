"""The config as typed structs; a YAML file is decoded into these and into nothing else."""

from typing import Any, Literal

import msgspec

WELL_KNOWN_SPECIAL_STRINGS = (
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|im_end|>",
    "<|im_start|>",
    "<|pad|>",
)


class Read(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the corpus is read. Column names may be dotted for nested fields."""

    text_column: str | None = None
    id_column: str | None = None
    source_column: str | None = None
    number_columns: tuple[str, ...] = ()
    document_per: Literal["file", "line"] = "file"


class Tokenizer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How texts are tokenized.

    path: a tokenizer.json file.
    engine: ``auto`` uses the fast engine when it gives the reference's ids on a sample.
    special_text: whether the text of a special token inside a document is encoded as ordinary text or as the token.
    add_special_tokens: whether the tokenizer's own BOS and EOS are added to every document.
    special_strings: texts that are counted in documents beside the tokenizer's own special tokens.
    """

    path: str | None = None
    engine: Literal["auto", "fastokens", "tokenizers"] = "auto"
    special_text: Literal["text", "token"] = "text"
    add_special_tokens: bool = False
    special_strings: tuple[str, ...] = WELL_KNOWN_SPECIAL_STRINGS


class Model(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The model that will be trained.

    vocab_size: rows of the embedding table.
    max_length: context length in tokens.
    """

    vocab_size: int | None = None
    max_length: int | None = None
    bos_id: int | None = None
    eos_id: int | None = None


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision about one document: it is kept while ``min`` ≤ signal ≤ ``max`` (inclusive).

    if_null: what an undefined value means.
    applies_when: another signal and the range in which the rule applies at all.
    source: where the limit comes from.
    """

    id: str
    signal: str
    min: float | None = None
    max: float | None = None
    one_of: tuple[float | str, ...] | None = None
    if_null: Literal["quarantine", "keep"] = "quarantine"
    applies_when: "Condition | None" = None
    action: Literal["quarantine", "flag"] = "quarantine"
    source: str


class Condition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A range of a signal."""

    signal: str
    min: float | None = None
    max: float | None = None


class Level(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A limit of a check: ``above`` is exclusive, ``at_least`` is inclusive; one of the two."""

    above: float | None = None
    at_least: float | None = None


class Levels(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a check warns and when it fails; options are the check's own settings (``dataaudit explain CHECK``)."""

    warn: Level | None = None
    fail: Level | None = None
    skip: bool = False
    options: dict[str, Any] = msgspec.field(default_factory=dict)


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole config.

    version: of this format; 1.
    extends: a preset or a file that this one changes; rules and checks are overridden by id.
    """

    version: Literal[1] = 1
    extends: str | None = None
    read: Read = msgspec.field(default_factory=Read)
    tokenizer: Tokenizer = msgspec.field(default_factory=Tokenizer)
    model: Model = msgspec.field(default_factory=Model)
    rules: tuple[Rule, ...] = ()
    checks: dict[str, Levels] = msgspec.field(default_factory=dict)
