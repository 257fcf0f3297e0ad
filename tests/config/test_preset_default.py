"""What the preset ``default`` keeps and what it takes out, on made-up texts."""

import pyarrow as pa
import pytest

from dataaudit.config import load_config
from dataaudit.rules import empty_documents, evaluate
from dataaudit.signals import DocumentBatch, measure

ENGLISH = """The surveyors came back in the spring, when the road over the pass was open again. They had been gone
for most of a year, and nobody in the valley had expected to see more than half of them. What they brought was a map
of the northern lakes, drawn on nine sheets, and a quarrel about who had measured which of them. The older of the two
leaders wanted the sheets to be printed at once; the other asked for one more summer, because three of the heights did
not agree with each other. In the end the printer decided it, since he had paper for seven sheets and no more."""
CODE = '''import math


class Circle:
    """A circle around the origin."""

    def __init__(self, radius):
        self.radius = radius

    def area(self):
        return math.pi * self.radius**2

    def length(self):
        return 2 * math.pi * self.radius


for radius in range(10):
    print(radius, Circle(radius).area(), Circle(radius).length())
'''
CHINESE = (
    "测量队在春天回来了，那时山口的路刚刚重新开通。他们离开了将近一年，山谷里没有人指望还能见到他们当中的大多数。"
    "他们带回来一张北方湖泊的地图，画在九张纸上，还带回来一场争论：哪一个湖是谁量的。年纪大的领队想马上付印，另一位"
    "却要求再等一个夏天，因为有三处高度互相对不上。最后是印刷工人作了决定，他手里的纸只够印七张。"
)
JSON = (
    '{"rows": [\n'
    + ",\n".join(f'  {{\n    "id": {n},\n    "ok": true,\n    "tags": []\n  }}' for n in range(40))
    + "\n]}"
)
TABLE = "year,north,south\n" + "".join(f"{1900 + n},{n * 37 % 101},{n * 53 % 97}\n" for n in range(60))
KEPT = {
    "english": ENGLISH,
    "code": CODE,
    "chinese": CHINESE,
    "json": JSON,
    "table": TABLE,
    "a short sentence": "Very good, would come again.",
    "a short review in Chinese": "味道很好，下次再来！",
    "a short text that repeats itself": "the cat and the cat and the cat",
    "one word": "yes",
    "Thai": "ในปีนั้นแม่น้ำสูงขึ้นจนถึงสะพานและทุกคนต้องย้ายไปอยู่บนเนินเขา",
    "Arabic": "وصل المساحون في الربيع عندما فتح الطريق فوق الممر من جديد",
    "Persian with joiners": "می‌خواهم کتاب‌هایی را که نوشته‌اند بخوانم",
    "emoji with joiners": "What a day 👨‍👩‍👧‍👦 at the beach",
    "a page with one wrong word": ENGLISH + " cafÃ©",
}
TAKEN_OUT = {
    "punctuation": ("！！！ ... ??? ——", {"punctuation-only", "special-characters"}),
    "symbols": ("#@!%$ a " * 40, {"special-characters"}),
    "NULs": ("padding" + "\0" * 20 + "padding", {"control-characters"}),
    "wrong decoding": ("The caf\ufffd was cl\ufffdsed.", {"replacement-characters"}),
    "a symbol font": ("\ue001\ue002 private signs", {"private-use-characters"}),
    "zero-width padding": ("a\u200bb\u200bc\u200bd", {"invisible-characters"}),
    "mojibake": ("DÃ©jÃ  vu Ã  la cafÃ©tÃ©ria", {"mojibake"}),
    "one letter": ("a" * 3000, {"unique-characters", "longest-run"}),
    "one laugh": ("哈哈哈哈嘿" * 100, {"unique-characters-cjk", "dup-10gram-chars"}),
    "the same lines": (
        "Buy the new phone today\n" * 40,
        {"gopher/dup-lines", "gopher/dup-line-chars", "dup-line-chars"},
    ),
    "the same Chinese lines": (
        "今天的天气非常好我们去公园\n" * 20,
        {"cjk/dup-lines", "cjk/dup-line-chars", "dup-line-chars"},
    ),
    "the same lines of symbols": ("<br> *** $9.99 !!! ***\n" * 40, {"dup-line-chars", "dup-10gram-chars"}),
    "a phrase again and again": (
        ENGLISH + " and so on and on" * 60,
        {"gopher/top-4gram-chars", "gopher/dup-10gram-chars"},
    ),
}


def reasons(texts, preset="default"):
    """Returns the ids of the rules that take each text out."""
    loaded = load_config(preset)
    batch = DocumentBatch(text=pa.array(texts, pa.large_string()))
    table = pa.Table.from_batches([measure(batch, ["text"])])
    masks = zip(loaded.config.rules, evaluate(loaded.config.rules, table), strict=True)
    judged = [(rule, mask) for rule, mask in masks if mask is not None and rule.action == "quarantine"]
    return [{rule.id for rule, mask in judged if mask.fails[row]} for row in range(len(texts))]


def test_ordinary_text_is_kept():
    found = dict(zip(KEPT, reasons(list(KEPT.values())), strict=True))
    assert {name: rules for name, rules in found.items() if rules} == {}


@pytest.mark.parametrize("name", TAKEN_OUT)
def test_broken_text_is_taken_out_for_the_right_reasons(name):
    text, expected = TAKEN_OUT[name]
    (found,) = reasons([text])
    assert expected <= found


def test_empty_text_has_one_reason():
    texts = ["", "   \n\t", "\u3000"]
    assert reasons(texts) == [set(), set(), set()]
    table = pa.Table.from_batches([measure(DocumentBatch(text=pa.array(texts, pa.large_string())), ["text"])])
    assert empty_documents(table).all()


def test_finetune_zh_is_the_cleaning_of_the_post_mortem():
    texts = [CHINESE, CHINESE * 4, "好" * 30, "好！！！！！", ENGLISH]
    assert reasons(texts, "finetune-zh") == [
        set(),
        {"post-mortem/length", "dup-10gram-chars"},
        {"post-mortem/unique-characters", "unique-characters-cjk"},
        {"post-mortem/special-characters", "special-characters"},
        {"post-mortem/length", "post-mortem/unique-characters"},
    ]
