"""What an order reads again, against a plain reading of it."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_orders import documents, measured

from dataaudit.order import PackingOptions, pack


def plainly(samples, content, step):
    """Counts what is read again, one read after the other."""
    last_sample, last, gaps, distances = {}, {}, Counter(), []
    in_step = again = 0
    for at, sample in enumerate(samples):
        start = at // step * step
        before, same = last_sample.get(sample, -1), last.get(content[sample], -1)
        in_step += before >= start
        if same >= 0:
            again += 1
            gaps[(at - same).bit_length() - 1] += 1
        found = [at - each for each in (before, same) if 0 <= each < start]
        if found or same < 0:
            distances.append(found)
        last_sample[sample] = last[content[sample]] = at
    return in_step, again, gaps, longest_run(distances)


def longest_run(distances):
    """The longest run of one distance; a read may be at two, and a run begins with the first of them."""
    longest = run = before = 0
    for found in distances:
        run = run + 1 if before in found else int(bool(found))
        before = before if before in found else next(iter(found), 0)
        longest = max(longest, run)
    return longest


@given(st.lists(st.integers(0, 11), min_size=1, max_size=80), st.integers(1, 9), st.booleans())
def test_repeats_are_those_of_a_plain_reading(samples, step, has_copies):
    copies = np.array([0, 1, 0, 1, -1, -1, 2, 2, 2, -1, -1, -1]) if has_copies else np.full(12, -1)
    content = {number: number if copies[number] < 0 else 100 + copies[number] for number in range(12)}
    found = measured(samples, documents(12, copies=copies), step_samples=step).repeats
    in_step, again, gaps, longest = plainly(samples, content, step)
    assert (found.in_step, found.again) == (in_step, again)
    assert {at: count for at, count in enumerate(found.gaps) if count} == gaps
    assert max(found.longest, found.longest_pass) == longest
    assert (found.reads, found.distinct) == (len(samples), len(set(samples)))


def fresh(count, seed=0):
    """A random order of so many samples."""
    return np.random.default_rng(seed).permutation(count)


def test_a_replay_is_found_where_it_is():
    samples = fresh(4000)
    replayed = np.concatenate([samples[:2400], samples[1200:1840], samples[2400:]])
    found = measured(replayed, documents(4000)).repeats
    (replay,) = found.replays
    assert (replay.step, replay.reads, replay.distance, replay.from_step) == (301, 640, 1200, 151)
    assert not replay.is_copy
    assert replay.documents == [samples[1200]]
    assert (found.longest, found.replayed, found.passed) == (640, 640, 0)
    assert found.early == 640
    assert found.early_places[0][:3] == (301, 0, samples[1200])
    assert found.early_places[0].other_step == 151


def test_copies_do_not_break_a_replay():
    """Half of the samples have a copy, which may have been read since."""
    copies = np.concatenate([np.arange(500), np.arange(500), np.full(1000, -1)])
    samples = fresh(2000)
    replayed = np.concatenate([samples[:1200], samples[800:]])
    (replay,) = measured(replayed, documents(2000, copies=copies)).repeats.replays
    assert (replay.reads, replay.distance, replay.is_copy) == (400, 400, False)


def test_a_replay_in_a_later_epoch_is_found():
    first, second = fresh(500, 1), fresh(500, 2)
    found = measured(np.concatenate([first, second[:300], second[100:]]), documents(500)).repeats
    assert (found.longest, found.replayed, found.passed) == (200, 200, 0)


def test_a_run_that_starts_again_from_its_first_sample_is_a_replay():
    samples = fresh(1000)
    assert measured(np.concatenate([samples[:320], samples]), documents(1000)).repeats.longest == 320


def test_whole_epochs_in_one_order_are_passes():
    samples = fresh(1000)
    found = measured(np.tile(samples, 3), documents(1000)).repeats
    assert (found.longest_pass, found.passed) == (2000, 2000)
    assert (found.longest, found.replays, found.early) == (0, [], 0)
    dropped = measured(np.tile(samples[:995], 3), documents(1000)).repeats
    assert (dropped.longest_pass, dropped.longest, dropped.early) == (1990, 0, 0)


@pytest.mark.parametrize("seed", range(10))
def test_shuffled_epochs_repeat_nothing(seed):
    samples = np.concatenate([fresh(1000, 10 * seed + epoch)[:997] for epoch in range(4)])
    found = measured(samples, documents(1000)).repeats
    assert (found.in_step, found.early, found.replayed) == (0, 0, 0)
    assert found.longest < 16


def test_epochs_that_fill_their_last_step_are_not_early():
    """As a DistributedSampler and accelerate do: the first samples of the epoch come again at its end."""
    epochs = [fresh(1003, seed) for seed in range(5)]
    samples = np.concatenate([np.append(epoch, epoch[:5]) for epoch in epochs])
    assert measured(samples, documents(1003)).repeats.early == 0
    assert measured(np.append(epochs[0], epochs[1][:40]), documents(1003)).repeats.early == 0
    repeated = np.concatenate([*epochs[:2], epochs[2][:500], epochs[2][:60], epochs[2][500:]])
    assert 0 < measured(repeated, documents(1003)).repeats.early <= 60


def test_sources_that_are_read_more_often_are_not_early():
    """Epochs of each source on its own, mixed: 1 of the large one, 4 of the small one."""
    rng = np.random.default_rng(0)
    small = np.concatenate([900 + rng.permutation(100) for _ in range(4)])
    samples = np.empty(1300, np.int64)
    of_small = np.sort(rng.choice(1300, 400, replace=False))
    samples[of_small], samples[np.setdiff1d(np.arange(1300), of_small)] = small, rng.permutation(900)
    sources = np.repeat([0, 1], [900, 100])
    assert measured(samples, documents(1000, sources=sources), step_samples=4).repeats.early == 0
    assert measured(samples, documents(1000), step_samples=4).repeats.early > 200


def test_workers_with_one_seed_are_told_from_a_replay():
    """Two ranks read the same samples in every step."""
    samples = np.concatenate([np.tile(part, 2) for part in fresh(1600).reshape(-1, 32)])
    found = measured(samples, documents(1600), step_samples=64, world_size=2).repeats
    assert (found.in_step, found.across_ranks, found.longest, found.early) == (1600, 1600, 0, 0)
    place = found.in_step_places[0]
    assert (place.step, place.rank, place.other_rank) == (1, 1, 0)


def test_a_copied_file_that_is_read_in_its_order_is_a_replay_of_copies():
    copies = np.tile(np.arange(300), 2)
    (replay,) = measured(np.arange(600), documents(600, copies=copies)).repeats.replays
    assert (replay.reads, replay.distance, replay.is_copy) == (300, 300, True)


def test_samples_of_joined_documents_are_compared_by_their_pieces():
    lengths, copies = np.array([5, 3, 8, 5, 3, 8]), np.array([0, 1, -1, 0, 1, -1])
    packing = pack("concat", lengths, PackingOptions(seq_len=4, eos=0, map_batch=0))
    assert packing.samples == 8
    found = measured(np.arange(8), documents(6, lengths=lengths, copies=copies), packing=packing).repeats
    assert (found.again, found.in_step) == (2, 0)  # 5 + 3 tokens, then again; the 8 are of different documents


def test_empty_samples_are_no_copies():
    lengths = np.array([0, 0, 3, 0])
    packing = pack("concat", lengths, PackingOptions(seq_len=1, eos=1, map_batch=0))
    of = documents(4, lengths=lengths, copies=[0, 0, -1, 0])
    found = measured(np.arange(packing.samples), of, packing=packing)
    assert (found.repeats.again, found.lengths) == (0, 3)
