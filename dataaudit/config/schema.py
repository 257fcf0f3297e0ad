"""The config as typed structs; a YAML file is decoded into these and into nothing else.

The docstrings are the descriptions in the JSON Schema: a line ``name: text`` describes the field of that name.
"""

from typing import Annotated, Literal

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

RESERVED_RULE_IDS = ("empty", "unreadable", "without-text")
"""Reasons of dataaudit's own, which no rule may have as its id."""

Identifier = Annotated[str, msgspec.Meta(pattern="^[a-z0-9]+(?:[-/][a-z0-9]+)*$", max_length=80)]
Positive = Annotated[int, msgspec.Meta(ge=1)]
RecordBytes = Annotated[int, msgspec.Meta(ge=4096, le=4 << 30)]
ShardBytes = Annotated[int, msgspec.Meta(ge=4096)]
Count = Annotated[int, msgspec.Meta(ge=0)]
WindowSamples = Annotated[int, msgspec.Meta(ge=1000, le=1_000_000)]
Share = Annotated[float, msgspec.Meta(ge=0)]
TokenId = Annotated[int, msgspec.Meta(ge=0)]


TokenType = Literal["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]


class Read(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the corpus is read. Column names may be dotted for nested fields.

    text_column: the column with the text; found by itself when null.
    id_column: the column with the user's own id; found by itself when null.
    source_column: the column that says which source a document belongs to; found by itself when null.
    number_columns: numeric columns of the user's own, which rules can then use like signals.
    document_per: for plain text files, whether a document is a file or a line.
    token_dtype: the type of the ids in files of token ids that do not say it, such as uint32.
    text_beside: the text that token ids were made of, of which a sample is tokenized again: a column of the same
        records, or a file, folder, pattern or address with the same documents in the same order.
    max_record_bytes: most bytes of a line, CSV row, JSON element or plain text; a longer one is counted as unreadable.
    shard_bytes: about how many bytes of input make a shard, the unit of work that an interruption can lose.
    """

    text_column: str | None = None
    id_column: str | None = None
    source_column: str | None = None
    number_columns: tuple[str, ...] = ()
    document_per: Literal["file", "line"] = "file"
    token_dtype: TokenType | None = None
    text_beside: str | None = None
    max_record_bytes: RecordBytes = 1 << 30
    shard_bytes: ShardBytes = 128 << 20


class Tokenizer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How texts are tokenized.

    path: a tokenizer.json file; a relative path starts at the current folder.
    engine: auto uses the fast engine when it gives the reference's ids on a sample.
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

    path: its config.json as Hugging Face writes it, or the folder that has it; it gives what is null here.
    vocab_size: rows of the embedding table; ids outside 0 .. vocab_size - 1 are out of range.
    max_length: context length in tokens.
    context_lengths: further lengths that the cost of packing is shown at.
    bos_id: the id that every document should start with.
    eos_id: the id that every document should end with.
    pad_id: the id that fills documents up to a common length.
    """

    path: str | None = None
    vocab_size: Positive | None = None
    max_length: Positive | None = None
    context_lengths: tuple[Positive, ...] = ()
    bos_id: TokenId | None = None
    eos_id: TokenId | None = None
    pad_id: TokenId | None = None


class Duplicates(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How duplicates are found.

    enabled: whether documents are compared with each other.
    threshold: the least Jaccard similarity of near duplicates, above 0 and at most 1.
    shingle_units: units (words, or characters of scripts without spaces) in a shingle.
    sample: for a corpus too large to compare wholly, the number of documents that the share of near duplicates is
        estimated by; then none are named. Null compares all.
    """

    enabled: bool = True
    threshold: Share = 0.8
    shingle_units: Positive = 5
    sample: Positive | None = None


class Drift(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How drift is measured.

    window_documents: documents in a window of the corpus's order; a window ends at the next tenth of that.
    min_tokens: tokens that a shard or a window needs to be judged; smaller ones are only reported.
    min_documents: documents that a shard needs to be judged.
    min_effective_documents: (Σ length)² / Σ length² that a shard needs to be judged; giant documents make it small.
    reference: the run folder of an earlier audit, with which the corpus is compared.
    """

    window_documents: Positive = 10_000
    min_tokens: Positive = 50_000
    min_documents: Positive = 100
    min_effective_documents: Positive = 25
    reference: str | None = None


class Order(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the trainer will read the corpus, for the checks of its order (docs/order.md); options as in dataaudit order.

    name: the order, such as hf-trainer:42 or file:order.npy (relative to the current folder); null when not known.
    batch_size: samples a rank and micro-batch; needed with a name.
    grad_accum: micro-batches a step.
    world_size: ranks that read different data.
    drop_last: whether the loader leaves out a last partial batch.
    epochs: times that the training set is read.
    packing: one-per-doc, concat or megatron; null takes what the order brings, else one-per-doc.
    seq_len: tokens a sample.
    eos_tokens: tokens that the trainer adds after a document.
    map_batch: documents that concat joins at a time; 0 joins all.
    documents: trained on; null is the clean ones of a filter's output, all of a run.
    window_samples: samples in a window of the order; of a short order fewer, but 1,000.
    near_steps: near duplicates that are read within so many steps are close together.
    """

    name: str | None = None
    batch_size: Positive | None = None
    grad_accum: Positive = 1
    world_size: Positive = 1
    drop_last: bool = False
    epochs: Positive = 1
    packing: str | None = None
    seq_len: Positive | None = None
    eos_tokens: Count = 1
    map_batch: Count = 1000
    documents: Literal["all", "clean", "records"] | None = None
    window_samples: WindowSamples = 10_000
    near_steps: Positive = 10


class Moving(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A limit that moves while a model is trained: final − (final − initial) · exp(−step / decay_steps).

    An audit judges by the final limit; a filter by the limit at a step.

    initial: the limit at step 0.
    final: the limit that it comes ever closer to.
    decay_steps: after so many steps 63 % of the way is done, after three times as many 95 %.
    """

    initial: float
    final: float
    decay_steps: Positive


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A decision about one document: it is kept while min ≤ signal ≤ max (inclusive).

    In a file that extends another, a rule with a known id changes only the keys it names.

    id: its name in reports, in quarantine and on the command line: lower-case words joined by - and /.
    signal: the signal or number column that it looks at.
    min: the lowest value that is kept; a number, or initial, final and decay_steps of one that moves in training.
    max: the highest value that is kept; like min.
    one_of: the only values that are kept; instead of min and max.
    if_null: what an undefined value means.
    applies_when: conditions on signals; the rule applies to a document that meets all of them.
    action: quarantine takes the document out; flag only reports it.
    skip: true takes away a rule that the extended file has.
    source: where the limit comes from.
    """

    id: Identifier
    signal: str
    min: float | Moving | None = None
    max: float | Moving | None = None
    one_of: tuple[float, ...] | None = None
    if_null: Literal["quarantine", "keep"] = "quarantine"
    applies_when: "tuple[Condition, ...]" = ()
    action: Literal["quarantine", "flag"] = "quarantine"
    skip: bool = False
    source: str


class Condition(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A range of a signal, inclusive; an undefined value does not meet it.

    signal: the signal or number column that it looks at.
    min: the lowest value that meets it.
    max: the highest value that meets it.
    """

    signal: str
    min: float | None = None
    max: float | None = None


class Level(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A limit of a check; exactly one of the two keys.

    above: reached by values greater than this.
    at_least: reached by this value and by greater ones.
    """

    above: float | None = None
    at_least: float | None = None


class Levels(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When a check warns and when it fails.

    In a file that extends another, a check changes only the keys that it names.

    warn: the level at which the check warns.
    fail: the level at which the check fails.
    skip: true leaves the check out.
    options: the check's own settings (dataaudit explain CHECK).
    """

    warn: Level | None = None
    fail: Level | None = None
    skip: bool = False
    options: dict[str, float] = msgspec.field(default_factory=dict)


class Config(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The config of dataaudit.

    version: of this format; 1.
    extends: a preset or a file that this one changes. Rules and checks are changed by id, other sections key by key.
    read: how the corpus is read.
    tokenizer: how texts are tokenized.
    model: the model that will be trained.
    duplicates: how duplicates are found.
    drift: how drift is measured.
    order: how the trainer will read the corpus.
    mixture: the planned share of each source, in tokens; any positive numbers, of which the proportions count.
    rules: decisions about documents; in order.
    checks: limits of the checks on the corpus, by check id.
    """

    version: Literal[1] = 1
    extends: str | None = None
    read: Read = msgspec.field(default_factory=Read)
    tokenizer: Tokenizer = msgspec.field(default_factory=Tokenizer)
    model: Model = msgspec.field(default_factory=Model)
    duplicates: Duplicates = msgspec.field(default_factory=Duplicates)
    drift: Drift = msgspec.field(default_factory=Drift)
    order: Order = msgspec.field(default_factory=Order)
    mixture: dict[str, Share] = msgspec.field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    checks: dict[str, Levels] = msgspec.field(default_factory=dict)
