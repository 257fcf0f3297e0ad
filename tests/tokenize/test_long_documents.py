"""Documents that are encoded in pieces have the ids that the library gives for the whole."""

import random

import pyarrow as pa
import pytest
from tokenizers import Tokenizer

from dataaudit.tokenize import load_encoder, long_documents
from dataaudit.tokenize.encoder import LONG

SIZE = 2_600_000


def letters(alphabet: str, count: int) -> str:
    return "".join(random.Random(7).choices(alphabet, k=count))


def prose() -> str:
    rng = random.Random(3)
    words = ["the", "river", "rose", "and", "she", "counted", "42", "sacks,", "it", "wasn't", "1999.", "Naïve", "café;"]
    return "".join(
        rng.choice(words) + rng.choice(["  ", "\n", "\n\n"] if rng.random() < 0.1 else [" "]) for _ in range(600_000)
    )


TEXTS = {
    "prose": prose(),
    "one line": prose().replace("\n", " "),
    "chinese": letters("夜里河水涨了上来到早通往磨坊的路。，\n", SIZE // 3),
    "chinese without a break": letters("夜里河水涨了上来到早通往磨坊的路", SIZE // 3),
    "one letter": "a" * SIZE,
    "spaces": "x y" + " " * SIZE + "end",
    "line ends": "ab" + "\n" * SIZE,
    "one ideograph": "你好" + "。" * (SIZE // 3),
    "two letters": "ab" * (SIZE // 2),
    "random letters": letters("abcdefghijklmnopqrstuvwxyz", SIZE),
    "digits": letters("0123456789", SIZE),
    "emoji": "😀👨‍👩‍👧" * (SIZE // 22),
    "combining": "e" + "\u0301" * (SIZE // 2),
    "special": "<|endoftext|><think> <s>" * (SIZE // 24),
    "crlf": "ab\r\n" * (SIZE // 4),
}


def encode(encoder, text: str):
    return encoder.encode(pa.array(["before", text, "after"], pa.large_string()))


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("name", ["byte_level", "llama_split", "sentencepiece_bpe"])
def test_the_fast_engine_in_pieces(small, name, kind):
    text = TEXTS[kind]
    assert len(text.encode()) > LONG
    import fastokens

    whole = fastokens.Tokenizer.from_file(str(small[name])).encode(text, split_special_tokens=True).ids
    batch = encode(load_encoder(small[name], engine="fastokens"), text)
    assert batch.unencoded == ()
    assert batch.ids[batch.offsets[1] : batch.offsets[2]].tolist() == whole


@pytest.mark.parametrize(
    ("name", "kind"),
    [("unigram", "line ends"), ("unigram", "one ideograph"), ("word_piece", "chinese"), ("word_piece", "one letter")],
)
def test_the_reference_engine_in_pieces(small, name, kind):
    text = TEXTS[kind]
    tokenizer = Tokenizer.from_file(str(small[name]))
    tokenizer.encode_special_tokens = True
    whole = tokenizer.encode_batch_fast([text], add_special_tokens=True)[0].ids
    batch = encode(load_encoder(small[name], engine="tokenizers", add_special_tokens=True), text)
    assert batch.unencoded == ()
    assert batch.ids[batch.offsets[1] : batch.offsets[2]].tolist() == whole


def test_a_long_document_is_never_given_to_the_library_whole(small, monkeypatch):
    from dataaudit.tokenize.engines.fastokens_engine import FastokensEngine

    given = []
    encode_all = FastokensEngine.encode

    def watch(self, texts, *, add_special_tokens):
        given.append(sum(len(text.encode()) for text in texts))
        return encode_all(self, texts, add_special_tokens=add_special_tokens)

    monkeypatch.setattr(FastokensEngine, "encode", watch)
    encode(load_encoder(small["llama_split"], engine="fastokens"), TEXTS["prose"] * 3)
    assert max(given) <= long_documents.PIECE + long_documents.CONTEXT + 4


def test_a_document_that_cannot_be_cut_is_named_and_the_others_are_kept(small, monkeypatch):
    monkeypatch.setattr(long_documents, "UNCUT_LIMIT", long_documents.PIECE)
    batch = encode(load_encoder(small["word_piece"], engine="tokenizers"), "a" * SIZE)
    assert [each.document for each in batch.unencoded] == [1]
    assert "no place to cut" in batch.unencoded[0].reason
    assert "2,600,000 bytes" in batch.unencoded[0].reason
    assert batch.offsets[1] == batch.offsets[2]
    assert batch.offsets[1] > 0
    assert batch.offsets[3] > batch.offsets[2]


@pytest.mark.parametrize("engine", ["fastokens", "tokenizers"])
def test_a_document_on_which_the_split_pattern_explodes_is_named_and_the_others_are_kept(small, engine):
    encoder = load_encoder(small["backtracking"], engine=engine)
    batch = encode(encoder, "a" * 60 + "c")
    assert [each.document for each in batch.unencoded] == [1]
    assert batch.unencoded[0].reason.startswith(f"{engine} could not encode this document of 61 bytes: ")
    good = encode(encoder, "")
    assert good.unencoded == ()
    assert batch.ids.tolist() == good.ids.tolist()
    assert batch.offsets.tolist() == good.offsets.tolist()
