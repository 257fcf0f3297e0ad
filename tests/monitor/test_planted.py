"""Each planted anomaly is found within one window, and nothing in clean passes."""

import random

import numpy as np
import pytest
from conftest import chinese, prose
from monitor_batches import WINDOW, batches, english, names, see
from tokenizers import Tokenizer

from dataaudit import DataMonitor

CLEAN = english(1, 3 * WINDOW)
RNG = random.Random(5)


def repeated(batch):
    """One sample in eight is the last one again."""
    return [batch[0] if row % 8 == 7 else text for row, text in enumerate(batch)]


def other_language(batch):
    return [chinese(RNG, 200) if row % 3 == 0 else text for row, text in enumerate(batch)]


def with_controls(batch):
    return [text[:30] + "\x00\x07" + text[30:] for text in batch]


def shorter(batch):
    return [text[: len(text) // 2] for text in batch]


TEXT_FAULTS = {
    "duplicate_ratio": repeated,
    "kl_excess": other_language,
    "control_char_ratio": with_controls,
    "length_distance": shorter,
}


def found_within_a_window(monitor, faulty):
    """The anomalies of all checks while one window of faulty batches is seen."""
    found = set()
    assert not monitor.check_anomaly().is_anomalous
    for number, batch in enumerate(faulty):
        monitor.update(batch)
        if number % 10 == 9:
            found |= names(monitor.check_anomaly())
    return found


@pytest.mark.parametrize("tokenized", [False, True])
@pytest.mark.parametrize("name", TEXT_FAULTS)
def test_a_fault_of_texts_is_found(name, tokenized, tokenizer_file):
    monitor = see(DataMonitor(tokenizer=tokenizer_file if tokenized else None, window_size=WINDOW), CLEAN)
    faulty = [TEXT_FAULTS[name](batch) for batch in batches(english(2, WINDOW))]
    found = found_within_a_window(monitor, faulty)
    assert name in found
    # Chinese texts have another length too, and controls are rare tokens; nothing else follows from one fault.
    assert found <= {name, "length_distance"} | ({"kl_excess"} if name == "control_char_ratio" else set())


def collated(rng, ids=512, *, fault=None):
    """A batch as a collator gives it: rows filled up, with a mask and labels."""
    lengths = rng.integers(60, 120, 20)
    width = int(lengths.max())
    mask = (np.arange(width) < lengths[:, None]).astype(np.int64)
    rows = np.where(mask, rng.integers(1, ids, (20, width)), 0)
    batch = {"input_ids": rows, "attention_mask": mask, "labels": np.where(mask, rows, -100)}
    if fault is not None:
        fault(batch)
    return batch


def ids_out_of_range(batch):
    batch["input_ids"][3, 5] = 512


def negative_ids(batch):
    batch["input_ids"][0, 0] = -1


def all_masked(batch):
    batch["labels"][:] = -100


def some_masked(batch):
    batch["labels"][0] = -100


def labels_on_padding(batch):
    batch["labels"] = batch["input_ids"].copy()


def impossible_labels(batch):
    batch["labels"][1, 2] = 700


ID_FAULTS = {
    ids_out_of_range: {"out_of_range_count"},
    negative_ids: {"out_of_range_count"},
    all_masked: {"masked_sample_ratio", "masked_batch_count"},
    some_masked: {"masked_sample_ratio"},
    labels_on_padding: {"padding_label_ratio"},
    impossible_labels: {"label_out_of_range_count"},
}


@pytest.mark.parametrize("fault", ID_FAULTS)
def test_a_fault_of_ids_and_labels_is_found(fault):
    rng = np.random.default_rng(3)
    monitor = DataMonitor(vocab_size=512, window_size=WINDOW)
    for _ in range(WINDOW // 20):
        monitor.update(collated(rng))
    found = found_within_a_window(monitor, [collated(rng, fault=fault) for _ in range(WINDOW // 20)])
    assert found == ID_FAULTS[fault]


def test_ids_of_another_distribution_are_found():
    rng = np.random.default_rng(4)
    monitor = DataMonitor(vocab_size=512, window_size=WINDOW)
    for _ in range(2 * WINDOW // 20):
        monitor.update(collated(rng))
    assert found_within_a_window(monitor, [collated(rng, ids=300) for _ in range(WINDOW // 20)]) == {"kl_excess"}


@pytest.mark.parametrize("seed", range(10))
def test_a_clean_pass_has_no_anomaly(seed):
    rng = random.Random(100 + seed)
    monitor = DataMonitor(window_size=WINDOW)
    texts = [prose(rng, rng.randint(2, 10)) if rng.random() < 0.8 else chinese(rng, 150) for _ in range(3 * WINDOW)]
    for number, batch in enumerate(batches(texts)):
        monitor.update(batch)
        if number % 5 == 4:
            result = monitor.check_anomaly()
            assert not result.is_anomalous, result.anomalies
    assert {each.status for each in result.measures if each.name in TEXT_FAULTS} == {"pass"}


def test_a_clean_pass_of_tokens_has_no_anomaly(tokenizer_file):
    encoder = Tokenizer.from_file(str(tokenizer_file))
    ids = [each.ids for each in encoder.encode_batch(english(7, 3 * WINDOW))]
    monitor = see(DataMonitor(tokenizer=tokenizer_file, window_size=WINDOW), ids)
    result = monitor.check_anomaly()
    assert not result.is_anomalous, result.anomalies
    assert result["kl_excess"].status == "pass"
    assert result["control_char_ratio"].value == 0


def test_an_anomaly_names_the_samples_and_the_tokens(tokenizer_file):
    monitor = see(DataMonitor(tokenizer=tokenizer_file, window_size=WINDOW), CLEAN[: 2 * WINDOW])
    for batch in batches(english(2, WINDOW)):
        texts = with_controls(other_language(batch))
        monitor.update({"text": texts, "id": [f"doc-{monitor.seen_samples + row}" for row in range(len(texts))]})
    result = monitor.check_anomaly()
    shown = result["control_char_ratio"].examples
    assert len(shown) == 8
    assert [(each.sample, each.id, each.value) for each in shown[1:3]] == [
        (2 * WINDOW + 1, f"doc-{2 * WINDOW + 1}", 2),
        (2 * WINDOW + 2, f"doc-{2 * WINDOW + 2}", 2),
    ]
    assert "It has more of: " in result["kl_excess"].message
