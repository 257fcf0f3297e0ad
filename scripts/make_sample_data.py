"""Writes sample_data: a made-up corpus with planted faults, a table of the faults, and a tokenizer trained on it.

    python scripts/make_sample_data.py [FOLDER]

The same bytes each time, except where another version of pyarrow, zlib or zstandard compresses differently.
"""

import csv
import gzip
import io
import json
import random
import shutil
import sys
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from sample_text import chinese, english, faulty, source_code
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

SEED = 20240229
VOCABULARY = 4096
MOST_SHARED = 0.5
"""Largest Jaccard similarity (5-grams) of two documents that are not planted as copies."""


class Fault(NamedTuple):
    """What is planted: its name, the signal that shows it, and the group of copies that it belongs to."""

    name: str
    signal: str | None = None
    group: str | None = None


class Record(NamedTuple):
    """A document; *line* replaces it in JSON lines, for records that are not what they should be."""

    id: str | None
    text: str
    faults: tuple[Fault, ...] = ()
    line: bytes | None = None


class Planted(NamedTuple):
    """A row of planted.json."""

    file: str
    record: int | None
    id: str | None
    fault: str
    signal: str | None
    group: str | None


class Maker:
    """Makes documents that resemble no earlier one, and keeps what was planted."""

    def __init__(self, corpus: Path) -> None:
        self.rng = random.Random(SEED)
        self.corpus = corpus
        self.planted: list[Planted] = []
        self.clean: list[str] = []
        self._shingles: list[set[str]] = []
        self._number = 0

    def fresh(self, make: Callable[[random.Random], str]) -> str:
        """Returns a document that shares little with every earlier one."""
        while True:
            text = make(self.rng)
            words = text.split() if text.count(" ") > len(text) / 20 else list(text)
            shingles = {" ".join(words[at : at + 5]) for at in range(len(words) - 4)}
            if all(len(shingles & each) <= MOST_SHARED * len(shingles | each) for each in self._shingles):
                self._shingles.append(shingles)
                self.clean.append(text)
                return text

    def records(self, make: Callable[[random.Random], str], prefix: str, count: int) -> list[Record]:
        """Returns *count* clean records."""
        return [self.record(prefix, self.fresh(make)) for _ in range(count)]

    def record(self, prefix: str, text: str, *faults: Fault) -> Record:
        """Returns a record under the next id."""
        self._number += 1
        return Record(f"{prefix}-{self._number:04d}", text, faults)

    def broken(self, prefix: str, line: bytes, fault: str) -> Record:
        """Returns a line that gives no document, or not the one it should; %s in it becomes the id, if it has one."""
        if not prefix:
            return Record(None, "", (Fault(fault),), line)
        record = self.record(prefix, "", Fault(fault))
        return record._replace(line=line.replace(b"%s", str(record.id).encode()))

    def mix(self, records: list[Record], faults: list[Record]) -> list[Record]:
        """Returns *records* with *faults* at random places between them, in their order."""
        mixed = list(records)
        for place, each in zip(sorted(self.rng.sample(range(1, len(records)), len(faults))), faults, strict=True):
            mixed.insert(place + len(mixed) - len(records), each)
        return mixed

    def write(self, name: str, data: bytes) -> None:
        """Writes a file of the corpus."""
        path = self.corpus / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def note(self, name: str, record: int | None, each: Record) -> None:
        """Keeps where the faults of a record are."""
        for fault in each.faults:
            self.planted.append(Planted(name, record, each.id, fault.name, fault.signal, fault.group))

    def file_fault(self, name: str, fault: str) -> None:
        """Keeps a fault of a whole file."""
        self.planted.append(Planted(name, None, None, fault, None, None))


def json_line(each: Record) -> bytes:
    """Returns a record as JSON with text as it is, U+2028 included."""
    if each.line is not None:
        return each.line
    return json.dumps({"id": each.id, "text": each.text}, ensure_ascii=False).encode()


def write_lines(maker: Maker, name: str, records: list[Record], *, start: bytes = b"", end: bytes = b"\n") -> None:
    """Writes JSON lines, compressed as the name says."""
    for number, each in enumerate(records, 1):
        maker.note(name, number, each)
    data = start + b"".join(json_line(each) + end for each in records)
    if name.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    elif name.endswith(".zst"):
        data = zstandard.ZstdCompressor(level=9).compress(data)
    maker.write(name, data)


def write_truncated(maker: Maker, name: str, records: list[Record]) -> None:
    """Writes a gzip file that ends in the middle; what stands before the flush can be read."""
    lines = [json_line(each) + b"\n" for each in records]
    half = len(lines) // 2
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    whole = packer.compress(b"".join(lines[:half])) + packer.flush(zlib.Z_FULL_FLUSH)
    rest = packer.compress(b"".join(lines[half:])) + packer.flush()
    maker.write(name, whole + rest[:32])
    maker.file_fault(name, "truncated_gzip")


def write_csv(maker: Maker, name: str, records: list[Record]) -> None:
    """Writes a CSV file with quoted cells of several lines; a record is the line that it starts on."""
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(["id", "text"])
    for each in records:
        maker.note(name, sink.getvalue().count("\n") + 1, each)
        writer.writerow([each.id, each.text])
    maker.write(name, sink.getvalue().encode())


def write_array(maker: Maker, name: str, records: list[Record]) -> None:
    """Writes one JSON array; a record is the element from 0."""
    for number, each in enumerate(records):
        maker.note(name, number, each)
    rows = [{"id": each.id, "text": each.text} for each in records]
    maker.write(name, json.dumps(rows, ensure_ascii=False, indent=1).encode())


def write_table(maker: Maker, name: str, records: list[Record]) -> None:
    """Writes Parquet or an Arrow IPC file, as the name says; a record is the row from 0."""
    for number, each in enumerate(records):
        maker.note(name, number, each)
    table = pa.table({"id": [each.id for each in records], "text": [each.text for each in records]})
    sink = io.BytesIO()
    if name.endswith(".parquet"):
        pq.write_table(table, sink, compression="zstd", row_group_size=16)
    else:
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=8)
    maker.write(name, sink.getvalue())


def write_texts(maker: Maker) -> None:
    """Writes plain text: a document a file."""
    for language, number in zip(["c", "js", "py", "sql"], range(1, 5), strict=True):
        text = maker.fresh(partial(source_of, wanted=language))
        maker.write(f"code/{language}_{number}.txt", text.encode())
    maker.write("notes/with_bom.txt", b"\xef\xbb\xbf" + maker.fresh(english.document).encode())
    maker.file_fault("notes/with_bom.txt", "byte_order_mark")
    maker.write("notes/windows.txt", maker.fresh(english.document).replace("\n", "\r\n").encode())
    maker.file_fault("notes/windows.txt", "crlf_lines")


def source_of(rng: random.Random, wanted: str | None = None) -> str:
    """Returns a source file, in the language that is *wanted*."""
    while True:
        language, text = source_code.document(rng)
        if wanted in (None, language):
            return text


def make_corpus(maker: Maker) -> None:
    """Writes the corpus, a source a folder."""
    texts = {name: faulty_record(maker, name, each) for name, each in faulty.documents(maker.rng).items()}

    def take(*names: str) -> list[Record]:
        return [texts.pop(name) for name in names]

    news = [maker.records(english.document, "news", count) for count in (60, 45, 45)]
    pages = [maker.records(chinese.document, "page", count) for count in (70, 50)]
    messages = maker.records(english.document, "message", 12) + maker.records(chinese.document, "message", 12)
    copies = plant_copies(maker, news, pages, messages)

    first = ["empty", "repeated_character", "repeated_lines", "periodic_tokens", "control_characters", "too_long"]
    write_lines(maker, "news/2024-01.jsonl", maker.mix(news[0], take(*first) + broken_lines(maker)))
    second = ["white_space_only", "repeated_ngram", "nul_characters", "mojibake_utf8_as_latin1", "line_separator"]
    write_lines(maker, "news/2024-02.jsonl.gz", maker.mix(news[1], take(*second) + copies["news"]))
    third = ["punctuation_only", "repeated_paragraph", "replacement_characters", "special_token_text"]
    write_lines(maker, "news/2024-03.jsonl.zst", maker.mix(news[2], take(*third)))
    write_lines(maker, "pages/part-1.jsonl", maker.mix(pages[0], take("mojibake_gbk", "rare_tokens")))
    write_lines(maker, "pages/part-2.jsonl.gz", maker.mix(pages[1], copies["pages"]))
    articles = maker.records(english.document, "article", 40)
    write_table(maker, "library/articles.parquet", maker.mix(articles, take("special_characters", "digit_table")))
    write_table(
        maker,
        "library/notes.arrow",
        maker.mix(maker.records(chinese.document, "note", 20), take("private_use_characters")),
    )
    threads = maker.records(english.document, "thread", 12) + maker.records(chinese.document, "thread", 12)
    write_csv(maker, "forum/threads.csv", maker.mix(threads, take("invisible_characters")))
    write_array(maker, "forum/messages.json", messages)
    write_truncated(maker, "forum/archive.jsonl.gz", maker.records(english.document, "archive", 12))
    write_lines(maker, "code/snippets.jsonl", maker.records(source_of, "code", 56))
    write_lines(maker, "notes/with_bom.jsonl", maker.records(english.document, "memo", 4), start=b"\xef\xbb\xbf")
    maker.file_fault("notes/with_bom.jsonl", "byte_order_mark")
    write_lines(maker, "notes/windows.jsonl", maker.records(chinese.document, "memo", 4), end=b"\r\n")
    maker.file_fault("notes/windows.jsonl", "crlf_lines")
    maker.write("notes/nothing.jsonl", b"")
    maker.file_fault("notes/nothing.jsonl", "empty_file")
    write_texts(maker)
    if texts:
        raise ValueError(f"not planted: {sorted(texts)}")


def faulty_record(maker: Maker, name: str, each: faulty.Faulty) -> Record:
    """Returns a faulty document under the next id, with the faults that come with its own."""
    return maker.record("fault", each.text, Fault(name, each.signal), *(Fault(*other) for other in each.also))


def broken_lines(maker: Maker) -> list[Record]:
    """Returns lines that give no document, and one whose text has to be repaired."""
    half = b"Half of an emoji: \\ud83d, cut by a program that counted in UTF-16, and nobody noticed for quite a while."
    return [
        maker.broken("", b'{"id": "cut", "text": "The line stops in the middle of', "broken_json"),
        maker.broken("", b'["a list", "where an object should be"]', "not_an_object"),
        maker.broken("fault", b'{"id": "%s", "title": "Only a title"}', "without_text"),
        maker.broken("fault", b'{"id": "%s", "text": null}', "text_is_null"),
        maker.broken("", b'{"id": "latin-1", "text": "caf\xe9 au lait, in Latin-1"}', "invalid_utf8"),
        maker.broken("fault", b'{"id": "%s", "text": "' + half + b'"}', "lone_surrogate"),
    ]


def plant_copies(
    maker: Maker, news: list[list[Record]], pages: list[list[Record]], messages: list[Record]
) -> dict[str, list[Record]]:
    """Marks some records as the first of a group, and returns their copies by the file that they go to."""

    def mark(records: list[Record], at: int, fault: str, group: str) -> Record:
        records[at] = records[at]._replace(faults=(*records[at].faults, Fault(fault, None, group)))
        return records[at]

    def copy(original: Record, prefix: str, change: int = 0) -> Record:
        text = faulty.near_copy(maker.rng, original.text, change) if change else original.text
        return maker.record(prefix, text, Fault(*original.faults[-1]))

    english_copy = copy(mark(news[0], 7, "exact_duplicate", "exact-1"), "news")
    chinese_first = mark(pages[0], 11, "exact_duplicate", "exact-2")
    chinese_copies = [copy(chinese_first, "page") for _ in range(2)]
    near_english = copy(mark(news[0], 31, "near_duplicate", "near-1"), "news", 3)
    near_chinese = copy(mark(pages[0], 42, "near_duplicate", "near-2"), "page", 2)
    across = copy(mark(messages, 3, "equal_across_sources", "across-1"), "news")
    same_id = mark(pages[0], 55, "repeated_id", "id-1")
    other_text = Record(same_id.id, maker.fresh(chinese.document), (Fault("repeated_id", None, "id-1"),))
    return {
        "news": [english_copy, near_english, across],
        "pages": [*chinese_copies, near_chinese, other_text],
    }


def train_tokenizer(texts: list[str]) -> Tokenizer:
    """Returns a byte-level BPE tokenizer of VOCABULARY ids."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=["<|endoftext|>", "<|pad|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def table(planted: list[Planted]) -> str:
    """Returns PLANTED.md."""
    lines = [
        "# What is planted in `corpus/`",
        "",
        "Made by `scripts/make_sample_data.py`; every text is invented. `planted.json` holds the same rows.",
        "Record: the line from 1 (JSON lines, CSV), the element or row from 0 (JSON array, Parquet, Arrow).",
        "Everything that is not listed is clean.",
        "",
        "| fault | file | record | id | signal | group |",
        "|---|---|---|---|---|---|",
    ]
    for each in planted:
        cells = [each.fault, each.file, each.record, each.id, each.signal, each.group]
        lines.append("| " + " | ".join("" if cell is None else str(cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def as_json(each: Planted) -> dict[str, Any]:
    """Returns a row without its empty cells, except the record and the id, which are always there."""
    return {key: value for key, value in each._asdict().items() if value is not None or key in ("record", "id")}


def main(folder: Path) -> None:
    """Writes everything below *folder*."""
    corpus = folder / "corpus"
    if corpus.exists():
        shutil.rmtree(corpus)
    maker = Maker(corpus)
    make_corpus(maker)
    planted = sorted(maker.planted, key=lambda each: (each.fault, each.group or "", each.file, each.record or 0))
    rows = ",\n".join(json.dumps(as_json(each), ensure_ascii=False) for each in planted)
    (folder / "planted.json").write_text(f"[\n{rows}\n]\n", encoding="utf-8")
    (folder / "PLANTED.md").write_text(table(planted), encoding="utf-8")
    (folder / ".gitattributes").write_text("corpus/** -text\n", encoding="utf-8")
    train_tokenizer(maker.clean).save(str(folder / "tokenizer.json"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "sample_data")
