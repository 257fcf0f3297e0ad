"""Checks of characters: garbage that a reader would see at once."""

import polars as pl

from dataaudit.checks.check import Options, Outcome, check
from dataaudit.checks.evidence import Evidence
from dataaudit.checks.shares import number_of_documents, share_of_characters, share_of_documents

GROUP = "characters"


@check(
    "special-characters",
    group=GROUP,
    title="Documents of special characters",
    unit="share of documents",
    needs=("special_char_ratio",),
    options={"limit": 0.5},
)
def special_characters(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents of which more than ``limit`` are neither letters, marks, numbers nor white space.

    Why: a batch of symbols has a loss unlike any text's; such documents have sent runs to NaN.
    Do: look at the examples; drop the documents, or find the extraction fault that made them.
    """
    signal = pl.col("special_char_ratio")
    return share_of_documents(
        evidence, signal > options["limit"], signal, f"are more than {options['limit'] * 100:g} % special characters"
    )


@check(
    "control-characters",
    group=GROUP,
    title="Control characters",
    unit="share of characters",
    needs=("control_char_ratio",),
)
def control_characters(evidence: Evidence, options: Options) -> Outcome:
    """Share of all characters that are controls (Unicode Cc) other than tab, LF and CR.

    Why: NUL runs and terminal codes are left over by broken extraction; they are tokens that mean nothing.
    Do: find the source that makes them; drop the documents or strip the characters there.
    """
    return share_of_characters(evidence, "control_char_ratio", "control characters")


@check(
    "replacement-characters",
    group=GROUP,
    title="Replacement characters",
    unit="share of characters",
    needs=("replacement_char_ratio",),
)
def replacement_characters(evidence: Evidence, options: Options) -> Outcome:
    """Share of all characters that are U+FFFD.

    Why: somebody decoded bytes with the wrong encoding, and the original is lost.
    Do: decode that source again with its real encoding.
    """
    return share_of_characters(evidence, "replacement_char_ratio", "replacement characters (U+FFFD)")


@check(
    "invisible-characters",
    group=GROUP,
    title="Zero-width and bidi characters",
    unit="share of characters",
    needs=("format_char_ratio",),
)
def invisible_characters(evidence: Evidence, options: Options) -> Outcome:
    """Share of all characters that are format characters (Unicode Cf): zero-width, bidi controls, soft hyphens.

    Why: they split words into rare tokens, hide text from a reader and defeat de-duplication.
    Do: strip them where the script does not need them (Persian, Hindi and emoji do).
    """
    return share_of_characters(evidence, "format_char_ratio", "zero-width or format characters")


@check(
    "private-use-characters",
    group=GROUP,
    title="Private-use characters",
    unit="share of characters",
    needs=("private_use_char_ratio",),
)
def private_use_characters(evidence: Evidence, options: Options) -> Outcome:
    """Share of all characters from Unicode's private-use areas.

    Why: icons of a font, or PDF text whose mapping is lost; each is several byte-level tokens of noise.
    Do: drop the documents, or extract them again.
    """
    return share_of_characters(evidence, "private_use_char_ratio", "private-use characters")


@check(
    "mojibake",
    group=GROUP,
    title="Mojibake",
    unit="share of documents",
    needs=("mojibake_char_ratio",),
    options={"limit": 0.0},
)
def mojibake(evidence: Evidence, options: Options) -> Outcome:
    """Share of documents with more than ``limit`` of their characters in wrongly decoded sequences (Ã©, 锟斤拷).

    Why: a model learns the garbled spelling beside the right one.
    Do: decode that source again; ``ftfy`` mends UTF-8 that was read as Latin-1.
    """
    signal = pl.col("mojibake_char_ratio")
    return share_of_documents(evidence, signal > options["limit"], signal, "hold wrongly decoded text")


@check(
    "repaired-text",
    group=GROUP,
    title="Lone surrogates",
    unit="documents",
    needs=("repaired",),
)
def repaired_text(evidence: Evidence, options: Options) -> Outcome:
    """Documents with half of a surrogate pair, which UTF-8 cannot hold; each was read as U+FFFD.

    Why: a tokenizer stops at such text, or a writer does, far from where it came from.
    Do: mend the program that cut the text inside a character.
    """
    return number_of_documents(evidence, pl.col("repaired"), pl.lit(None), "held a lone surrogate, read as U+FFFD")
