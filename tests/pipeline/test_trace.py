"""What a trace says of batches and documents, beside counts in plain Python; what it prints and refuses."""

import json
import math
import random

import pytest
from conftest import chinese, prose, write_jsonl
from typer.testing import CliRunner

import dataaudit
from dataaudit.cli.app import app
from dataaudit.errors import DataAuditError, ReadError, UsageError

PLANTED = {
    5: "#$%&*+/=@^~|" * 90,
    40: "aaaaaaaaaa" * 120,
    77: " ".join(str(number * 7919) for number in range(150)),
    90: "ꙮ ⸘ ※ ﷽ 𒀱 ⁂ ☙ ❧ ⁑ ⸙ ꜥ ꜣ ⹋ ꝏ " * 20,
}
"""Documents of the kinds that have blown up runs, by their line (from 0)."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """120 documents of two sources, some planted, two alike that a shuffle with seed 42 puts into one batch."""
    rng = random.Random(8)
    root = tmp_path_factory.mktemp("trace")
    texts = [chinese(rng) if at % 4 == 3 else prose(rng) for at in range(120)]
    for at, text in PLANTED.items():
        texts[at] = text
    records = [
        {"id": f"d{at}", "source": "网页" if at % 4 == 3 else "books", "text": text} for at, text in enumerate(texts)
    ]
    records[21]["text"] = records[20]["text"]
    return write_jsonl(root / "corpus.jsonl", records)


@pytest.fixture(scope="module")
def run(corpus, tokenizer_file):
    """An audit of it."""
    dataaudit.audit(corpus, corpus.parent / "run", tokenizer=tokenizer_file, workers=1)
    return corpus.parent / "run"


@pytest.fixture(scope="module")
def found(run):
    """The last step of the second epoch, looked back at from the first step on."""
    return dataaudit.trace(run, order="hf-trainer:42", batch_size=4, step=60, lookback=1000, count=4)


def signals_of(run, tokens=True):
    """The stored signals, a row a document."""
    import polars as pl

    tables = [pl.read_parquet(run / side / "part-00000.parquet") for side in ("signals", "signals_pooled") if tokens]
    tables = tables or [pl.read_parquet(run / "signals" / "part-00000.parquet")]
    rows = tables[0].to_dicts()
    for table in tables[1:]:
        for row, more in zip(rows, table.to_dicts(), strict=True):
            row.update(more)
    return rows


def batches_of(run):
    """The documents of every step, asked for one by one."""
    for step in range(1, 61):
        answer = dataaudit.trace(run, order="hf-trainer:42", batch_size=4, step=step, lookback=0, count=0)
        yield [piece.doc_id for sample in answer.trace.samples for piece in sample.pieces]


def test_shares_of_batches_are_those_of_plain_python(run, found):
    signals, batches = signals_of(run), list(batches_of(run))
    assert (found.samples, found.steps, len(batches)) == (120, 60, 60)
    measured = []
    for batch in batches:
        row = {"duplicate_ratio": 0.25 if {20, 21} <= set(batch) else 0.0}
        for name in ("special_char_ratio", "token_surprisal_bits", "token_count"):
            held = [signals[doc_id] for doc_id in batch if signals[doc_id][name] is not None]
            row[f"{name} max"] = max(each[name] for each in held)
            tokens = sum(each["token_count"] for each in held)
            row[f"{name} mean"] = sum(each[name] * each["token_count"] for each in held) / tokens
        measured.append(row)
    checked = 0
    for risk in found.trace.before:
        for reason in risk.reasons:
            if reason.measure in measured[0]:
                mine = measured[risk.step - 1][reason.measure]
                assert reason.value == pytest.approx(mine, rel=1e-5)
                reach = sum(row[reason.measure] >= mine * (1 - 1e-6) for row in measured)
                assert reason.share == pytest.approx(reach / 60, abs=1e-6)
                checked += 1
    assert checked > 100


def test_steps_are_ranked_by_all_families(found):
    for risk in found.trace.before:
        assert len({reason.family for reason in risk.reasons}) == len(risk.reasons) == 8
        score = math.sqrt(sum(math.log10(reason.share) ** 2 for reason in risk.reasons) / 8)
        assert risk.unusual == pytest.approx(score, abs=1e-6)
        reach = sum(each.unusual >= risk.unusual for each in found.trace.before)
        assert risk.share == pytest.approx(reach / 60)
    assert [risk.rank for risk in found.trace.before] == list(range(1, 61))
    unusual = [risk.unusual for risk in found.trace.before]
    assert unusual == sorted(unusual, reverse=True)


def test_planted_documents_lead_their_batches_and_their_batches_the_run(run, found):
    for doc_id in PLANTED:
        step = next(step for step, batch in enumerate(batches_of(run), start=1) if doc_id in batch)
        answer = dataaudit.trace(run, order="hf-trainer:42", batch_size=4, step=step, count=4)
        leading = answer.trace.documents[0]
        assert leading.doc_id == doc_id
        assert (leading.file.endswith("corpus.jsonl"), leading.record, leading.id) == (True, doc_id + 1, f"d{doc_id}")
        assert leading.part > 0.4
        assert leading.excerpt
        assert leading.excerpt[:20] in PLANTED[doc_id]
        place = next(risk.rank for risk in found.trace.before if risk.step == step)
        assert place <= 12


def test_parts_of_a_batch_sum_to_one(found):
    documents = found.trace.documents
    assert sum(document.part for document in documents) == pytest.approx(1)
    parts = [document.part for document in documents]
    assert parts == sorted(parts, reverse=True)


def test_documents_tell_their_signals_and_failing_rules(run):
    step = next(step for step, batch in enumerate(batches_of(run), start=1) if 40 in batch)
    answer = dataaudit.trace(run, order="hf-trainer:42", batch_size=4, step=step, count=1)
    first, *others = answer.trace.documents
    row = signals_of(run)[40]
    assert first.signals["special_char_ratio"] == row["special_char_ratio"]
    assert first.signals["rare_token_ratio"] == row["rare_token_ratio"]
    assert {"longest-run", "periodic-tokens"} <= {rule.rule for rule in first.fails}
    longest = next(rule for rule in first.fails if rule.rule == "longest-run")
    assert longest.value == row["longest_char_run"] > longest.max
    assert all(not each.signals and not each.fails and each.excerpt is None for each in others)


def test_the_same_trace_is_the_same_bytes(run, found):
    again = dataaudit.trace(run, order="hf-trainer:42", batch_size=4, step=60, lookback=1000, count=4)
    assert again.to_json() == found.to_json()


def test_a_run_without_tokens(corpus, tmp_path):
    dataaudit.audit(corpus, tmp_path / "run", workers=1)
    answer = dataaudit.trace(tmp_path / "run", order="sequential", batch_size=6, step=1, count=2)
    assert answer.unit == "characters"
    assert {"surprisal", "rare tokens"} <= set(answer.not_measured)
    assert answer.trace.documents[0].doc_id == 5
    sizes = {each.doc_id: each.size for each in answer.trace.documents}
    assert sizes == {row["doc_id"]: row["char_count"] for row in signals_of(tmp_path / "run", tokens=False)[:6]}
    with pytest.raises(UsageError, match=r"--packing concat needs the lengths of documents in tokens.*--tokenizer"):
        dataaudit.trace(tmp_path / "run", order="sequential", batch_size=1, step=1, packing="concat", seq_len=8)


def test_the_clean_documents_of_a_filter(run, tmp_path):
    dataaudit.filter(run, tmp_path / "out", workers=1)
    clean = next(path for path in (tmp_path / "out" / "clean").rglob("*") if path.is_file())
    written = [json.loads(line)["id"] for line in clean.read_text().splitlines()]
    assert f"d{40}" not in written
    answer = dataaudit.trace(tmp_path / "out", order="sequential", batch_size=10, step=4, count=1)
    assert answer.which_documents == "clean"
    ids = {each.doc_id: each.id for each in answer.trace.documents}
    assert [ids[sample.pieces[0].doc_id] for sample in answer.trace.samples] == written[30:40]
    everything = dataaudit.trace(tmp_path / "out", order="sequential", batch_size=10, step=4, documents="all", count=0)
    assert sorted(each.doc_id for each in everything.trace.documents) == list(range(30, 40))


def test_a_corpus_that_is_gone_leaves_the_excerpts_out(corpus, tokenizer_file, tmp_path):
    moved = tmp_path / "corpus.jsonl"
    moved.write_bytes(corpus.read_bytes())
    dataaudit.audit(moved, tmp_path / "run", tokenizer=tokenizer_file, workers=1)
    moved.unlink()
    answer = dataaudit.trace(tmp_path / "run", order="sequential", batch_size=6, step=1, count=2)
    assert answer.trace.documents[0].signals
    assert answer.trace.documents[0].excerpt is None


def test_the_table(run):
    command = ["trace", str(run), "--order", "hf-trainer:42", "--batch-size", "4", "--step", "30", "-n", "2"]
    done = CliRunner().invoke(app, command, catch_exceptions=False)
    assert done.exit_code == 0
    assert "order hf-trainer:42, batch 4, packing one-per-doc: 120 samples of 120 documents (all)" in done.output
    assert "step 30, epoch 0: 4 samples, 4 documents," in done.output
    assert "a risk, not a cause" in done.output
    assert done.output.count("corpus.jsonl:") == 2
    assert "... and 2 more; --format json has all of them" in done.output


def test_a_hostile_document_is_shown_as_text(tmp_path):
    texts = ["Some words of plain text. " * 3] * 3 + ["\x1b[31m\u202e[bold]<script>alert(1)</script> a@b.example.com"]
    corpus = write_jsonl(tmp_path / "a.jsonl", [{"id": "\x1b]0;x\x07", "text": text} for text in texts])
    dataaudit.audit(corpus, tmp_path / "run", workers=1)
    command = ["trace", str(tmp_path / "run"), "--order", "sequential", "--batch-size", "4", "--step", "1"]
    done = CliRunner().invoke(app, command, catch_exceptions=False)
    assert done.exit_code == 0
    assert "\x1b" not in done.output
    assert "\u202e" not in done.output
    assert "[bold]" in done.output
    assert "a@b.example.com" not in done.output


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"step": None}, r"--step N, or give a training log with --loss"),
        ({"step": 0}, r"has no step 0"),
        ({"step": 99_999}, r"step 99,999 would be in epoch 3,334: an epoch has 30 steps.*--epochs 3334"),
        ({"epochs": 1, "step": 31}, r"no step 31: its steps are 1 to 30"),
        ({"order": "hf-trainer:x"}, r"found 'x'"),
        ({"order": "hftrainer:1"}, r"Did you mean 'hf-trainer'"),
        ({"packing": "concat"}, r"--packing concat needs --seq-len"),
        ({"packing": "bestfit"}, r"no such packing"),
        ({"eos_tokens": -1}, r"--eos-tokens -1"),
        ({"batch_size": 0}, r"--batch-size 0: it is at least 1"),
        ({"eos_tokens": 10**12}, r"it is a number from 0 to 1000"),
        ({"epochs": 10**9}, r"has 30,000,000,000 steps; at most 8,388,608"),
        ({"grad_accum": 10**11}, r"make a step of 400,000,000,000 samples"),
        ({"documents": "dirty"}, r"--documents dirty: it is one of all, clean, records"),
        ({"order": "file:none.npy"}, r"none\.npy: cannot be opened"),
    ],
)
def test_what_cannot_be_traced(run, options, says):
    asked = {"order": "hf-trainer:42", "batch_size": 4, "step": 1} | options
    with pytest.raises((UsageError, ReadError), match=says):
        dataaudit.trace(run, **asked)


def test_what_is_no_run(tmp_path):
    with pytest.raises(DataAuditError, match=r"no report\.json"):
        dataaudit.trace(tmp_path, order="sequential", batch_size=4, step=1)
