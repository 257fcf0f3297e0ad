"""The fast engine is used only where it gives the reference's ids."""

import json

import pyarrow as pa
import pytest

from dataaudit.errors import TokenizerError
from dataaudit.tokenize import compare_engines, load_encoder

SAMPLE = pa.array(["The river rose in the night.", "夜里河水涨了上来。", "x" * 3000], pa.large_string())


@pytest.mark.parametrize("name", ["byte_level", "llama_split", "sentencepiece_bpe", "limited"])
@pytest.mark.parametrize("special_text", ["text", "token"])
def test_equal_ids(small, name, special_text):
    choice = compare_engines(small[name], SAMPLE, special_text=special_text, add_special_tokens=True)
    assert choice.engine == "fastokens"
    assert not choice.fell_back
    assert choice.first_difference is None
    assert choice.documents_compared > len(SAMPLE) + 20


@pytest.mark.parametrize(("name", "why"), [("word_piece", "BertNormalizer"), ("unigram", "fastokens cannot load")])
def test_what_the_fast_engine_cannot_load(small, name, why):
    choice = compare_engines(small[name], SAMPLE)
    assert choice.engine == "tokenizers"
    assert choice.fell_back
    assert why in choice.reason
    with pytest.raises(TokenizerError, match=why):
        compare_engines(small[name], SAMPLE, engine="fastokens")
    with pytest.raises(TokenizerError, match=why):
        load_encoder(small[name], engine="fastokens")


def test_the_reference_by_choice_is_no_fallback(small):
    choice = compare_engines(small["word_piece"], SAMPLE, engine="tokenizers")
    assert (choice.engine, choice.fell_back, choice.documents_compared) == ("tokenizers", False, 0)


def renumbered(small, tmp_path, count: int, wrong: int):
    """A tokenizer with *count* added tokens; tokenizers gives number *wrong* another id than the file declares."""
    content = json.loads(small["byte_level"].read_text())
    first = 1 + max(added["id"] for added in content["added_tokens"])
    template = content["added_tokens"][-1]
    content["added_tokens"] += [
        {**template, "content": f"<added-{n}>", "id": first + n + 5000 * (n == wrong)} for n in range(count)
    ]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(content))
    return path, first + wrong


def test_an_added_token_with_another_id_is_found_without_any_sample(small, tmp_path):
    path, right = renumbered(small, tmp_path, 3, 2)
    choice = compare_engines(path, pa.array([], pa.large_string()))
    assert choice.engine == "tokenizers"
    assert choice.fell_back
    difference = choice.first_difference
    assert difference.where == "built-in"
    assert (difference.fastokens, difference.tokenizers) == (right + 5000, right)
    assert "other ids" in choice.reason
    assert str(right + 5000) in choice.reason
    assert load_encoder(path).engine == "tokenizers"
    with pytest.raises(TokenizerError, match="other ids"):
        compare_engines(path, SAMPLE, engine="fastokens")


def test_the_first_difference_in_the_sample_is_located(small, tmp_path):
    path, right = renumbered(small, tmp_path, 300, 150)  # only the first and last added tokens are built in
    sample = pa.array(["same", "a b<added-150>", "<added-150>"], pa.large_string())
    difference = compare_engines(path, sample).first_difference
    prefix = load_encoder(path, engine="tokenizers").encode(pa.array(["a b"], pa.large_string()))
    assert (difference.where, difference.document, difference.token) == ("sample", 1, len(prefix.ids))
    assert (difference.fastokens, difference.tokenizers) == (right + 5000, right)
    assert difference.text == "a b<added-150>"


@pytest.mark.parametrize("special_text", ["text", "token"])
def test_text_that_the_fast_engine_takes_for_a_token(small, special_text):
    # without "<" in the vocabulary fastokens finds "<0xE4>" there; the reference gives the byte of "<", then "0", ...
    choice = compare_engines(small["no_angle"], SAMPLE, special_text=special_text)
    assert choice.engine == "tokenizers"
    assert choice.first_difference.where == "built-in"
    assert choice.first_difference.text.startswith("<0xE4>")
    assert choice.first_difference.fastokens == 3 + 0xE4
