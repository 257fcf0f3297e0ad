"""Measures the signals that a filter's rules look at, for documents as they come."""

import os
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dataaudit.config import LoadedConfig
from dataaudit.kernels.vocabulary import Vocabulary
from dataaudit.signals import DocumentBatch, Signal, all_signals
from dataaudit.tokenize import Encoder, identify, load_encoder, vocabulary
from dataaudit.tokenize.tokenizer_file import locate


@dataclass(frozen=True)
class Measuring:
    """Everything besides the documents that signals depend on, as plain data.

    Attributes:
        special_strings: texts that are counted beside the tokenizer's special tokens.
        tokenizer: the tokenizer.json, or None.
        tokenizer_sha256: which one it is, so that another one at the same path is another filter.
        engine, special_text, add_special_tokens: as in the config.
        id_space: one past the tokenizer's largest id, or None.
        vocab_size, max_length, eos_id: of the model, or None.
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
    eos_id: int | None

    def missing(self, signal: Signal) -> str | None:
        """Says why a signal cannot be measured from one document, or None when it can."""
        if signal.needs == "duplicates" or "pooled_counts" in signal.requires:
            return "it needs the whole corpus"
        if signal.needs in ("labels", "mask") or "given" in signal.requires:
            return "it is measured on a corpus of token ids"
        if signal.needs != "text" and self.tokenizer is None:
            return "no tokenizer was given"
        settings = {"max_length": self.max_length, "eos_id": self.eos_id}
        for name, value in settings.items():
            if name in signal.requires and value is None:
                return f"the config has no model.{name}"
        return None

    def measure(self, text: pa.LargeStringArray, names: tuple[str, ...]) -> pa.Table:
        """Returns these signals of some documents: a row a document, a column a signal."""
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
def _loaded(measuring: Measuring, process: int) -> tuple[Encoder, Vocabulary]:  # noqa: ARG001 - one for each process
    """Returns the loaded tokenizer. A forked worker loads its own: the parent's threads are not in it."""
    assert measuring.tokenizer is not None, "signals of tokens are measured only with a tokenizer"
    encoder = load_encoder(
        measuring.tokenizer,
        engine=measuring.engine,
        special_text=measuring.special_text,
        add_special_tokens=measuring.add_special_tokens,
    )
    return encoder, vocabulary(measuring.tokenizer)


def measuring_of(loaded: LoadedConfig) -> Measuring:
    """Returns what a config says about measuring.

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
        eos_id=model.eos_id,
    )
