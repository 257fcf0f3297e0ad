"""Writes tests/fixtures/tokens with the libraries themselves; what they write is committed, for they pin old packages.

Usage: python scripts/make_token_fixtures.py mds|litdata|datatrove, where mosaicml-streaming, litdata or datatrove is
installed.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent.parent / "tests/fixtures/tokens"
DOCUMENTS = [[1, 2, 3], [700, 5], [9], [60000, 4, 4, 4], list(range(300, 600)), [8, 8]]
TEXTS = ["one", "zwei \u2013 drei", "", "four\nlines", "five", "six"]


def make_mds(folder: Path) -> None:
    """Arrays of a declared and of an undeclared type, ids as bytes, texts; with and without compression."""
    from streaming import MDSWriter

    kinds = {
        "declared": ({"input_ids": "ndarray:int32", "labels": "ndarray:int64", "id": "str"}, None),
        "undeclared": ({"tokens": "ndarray", "id": "int"}, None),
        "bytes": ({"tokens": "bytes"}, "zstd:7"),
        "texts": ({"text": "str", "n": "float32", "meta": "json"}, "gz"),
        "pickled": ({"tokens": "pkl"}, None),
    }
    for name, (columns, compression) in kinds.items():
        with MDSWriter(out=str(folder / name), columns=columns, compression=compression, size_limit=600) as writer:
            for at, (document, text) in enumerate(zip(DOCUMENTS, TEXTS, strict=True)):
                sample = {
                    "declared": {
                        "input_ids": np.array(document, np.int32),
                        "labels": np.array(document),
                        "id": f"d{at}",
                    },
                    "undeclared": {"tokens": np.array(document, (np.uint16, np.uint32)[at % 2]), "id": at},
                    "bytes": {"tokens": np.array(document, np.int64).tobytes()},
                    "texts": {"text": text, "n": at / 2, "meta": {"at": at}},
                    "pickled": {"tokens": document},
                }[name]
                writer.write(sample)


def make_litdata(folder: Path) -> None:
    """Chunks of a TokensLoader and of items, and compressed ones."""
    import torch
    from litdata.streaming.cache import Cache
    from litdata.streaming.item_loader import TokensLoader

    kinds = {
        "tokens": ({"item_loader": TokensLoader(block_size=4), "chunk_size": 320}, torch.int32),
        "items": ({"chunk_size": 4}, torch.int64),
        "compressed": ({"chunk_size": 4, "compression": "zstd"}, torch.int64),
    }
    for name, (options, dtype) in kinds.items():
        (folder / name).mkdir(parents=True)
        cache = Cache(str(folder / name), **options)
        for at, document in enumerate(DOCUMENTS):
            cache[at] = torch.tensor(document, dtype=dtype)
        cache.done()
        cache.merge()


def make_datatrove(folder: Path) -> None:
    """A shard that is shuffled by documents, with an end-of-text id after each."""
    from datatrove.data import Document
    from datatrove.pipeline.tokens import DocumentTokenizer
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder.mkdir(parents=True)
    tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2, "<eos>": 3, "?": 4}, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    step = DocumentTokenizer(
        str(folder),
        local_working_dir=str(folder / "work"),
        tokenizer_name_or_path=str(folder / "tokenizer.json"),
        eos_token="<eos>",
        shuffle_documents=False,
        save_filename="data",
    )
    texts = ["a b c", "c c", "b", "a a a a a d"]
    step.run((Document(text=text, id=str(at)) for at, text in enumerate(texts)), rank=0, world_size=1)
    shutil.rmtree(folder / "work", ignore_errors=True)
    metadata = folder / "data_00000_unshuffled.ds.metadata"
    metadata.write_text(metadata.read_text().replace(f"{folder}/", ""))  # the path of the machine that made it


def main() -> None:
    """Makes the fixtures of one library."""
    name = sys.argv[1]
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    {"mds": make_mds, "litdata": make_litdata, "datatrove": make_datatrove}[name](folder)
    if name != "datatrove":
        (folder / "documents.json").write_text(json.dumps(DOCUMENTS))


if __name__ == "__main__":
    main()
