"""What the map task writes for finding duplicates: fingerprints, signatures, and counts of repeated lines."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from dataaudit.duplicates.fingerprint import Fingerprints, fingerprint, fingerprint_ids
from dataaudit.duplicates.shard_files import ShardFilesWriter, final_name
from dataaudit.kernels.minhash import PERMUTATIONS
from dataaudit.pipeline.store import RunFolder
from dataaudit.signals import DocumentBatch
from dataaudit.signals.tokens import token_ids, token_offsets
from dataaudit.signals.views import decoded, lines_of, paragraphs_of
from dataaudit.sketches.repeats import RepeatCounts

DUPLICATE_VIEWS = (decoded, lines_of, paragraphs_of, token_ids)
"""What of a measured batch finding duplicates looks at."""
DUPLICATES = "duplicates"
"""The folder of the run that holds them."""
SIGNATURE = pa.binary(4 * PERMUTATIONS)
"""128 unsigned 32-bit numbers, little endian."""


class ShardDuplicates:
    """Writes one shard's files into a folder."""

    def __init__(self, folder: Path, shingle_units: int) -> None:
        self.folder = folder
        self.shingle_units = shingle_units
        self.files = ShardFilesWriter(folder, shingle_units)
        self.repeats = {"lines": RepeatCounts(several_lines=False), "paragraphs": RepeatCounts(several_lines=True)}
        self._signatures: pq.ParquetWriter | None = None

    def add(self, batch: DocumentBatch, doc_ids: NDArray[np.uint64]) -> None:
        """Adds a batch of texts, or of documents that came as token ids."""
        if batch.text is None:
            ids = batch.once(token_ids)
            self._write(doc_ids, fingerprint_ids(token_offsets(batch), ids, self.shingle_units))
            return
        characters = batch.once(decoded)
        self._write(doc_ids, fingerprint(characters, self.shingle_units))
        self.repeats["lines"].update(characters, batch.once(lines_of), doc_ids)
        self.repeats["paragraphs"].update(characters, batch.once(paragraphs_of), doc_ids)

    def _write(self, doc_ids: NDArray[np.uint64], prints: Fingerprints) -> None:
        self.files.add(doc_ids, prints)
        self._write_signatures(doc_ids, prints)

    def _write_signatures(self, doc_ids: NDArray[np.uint64], prints: Fingerprints) -> None:
        has_set = np.diff(prints.sets.offsets) > 0
        values = pa.py_buffer(prints.signatures[has_set].astype("<u4", copy=False).tobytes())
        signatures = pa.Array.from_buffers(SIGNATURE, int(has_set.sum()), [None, values])
        table = pa.table({"doc_id": doc_ids[has_set], "signature": signatures})
        if self._signatures is None:
            path = self.folder / "signatures.parquet"
            self._signatures = pq.ParquetWriter(
                path, table.schema, compression="none", use_dictionary=False, write_statistics=False
            )
        self._signatures.write_table(table)

    def close(self) -> None:
        """Closes what is open."""
        self.files.close()
        if self._signatures is not None:
            self._signatures.close()
            self._signatures = None

    def finish(self, run: RunFolder, shard: int) -> tuple[dict[Path, Path], dict[str, Any]]:
        """Closes everything; returns where each file belongs in the run folder, and the counts of documents."""
        outputs = {
            path: run.path / DUPLICATES / final_name(name, shard, path.suffix)
            for name, path in self.files.finish().items()
        }
        self.close()
        signatures = self.folder / "signatures.parquet"
        if signatures.exists():
            outputs[signatures] = run.part("signatures", shard, "parquet")
        for name, counts in self.repeats.items():
            path = self.folder / f"repeated_{name}.parquet"
            pq.write_table(counts.to_table(), path, compression="zstd")
            outputs[path] = run.sketch(f"repeated_{name}", shard)
        return outputs, asdict(self.files.counts)
