"""Exports: the same ids in the formats that trainers read, from a run and from what a filter kept."""

import csv
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import datasets
import numpy as np
import pytest
from conftest import write_jsonl
from tests_support import contents

import dataaudit
from dataaudit.errors import RunError, UsageError
from dataaudit.pipeline.filter_run import run_filter
from dataaudit.pipeline.listener import Silent

EOS = 7
FORMATS = ["datatrove", "hf-arrow", "llmc", "megatron", "nanogpt", "npy", "olmo"]


def documents(rng: random.Random, count: int = 60) -> list[list[int]]:
    return [[rng.randrange(8, 900) for _ in range(rng.randrange(1, 90))] for _ in range(count)]


def audited(root: Path, ids: list[list[int]], model: str = "eos_id: 7, vocab_size: 1000", **options: object) -> Path:
    half = len(ids) // 2
    for name, rows in (("a/1.jsonl", ids[:half]), ("b/2.jsonl", ids[half:])):
        write_jsonl(root / "in" / name, [{"id": f"{name}-{at}", "input_ids": row} for at, row in enumerate(rows)])
    config = root / "model.yaml"
    config.write_text(f"extends: default\nmodel: {{{model}}}\nread: {{shard_bytes: 4096}}\n")
    dataaudit.audit(root / "in", root / "run", config=str(config), workers=1, **options)
    return root / "run"


@pytest.fixture(scope="module")
def ids() -> list[list[int]]:
    found = documents(random.Random(1))
    found[5] = []
    return found


@pytest.fixture(scope="module")
def run(ids: list[list[int]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return audited(tmp_path_factory.mktemp("export"), ids)


def raw(path: Path, dtype: str = "uint16", header: int = 0) -> list[int]:
    return np.fromfile(path, dtype, offset=header).tolist()


def flat(ids: list[list[int]], before: list[int] | None = None, after: list[int] | None = None) -> list[int]:
    return [each for document in ids for each in (*(before or []), *document, *(after or []))]


def test_a_run_of_several_shards_is_exported_in_its_order(run: Path, ids: list[list[int]], tmp_path: Path) -> None:
    assert len(list((run / "tokens").iterdir())) > 2
    results = {name: dataaudit.export(run, tmp_path / name, format=name) for name in FORMATS}
    assert {(result.documents, result.tokens) for result in results.values()} == {(60, sum(map(len, ids)))}
    assert {result.empty_documents for result in results.values()} == {1}
    assert raw(tmp_path / "nanogpt" / "train.bin") == flat(ids, after=[EOS])
    assert raw(tmp_path / "llmc" / "train.bin", header=1024) == flat(ids, before=[EOS])
    assert raw(tmp_path / "megatron" / "tokens_document.bin") == flat(ids)
    assert raw(tmp_path / "datatrove" / "00000_unshuffled.ds") == flat(ids)
    assert raw(tmp_path / "olmo" / "part-00000.npy") == flat(ids, after=[EOS])
    assert np.load(tmp_path / "npy" / "tokens.npy").tolist() == flat(ids, after=[EOS])
    loaded = datasets.load_from_disk(str(tmp_path / "hf-arrow"))
    assert loaded["input_ids"][:] == ids
    assert loaded.features["input_ids"].feature.dtype == "int32"
    tokens = [datasets.Dataset.from_file(str(path)) for path in sorted((run / "tokens").iterdir())]
    assert loaded["doc_id"][:] == [each for part in tokens for each in part["doc_id"]]


def test_windows_are_those_that_datatrove_serves(run: Path, ids: list[list[int]], tmp_path: Path) -> None:
    """Windows of DatatroveFileDataset: seq_len + 1 tokens each, the rest of the file dropped."""
    dataaudit.export(run, tmp_path / "out", format="datatrove")
    path = tmp_path / "out" / "00000_unshuffled.ds"
    window = 32
    tokens = np.memmap(path, np.uint16, "r")
    ends = np.fromfile(f"{path}.index", np.uint64).astype(np.int64)
    assert ends.tolist() == np.cumsum([len(document) for document in ids]).tolist()
    whole = len(tokens) // window * window
    assert tokens[:whole].reshape(-1, window).tolist() == [
        flat(ids)[start : start + window] for start in range(0, whole, window)
    ]


def test_olmo_says_where_each_document_came_from(run: Path, ids: list[list[int]], tmp_path: Path) -> None:
    dataaudit.export(run, tmp_path / "out", format="olmo", append_eos=None)
    stream = raw(tmp_path / "out" / "part-00000.npy")
    with gzip.open(tmp_path / "out" / "part-00000.csv.gz", "rt", newline="") as lines:
        rows = [(int(start), int(end), *rest) for start, end, *rest in csv.reader(lines)]
    assert [stream[start:end] for start, end, *_ in rows] == ids
    assert rows[0][2:] == ("a/1.jsonl-0", "a/1.jsonl", "1")
    assert rows[-1][2:] == ("b/2.jsonl-29", "b/2.jsonl", "30")


@pytest.mark.parametrize("name", FORMATS)
def test_files_end_at_a_size_and_between_documents(run: Path, ids: list[list[int]], tmp_path: Path, name: str) -> None:
    whole = dataaudit.export(run, tmp_path / "one", format=name)
    result = dataaudit.export(run, tmp_path / "out", format=name, max_shard_bytes=600)
    assert len(result.shards) > 5
    itemsize = np.dtype(result.dtype).itemsize
    assert all(shard.tokens * itemsize <= 600 or shard.documents == 1 for shard in result.shards)
    assert sum(shard.documents for shard in result.shards) == len(ids)
    mains = [shard.files[0] for shard in result.shards]
    assert mains == sorted(mains)
    if name == "hf-arrow":
        assert datasets.load_from_disk(str(tmp_path / "out"))["input_ids"][:] == ids
    else:
        header = {"llmc": 1024, "npy": 128}.get(name, 0)
        parts = [each for main in mains for each in raw(tmp_path / "out" / main, header=header)]
        assert parts == raw(tmp_path / "one" / whole.shards[0].files[0], header=header)


def test_the_same_command_gives_the_same_bytes_and_a_finished_one_is_left_alone(run: Path, tmp_path: Path) -> None:
    for name in FORMATS:
        for place in ("a", "b"):
            dataaudit.export(run, tmp_path / place / name, format=name)
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*") if path.is_file()}
    dataaudit.export(run, tmp_path / "a" / "olmo", format="olmo")
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_what_is_there_is_never_written_over(run: Path, tmp_path: Path) -> None:
    dataaudit.export(run, tmp_path / "out", format="olmo")
    before = contents(tmp_path / "out")
    with pytest.raises(RunError, match="other settings"):
        dataaudit.export(run, tmp_path / "out", format="nanogpt")
    assert contents(tmp_path / "out") == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    with pytest.raises(RunError, match="not empty and not an export"):
        dataaudit.export(run, tmp_path / "mine", format="olmo")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]
    for place, message in ((run / "out", "inside the run folder"), (run.parent / "in" / "x", "inside the input")):
        with pytest.raises(UsageError, match=message):
            dataaudit.export(run, place, format="olmo")


def test_an_id_that_does_not_fit_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    found = documents(random.Random(2), 20)
    found[13] = [10, 11, 70_000, 12]
    run = audited(tmp_path, found, "eos_id: 7")
    with pytest.raises(
        RunError, match=r"holds id 70000 at position 2, and uint16 ends at 65,535.*Nothing was written"
    ) as told:
        dataaudit.export(run, tmp_path / "out", format="nanogpt")
    shards = [datasets.Dataset.from_file(str(path)) for path in sorted((run / "tokens").iterdir())]
    rows = [row for shard in shards for row in shard]
    assert f"document {rows[13]['doc_id']} holds" in str(told.value)
    with pytest.raises(RunError, match="Give --dtype uint32"):
        dataaudit.export(run, tmp_path / "out", format="datatrove", dtype="uint16")
    with pytest.raises(RunError, match=r"the model has 50,304 rows .*rule token-range"):
        dataaudit.export(run, tmp_path / "out", format="olmo", vocab_size=50_304)
    assert {path.name for path in (tmp_path / "out").iterdir()} == {".dataaudit-export"}
    assert dataaudit.export(run, tmp_path / "out", format="olmo").dtype == "uint32"
    assert raw(tmp_path / "out" / "part-00000.npy", "uint32") == flat(found, after=[EOS])


@pytest.mark.parametrize("options", [{"append_eos": 70_000}, {"append_eos": None, "prepend_bos": 65_536}])
def test_an_id_between_documents_has_to_fit(run: Path, tmp_path: Path, options: dict[str, int | None]) -> None:
    wide = audited(tmp_path, [[1, 2], [3]], "eos_id: 7")
    with pytest.raises(UsageError, match=r"id \d+ cannot stand between documents: uint16 ends at 65,535"):
        dataaudit.export(wide, tmp_path / "out", format="nanogpt", dtype="uint16", **options)


def test_negative_ids_and_ids_of_another_vocabulary_are_refused(tmp_path: Path) -> None:
    run = audited(tmp_path, [[1, 2], [3, -4]], "vocab_size: 1000")
    with pytest.raises(RunError, match="holds id -4 at position 1"):
        dataaudit.export(run, tmp_path / "out", format="hf-arrow")
    wide = audited(tmp_path / "wide", [[1, 2], [3, 4]], "vocab_size: 151936, eos_id: 9")
    with pytest.raises(UsageError, match=r"nanogpt: uint16 holds ids up to 65,535, and there are 151,936 ids"):
        dataaudit.export(wide, tmp_path / "narrow", format="nanogpt")
    forced = dataaudit.export(wide, tmp_path / "narrow", format="nanogpt", dtype="uint16")
    assert "Other files of the same tokenizer may not" in " ".join(forced.notes)


def test_what_stands_between_documents_is_asked_for_and_never_doubled(tmp_path: Path) -> None:
    ids = [[11, 12, EOS], [13], [EOS, 14], [], [15, EOS, 16]]
    run = audited(tmp_path, ids, "vocab_size: 1000")
    with pytest.raises(
        UsageError, match=r"id at the end of every document.*Give --append-eos ID, or --append-eos none"
    ):
        dataaudit.export(run, tmp_path / "out", format="nanogpt")
    result = dataaudit.export(run, tmp_path / "end", format="nanogpt", append_eos=EOS)
    assert raw(tmp_path / "end" / "train.bin") == [11, 12, EOS, 13, EOS, EOS, 14, EOS, EOS, 15, EOS, 16, EOS]
    assert [(each.id, each.where, each.documents) for each in result.added] == [(EOS, "end", 4)]
    assert any("inside documents 1 time" in note for note in result.notes)
    assert any("stands twice: 1." in note for note in result.notes)
    dataaudit.export(run, tmp_path / "start", format="llmc", prepend_bos=EOS)
    assert raw(tmp_path / "start" / "train.bin", header=1024) == [
        EOS, 11, 12, EOS, EOS, 13, EOS, 14, EOS, EOS, 15, EOS, 16
    ]  # fmt: skip
    dataaudit.export(run, tmp_path / "none", format="nanogpt", append_eos=None)
    assert raw(tmp_path / "none" / "train.bin") == flat(ids)
    dataaudit.export(run, tmp_path / "both", format="megatron", prepend_bos=1, append_eos=EOS)
    assert raw(tmp_path / "both" / "tokens_document.bin")[:6] == [1, 11, 12, EOS, 1, 13]
    with pytest.raises(UsageError, match="cannot stand between documents"):
        dataaudit.export(run, tmp_path / "past", format="nanogpt", append_eos=1000)


def test_documents_that_are_parted_already_get_nothing_more(tmp_path: Path) -> None:
    ids = [[11, 12, EOS], [13, EOS]]
    run = audited(tmp_path, ids)
    result = dataaudit.export(run, tmp_path / "out", format="llmc")
    assert raw(tmp_path / "out" / "train.bin", header=1024) == flat(ids)
    assert result.notes == [f"every document has id {EOS} at its end already, so none is put at the start."]


def test_what_a_filter_kept_is_exported(run: Path, ids: list[list[int]], tmp_path: Path) -> None:
    run_filter(run, tmp_path / "kept", Silent(), workers=1)
    result = dataaudit.export(tmp_path / "kept", tmp_path / "out", format="megatron")
    assert result.documents == 59
    assert raw(tmp_path / "out" / "tokens_document.bin") == flat(ids)
    assert result.empty_documents == 0
    (tmp_path / "kept" / "filter.json").unlink()
    with pytest.raises(RunError, match="never finished"):
        dataaudit.export(tmp_path / "kept", tmp_path / "again", format="megatron")


def test_runs_without_ids_and_damaged_shards_are_refused(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "text.jsonl", [{"text": "no tokens here"}])
    dataaudit.audit(tmp_path / "text.jsonl", tmp_path / "text", workers=1)
    with pytest.raises(RunError, match="audited without a tokenizer"):
        dataaudit.export(tmp_path / "text", tmp_path / "out", format="olmo")
    with pytest.raises(RunError, match="is not a run folder"):
        dataaudit.export(tmp_path / "nowhere", tmp_path / "out", format="olmo")
    run = audited(tmp_path, documents(random.Random(3)))
    part = run / "tokens" / "part-00001.arrow"
    part.write_bytes(part.read_bytes()[:-200])
    with pytest.raises(RunError, match=r"part-00001\.arrow: this token shard is missing or was changed"):
        dataaudit.export(run, tmp_path / "out", format="olmo")


def test_a_document_larger_than_an_llmc_file_goes_on_in_the_next(
    run: Path, ids: list[list[int]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from dataaudit.corpus.token_writers import llmc

    monkeypatch.setattr(llmc, "FORMAT", replace(llmc.FORMAT, shard_bytes=100, most_bytes=100))
    result = dataaudit.export(run, tmp_path / "out", format="llmc")
    files = [tmp_path / "out" / shard.files[0] for shard in result.shards]
    assert all(path.stat().st_size <= 1024 + 100 for path in files)
    assert [each for path in files for each in raw(path, header=1024)] == flat(ids, before=[EOS])
    assert sum(shard.documents for shard in result.shards) == len(ids)


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_export_leaves_nothing_that_counts(run: Path, tmp_path: Path, seed: int) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "dataaudit", "export", str(run), "--to", "megatron", "-o", str(out)]
    process = subprocess.Popen(
        [*command, "--max-shard-bytes", "50"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    rng = random.Random(seed)
    while process.poll() is None and not (out / ".dataaudit-tmp").exists():
        time.sleep(0.001)
    time.sleep(rng.random() / 10)
    if process.poll() is None:
        os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    if not (out / "export.json").exists():
        dataaudit.export(run, out, format="megatron")
        dataaudit.export(run, tmp_path / "undisturbed", format="megatron")
        assert contents(out) == contents(tmp_path / "undisturbed")


def test_the_command_says_what_it_wrote(run: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dataaudit", "export", str(run), "-o", str(tmp_path / "out")]
    done = subprocess.run([*command, "--to", "nanogpt"], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1].startswith("wrote 60 documents, ")
    assert "60 documents got id 7 at their end" in done.stdout
    again = subprocess.run([*command, "--to", "nanogpt", "--json"], check=True, capture_output=True, text=True)
    assert json.loads(again.stdout) == json.loads((tmp_path / "out" / "export.json").read_text())
    assert "nothing to do" in again.stderr
    wrong = subprocess.run([*command, "--to", "nanogtp"], check=False, capture_output=True, text=True)
    assert (wrong.returncode, "Did you mean 'nanogpt'" in wrong.stderr) == (2, True)
    number = subprocess.run(
        [*command, "--to", "nanogpt", "--append-eos", "</s>"], check=False, capture_output=True, text=True
    )
    assert (number.returncode, "takes a token id or none" in number.stderr) == (2, True)


def test_help_names_every_format() -> None:
    from dataaudit.cli import export
    from dataaudit.corpus.token_writers import token_formats

    assert export.FORMATS.split(", ") == list(token_formats())


def test_an_empty_document_of_an_export_is_named_once(run: Path, tmp_path: Path) -> None:
    dataaudit.export(run, tmp_path / "out", format="megatron")
    config = tmp_path / "model.yaml"
    config.write_text("extends: default\nmodel: {eos_id: 7, vocab_size: 1000}\n")
    found = dataaudit.audit(tmp_path / "out", tmp_path / "again", config=str(config), workers=1)
    values = {finding.id: finding.value for finding in found.findings}
    assert (values["token-index"], values["empty-sequences"]) == (0, 1)
