"""What ``dataaudit trace`` says a step read, beside what real trainers, samplers and index files give that step."""

import json
import random

import datasets
import numpy as np
import pytest
from conftest import write_jsonl
from megatron_index import megatron_sample_index, megatron_samples
from real_libraries import real_library
from two_ranks import seen_by_two_ranks
from typer.testing import CliRunner

import dataaudit
from dataaudit.cli.app import app

torch = real_library("torch")
real_library("accelerate")
real_library("transformers")
data = real_library("torch.utils.data")

pytestmark = pytest.mark.filterwarnings("ignore")
EOS = 5
LENGTH = 16


@pytest.fixture(scope="module")
def documents():
    """Token lists; no token of one is in another, and EOS is in none."""
    rng = random.Random(4)
    return [[100 + 100 * number + at for at in range(rng.randint(1, 60))] for number in range(37)]


@pytest.fixture(scope="module")
def run(documents, tmp_path_factory):
    """A run over the documents, in two files and more than one shard."""
    root = tmp_path_factory.mktemp("trace")
    for name, rows in (("a", documents[:20]), ("b", documents[20:])):
        write_jsonl(root / "in" / f"{name}.jsonl", [{"input_ids": row} for row in rows])
    config = root / "small.yaml"
    config.write_text("extends: default\nread: {shard_bytes: 4096}\n")
    dataaudit.audit(root / "in", root / "run", config=str(config), workers=1)
    return root / "run"


def traced(run, step, *options):
    """The answer of the command line."""
    command = ["trace", str(run), "--step", str(step), *map(str, options), "--format", "json", "-n", "0"]
    done = CliRunner().invoke(app, command, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def document_of(traced_document):
    """Which of the documents it is, by the file and line that the trace names."""
    first = {"a.jsonl": 0, "b.jsonl": 20}[traced_document["file"]]
    return first + traced_document["record"] - 1


def read_by(answer, rank, documents):
    """The documents that a rank read in a step, micro-batch by micro-batch."""
    number = {each["doc_id"]: document_of(each) for each in answer["trace"]["documents"]}
    micro = {}
    for sample in answer["trace"]["samples"]:
        if sample["rank"] == rank:
            pieces = [documents[number[piece["doc_id"]]][piece["start"] : piece["stop"]] for piece in sample["pieces"]]
            micro.setdefault(sample["micro"], []).append([token for piece in pieces for token in piece])
    return [micro[at] for at in sorted(micro)]


def by_step(noted):
    """What a trainer noted, by step."""
    steps = {}
    for step, samples in noted:
        steps.setdefault(step, []).append(samples)
    return steps


def without_eos(samples):
    """Token lists as a trace tells them: without what the trainer put between documents."""
    return [[token for token in sample if token != EOS] for sample in samples]


def grouped(documents, map_batch):
    """``group_texts`` of the transformers examples, mapped over the documents by datasets."""

    def group_texts(batch):
        joined = [token for ids in batch["input_ids"] for token in [*ids, EOS]]
        total = len(joined) // LENGTH * LENGTH
        return {"input_ids": [joined[at : at + LENGTH] for at in range(0, total, LENGTH)]}

    rows = datasets.Dataset.from_dict({"input_ids": documents})
    return rows.map(group_texts, batched=True, batch_size=map_batch)["input_ids"]


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("accumulation", [1, 3])
def test_a_trainer_that_reads_documents(run, documents, accumulation, drop_last):
    from tiny_trainer import noted_of

    seen = noted_of(len(documents), 4, accumulation, epochs=2, drop_last=drop_last, seed=7)
    theirs = by_step(seen["steps"])
    options = ["--order", "hf-trainer:7", "--batch-size", 4, "--grad-accum", accumulation, "--epochs", 2]
    for step in (1, len(theirs) // 2, len(theirs) // 2 + 1, len(theirs)):
        answer = traced(run, step, *options, *(["--drop-last"] if drop_last else []))
        assert answer["steps"] == len(theirs)
        expected = [[documents[sample] for sample in batch] for batch in theirs[step]]
        assert read_by(answer, 0, documents) == expected


@pytest.mark.parametrize("map_batch", [10, 1000])
def test_a_trainer_that_reads_joined_documents(run, documents, map_batch):
    from tiny_trainer import noted_of

    rows = list(grouped(documents, map_batch))
    seen = noted_of(rows, 3, 2, epochs=2, seed=7)
    theirs = by_step(seen["steps"])
    assert [each for batches in theirs.values() for each in batches] == seen["collated"]
    for step in (1, len(theirs) // 2, len(theirs)):
        answer = traced(
            run, step, "--order", "hf-trainer:7", "--batch-size", 3, "--grad-accum", 2, "--packing", "concat",
            "--seq-len", LENGTH, "--map-batch", map_batch,
        )  # fmt: skip
        assert answer["samples"] == len(rows)
        assert read_by(answer, 0, documents) == [without_eos(batch) for batch in theirs[step]]


def test_two_ranks_that_accumulate_over_joined_documents(run, documents, tmp_path):
    rows = list(grouped(documents, 1000))
    setting = {"what": "trained", "samples": rows, "batch_size": 3, "accumulation": 2, "epochs": 2, "seed": 9}
    ranks = seen_by_two_ranks([setting, setting | {"drop_last": True}], tmp_path)
    for number, more in enumerate(([], ["--drop-last"])):
        theirs = [by_step(seen[number]["steps"]) for seen in ranks]
        for step in (1, len(theirs[0]) // 2, len(theirs[0])):
            answer = traced(
                run, step, "--order", "hf-trainer:9", "--batch-size", 3, "--grad-accum", 2, "--world-size", 2,
                "--packing", "concat", "--seq-len", LENGTH, "--epochs", 2, *more,
            )  # fmt: skip
            assert answer["steps"] == len(theirs[0])
            for rank in range(2):
                expected = [without_eos(batch) for batch in theirs[rank][step]]
                assert read_by(answer, rank, documents) == expected


def test_a_distributed_sampler_of_three_ranks(run, documents):
    options = ["--order", "distributed:9", "--batch-size", 4, "--world-size", 3]
    for rank in range(3):
        sampler = data.distributed.DistributedSampler(documents, 3, rank, seed=9)
        for epoch in range(2):
            sampler.set_epoch(epoch)
            read = [documents[at] for at in sampler]
            for number in (0, 3):
                answer = traced(run, epoch * 4 + number + 1, *options)
                assert answer["trace"]["batch"]["epoch"] == epoch
                assert read_by(answer, rank, documents) == [read[number * 4 : number * 4 + 4]]


def test_a_data_set_that_datasets_shuffled(run, documents):
    shuffled = datasets.Dataset.from_dict({"ids": documents}).shuffle(seed=3)["ids"]
    for step in (1, 5, 10):
        answer = traced(run, step, "--order", "datasets-shuffle:3", "--batch-size", 4)
        assert read_by(answer, 0, documents) == [list(shuffled[step * 4 - 4 : step * 4])]


def test_the_index_files_of_megatron(run, documents, tmp_path):
    ended = [[*tokens, EOS] for tokens in documents]
    state = np.random.RandomState(1234)
    order = np.tile(np.arange(len(documents)), 2).astype(np.int32)
    state.shuffle(order)
    index = megatron_sample_index([len(each) for each in ended], order.tolist(), LENGTH)
    shuffle = np.arange(len(index) - 1, dtype=np.uint32)
    state.shuffle(shuffle)
    for name, values in (("document", order), ("sample", index), ("shuffle", shuffle)):
        np.save(tmp_path / f"ab12-GPTDataset-train-{name}_index.npy", values)
    samples = without_eos(megatron_samples(ended, order.tolist(), index))
    last = len(shuffle) // 12
    for step in (1, last):
        answer = traced(
            run, step, "--order", f"megatron:{tmp_path}/ab12-GPTDataset-train", "--batch-size", 2, "--grad-accum", 2,
            "--world-size", 3,
        )  # fmt: skip
        assert (answer["steps"], answer["packing"]) == (last, "megatron")
        consumed = [samples[at] for at in shuffle[step * 12 - 12 : step * 12].tolist()]
        for rank in range(3):
            expected = [consumed[micro * 6 + rank * 2 :][:2] for micro in range(2)]
            assert read_by(answer, rank, documents) == expected


def test_a_log_of_the_documents_of_each_step(run, documents, tmp_path):
    """By doc_id, as the trainer can log it; steps may be any numbers."""
    logged = {7: [3, 30], 11: [36, 3], 12: [0, 1, 2]}
    from dataaudit.pipeline.training_set import load_training_set

    doc_ids = load_training_set(run, None).doc_ids.tolist()
    rows = [{"step": step, "doc_ids": [doc_ids[at] for at in read]} for step, read in logged.items()]
    path = write_jsonl(tmp_path / "order.jsonl", rows)
    for step, read in logged.items():
        answer = traced(run, step, "--order", f"file:{path}", "--batch-size", 1)
        assert read_by(answer, 0, documents) == [[documents[at] for at in read]]
        assert [each["step"] for each in sorted(answer["trace"]["before"], key=lambda each: each["step"])] == [
            each for each in logged if each <= step
        ]
