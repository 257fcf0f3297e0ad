"""State, threads, memory, references and watching."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import pytest
import torch
from conftest import ENGLISH, chinese, prose, write_jsonl
from hypothesis import given, settings
from hypothesis import strategies as st
from monitor_batches import english, names, see
from tokenizers import Tokenizer

import dataaudit
from dataaudit import DataAuditError, DataMonitor

TEXTS = english(4, 500)
WINDOW = 100


@settings(max_examples=15)
@given(st.integers(0, 480), st.integers(1, 40))
def test_a_resumed_monitor_gives_the_same_results(cut, size):
    whole = see(DataMonitor(window_size=WINDOW), TEXTS[:cut], size)
    resumed = DataMonitor(window_size=WINDOW)
    resumed.load_state_dict(json.loads(json.dumps(whole.state_dict())))
    assert resumed.check_anomaly() == whole.check_anomaly()
    rest = TEXTS[cut:] + TEXTS[cut - 30 : cut]
    results = [see(each, rest, size).check_anomaly() for each in (whole, resumed)]
    assert results[0] == results[1]
    assert whole.state_dict() == resumed.state_dict()


def test_a_state_can_be_saved_with_torch(tmp_path):
    monitor = see(DataMonitor(window_size=WINDOW), TEXTS)
    torch.save(monitor.state_dict(), tmp_path / "state.pt")
    again = DataMonitor(window_size=WINDOW)
    again.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
    assert again.check_anomaly() == monitor.check_anomaly()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"window_size": 50}, "window_size 50, this one has 100"),
        ({"format": 9}, "no state of a monitor of this version"),
        ({"panes": "x"}, "no state of a monitor of this version"),
        ({"panes": None}, "no state"),
    ],
)
def test_a_state_of_something_else_is_refused(change, message):
    monitor = see(DataMonitor(window_size=WINDOW), TEXTS)
    before = monitor.check_anomaly()
    with pytest.raises(DataAuditError, match=message):
        monitor.load_state_dict(monitor.state_dict() | change)
    assert monitor.check_anomaly() == before


@pytest.mark.parametrize("damage", ["!", "AAAA", "eJwDAAAAAAE="])
def test_a_damaged_state_is_refused_whole(damage):
    monitor = see(DataMonitor(window_size=WINDOW), TEXTS)
    before = monitor.check_anomaly()
    state = monitor.state_dict()
    state["panes"][-1]["lengths"] = damage
    with pytest.raises(DataAuditError, match="damaged"):
        monitor.load_state_dict(state)
    assert monitor.check_anomaly() == before


def test_threads_lose_nothing():
    rng = random.Random(1)
    ids = [[rng.randrange(1000) for _ in range(50)] for _ in range(800)]
    batches = [ids[first : first + 10] for first in range(0, 800, 10)]
    together, alone = DataMonitor(vocab_size=1000, window_size=2000), DataMonitor(vocab_size=1000, window_size=2000)
    with ThreadPoolExecutor(8) as pool:
        checks = [pool.submit(together.check_anomaly) for _ in range(20)]
        list(pool.map(together.update, batches))
        assert all(each.result().tokens is None or each.result().tokens % 500 == 0 for each in checks)
    for batch in batches:
        alone.update(batch)
    found, wanted = together.check_anomaly(), alone.check_anomaly()
    assert (found.samples, found.tokens, found["duplicate_ratio"].value) == (
        wanted.samples, wanted.tokens, wanted["duplicate_ratio"].value,
    )  # fmt: skip


def test_what_is_kept_does_not_grow():
    monitor = DataMonitor(window_size=WINDOW)
    sizes = [len(json.dumps(see(monitor, english(20 + turn, 300)).state_dict())) for turn in range(6)]
    assert max(sizes[1:]) < 1.2 * sizes[0]


def test_watching_gives_the_same_batches_and_the_loader_s_attributes():
    loader = torch.utils.data.DataLoader(TEXTS[:60], batch_size=20)
    monitor = DataMonitor(window_size=WINDOW)
    watched = monitor.watch(loader)
    assert len(watched) == 3
    assert watched.batch_size == 20
    assert watched.dataset is loader.dataset
    assert [*watched] == [*loader]
    assert monitor.seen_samples == 60
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = watched.nothing_of_the_kind


def test_watching_gives_a_batch_as_the_same_object_and_in_time():
    batches = [["a"], ["b"]]
    monitor = DataMonitor(window_size=WINDOW)
    for number, batch in enumerate(monitor.watch(iter(batches))):
        assert batch is batches[number]
        assert monitor.seen_batches == number + 1
    with pytest.raises(TypeError):
        len(monitor.watch(iter(batches)))


def test_a_second_epoch_is_no_duplicate_and_a_replay_after_a_resume_is():
    monitor = DataMonitor(window_size=WINDOW)
    watched = monitor.watch([TEXTS[:20], TEXTS[20:40]])
    for _ in range(3):
        list(watched)
    assert monitor.check_anomaly()["duplicate_ratio"].value == 0
    again = DataMonitor(window_size=WINDOW)
    again.load_state_dict(monitor.state_dict())
    list(again.watch([TEXTS[:20], TEXTS[20:40]]))
    assert again.check_anomaly()["duplicate_ratio"].value == 40 / WINDOW


@pytest.fixture(scope="module")
def run(tmp_path_factory, tokenizer_file):
    """The run of an audit of 1,500 English documents, with the tokenizer."""
    folder = tmp_path_factory.mktemp("reference")
    rng = random.Random(9)
    records = [{"text": prose(rng, rng.randint(4, 8))} for _ in range(1500)]
    write_jsonl(folder / "corpus.jsonl", records)
    dataaudit.audit(folder / "corpus.jsonl", folder / "run", tokenizer=tokenizer_file, vocab_size=512, workers=1)
    return folder / "run"


def encoded(texts, tokenizer_file):
    """Texts as a trainer's samples: an end of text after each."""
    loaded = Tokenizer.from_file(str(tokenizer_file))
    end = loaded.token_to_id("<|endoftext|>")
    return [[*each.ids, end] for each in loaded.encode_batch(texts)]


def test_a_run_is_a_reference(run, tokenizer_file):
    clean, wrong = english(11, 1000), [chinese(random.Random(3), 300) for _ in range(300)]
    for show in (lambda texts: texts, lambda texts: encoded(texts, tokenizer_file)):
        monitor = DataMonitor(reference=run, window_size=1000)
        result = see(monitor, show(clean)).check_anomaly()
        assert not result.is_anomalous, result.anomalies
        assert (result["kl_excess"].status, result["length_distance"].status) == ("pass", "pass")
        assert result.reference == f"the run {run}"
        assert "kl_excess" in names(see(monitor, show(wrong)).check_anomaly())


def test_a_run_says_how_many_ids_there_are(run):
    monitor = DataMonitor(reference=run)
    monitor.update([[511, 512]])
    assert monitor.check_anomaly()["out_of_range_count"].value == 1


def test_documents_packed_into_samples_are_not_compared_by_length(run, tokenizer_file):
    ids = list(chain.from_iterable(encoded(english(12, 900), tokenizer_file)))
    blocks = [ids[first : first + 64] for first in range(0, len(ids) - 64, 64)]
    result = see(DataMonitor(reference=run, window_size=1000), blocks).check_anomaly()
    assert result["length_distance"].status == "skip"
    assert not result.is_anomalous, result.anomalies


def test_samples_cut_at_a_length_are_compared_with_documents_cut_there(run, tokenizer_file):
    samples = encoded(english(13, 1000), tokenizer_file)
    length = sorted(map(len, samples))[500]
    cut = [ids[:length] for ids in samples]
    found = [
        see(DataMonitor(reference=run, window_size=1000, max_length=known), cut).check_anomaly()["length_distance"]
        for known in (length, None)
    ]
    assert [each.status for each in found] == ["pass", "fail"]


def test_a_reference_of_another_tokenizer_is_refused(run, tokenizer_file, tmp_path):
    content = json.loads(tokenizer_file.read_text())
    other = tmp_path / "tokenizer.json"
    other.write_text(json.dumps(content | {"truncation": None}, indent=1))
    with pytest.raises(DataAuditError, match="another file"):
        DataMonitor(reference=run, tokenizer=other)


def test_a_reference_without_tokenizer_is_compared_in_words(tmp_path, tokenizer_file):
    rng = random.Random(9)
    write_jsonl(tmp_path / "corpus.jsonl", [{"text": prose(rng)} for _ in range(1500)])
    dataaudit.audit(tmp_path / "corpus.jsonl", tmp_path / "run", workers=1)
    monitor = DataMonitor(reference=tmp_path / "run", window_size=1000)
    assert not see(monitor, [prose(rng) for _ in range(1000)]).check_anomaly().is_anomalous
    assert "kl_excess" in names(
        see(monitor, [" ".join(ENGLISH[:6] * 12)[row % 9 :] for row in range(500)]).check_anomaly()
    )
    with pytest.raises(DataAuditError, match="counts words"):
        DataMonitor(reference=tmp_path / "run", tokenizer=tokenizer_file)
