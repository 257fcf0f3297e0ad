"""dataaudit.Filter in datasets: map, filter, processes, streaming, Arrow, and the same verdicts as a run."""

import json
import random
import subprocess
import sys
import warnings

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import chinese, prose

import dataaudit
from dataaudit.config.load import load_config, presets
from dataaudit.errors import ConfigError, RunError, UsageError
from dataaudit.pipeline.filter_run import run_filter
from dataaudit.pipeline.listener import Silent
from dataaudit.rules import REASONS

GOOD = "The river rose in the night, and by morning the lower field was a lake with a gate in the middle of it."
TEXTS = [GOOD, "", "   \n", "!!! ??? ...", "酒店的房间很干净，早餐也不错，服务员态度很好。", "a" * 600, GOOD * 9]


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    datasets.disable_progress_bars()
    datasets.disable_caching()
    yield
    datasets.enable_caching()


def load(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dataaudit.Filter.load(*arguments, **options)


def dataset(texts, **columns):
    return datasets.Dataset.from_dict({"text": texts, "key": list(range(len(texts))), **columns})


def rules_of(found):
    return [[reason["rule"] for reason in each] for each in found]


@pytest.fixture(scope="module")
def expected():
    f = load("default")
    return {
        "reasons": rules_of(f.annotate({"text": TEXTS})["dataaudit_reasons"]),
        "keys": [key for key, kept in enumerate(f.keep({"text": TEXTS})) if kept],
    }


def test_reasons_are_those_of_the_rules(expected):
    found = expected["reasons"]
    assert found[0] == found[4] == []
    assert found[1] == found[2] == ["empty"]
    assert found[3] == ["punctuation-only", "special-characters"]
    assert {"unique-characters", "longest-run"} <= set(found[5])
    assert expected["keys"] == [0, 4]


@pytest.mark.parametrize("processes", [None, 2])
@pytest.mark.parametrize("form", [None, "arrow"])
def test_map_and_filter(form, processes, expected):
    ds = dataset(TEXTS).with_format(form)
    f = load("default")
    annotated = ds.map(f.annotate, batched=True, batch_size=2, num_proc=processes).with_format(None)
    assert rules_of(annotated["dataaudit_reasons"]) == expected["reasons"]
    assert annotated["text"][:] == TEXTS
    kept = ds.filter(f.keep, batched=True, batch_size=2, num_proc=processes).with_format(None)
    assert kept["key"][:] == expected["keys"]


def test_map_may_take_away_columns_and_mapping_again_changes_nothing():
    f = load("default")
    once = dataset(TEXTS).map(f.annotate, batched=True)
    again = once.map(f.annotate, batched=True)
    assert again[:] == once[:] and again.features == once.features
    assert "text" not in dataset(TEXTS).map(f.annotate, batched=True, remove_columns=["text"]).column_names


@pytest.mark.parametrize("form", [None, "arrow"])
def test_streaming(form, expected):
    stream = dataset(TEXTS).to_iterable_dataset(num_shards=2).with_format(form)
    f = load("default")
    annotated = list(stream.map(f.annotate, batched=True, batch_size=3).with_format(None))
    assert rules_of(row["dataaudit_reasons"] for row in annotated) == expected["reasons"]
    kept = stream.filter(f.keep, batched=True, batch_size=3).with_format(None)
    assert [row["key"] for row in kept] == expected["keys"]


def test_a_dict_of_datasets(expected):
    splits = datasets.DatasetDict(train=dataset(TEXTS), test=dataset(TEXTS[:2]))
    f = load("default")
    assert rules_of(splits.map(f.annotate, batched=True)["test"]["dataaudit_reasons"]) == expected["reasons"][:2]
    assert splits.filter(f.keep, batched=True)["train"]["key"][:] == expected["keys"]


def test_types_do_not_depend_on_what_the_first_batch_holds():
    f = load("default")
    kinds = [
        dataset(texts).map(f.annotate, batched=True, batch_size=1).features for texts in ([GOOD, ""], ["", GOOD], [""])
    ]
    assert kinds[0] == kinds[1] == kinds[2]
    assert kinds[0]["dataaudit_reasons"] == datasets.Features.from_arrow_schema(pa.schema({"r": REASONS}))["r"]


def test_features_of_the_dataset_stay_as_they_are():
    label = datasets.ClassLabel(names=["bad", "good"])
    features = datasets.Features({"text": datasets.Value("large_string"), "label": label})
    ds = datasets.Dataset.from_dict({"text": TEXTS, "label": [1] * len(TEXTS)}, features=features)
    f = load("default")
    for done in (ds.map(f.annotate, batched=True), ds.filter(f.keep, batched=True), ds.map(f.select, batched=True)):
        assert {name: done.features[name] for name in features} == dict(features)


@pytest.mark.parametrize("processes", [None, 2])
@pytest.mark.parametrize("how", ["map", "filter"])
def test_a_batch_may_lose_all_its_rows(how, processes):
    """datasets#2644: a map that drops every row of a batch."""
    f = load("default")
    texts = [""] * 10 + [f"{GOOD} It was the year {year}." for year in range(10)]
    ds = dataset(texts)
    for rows, keys in ((20, list(range(10, 20))), (10, [])):
        part = ds.select(range(rows))
        if how == "map":
            done = part.map(f.select, batched=True, batch_size=5, num_proc=processes)
        else:
            done = part.filter(f.keep, batched=True, batch_size=5, num_proc=processes)
        assert done["key"][:] == keys
        assert done.column_names == ds.column_names and done.features == ds.features
    stream = ds.to_iterable_dataset().map(f.select, batched=True, batch_size=5)
    assert [row["key"] for row in stream] == list(range(10, 20))


def test_a_record_without_text_has_that_one_reason():
    f = load("default")
    ds = dataset([GOOD, None, ""])
    assert rules_of(ds.map(f.annotate, batched=True)["dataaudit_reasons"]) == [[], ["without-text"], ["empty"]]
    assert ds.filter(f.keep, batched=True)["key"][:] == [0]


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """A corpus that many rules have something to say of, as a file and as texts."""
    rng = random.Random(3)
    texts = [prose(rng) for _ in range(12)] + [chinese(rng, 200) for _ in range(12)]
    texts += [prose(rng, 2) * 8, chinese(rng, 30) * 6, "- one\n- two\n" * 30, "x{y} " * 80, "# # # ... ...\n" * 40]
    texts += [
        "",
        " \n",
        "...",
        "Lorem ipsum dolor sit amet here.\n" * 3,
        GOOD + "\n",
        "\0" * 9,
        "1 2 3 " * 200,
        "cafÃ© ￿",
    ]
    texts += ["word " * 49 + "end", "the and of " * 30 + "\n" * 60, "A line. \nAnother line. \n" * 5]
    path = tmp_path_factory.mktemp("documents") / "corpus.jsonl"
    lines = [json.dumps({"id": f"d{row}", "text": text}) + "\n" for row, text in enumerate(texts)]
    path.write_text("".join(lines), encoding="utf-8")
    return path, texts


@pytest.fixture(scope="module")
def whole(documents, tokenizer_file, tmp_path_factory):
    """A run of the documents with everything measured."""
    run = tmp_path_factory.mktemp("whole") / "run"
    dataaudit.audit(documents[0], run, tokenizer=tokenizer_file, workers=1)
    return run


def records(folder):
    """The records of JSON lines files, by id."""
    lines = [line for path in folder.rglob("*.jsonl") for line in path.read_bytes().splitlines()]
    return {row["id"]: row for row in map(json.loads, lines)}


@pytest.mark.parametrize("preset", presets())
def test_verdicts_are_those_of_the_command_line(preset, whole, documents, tokenizer_file, tmp_path):
    run_filter(whole, tmp_path / "out", Silent(), workers=1, loaded=load_config(preset))
    clean, quarantine = (records(tmp_path / "out" / kind) for kind in ("clean", "quarantine"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = dataaudit.Filter.load(preset, tokenizer=tokenizer_file, run=whole)
    ds = datasets.Dataset.from_json(str(documents[0]))
    assert set(ds.filter(f.keep, batched=True, batch_size=9)["id"]) == clean.keys()
    annotated = ds.with_format("arrow").map(f.annotate, batched=True, batch_size=7).with_format(None)
    for row in annotated:
        if row["id"] in quarantine:
            told = [
                {name: each[name] for name in REASONS.value_type.names}
                for each in quarantine[row["id"]]["dataaudit_reasons"]
            ]
            assert told == row["dataaudit_reasons"], row["id"]
    stored = pq.read_table(whole / "signals")
    for name in set(annotated.column_names) & set(stored.column_names) - {"id"}:
        assert annotated[name][:] == stored.column(name).to_pylist(), name


def test_skipped_rules_are_named_and_warned_of_once(tokenizer_file):
    with pytest.warns(UserWarning, match=r"periodic-tokens \(periodic_token_repeat: no tokenizer was given\)"):
        without = dataaudit.Filter.load("default")
    assert "periodic-tokens" in without.skipped
    assert not set(without.skipped) & {rule.id for rule in without.rules}
    assert "periodic-tokens" not in load("default", tokenizer=tokenizer_file).skipped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        without.keep({"text": TEXTS})
        assert dataaudit.Filter.load("gopher").skipped == ()


RARE = "version: 1\nrules: [{id: rare, signal: rare_token_ratio, max: 0.05, source: s}]\n"


@pytest.fixture(scope="module")
def audited(documents, tokenizer_file, tmp_path_factory):
    """A run of the documents and a config with a rule that needs the whole corpus."""
    folder = tmp_path_factory.mktemp("audited")
    (folder / "rare.yaml").write_text(RARE)
    dataaudit.audit(documents[0], folder / "run", config=str(folder / "rare.yaml"), tokenizer=tokenizer_file, workers=1)
    return folder


def test_rules_on_the_whole_corpus_are_looked_up_in_a_run(audited, documents):
    run, config = audited / "run", str(audited / "rare.yaml")
    assert load(config).skipped == ("rare",)
    f = dataaudit.Filter.load(config, run=run)
    assert f.skipped == ()
    stored = pq.read_table(run / "signals_pooled").column("rare_token_ratio").to_pylist()
    ds = datasets.Dataset.from_json(str(documents[0])).shuffle(seed=1)
    annotated = ds.map(f.annotate, batched=True, batch_size=4, num_proc=2)
    for name, value, kept in zip(annotated["id"], annotated["rare_token_ratio"], f.keep(ds[:]), strict=True):
        expected = stored[int(name[1:])]
        assert value == expected
        is_blank = not documents[1][int(name[1:])].strip()
        assert kept == (not is_blank and expected <= 0.05)


def test_the_runs_own_doc_id_goes_before_the_id(audited, documents):
    f = dataaudit.Filter.load(str(audited / "rare.yaml"), run=audited / "run")
    batch = {"text": documents[1][:3], "doc_id": [0, 1, 2]}
    assert len(f.keep(batch)) == 3


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ({"text": [GOOD], "id": ["other"]}, "has no document with id 'other'"),
        ({"text": ["another text"], "id": ["d0"]}, "it is not the text that was audited"),
        ({"text": [GOOD]}, "has no column 'id'"),
    ],
)
def test_a_document_that_is_not_the_runs_is_an_error(batch, message, audited):
    f = dataaudit.Filter.load(str(audited / "rare.yaml"), run=audited / "run")
    with pytest.raises(UsageError, match=message):
        f.keep(batch)


def test_an_id_that_two_documents_have_is_an_error(tokenizer_file, tmp_path):
    (tmp_path / "c.jsonl").write_text("".join(json.dumps({"id": "same", "text": GOOD}) + "\n" for _ in range(2)))
    (tmp_path / "rare.yaml").write_text(RARE)
    dataaudit.audit(
        tmp_path / "c.jsonl", tmp_path / "run", config=str(tmp_path / "rare.yaml"), tokenizer=tokenizer_file, workers=1
    )
    f = dataaudit.Filter.load(str(tmp_path / "rare.yaml"), run=tmp_path / "run")
    with pytest.raises(UsageError, match="several documents with id 'same'"):
        f.keep({"text": [GOOD], "id": ["same"]})


def test_a_folder_that_is_no_run_is_an_error(tmp_path, audited):
    with pytest.raises(RunError, match="is not a run folder"):
        dataaudit.Filter.load(str(audited / "rare.yaml"), run=tmp_path)


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ({"body": [GOOD]}, "no column 'text' for the text"),
        ({"text": [1]}, "holds int"),
        (pa.table({"text": [1]}), "holds int64, not text"),
        ({"text": [GOOD], "special_char_ratio": [0.5]}, "a column 'special_char_ratio' of its own"),
    ],
)
def test_faults_of_a_dataset_are_told(batch, message):
    f = load("default")
    with pytest.raises(UsageError, match=message):
        f.annotate(batch)


def test_an_unknown_signal_and_an_unknown_preset_are_errors(tmp_path):
    (tmp_path / "c.yaml").write_text("rules: [{id: a, signal: word_cuont, min: 1, source: s}]")
    with pytest.raises(ConfigError, match="Did you mean 'word_count'"):
        dataaudit.Filter.load(tmp_path / "c.yaml")
    with pytest.raises(ConfigError, match="Did you mean 'gopher'"):
        dataaudit.Filter.load("gophr")


def test_another_text_column_and_number_columns(tmp_path):
    (tmp_path / "c.yaml").write_text(
        "read: {text_column: body, number_columns: [loss]}\n"
        "rules: [{id: loss, signal: loss, max: 6, source: s, if_null: keep}]"
    )
    batch = {"body": [GOOD] * 4, "loss": [5, 6, 7, None], "text": [None] * 4}
    f = dataaudit.Filter.load(tmp_path / "c.yaml")
    assert f.keep(batch) == [True, True, False, True]
    assert "loss" not in f.annotate(batch)
    assert dataaudit.Filter.load(tmp_path / "c.yaml", text_column="text").keep(batch) == [False] * 4
    with pytest.raises(UsageError, match="does not hold numbers"):
        f.keep({"body": [GOOD], "loss": ["high"]})


def test_limits_of_a_training_step(tmp_path):
    (tmp_path / "c.yaml").write_text(
        "rules: [{id: a, signal: char_count, max: {initial: 10, final: 20, decay_steps: 100}, source: s}]"
    )
    batch = {"text": ["x" * 9, "x" * 15, "x" * 21]}
    path = tmp_path / "c.yaml"
    assert dataaudit.Filter.load(path).keep(batch) == [True, True, False]
    assert dataaudit.Filter.load(path, at_step=0).keep(batch) == [True, False, False]
    annotated = dataaudit.Filter.load(path).annotate(batch)
    # 20 − 10·exp(−t/100) reaches 15 at t = 100·ln 2 = 69.3
    assert annotated["admit_from_step"] == [0, 70, None]
    assert annotated["admit_until_step"] == [None, None, None]
    assert "admit_from_step" not in dataaudit.Filter.load(path, at_step=0).annotate(batch)


def test_lone_surrogates_are_measured_as_in_an_audit():
    f = load("default")
    broken = f.annotate({"text": ["ab\ud800cd"]})
    assert broken["replacement_char_ratio"] == [1 / 5]


def test_neither_polars_nor_datasets_is_loaded(audited, tokenizer_file):
    """Polars that was used before a fork hangs in the child; and a batch is measured without datasets."""
    code = (
        "import sys, warnings, dataaudit\n"
        "warnings.simplefilter('ignore')\n"
        f"f = dataaudit.Filter.load({str(audited / 'rare.yaml')!r}, run={str(audited / 'run')!r})\n"
        f"g = dataaudit.Filter.load('default', tokenizer={str(tokenizer_file)!r})\n"
        f"g.annotate({{'text': [{GOOD!r}]}})\n"
        "print([name for name in ('polars', 'datasets') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
