"""Runs datatrove's filters, tokenizer and MinHash signatures over JSON lines and prints what they cost, as JSON.

Needs only datatrove and what its word tokenizers need, so that it can run in another environment:
``python benchmarks/datatrove_filters.py FILE LANGUAGE TOKENIZER``. Every document goes through every filter, as every
document gets every signal. datatrove keeps the words of the last five texts, so a text is split into words once.
"""

import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from datatrove.data import Document
from datatrove.pipeline.dedup import MinhashDedupSignature
from datatrove.pipeline.filters import (
    C4QualityFilter,
    FineWebQualityFilter,
    GopherQualityFilter,
    GopherRepetitionFilter,
)
from datatrove.pipeline.tokens import TokensCounter
from datatrove.utils.typeshelper import Languages

LANGUAGES = {"english": Languages.english, "chinese": Languages.mandarin_chinese, "code": Languages.english}
FILTERS = (GopherQualityFilter, GopherRepetitionFilter, C4QualityFilter, FineWebQualityFilter)


def main(corpus: str, language: str, tokenizer: str) -> None:
    """Prints seconds of processor time by filter, for tokenizing, and for signatures."""
    texts = [json.loads(line)["text"] for line in Path(corpus).read_text(encoding="utf-8").splitlines()]
    filters = [make(language=LANGUAGES[language]) for make in FILTERS]
    counter = TokensCounter(tokenizer)
    for each in filters:
        each.filter(Document(text="Loads what is loaded on first use. 装入。", id="warm"))
    list(counter.run(iter([Document(text="Loads.", id="warm")])))
    seconds = dict.fromkeys((type(each).__name__ for each in filters), 0.0)
    for number, text in enumerate(texts):
        for each in filters:
            document = Document(text=text, id=str(number))
            started = time.process_time()
            each.filter(document)
            seconds[type(each).__name__] += time.process_time() - started
    documents = [Document(text=text, id="") for text in texts]
    with TemporaryDirectory() as folder:
        for step in (counter, MinhashDedupSignature(folder, language=LANGUAGES[language])):
            started = time.process_time()
            for _ in step.run(iter(documents)) or ():
                pass
            seconds[type(step).__name__] = time.process_time() - started
    size = sum(len(text.encode()) for text in texts)
    print(json.dumps({"bytes": size, "seconds": seconds, "version": version("datatrove")}))


if __name__ == "__main__":
    main(*sys.argv[1:])
