"""Decides which engine a run uses, by comparing the ids that both give."""

from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa

from dataaudit.errors import TokenizerError
from dataaudit.tokenize.encoder import Encoder, load_encoder
from dataaudit.tokenize.engines import EngineName, SpecialText
from dataaudit.tokenize.engines.tokenizers_engine import plain_tokenizer
from dataaudit.tokenize.tokenizer_file import locate, read_settings

HOSTILE_TEXTS = (
    "",
    " ",
    "a",
    "\n",
    "\r",
    "line\rline\r\nline\n\n\n  line\t\t\tend ",
    "nul\x00nul\x01\x1b[0m\x7f",
    "astral 𝒳𝒴 😀👨‍👩‍👧‍👦 𠮷野家 🇨🇳",
    "combining e\u0301\u0323 A\u030a \u0301 q\u0307\u0323 각 각",
    "full ｗｉｄｔｈ ① ﬁ Å Ω ㍿ ½ ², ß ẞ İ ı ǅ",
    "锟斤拷烫烫烫屯屯屯 \ufffd\ufffd ä½\xa0å¥½ \ue000 \ufeff",
    "zero\u200bwidth\u200d\u200e\u202eoverride\u2066\u2069\u2060\u00ad\u2028\u2029\u0085\u00a0\u3000end",
    "العربية עברית ไทยไม่มีช่องว่าง हिन्दी 한국어 日本語カタカナ Ελληνικά",
    "0123456789 3.14159 1,000,000 ٣٤٥ १२३ ４５６ ²³ Ⅻ 2024-01-31T00:00:00Z",
    "it's we've I'LL don’t 'S ''s",
    "def f(x):\n\tif x:\n\t\treturn {'a': [1, 2], \"b\": x[::-1]}  # ok\n\n\n    pass\n",
    "<b>&amp;</b> https://example.org/a?b=c#d user@example.org C:\\x\\y $HOME `x` ```y``` ~!@#$%^&*()_+-=[]{}|;:,./<>?",
    "AAAA BBBB CamelCaseWords snake_case_words SCREAMING Über straße naïve",
    "<0xE4><0x0A> <s>x</s> <unk> <pad> [UNK] [CLS] <|endoftext|> <mask> ▁▁a Ġthe Ċ ##ing </w>",
    "a" * 5000,
    " " * 5000 + "x",
    "\n" * 3000,
    "。" * 3000,
    "=-" * 2000,
    "\u0301" * 500,
    "antidisestablishmentarianism" * 100,
)
"""Texts on which tokenizers have been seen to differ; compared whatever the sample holds."""


class FirstDifference(NamedTuple):
    """Where the engines disagree first.

    Attributes:
        where: ``sample`` or ``built-in``, the texts that *document* counts in.
        document: index of the document.
        token: index of the first token that differs.
        fastokens, tokenizers: the ids there; None past the end.
        text: the start of the document, to recognise it.
    """

    where: Literal["sample", "built-in"]
    document: int
    token: int
    fastokens: int | None
    tokenizers: int | None
    text: str


class EngineChoice(NamedTuple):
    """Which engine to use and why.

    Attributes:
        engine: the engine.
        reason: why, for a person; to be shown when *fell_back*.
        documents_compared: documents that both engines encoded, the built-in ones included.
        first_difference: where they disagreed, or None.
        fell_back: whether the fast engine was wanted and is not used.
    """

    engine: EngineName
    reason: str
    documents_compared: int
    first_difference: FirstDifference | None
    fell_back: bool


def compare_engines(
    path: str | Path,
    sample: pa.LargeStringArray,
    *,
    engine: Literal["auto", "fastokens", "tokenizers"] = "auto",
    special_text: SpecialText = "text",
    add_special_tokens: bool = False,
) -> EngineChoice:
    """Returns fastokens if it gives the ids of tokenizers on *sample* and on the built-in texts, else tokenizers.

    Raises:
        TokenizerError: The file cannot be loaded; or fastokens was named and cannot load it or gives other ids.
    """
    found = locate(path)
    read_settings(found)
    if engine == "tokenizers":
        plain_tokenizer(found)
        return EngineChoice("tokenizers", "tokenizers was chosen.", 0, None, fell_back=False)
    reference = _load(found, "tokenizers", special_text, add_special_tokens=add_special_tokens)
    try:
        fast = _load(found, "fastokens", special_text, add_special_tokens=add_special_tokens)
    except TokenizerError as error:
        if engine == "fastokens":
            raise TokenizerError(f"{error} Use engine 'auto' or 'tokenizers'.") from error
        reason = f"{error}. The slower tokenizers is used; the ids are right."
        return EngineChoice("tokenizers", reason, 0, None, fell_back=True)
    built_in = pa.array([*HOSTILE_TEXTS, *_added_token_texts(found)], pa.large_string())
    compared = len(sample) + len(built_in)
    difference = _difference("built-in", built_in, fast, reference) or _difference("sample", sample, fast, reference)
    if difference is None:
        reason = f"fastokens gives the ids of tokenizers on {compared:,} documents."
        return EngineChoice("fastokens", reason, compared, None, fell_back=False)
    reason = (
        f"fastokens gives other ids than tokenizers: {difference.where} document {difference.document}, token "
        f"{difference.token}: {difference.fastokens} instead of {difference.tokenizers}, in {difference.text!r}."
    )
    if engine == "fastokens":
        raise TokenizerError(f"{found}: {reason} Use engine 'auto' or 'tokenizers'.")
    return EngineChoice("tokenizers", f"{reason} The slower tokenizers is used.", compared, difference, fell_back=True)


def _load(path: Path, engine: EngineName, special_text: SpecialText, *, add_special_tokens: bool) -> Encoder:
    return load_encoder(path, engine=engine, special_text=special_text, add_special_tokens=add_special_tokens)


def _added_token_texts(path: Path) -> list[str]:
    """Returns texts that hold the tokenizer's added tokens: the first ones one by one, and inside words and spaces."""
    added = [token.content for _, token in sorted(plain_tokenizer(path).get_added_tokens_decoder().items())]
    some = [*added[:100], *added[-20:]]
    return [*some, "".join(some), *(f"x{text}y  {text}  \n{text}{text[:-1]}" for text in some)]


def _difference(
    where: Literal["sample", "built-in"], texts: pa.LargeStringArray, fast: Encoder, reference: Encoder
) -> FirstDifference | None:
    """Returns the first document and token with other ids; a document that only one engine encodes differs at 0."""
    ours, theirs = fast.encode(texts), reference.encode(texts)
    for document in range(len(texts)):
        left = ours.ids[ours.offsets[document] : ours.offsets[document + 1]]
        right = theirs.ids[theirs.offsets[document] : theirs.offsets[document + 1]]
        if np.array_equal(left, right):
            continue
        shared = min(len(left), len(right))
        unequal = np.flatnonzero(left[:shared] != right[:shared])
        token = int(unequal[0]) if len(unequal) else shared
        return FirstDifference(
            where,
            document,
            token,
            int(left[token]) if token < len(left) else None,
            int(right[token]) if token < len(right) else None,
            texts[document].as_py()[:60],
        )
    return None
