"""Storage of token ids: each fault of a raw array is told from the others, and real ids have none."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from token_corpora import VOCABULARY, documents

from dataaudit.checks import all_checks
from dataaudit.checks.check import Outcome
from dataaudit.corpus.token_facts import TokenFacts, measure

STORAGE = ["token-size", "token-width", "token-byte-order", "token-wrap", "zero-tail", "token-index"]
IDS = np.array([token for each in documents(80) for token in each])


def outcomes(facts: TokenFacts, limit: int | None = VOCABULARY) -> dict[str, Outcome]:
    evidence: Any = SimpleNamespace(token_files={"x.bin": facts}, id_limit=limit, vocabulary=None, measured=frozenset())
    return {name: all_checks()[name].run(evidence, {}) for name in STORAGE}


def faults(facts: TokenFacts, limit: int | None = VOCABULARY) -> set[str]:
    return {name for name, outcome in outcomes(facts, limit).items() if outcome.value}


def wide(ids: Any, dtype: str, read_as: str) -> Any:
    return ids.astype(dtype).view(read_as)


@pytest.mark.parametrize("dtype", ["uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("limit", [None, VOCABULARY])
def test_real_ids_have_no_fault(dtype: str, limit: int | None) -> None:
    assert faults(measure(IDS.astype(dtype)), limit) == set()


@pytest.mark.parametrize("limit", [None, VOCABULARY, 128_256])
@pytest.mark.parametrize(
    ("dtype", "read_as"),
    [("<u4", "<u2"), ("<i8", "<u2"), ("<u8", "<u4"), ("<u2", "<u4"), ("<u2", "<i4"), ("<i4", "<i8"), ("<u2", "<u8")],
)
def test_another_width_is_told(dtype: str, read_as: str, limit: int | None) -> None:
    size = len(IDS) // 8 * 8
    found = faults(measure(wide(IDS[:size], dtype, read_as)), limit)
    assert found - {"token-wrap"} == {"token-width"}


@pytest.mark.parametrize("dtype", ["uint16", "uint32", "int64"])
@pytest.mark.parametrize("limit", [None, VOCABULARY])
def test_another_byte_order_is_told(dtype: str, limit: int | None) -> None:
    found = faults(measure(IDS.astype(dtype).byteswap()), limit)
    assert "token-byte-order" in found
    assert found <= {"token-byte-order", "token-width"}


@given(st.lists(st.integers(0, VOCABULARY - 1), min_size=300, max_size=300), st.sampled_from(["uint16", "uint32"]))
def test_evenly_drawn_ids_are_of_their_own_width_and_order(ids: list[int], dtype: str) -> None:
    assert faults(measure(np.array(ids, dtype))) == set()


def test_a_type_that_is_too_small_is_told_at_the_border() -> None:
    assert faults(measure(IDS.astype("uint16")), 65_536) == set()
    assert faults(measure(IDS.astype("uint16")), 65_537) == {"token-wrap"}
    assert faults(measure((IDS % 100).astype("int16")), 32_769) == {"token-wrap"}
    assert outcomes(measure(IDS.astype("uint16")), None)["token-wrap"].skipped


def test_the_size_is_judged_by_the_byte() -> None:
    ids = IDS.astype("uint16")
    whole = measure(ids, declared_tokens=len(ids), declared_by="header")
    assert faults(whole) == set()
    assert faults(measure(ids, extra_bytes=1)) == {"token-size"}
    short = outcomes(measure(ids, declared_tokens=len(ids) + 1, declared_by="header"))["token-size"]
    assert short.value == 1
    assert f"the header declares {len(ids) + 1:,}" in short.message


@pytest.mark.parametrize(
    ("tail", "inside", "is_told"), [(1023, 0, False), (1024, 0, True), (1024, 16, True), (1024, 17, False)]
)
def test_a_tail_of_zeros_is_long_and_longer_than_any_other(tail: int, inside: int, is_told: bool) -> None:
    ids = np.concatenate([IDS, np.zeros(inside), IDS, np.zeros(tail)]).astype("uint16")
    assert faults(measure(ids)) == ({"zero-tail"} if is_told else set())


def test_a_tail_is_named_by_its_first_position() -> None:
    ids = np.concatenate([IDS, np.zeros(2000)]).astype("uint16")
    assert f"from position {len(IDS):,}" in outcomes(measure(ids))["zero-tail"].message


def test_problems_of_an_index_are_listed_with_sequence_and_position() -> None:
    facts = measure(IDS.astype("uint16"))
    facts = facts.with_problem("pointer", "pointer 9 where 8 was expected", sequence=4, position=3, count=7)
    found = outcomes(facts)["token-index"]
    assert found.value == 7
    assert found.details["kinds"] == {"pointer": 7}
    (place,) = found.details["places"]
    assert (place["file"], place["sequence"], place["position"]) == ("x.bin", 4, 3)
    assert "x.bin, sequence 4: pointer 9" in found.message
