"""Batches in every usual form give the same numbers, and others an error that says what is expected."""

import subprocess
import sys
from collections import UserDict

import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from monitor_batches import english, see
from tokenizers import Tokenizer

from dataaudit import DataAuditError, DataMonitor, MonitorLevels

RAGGED = [[5, 6, 7], [8], [9, 9, 9, 9], [5, 6, 7], []]
LABELS = [[-100, 6, 7], [-100], [9, 9, 9, 9], [5, -100, 7], []]


def padded(rows, value):
    width = max(map(len, rows))
    return np.array([row + [value] * (width - len(row)) for row in rows])


IDS, MARKS, TARGETS = padded(RAGGED, 0), padded([[1] * len(row) for row in RAGGED], 0), padded(LABELS, -100)
WHOLE = {"input_ids": IDS, "attention_mask": MARKS, "labels": TARGETS}
WITH_LABELS = {
    "numpy": WHOLE,
    "mapping": UserDict(WHOLE),
    "lists": {name: values.tolist() for name, values in WHOLE.items()},
    "ragged": {"input_ids": RAGGED, "labels": LABELS},
    "samples": [{"input_ids": ids, "labels": labels} for ids, labels in zip(RAGGED, LABELS, strict=True)],
    "tensors": {name: torch.tensor(values) for name, values in WHOLE.items()},
    "narrow tensors": {name: torch.tensor(values, dtype=torch.int16) for name, values in WHOLE.items()},
    "boolean mask": WHOLE | {"attention_mask": torch.tensor(MARKS).bool()},
    "on the left": {name: values[:, ::-1] for name, values in WHOLE.items()},
}


def seen(batch, **settings):
    monitor = DataMonitor(vocab_size=10, window_size=10, levels=MonitorLevels(min_tokens=0, min_samples=0), **settings)
    monitor.update(batch)
    monitor.update(batch)
    monitor.update(batch)
    return monitor.check_anomaly()


@pytest.mark.parametrize("form", WITH_LABELS)
def test_forms_with_labels_are_alike(form):
    wanted, found = seen(WITH_LABELS["numpy"]), seen(WITH_LABELS[form])
    known = {measure.name: measure.value for measure in wanted.measures}
    assert known["duplicate_ratio"] == 8 / 10  # of the last two batches all but the empty rows
    assert known["masked_sample_ratio"] == 2 / 5
    for measure in found.measures:
        # Rows without padding have none that could be labelled, and rows read backwards are other samples.
        if measure.name in ("padding_label_ratio", "masked_sample_ratio"):
            continue
        assert measure.value == known[measure.name], measure
    assert found.tokens == wanted.tokens


WITHOUT_LABELS = {
    "list of lists": [row for row in RAGGED if row],
    "list of arrays": [np.array(row) for row in RAGGED if row],
    "list of tensors": [torch.tensor(row) for row in RAGGED if row],
    "padded": padded([row for row in RAGGED if row], 0),
    "tensor": torch.tensor(padded([row for row in RAGGED if row], 0)),
    "pair": [torch.tensor(padded([row for row in RAGGED if row], 0))] * 2,
    "column": {"input_ids": [row for row in RAGGED if row]},
}


@pytest.mark.parametrize("form", WITHOUT_LABELS)
def test_forms_without_mask_are_alike(form):
    wanted, found = (seen(WITHOUT_LABELS[each], pad_id=0) for each in ("list of lists", form))
    assert [m.value for m in found.measures][:7] == [m.value for m in wanted.measures][:7]
    assert found.tokens == wanted.tokens == 33


TEXTS = ["one text", "another text", "", "one text"]


@pytest.mark.parametrize(
    "form",
    [
        TEXTS,
        tuple(TEXTS),
        {"text": TEXTS},
        [{"text": text} for text in TEXTS],
        pa.array(TEXTS),
        pa.chunked_array([TEXTS]),
    ],
)
def test_forms_of_texts_are_alike(form):
    monitor = DataMonitor(window_size=10)
    monitor.update(form)
    result = monitor.check_anomaly()
    assert (result.samples, result["duplicate_ratio"].value) == (4, 0.25)


@settings(max_examples=40)
@given(
    st.lists(st.lists(st.integers(-3, 12), min_size=1, max_size=8), min_size=1, max_size=6),
    st.booleans(),
)
def test_padding_changes_nothing(rows, to_the_left):
    width = max(map(len, rows)) + 1
    ids, mask = np.full((len(rows), width), 3), np.zeros((len(rows), width), np.int64)
    for number, row in enumerate(rows):
        place = slice(width - len(row), width) if to_the_left else slice(0, len(row))
        ids[number, place], mask[number, place] = row, 1
    assert seen({"input_ids": ids, "attention_mask": mask}) == seen(rows)


def test_a_single_row_is_one_sample():
    assert seen(torch.tensor([1, 2, 3])).seen_samples == seen({"input_ids": [1, 2, 3]}).seen_samples == 3


def test_labels_of_whole_samples_are_no_labels_of_tokens():
    result = seen({"input_ids": IDS[:3], "attention_mask": MARKS[:3], "labels": np.array([0, 1, 99])})
    assert result["label_out_of_range_count"].status == "skip"


def test_a_mask_of_more_dimensions_is_no_padding():
    result = seen({"input_ids": IDS, "attention_mask": np.ones((5, 1, 4, 4))})
    assert result.tokens == 40


def test_texts_are_found_under_another_name_and_surrogates_are_no_fault():
    monitor = DataMonitor(window_size=10, text_column="content")
    monitor.update({"content": ["a \ud800 b", None], "input": [1, 2]})
    assert monitor.seen_samples == 2


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (7, "a batch is a int"),
        ("text", "a batch is a str"),
        ({"tokens": [1]}, "neither 'input_ids' nor 'text'; it has: 'tokens'"),
        ({}, "it has: nothing"),
        (np.zeros((2, 3)), "of type float64"),
        (np.zeros((2, 3, 4), int), "3 dimensions"),
        ([[1, 2.5]], "of type float64"),
        ([["a"]], "not whole numbers"),
        (["a", 1], "sample 1 of a batch is a int"),
        ({"input_ids": [[1, 2]], "attention_mask": [[1]]}, "attention_mask has 1 samples of 1 values"),
        ({"input_ids": [[1, 2]], "labels": [[1], [2]]}, "labels has 2 samples of 1 values"),
        (pa.array([1]), "holds int64, not texts"),
        ([np.ones((1, 3), int)] * 3, "a list of 3 arrays of 2 dimensions"),
    ],
)
def test_another_form_is_an_error_that_says_what_is_expected(batch, message):
    monitor = DataMonitor()
    with pytest.raises(DataAuditError, match=message):
        monitor.update(batch)
    assert monitor.seen_samples == 0


def test_one_monitor_sees_one_kind_of_batches():
    monitor = see(DataMonitor(), english(1, 20))
    with pytest.raises(DataAuditError, match="has token ids, but words were counted before"):
        monitor.update([[1, 2]])


def test_with_a_tokenizer_texts_and_ids_are_alike(tokenizer_file):
    texts = english(2, 60)
    ids = [each.ids for each in Tokenizer.from_file(str(tokenizer_file)).encode_batch(texts)]
    by_text, by_ids = (
        see(DataMonitor(tokenizer=tokenizer_file, window_size=20), samples).check_anomaly() for samples in (texts, ids)
    )
    assert by_text == by_ids


def test_a_tokenizer_object_is_as_good_as_its_file(tokenizer_file):
    from transformers import PreTrainedTokenizerFast

    loaded = Tokenizer.from_file(str(tokenizer_file))
    found = [
        see(DataMonitor(tokenizer=each, window_size=20), english(2, 60)).check_anomaly()
        for each in (tokenizer_file, loaded, PreTrainedTokenizerFast(tokenizer_object=loaded))
    ]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"window_size": 5}, "window_size is 5"),
        ({"vocab_size": 0}, "vocab_size is 0"),
        ({"tokenizer": 3}, "tokenizer is a int"),
        ({"tokenizer": "nowhere.json"}, "no such tokenizer file"),
        ({"reference": "nowhere"}, "is not a run"),
    ],
)
def test_settings_that_cannot_be_used_say_why(settings, message):
    with pytest.raises(DataAuditError, match=message):
        DataMonitor(**settings)


@pytest.mark.parametrize("level", [{"duplicate_ratio": 5}, {"kl_excess": -1}, {"min_tokens": "many"}])
def test_a_level_that_nothing_can_pass_is_refused(level):
    with pytest.raises(DataAuditError, match="Expected a"):
        MonitorLevels(**level)


def test_torch_is_not_imported():
    code = "import sys, dataaudit; dataaudit.DataMonitor().update([[1, 2]]); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
