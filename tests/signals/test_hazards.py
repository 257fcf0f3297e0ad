"""Every text signal on every text that has broken something before."""

import math
import sys

import pyarrow as pa
import pytest

from dataaudit.signals import DocumentBatch, all_signals

TEXT_SIGNALS = [each for each in all_signals().values() if each.needs == "text"]
SPECIAL = ("<|endoftext|>", "<|end|>", "｜末｜")
HAZARDS = {
    "empty": "",
    "a space": " ",
    "line feeds": "\n\n\n",
    "all white space": "\t \r\n\x0b\x0c\x1c\x85\u2028\u2029\u3000",
    "one letter": "a",
    "one line feed in letters": "a\nb",
    "punctuation": "?!...，。",
    "hashes": "#" * 50,
    "braces": "{}" * 30,
    "digits": "0" * 600,
    "NULs": "\0" * 40,
    "NUL inside": "a\0b \0",
    "control characters": "".join(map(chr, range(32))) + "\x7f\x80\x9f",
    "CR only": "a\rb\rc",
    "CR LF": "a\r\n\r\nb\r\n",
    "byte order mark": "\ufeffa",
    "replacement characters": "\ufffd" * 20,
    "noncharacters": "\ufffe\uffff\U0010ffff",
    "private use": "\ue000\U000f0000",
    "emoji of several code points": "👨‍👩‍👧‍👦 👍🏽 🇨🇳 ❤️",
    "right to left": "שלום עולם \u202eabc\u202c مرحبا",
    "marks alone": "\u0301\u0301\u0301",
    "stacked marks": "Z" + "\u0335\u0321" * 300,
    "Thai": "ที่นี่ไม่มีเว้นวรรค",
    "Chinese": "你好，世界。" * 20,
    "Chinese and English": "用Python写code，真的OK吗？yes！",
    "Korean": "나는 학교에 갔다. 그리고 집에 왔다.",
    "mojibake": "cafÃ© â€™ 锟斤拷烫烫烫",
    "special tokens": "<|endoftext|><|end|<|end|>｜末｜<",
    "no spaces": "x" * 20_000,
    "many short lines": "a\n" * 20_000,
    "bullets": "- a\n• b\n" * 10,
    "lorem": "Lorem ipsum\nJAVASCRIPT privacy policy\n",
    "last code points": chr(sys.maxunicode) * 3 + "\ud7ff\ue000",
}


def batch(texts):
    return DocumentBatch(text=pa.array(texts, pa.large_string()), special_strings=SPECIAL)


@pytest.fixture(scope="module")
def whole():
    return batch(list(HAZARDS.values()))


@pytest.fixture(scope="module")
def single():
    return [batch([text]) for text in HAZARDS.values()]


@pytest.mark.parametrize("signal", TEXT_SIGNALS, ids=lambda each: each.name)
def test_a_signal_stands_every_hazard(signal, whole, single):
    column = signal.measure(whole)
    assert column.type in (pa.int64(), pa.float64())
    values = column.to_pylist()
    assert values == [each.measure(batch).to_pylist()[0] for each, batch in ((signal, one) for one in single)]
    for hazard, value in zip(HAZARDS, values, strict=True):
        if value is None:
            assert signal.null is not None, hazard
            continue
        assert math.isfinite(value), hazard
        assert signal.minimum is None or value >= signal.minimum, hazard
        assert signal.maximum is None or value <= signal.maximum, hazard


@pytest.mark.parametrize("signal", TEXT_SIGNALS, ids=lambda each: each.name)
def test_an_empty_batch_and_a_slice(signal, whole):
    assert len(signal.measure(batch([]))) == 0
    texts = pa.array(["ignored, the text", *HAZARDS.values(), "ignored"], pa.large_string())
    sliced = DocumentBatch(text=texts.slice(1, len(HAZARDS)), special_strings=SPECIAL)
    assert signal.measure(sliced).equals(signal.measure(whole))


@pytest.mark.parametrize("signal", TEXT_SIGNALS, ids=lambda each: each.name)
def test_a_ratio_of_an_empty_text_is_null(signal):
    if signal.unit == "ratio":
        assert signal.measure(batch([""])).to_pylist() == [None]


@pytest.mark.parametrize("signal", all_signals().values(), ids=lambda each: each.name)
def test_a_signal_is_documented(signal):
    first = signal.doc.splitlines()[0]
    assert first.endswith(".") and len(first) <= 100
    assert signal.unit and signal.source
    assert not signal.name.endswith("_ratio") or (signal.unit == "ratio" and signal.maximum == 1)
