"""Prints datatrove's verdict on every document of a JSON lines file, one JSON line a document.

Needs only datatrove and its English word tokenizer, so that it can run in another environment:
``python benchmarks/datatrove_verdicts.py FILE``. A line is an object: the reason by filter, null where it keeps.
"""

import gzip
import json
import sys
from pathlib import Path

from datatrove.data import Document
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
)

FILTERS = {
    "gopher quality": GopherQualityFilter,
    "gopher repetition": GopherRepetitionFilter,
    "c4": C4QualityFilter,
    "fineweb": FineWebQualityFilter,
}


def main(corpus: str) -> None:
    """Prints the verdicts."""
    path = Path(corpus)
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    filters = {name: make() for name, make in FILTERS.items()}
    for line in data.decode().splitlines():
        text = json.loads(line)["text"]
        print(json.dumps({name: _reason(each, text) for name, each in filters.items()}))


def _reason(each: object, text: str) -> str | None:
    verdict = each.filter(Document(text=text, id=""))
    return None if verdict is True else verdict[1]


if __name__ == "__main__":
    main(*sys.argv[1:])
