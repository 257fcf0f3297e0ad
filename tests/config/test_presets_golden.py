"""Every rule of every published preset, with a document just inside its limit and one just outside, worked out by hand.

The words are made: w(n, k) gives n different words of k letters, han(n) n different Chinese characters.
"""

import math
from itertools import islice, product

import numpy as np
import pyarrow as pa
import pytest

from dataaudit.config import load_config
from dataaudit.config.load import presets
from dataaudit.rules import evaluate, reasons
from dataaudit.signals import DocumentBatch, measure


def w(count, letters=5):
    """Different words of so many letters, with spaces between."""
    return " ".join(islice(("".join(each) for each in product("bcdfghjklmnpqrstvwxz", repeat=letters)), count))


def han(count):
    return "".join(chr(0x5000 + n) for n in range(count))


def repeated(n, count, make=w):
    """*count* words, of which the first n stand again in the middle; so 2 n of them are in a repeated n-gram."""
    words = make(count - n).split() if make is w else list(make(count - n))
    middle = len(words) // 2 + n
    return (" " if make is w else "").join([*words[:middle], *words[:n], *words[middle:]])


def lines(count, make=lambda n: f"line number {n} of the page", end=""):
    return "\n".join(make(n) + end for n in range(count))


def copies(unique, extra):
    """So many different lines, and extra copies of the first."""
    return lines(unique) + "\nline number 0 of the page" * extra


def mostly(first, rest, count, of):
    """*count* lines like *first* and then lines like *rest*, *of* in all."""
    return "\n".join(first.format(n) if n < count else rest.format(n) for n in range(of))


def ngram_rules(preset, kind, limits, make=w):
    """Where one n-gram stands twice among different words of one length, its share is 2 n / words."""
    for n, limit in limits:
        inside = math.ceil(2 * n / limit)
        rule = f"{preset}/{kind}-{n}gram-chars"
        yield (
            preset,
            rule,
            repeated(n, inside, make),
            2 * n / inside,
            repeated(n, inside - 1, make),
            2 * n / (inside - 1),
        )


TOP = ((2, 0.2), (3, 0.18), (4, 0.16))
DUP = ((5, 0.15), (6, 0.14), (7, 0.13), (8, 0.12), (9, 0.11), (10, 0.1))
TOP_ZH = ((2, 0.256), (3, 0.201), (4, 0.171))
DUP_ZH = ((5, 0.198), (6, 0.182), (7, 0.167), (8, 0.154), (9, 0.14), (10, 0.127))
A, B = "x" * 20, "y" * 100
BULLETS = (mostly("- item {}", "item {}", 9, 10), 0.9, mostly("- item {}", "item {}", 10, 10), 1)
DOTS = (mostly("and so on {}...", "item {}", 3, 10), 0.3, mostly("and so on {}...", "item {}", 4, 10), 0.4)

GOLDEN = [
    # Gopher: words without punctuation
    ("gopher", "gopher/word-count", w(50), 50, w(49) + " -- ...", 49),
    ("gopher", "gopher/word-count", w(100_000), 100_000, w(100_001), 100_001),
    ("gopher", "gopher/mean-word-length", w(50, 3), 3, w(49, 3) + " do", 149 / 50),
    ("gopher", "gopher/mean-word-length", w(50, 10), 10, w(49, 10) + " " + "k" * 11, 501 / 50),
    ("gopher", "gopher/hash-symbols", w(45) + " a#" * 5, 5 / 50, w(44) + " a#" * 6, 6 / 50),
    ("gopher", "gopher/ellipsis-symbols", w(45) + " a..." * 3 + " a…" * 2, 5 / 50, w(44) + " a..." * 6, 6 / 50),
    ("gopher", "gopher/bullet-lines", *BULLETS),
    ("gopher", "gopher/ellipsis-lines", *DOTS),
    ("gopher", "gopher/alpha-words", w(40) + " 12" * 10, 40 / 50, w(39) + " 12" * 11, 39 / 50),
    ("gopher", "gopher/stop-words", w(48) + " the of", 2, w(48) + " the the", 1),
    ("gopher", "gopher/dup-lines", copies(7, 3), 3 / 10, copies(6, 4), 4 / 10),
    # 20 of 100 characters lie in the copy, then 20 of 99
    ("gopher", "gopher/dup-line-chars", f"{A}\n{A}\n" + "z" * 58, 20 / 100, f"{A}\n{A}\n" + "z" * 57, 20 / 99),
    (
        "gopher",
        "gopher/dup-paragraphs",
        *(("\n\n".join([*map(str, range(10 - n)), *["0"] * n]), n / 10)[k] for n in (3, 4) for k in (0, 1)),
    ),
    (
        "gopher",
        "gopher/dup-paragraph-chars",
        f"{A}\n\n{A}\n\n" + "z" * 56,
        20 / 100,
        f"{A}\n\n{A}\n\n" + "z" * 55,
        20 / 99,
    ),
    *ngram_rules("gopher", "top", TOP),
    *ngram_rules("gopher", "dup", DUP),
    # C4
    ("c4", "c4/sentences", "One two three.\n" * 5, 5, "One two three.\n" * 4 + "One two.", 4),
    ("c4", "c4/curly-brackets", "function f() {", 0, "The brace { is here.", 1),
    ("c4", "c4/lorem-ipsum", "Lorem ipsum", 0, "Lorem ipsum it says.", 1),
    ("c4", "c4/kept-lines", "One two three.\nFour five six!", 1, "One two three.\nMenu", 1 / 2),
    # FineWeb
    (
        "fineweb",
        "fineweb/terminal-punct-lines",
        mostly("Yes {}.", "Menu {}", 3, 25),
        3 / 25,
        mostly("Yes {}.", "Yes {}. ", 2, 25),
        2 / 25,
    ),
    (
        "fineweb",
        "fineweb/short-lines",
        mostly("{:030}", "{:031}", 67, 100),
        0.67,
        mostly("{:030}", "{:031}", 68, 100),
        0.68,
    ),
    # 10 of 1,000 characters that are no LF, then 10 of 999
    (
        "fineweb",
        "fineweb/dup-line-chars",
        f"{A[:10]}\n{A[:10]}\n" + "z" * 980,
        0.01,
        f"{A[:10]}\n{A[:10]}\n" + "z" * 979,
        10 / 999,
    ),
    ("fineweb", "fineweb/newlines", w(10) + "\n" * 3, 3 / 10, w(10) + "\n" * 4, 4 / 10),
    # FineWeb-2 for Chinese
    ("fineweb2-zh", "fineweb2-zh/dup-lines", copies(713, 287), 0.287, copies(712, 288), 0.288),
    (
        "fineweb2-zh",
        "fineweb2-zh/terminal-punct-lines",
        mostly("好{}。", "好{}", 106, 1000),
        0.106,
        mostly("好{}。", "好{}", 105, 1000),
        0.105,
    ),
    ("fineweb2-zh", "fineweb2-zh/dup-line-chars", f"{B}\n{B}\n" + "z" * 800, 0.1, f"{B}\n{B}\n" + "z" * 799, 100 / 999),
    ("fineweb2-zh", "fineweb2-zh/bullet-lines", *BULLETS),
    ("fineweb2-zh", "fineweb2-zh/ellipsis-lines", *DOTS),
    ("fineweb2-zh", "fineweb2-zh/word-count", han(80), 80, han(79) + "，。", 79),
    ("fineweb2-zh", "fineweb2-zh/word-count", "好" * 160_000, 160_000, "好" * 160_001, 160_001),
    ("fineweb2-zh", "fineweb2-zh/mean-word-length", w(50, 5), 5, w(49, 5) + " kkkkkk", 251 / 50),
    ("fineweb2-zh", "fineweb2-zh/hash-symbols", han(47) + " 好#" * 3, 3 / 50, han(46) + " 好#" * 4, 4 / 50),
    ("fineweb2-zh", "fineweb2-zh/ellipsis-symbols", han(47) + " 好…" * 3, 3 / 50, han(46) + " 好..." * 4, 4 / 50),
    ("fineweb2-zh", "fineweb2-zh/alpha-words", han(147) + " 1" * 53, 147 / 200, han(146) + " 1" * 54, 146 / 200),
    ("fineweb2-zh", "fineweb2-zh/stop-words", "大山的北面在下雨", 2, "大山的北面下雨", 1),
    ("fineweb2-zh", "fineweb2-zh/newlines", han(1000) + "\n" * 111, 0.111, han(1000) + "\n" * 112, 0.112),
    *ngram_rules("fineweb2-zh", "top", TOP_ZH, han),
    *ngram_rules("fineweb2-zh", "dup", DUP_ZH, han),
    # RedPajama-V2
    ("redpajama-v2", "redpajama-v2/word-count", w(50), 50, w(49) + " --", 49),
    ("redpajama-v2", "redpajama-v2/word-count", w(10_000), 10_000, w(10_001), 10_001),
    ("redpajama-v2", "redpajama-v2/mean-word-length", w(50, 3), 3, w(49, 3) + " do", 149 / 50),
    ("redpajama-v2", "redpajama-v2/mean-word-length", w(50, 10), 10, w(49, 10) + " " + "k" * 11, 501 / 50),
    ("redpajama-v2", "redpajama-v2/symbols", w(45) + " #" * 3 + " ... …", 5 / 50, w(44) + " #" * 6, 6 / 50),
    (
        "redpajama-v2",
        "redpajama-v2/bullet-lines",
        mostly("• item {}", "- item {}", 9, 10),
        0.9,
        mostly("• item {}", "", 10, 10),
        1,
    ),
    ("redpajama-v2", "redpajama-v2/top-2gram-chars", *next(iter(ngram_rules("gopher", "top", TOP[:1])))[2:]),
]
PUBLISHED = {"gopher", "c4", "fineweb", "fineweb2-zh", "redpajama-v2", "olmo2-repetition"}


def signals(texts):
    batch = DocumentBatch(text=pa.array(texts, pa.large_string()))
    return pa.Table.from_batches([measure(batch, ["text"])])


@pytest.mark.parametrize(
    ("preset", "rule", "inside", "value_inside", "outside", "value_outside"),
    GOLDEN,
    ids=[f"{preset}-{rule}-{n}" for n, (preset, rule, *_) in enumerate(GOLDEN)],
)
def test_just_inside_and_just_outside(preset, rule, inside, value_inside, outside, value_outside):
    (chosen,) = [each for each in load_config(preset).config.rules if each.id == rule]
    table = signals([inside, outside])
    assert table.column(chosen.signal).to_pylist() == [value_inside, value_outside]
    (mask,) = evaluate([chosen], table)
    assert mask.not_applicable.tolist() == [False, False]
    assert mask.fails.tolist() == [False, True]


def test_olmo2_takes_out_a_span_that_stands_32_times():
    rules = load_config("olmo2-repetition").config.rules
    ids = np.array([*range(1000), *[7, 8, 9] * 31, *range(1000), *[7, 8, 9] * 32], np.uint32)
    batch = DocumentBatch(ids=ids, id_offsets=np.array([0, 1093, 1093 + 1096], np.int64))
    table = pa.Table.from_batches([measure(batch, ["tokens"])])
    assert table.column("periodic_token_repeat").to_pylist() == [31, 32]
    assert [len(found) for found in reasons(rules, table).to_pylist()] == [0, 1]


def test_every_rule_of_a_published_preset_has_golden_documents():
    own = {each.id for name in PUBLISHED for each in load_config(name).config.rules}
    assert own - {rule for _, rule, *_ in GOLDEN} == {"olmo2/periodic-tokens"}
    assert set(presets()) == PUBLISHED | {"default", "finetune-zh"}


def test_rules_on_words_between_spaces_do_not_apply_to_chinese():
    rules = load_config("gopher").config.rules
    table = signals(["测量队在春天回来了，那时山口的路刚刚重新开通。他们离开了将近一年。"])
    judged = {rule.id: mask for rule, mask in zip(rules, evaluate(rules, table), strict=True)}
    left_out = {name for name, mask in judged.items() if mask.not_applicable[0]}
    assert {"gopher/word-count", "gopher/mean-word-length", "gopher/top-2gram-chars"} <= left_out
    assert not any(mask.fails[0] for mask in judged.values())


def test_redpajama_only_annotates():
    assert {rule.action for rule in load_config("redpajama-v2").config.rules} == {"flag"}


def test_adapted_limits_say_so():
    words = ("word", "stop", "gram", "symbols", "newlines", "alpha")
    for rule in load_config("fineweb2-zh").config.rules:
        assert ("adapted" in rule.source) == any(word in rule.id for word in words), rule.id
