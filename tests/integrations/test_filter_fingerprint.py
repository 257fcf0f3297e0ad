"""The trap of datasets' cache: results found again in another process, and never those of other rules or versions."""

import os
import subprocess
import sys
import warnings
from dataclasses import replace

import datasets
import msgspec
import pytest
from datasets.fingerprint import Hasher

import dataaudit
from dataaudit.signals import all_signals

HASHES = """
import warnings
warnings.simplefilter("ignore")
import dataaudit
from datasets.fingerprint import Hasher
f = dataaudit.Filter.load("default")
{use}
print(Hasher.hash(f), Hasher.hash(f.annotate), Hasher.hash(f.keep), Hasher.hash(f.select))
"""


def load(name="gopher", **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dataaudit.Filter.load(name, **options)


def hashes(seed, use=""):
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", HASHES.format(use=use)]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout


def test_fingerprints_are_the_same_in_every_process_and_after_use():
    first = hashes("0")
    assert len(set(first.split())) == 4
    assert first == hashes("12345", use='f.keep({"text": ["Some text of a document."]})')


def test_a_fingerprint_changes_with_a_signals_version(monkeypatch):
    before = load()
    known = dict(all_signals())
    known["hash_symbol_ratio"] = replace(known["hash_symbol_ratio"], version=99)
    monkeypatch.setattr("dataaudit.integrations.filter.all_signals", lambda: known)
    after = load()
    assert dict(after.versions)["hash_symbol_ratio"] == 99
    assert Hasher.hash(before.annotate) != Hasher.hash(after.annotate)
    known["mojibake_char_ratio"] = replace(known["mojibake_char_ratio"], version=99)
    assert Hasher.hash(load().annotate) == Hasher.hash(after.annotate), "gopher does not look at this one"


def test_a_fingerprint_changes_with_a_rule(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("extends: gopher\nrules: [{id: gopher/bullet-lines, max: 0.9}]")
    same = load(str(path))
    path.write_text("extends: gopher\nrules: [{id: gopher/bullet-lines, max: 0.8}]")
    other = load(str(path))
    assert Hasher.hash(same) != Hasher.hash(other)


@pytest.mark.parametrize("change", [{"text_column": "body"}, {"at_step": 5}, {"tokenizer": True}])
def test_a_fingerprint_changes_with_what_the_filter_was_loaded_with(change, tmp_path, tokenizer_file):
    path = tmp_path / "mine.yaml"
    path.write_text("rules: [{id: a, signal: char_count, max: {initial: 10, final: 20, decay_steps: 100}, source: s}]")
    options = {"tokenizer": tokenizer_file} if "tokenizer" in change else change
    assert Hasher.hash(load(str(path))) != Hasher.hash(load(str(path), **options))


def test_the_state_is_plain_data():
    f = load()
    assert msgspec.json.encode(f)
    with pytest.raises(AttributeError):
        f.name = "other"


def test_the_cache_is_used_again_and_only_for_the_same_filter(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text('{"text": "A text."}\n' * 3)
    ds = datasets.Dataset.from_json(str(path), cache_dir=str(tmp_path / "cache"))
    one, again = (ds.map(load().annotate, batched=True) for _ in range(2))
    other = ds.map(load("c4").annotate, batched=True)
    assert one.cache_files == again.cache_files
    assert one.cache_files != other.cache_files
