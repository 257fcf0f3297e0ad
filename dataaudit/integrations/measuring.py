"""Measures the signals that a filter's rules look at, for documents as they come."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dataaudit.config import LoadedConfig
from dataaudit.kernels.vocabulary import Vocabulary
from dataaudit.signals import DocumentBatch, Lists, Signal, SpecialIds, all_signals
from dataaudit.tokenize import Encoder, identify, load_encoder, vocabulary
from dataaudit.tokenize.tokenizer_file import locate

SIDES = {"labels": "labels", "mask": "attention_mask"}
"""What stands beside token ids, by the need of the signals that look at it."""


@dataclass(frozen=True)
class Measuring:
    """Everything besides the documents that signals depend on, as plain data.

    Attributes:
        special_strings: texts that are counted beside the tokenizer's special tokens.
        tokenizer: the tokenizer.json, or None.
        tokenizer_sha256: which one it is, so that another one at the same path is another filter.
        engine, special_text, add_special_tokens: as in the config.
        id_space: one past the tokenizer's largest id, or None.
        vocab_size, max_length, bos_id, eos_id, pad_id: of the model, or None.
        kind: whether the documents come as texts or as token ids.
        sides: what stands beside the token ids: ``labels``, ``attention_mask``.
    """

    special_strings: tuple[str, ...]
    tokenizer: str | None
    tokenizer_sha256: str | None
    engine: Literal["auto", "fastokens", "tokenizers"]
    special_text: Literal["text", "token"]
    add_special_tokens: bool
    id_space: int | None
    vocab_size: int | None
    max_length: int | None
    bos_id: int | None
    eos_id: int | None
    pad_id: int | None
    kind: Literal["text", "ids"] = "text"
    sides: tuple[str, ...] = ()

    def missing(self, signal: Signal) -> str | None:
        """Says why a signal cannot be measured from one document, or None when it can."""
        if signal.needs in ("duplicates", "drift") or "pooled_counts" in signal.requires:
            return "it needs the whole corpus"
        if self.kind == "ids":
            return self._missing_with_ids(signal)
        if signal.needs in SIDES or "given" in signal.requires:
            return "it is measured on documents that come as token ids (ids_column)"
        if signal.needs != "text" and self.tokenizer is None:
            return "no tokenizer was given"
        return self._missing_setting(signal)

    def _missing_with_ids(self, signal: Signal) -> str | None:
        if signal.needs == "text" or "text" in signal.requires:
            return "the documents come as token ids"
        if signal.needs in SIDES and SIDES[signal.needs] not in self.sides:
            return f"no column was named for it ({SIDES[signal.needs]}_column)"
        if "vocabulary" in signal.requires and self.tokenizer is None:
            return "no tokenizer was given"
        if "embedding_rows" in signal.requires and not (self.vocab_size or self.id_space):
            return "the config has no model.vocab_size"
        if "special_ids" in signal.requires and self.special_ids is None:
            return "the config has no model.bos_id, model.eos_id or model.pad_id"
        return self._missing_setting(signal)

    def _missing_setting(self, signal: Signal) -> str | None:
        settings = {"max_length": self.max_length, "eos_id": self.eos_id, "pad_id": self.pad_id}
        for name, value in settings.items():
            if name in signal.requires and value is None:
                return f"the config has no model.{name}"
        return None

    @property
    def special_ids(self) -> SpecialIds | None:
        """The model's special ids, or None when the config has none."""
        known = (self.bos_id, self.eos_id, self.pad_id)
        if known == (None, None, None):
            return None
        return SpecialIds(*(-1 if each is None else each for each in known))

    def measure(self, text: pa.LargeStringArray, names: tuple[str, ...]) -> pa.Table:
        """Returns these signals of some texts: a row a document, a column a signal."""
        known = all_signals()
        chosen = [known[name] for name in names]
        batch, unencoded = self._batch(text, with_tokens=any(signal.needs != "text" for signal in chosen))
        columns = []
        for signal in chosen:
            values = signal.measure(batch)
            if signal.needs == "tokens" and unencoded.any():
                values = pc.if_else(pa.array(unencoded), pa.scalar(None, values.type), values)
            columns.append(values)
        return pa.table(columns, names=list(names))

    def measure_ids(self, ids: Lists, sides: Mapping[str, Lists], names: tuple[str, ...]) -> pa.Table:
        """Returns these signals of documents that come as token ids, with what stands beside them."""
        facts = None
        if any("vocabulary" in all_signals()[name].requires for name in names):
            facts = _vocabulary(self, os.getpid())
        batch = DocumentBatch(
            ids=ids.values,
            id_offsets=ids.offsets,
            vocabulary=facts,
            embedding_rows=self.vocab_size or self.id_space,
            max_length=self.max_length,
            eos_id=self.eos_id,
            given=True,
            special_ids=self.special_ids,
            labels=sides.get("labels"),
            attention_mask=sides.get("attention_mask"),
        )
        return pa.table([all_signals()[name].measure(batch) for name in names], names=list(names))

    def _batch(self, text: pa.LargeStringArray, *, with_tokens: bool) -> tuple[DocumentBatch, np.ndarray]:
        unencoded = np.zeros(len(text), np.bool_)
        if not with_tokens:
            return DocumentBatch(text=text, special_strings=self.special_strings), unencoded
        encoder, facts = _loaded(self, os.getpid())
        ids, offsets, failures = encoder.encode(text)
        unencoded[[each.document for each in failures]] = True
        batch = DocumentBatch(
            text=text,
            ids=ids,
            id_offsets=offsets,
            vocabulary=facts,
            embedding_rows=self.vocab_size or self.id_space,
            max_length=self.max_length,
            eos_id=self.eos_id,
            special_strings=self.special_strings,
        )
        return batch, unencoded


@lru_cache(maxsize=2)
def _loaded(measuring: Measuring, process: int) -> tuple[Encoder, Vocabulary]:
    """Returns the loaded tokenizer. A forked worker loads its own: the parent's threads are not in it."""
    assert measuring.tokenizer is not None, "signals of tokens are measured only with a tokenizer"
    encoder = load_encoder(
        measuring.tokenizer,
        engine=measuring.engine,
        special_text=measuring.special_text,
        add_special_tokens=measuring.add_special_tokens,
    )
    return encoder, _vocabulary(measuring, process)


@lru_cache(maxsize=2)
def _vocabulary(measuring: Measuring, process: int) -> Vocabulary:  # noqa: ARG001 - one for each process
    assert measuring.tokenizer is not None, "signals of the vocabulary are measured only with a tokenizer"
    return vocabulary(measuring.tokenizer)


def measuring_of(loaded: LoadedConfig, kind: Literal["text", "ids"] = "text", sides: tuple[str, ...] = ()) -> Measuring:
    """Returns what a config says about measuring documents that come as texts or as token ids.

    Raises:
        TokenizerError: the tokenizer cannot be loaded.
    """
    wanted, model = loaded.config.tokenizer, loaded.config.model
    identity = None if wanted.path is None else identify(wanted.path)
    return Measuring(
        special_strings=wanted.special_strings,
        tokenizer=None if wanted.path is None else str(locate(wanted.path).absolute()),
        tokenizer_sha256=identity and identity.sha256,
        engine=wanted.engine,
        special_text=wanted.special_text,
        add_special_tokens=wanted.add_special_tokens,
        id_space=identity and identity.id_space,
        vocab_size=model.vocab_size,
        max_length=model.max_length,
        bos_id=model.bos_id,
        eos_id=model.eos_id,
        pad_id=model.pad_id,
        kind=kind,
        sides=sides,
    )
