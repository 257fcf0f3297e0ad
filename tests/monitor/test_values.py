"""The numbers of the monitor beside a plain-Python reference and scipy."""

import random
import unicodedata
from collections import Counter

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from monitor_batches import english, see
from tokenizers import Tokenizer

from dataaudit import DataMonitor, MonitorLevels

WINDOW = 200


def window_of(samples, size=20):
    """Where the monitor's window begins: panes of a tenth of it, the oldest dropped while a whole window is left."""
    starts = [0]
    for end in range(0, samples, size):
        if end - starts[-1] >= WINDOW / 10:
            starts.append(end)
        while samples_until(end, size, samples) - starts[min(1, len(starts) - 1)] >= WINDOW and len(starts) > 1:
            starts.pop(0)
    return starts[0]


def samples_until(end, size, samples):
    return min(end + size, samples)


@pytest.mark.parametrize("samples", [20, 180, 200, 220, 500, 1010])
def test_the_window_holds_the_last_samples(samples):
    result = see(DataMonitor(window_size=WINDOW), english(1, samples)).check_anomaly()
    assert result.samples == samples - result.first_sample
    assert min(samples, WINDOW) <= result.samples < WINDOW + WINDOW // 10 + 20
    assert result.first_sample == window_of(samples)


def test_duplicates_are_counted_within_the_window():
    rng = random.Random(2)
    texts = english(3, 150)
    order = [texts[rng.randrange(150)] for _ in range(700)]
    monitor = DataMonitor(window_size=WINDOW)
    seen, copies = [], []
    for first in range(0, 700, 20):
        batch = order[first : first + 20]
        start = monitor.check_anomaly().first_sample
        for text in batch:
            copies.append(text in seen[start:])
            seen.append(text)
        monitor.update(batch)
    result = monitor.check_anomaly()
    inside = copies[result.first_sample :]
    assert result["duplicate_ratio"].value == pytest.approx(sum(inside) / len(inside))


def test_white_space_and_case_do_not_hide_a_duplicate():
    monitor = see(DataMonitor(window_size=10), ["The mill  stands", "the MILL stands\n", "another text"])
    assert monitor.check_anomaly()["duplicate_ratio"].value == pytest.approx(1 / 3)


@settings(max_examples=50)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=20))
def test_controls_are_those_of_unicode(texts):
    monitor = DataMonitor(window_size=10)
    monitor.update(texts)
    whole = "".join(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts)
    controls = sum(unicodedata.category(each) == "Cc" and each not in "\t\n\r" for each in whole)
    assert monitor.check_anomaly()["control_char_ratio"].value == (controls / len(whole) if whole else None)


def test_controls_of_ids_are_those_of_their_text(tokenizer_file):
    rng = random.Random(6)
    texts = [text[:20] + rng.choice("\x00\x01\x1b\x7f\t\n") + text[20:] for text in english(5, 60)]
    ids = [each.ids for each in Tokenizer.from_file(str(tokenizer_file)).encode_batch(texts)]
    by_text, by_ids = (
        see(DataMonitor(tokenizer=tokenizer_file, window_size=50), samples).check_anomaly()["control_char_ratio"]
        for samples in (texts, ids)
    )
    assert by_ids.value == by_text.value > 0


def test_divergence_is_that_of_scipy():
    rng = np.random.default_rng(1)
    rows = rng.zipf(1.5, (40, 50)) % 90
    monitor = see(DataMonitor(vocab_size=100, window_size=20), rows.tolist(), size=5)
    result = monitor.check_anomaly()
    window, reference = (np.bincount(part.ravel(), minlength=100) for part in (rows[20:], rows[:20]))
    assert result.first_sample == 20
    assert result["kl"].value == pytest.approx(scipy.stats.entropy(window, reference + 0.5))


def test_excess_is_about_nothing_for_the_same_distribution_and_the_divergence_for_another():
    rng = np.random.default_rng(2)
    same, other = 1 / np.arange(1, 2001), 1 / np.arange(1, 2001)
    other[:200] = other[:200][::-1]
    same, other = same / same.sum(), other / other.sum()

    def rows(shares):
        return rng.choice(2000, (400, 200), p=shares).tolist()

    monitor = DataMonitor(vocab_size=2000, window_size=400)
    see(monitor, rows(same))
    see(monitor, rows(same))
    assert abs(monitor.check_anomaly()["kl_excess"].value) < 0.003
    see(monitor, rows(other))
    see(monitor, rows(other))
    assert monitor.check_anomaly()["kl_excess"].value == pytest.approx(scipy.stats.entropy(other, same), rel=0.02)


def test_lengths_are_compared_as_scipy_does():
    rng = np.random.default_rng(3)
    first, second = rng.integers(5, 60, 1000), rng.integers(5, 66, 1000)
    monitor = DataMonitor(vocab_size=10, window_size=1000)
    see(monitor, [[1] * length for length in first.tolist()])
    see(monitor, [[1] * length for length in second.tolist()])
    found = monitor.check_anomaly()["length_distance"]
    wanted = scipy.stats.ks_2samp(first, second)
    assert found.value == pytest.approx(wanted.statistic)
    assert found.p_value == pytest.approx(wanted.pvalue, rel=0.15)


def test_ids_out_of_the_vocabulary_are_counted(tokenizer_file):
    rng = np.random.default_rng(4)
    rows = rng.integers(-3, 520, (50, 40))
    monitor = see(DataMonitor(tokenizer=tokenizer_file, window_size=50), rows.tolist())
    result = monitor.check_anomaly()
    outside = int(((rows < 0) | (rows >= 512)).sum())
    assert result["out_of_range_count"].value == outside
    assert result["oov_token_ratio"].value == pytest.approx(outside / rows.size)


def test_an_embedding_with_more_rows_than_tokens_has_holes(tokenizer_file):
    monitor = DataMonitor(tokenizer=tokenizer_file, vocab_size=600, window_size=10)
    monitor.update([[1, 2, 550, 3], [4, 5, 6, 7]])
    result = monitor.check_anomaly()
    assert result["out_of_range_count"].value == 0
    assert result["oov_token_ratio"].value == pytest.approx(1 / 8)


def test_labels_are_counted_as_plain_python_does():
    rng = np.random.default_rng(5)
    rows, labels = rng.integers(0, 50, (60, 12)), rng.integers(0, 60, (60, 12))
    labels[rng.random((60, 12)) < 0.7] = -100
    labels[rng.random(60) < 0.2] = -100
    mask = (np.arange(12) < rng.integers(1, 13, 60)[:, None]).astype(int)
    monitor = DataMonitor(vocab_size=50, window_size=60)
    monitor.update({"input_ids": rows, "attention_mask": mask, "labels": labels})
    counts = Counter()
    for row in range(60):
        places = list(zip(labels[row].tolist(), mask[row].tolist(), strict=True))
        counts["masked"] += not any(label != -100 and real for label, real in places)
        counts["outside"] += sum(label != -100 and not 0 <= label < 50 for label, _ in places)
        counts["padding"] += sum(not real for _, real in places)
        counts["on padding"] += sum(not real and label != -100 for label, real in places)
    result = monitor.check_anomaly()
    assert result["masked_sample_ratio"].value == pytest.approx(counts["masked"] / 60)
    assert result["label_out_of_range_count"].value == counts["outside"]
    assert result["padding_label_ratio"].value == pytest.approx(counts["on padding"] / counts["padding"])


def test_nothing_seen_has_no_shares():
    result = DataMonitor().check_anomaly()
    assert not result.is_anomalous
    assert result["duplicate_ratio"].value is result["control_char_ratio"].value is None


def test_a_level_of_none_reports_and_does_not_judge():
    monitor = DataMonitor(window_size=10, levels=MonitorLevels(duplicate_ratio=None))
    found = see(monitor, ["same"] * 20, size=20).check_anomaly()["duplicate_ratio"]
    assert (found.value, found.status) == (19 / 20, "info")
