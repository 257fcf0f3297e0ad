"""Packings against what training scripts make of lists of tokens, and Megatron's indices as it builds them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from megatron_index import megatron_sample_index, megatron_samples

from dataaudit.errors import ReadError, UsageError
from dataaudit.order import PackingOptions, Setup, kind_of, pack, parse_order
from dataaudit.order.spelling import spelled

LENGTHS = st.lists(st.integers(0, 30), min_size=1, max_size=40)


def documents_of(lengths, eos):
    """Token lists in which each token says its document and place; the end of a document says -1."""
    return [[(number, at) for at in range(length)] + [(number, -1)] * eos for number, length in enumerate(lengths)]


def held_by(packing, samples):
    """The tokens of documents that each sample holds."""
    spans = packing.spans(np.array(samples, np.int64))
    found = [[] for _ in samples]
    for place, document, start, stop in zip(*(each.tolist() for each in spans), strict=True):
        found[place] += [(document, at) for at in range(start, stop)]
    return found


def of_documents(tokens):
    """Tokens without those after a document."""
    return [token for token in tokens if token[1] >= 0]


@given(LENGTHS, st.integers(1, 12) | st.none())
def test_one_document_a_sample(lengths, seq_len):
    packing = pack("one-per-doc", np.array(lengths), PackingOptions(seq_len))
    expected = [of_documents(tokens)[:seq_len] for tokens in documents_of(lengths, 0)]
    assert held_by(packing, range(packing.samples)) == expected


def group_texts(batch, seq_len):
    """The function of the transformers examples: joins a batch and drops what is over."""
    joined = [token for tokens in batch for token in tokens]
    total = len(joined) // seq_len * seq_len
    return [joined[at : at + seq_len] for at in range(0, total, seq_len)]


@given(LENGTHS, st.integers(1, 12), st.integers(0, 1), st.integers(0, 7))
def test_joined_documents(lengths, seq_len, eos, map_batch):
    documents = documents_of(lengths, eos)
    size = map_batch or len(documents)
    expected = []
    for first in range(0, len(documents), size):
        expected += group_texts(documents[first : first + size], seq_len)
    options = PackingOptions(seq_len, eos, map_batch)
    if not expected:
        with pytest.raises(UsageError, match="makes no sample"):
            pack("concat", np.array(lengths), options)
        return
    packing = pack("concat", np.array(lengths), options)
    assert packing.samples == len(expected)
    asked = [*range(packing.samples), 0]
    assert held_by(packing, asked) == [of_documents(expected[sample]) for sample in asked]


@given(LENGTHS, st.integers(1, 12), st.integers(0, 1))
def test_windows_of_megatron(lengths, seq_len, eos):
    tokens = documents_of(lengths, eos)
    everything = list(range(len(lengths)))
    index = megatron_sample_index([len(each) for each in tokens], everything, seq_len)
    if len(index) == 1:
        return
    packing = pack("megatron", np.array(lengths), PackingOptions(seq_len, eos))
    expected = megatron_samples(tokens, everything, index)
    assert {len(each) for each in expected} == {seq_len + 1}
    assert held_by(packing, range(packing.samples)) == [of_documents(each) for each in expected]


@pytest.fixture
def megatron_files(tmp_path):
    """Index files of two epochs over 30 documents, shuffled as Megatron does."""
    rng = np.random.default_rng(5)
    lengths = rng.integers(1, 50, 30)
    state = np.random.RandomState(1234)
    documents = np.tile(np.arange(30), 2).astype(np.int32)
    state.shuffle(documents)
    samples = megatron_sample_index((lengths + 1).tolist(), documents.tolist(), 16)
    shuffle = np.arange(len(samples) - 1, dtype=np.uint32)
    state.shuffle(shuffle)
    for name, values in (("document", documents), ("sample", samples), ("shuffle", shuffle)):
        np.save(tmp_path / f"0123abcd-GPTDataset-train-{name}_index.npy", values)
    return tmp_path, lengths, documents, samples, shuffle


def test_the_index_files_of_megatron(megatron_files):
    folder, lengths, documents, index, shuffle = megatron_files
    text = f"megatron:{folder}/0123abcd-GPTDataset-train"
    kind = kind_of(text)
    packing = kind.packing(spelled(text, is_file=True), lengths, 1)
    order = parse_order(text, Setup(packing.samples, 2, 2, 3))
    expected = megatron_samples(documents_of(lengths, 1), documents.tolist(), index)
    assert order.last == len(shuffle) // 12
    for step in range(order.first, order.last + 1):
        batch = order.batch(step)
        consumed = shuffle[(step - 1) * 12 : step * 12].tolist()
        assert batch.samples.tolist() == consumed
        assert batch.ranks.tolist() == [0, 0, 1, 1, 2, 2] * 2  # a micro-batch is cut into one block a rank
        assert held_by(packing, consumed) == [of_documents(expected[sample]) for sample in consumed]


def test_a_folder_or_older_names_of_megatron(megatron_files):
    folder, *_ = megatron_files
    setup = Setup(0, 2)
    by_folder = parse_order(f"megatron:{folder}", setup)
    for kind, short in (("document", "doc"), ("sample", "sample"), ("shuffle", "shuffle")):
        path = folder / f"0123abcd-GPTDataset-train-{kind}_index.npy"
        path.rename(folder / f"my_train_indexmap_100ns_16sl_1234s_{short}_idx.npy")
    by_name = parse_order(f"megatron:{folder}/my_train_indexmap_100ns_16sl_1234s", setup)
    assert by_name.batch(3).samples.tolist() == by_folder.batch(3).samples.tolist()


def test_index_files_of_another_corpus(megatron_files):
    folder, lengths, *_ = megatron_files
    text = spelled(f"megatron:{folder}", is_file=True)
    packing = kind_of("megatron:").packing
    with pytest.raises(ReadError, match=r"names document 29, but the training set has 20"):
        packing(text, lengths[:20], 1)
    with pytest.raises(ReadError, match=r"lengths of its documents are not those of the run.*--eos-tokens"):
        packing(text, lengths, 0)


def test_a_sample_index_that_goes_back(megatron_files):
    folder, *_ = megatron_files
    (path,) = folder.glob("*sample_index.npy")
    index = np.load(path)
    index[-1, 0] = 0
    np.save(path, index)
    with pytest.raises(ReadError, match=r"sample_index\.npy: entry \d+ goes back from \d+ to 0"):
        parse_order(f"megatron:{folder}", Setup(0, 2))


def test_missing_index_files(megatron_files):
    folder, *_ = megatron_files
    with pytest.raises(ReadError, match=r"no file \*document_index\.npy or \*doc_idx\.npy starts so"):
        parse_order(f"megatron:{folder}/other", Setup(0, 2))
    np.save(folder / "second-document_index.npy", np.zeros(1, np.int32))
    with pytest.raises(ReadError, match=r"2 files end in"):
        parse_order(f"megatron:{folder}", Setup(0, 2))


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("concat", PackingOptions(), "needs --seq-len"),
        ("megatron", PackingOptions(), "needs --seq-len"),
        ("concat", PackingOptions(0), "at least 1"),
        ("concat", PackingOptions(4, 1, -1), "--map-batch -1"),
        ("concatt", PackingOptions(4), "Did you mean 'concat'"),
    ],
)
def test_a_packing_that_cannot_be(name, options, says):
    with pytest.raises(UsageError, match=says):
        pack(name, np.array([3, 4]), options)
