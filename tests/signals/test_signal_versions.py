"""A signal whose code changed has another version, so that no stored result is taken for a new one."""

import importlib.util
import json
import linecache
from dataclasses import replace
from pathlib import Path

import pytest

from dataaudit.signals import all_signals

SCRIPT = Path(__file__).parents[2] / "scripts" / "signal_versions.py"
STORED = Path(__file__).with_name("versions.json")
HEAD = "from dataaudit.kernels.unicode import having\nfrom dataaudit.signals.characters import of_classes\n"
BODY = (
    'def measure(batch, limit=1):\n    """What it is."""\n    total: int = of_classes(batch, having("is_alnum"))\n    '
)


@pytest.fixture(scope="module")
def versions():
    spec = importlib.util.spec_from_file_location("signal_versions", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_signals_code_is_that_of_its_version(versions):
    stored, now = json.loads(STORED.read_text()), versions.current()
    assert versions.stale(stored, now) == [], (
        "raise their version, or, where the values are the same, run: python scripts/signal_versions.py --same-values"
    )
    assert stored == now, "write it again: python scripts/signal_versions.py"


def made(source, name):
    """A signal with this source."""
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space = {"__name__": "dataaudit.signals.made"}
    exec(compile(source, file, "exec"), space)
    return replace(all_signals()["alnum_char_count"], measure=space["measure"])


def test_the_digest_is_of_what_the_code_does(versions):
    first = versions.digest_of(made(HEAD + BODY + "return total > limit", "a"))
    same = HEAD + BODY.replace("What it is", "Other words").replace(": int", "")
    assert versions.digest_of(made(same + "# why\n    return (total >\n            limit)", "b")) == first
    assert versions.digest_of(made(HEAD + BODY + "return total >= limit", "c")) != first
    assert versions.digest_of(made(HEAD + BODY.replace("limit=1", "limit=2") + "return total > limit", "d")) != first
    assert versions.digest_of(
        made(HEAD + "limit = 3\n" + BODY.replace(", limit=1", "") + "return total > limit", "e")
    ) != (versions.digest_of(made(HEAD + "limit = 4\n" + BODY.replace(", limit=1", "") + "return total > limit", "f")))


def test_the_digest_reaches_the_helpers_and_the_kernels(versions, monkeypatch):
    known = all_signals()
    names = ("alnum_char_count", "dup_5gram_char_ratio", "top_2gram_char_ratio", "char_count", "periodic_token_repeat")
    before = {name: versions.digest_of(known[name]) for name in names}
    plain = versions._plain
    monkeypatch.setattr(
        versions,
        "_plain",
        lambda node: plain(node) + ("changed" if getattr(node, "name", "") == "_count_classes" else ""),
    )
    after = {name: versions.digest_of(known[name]) for name in names}
    assert [name for name in names if before[name] != after[name]] == ["alnum_char_count"]


def test_signals_made_by_one_function_differ(versions):
    known = all_signals()
    assert versions.digest_of(known["top_2gram_char_ratio"]) != versions.digest_of(known["top_3gram_char_ratio"])
