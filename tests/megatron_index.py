"""Megatron's sample index as its ``build_sample_idx`` makes it, and what its data set reads for each entry."""

import numpy as np


def megatron_sample_index(lengths, documents, seq_len):
    """Megatron's ``build_sample_idx``, token by token as its comments describe it: pairs of place and offset."""
    index, place, offset = [(0, 0)], 0, 0
    total = sum(lengths[document] for document in documents)
    for _ in range((total - 1) // seq_len):
        remaining = seq_len + 1
        while remaining:
            left = lengths[documents[place]] - offset
            remaining -= left
            if remaining <= 0:
                offset += remaining + left - 1
                remaining = 0
            else:
                place += 1
                offset = 0
        index.append((place, offset))
    return np.array(index, np.int32)


def megatron_samples(tokens, documents, index):
    """What GPTDataset reads for each entry of the sample index."""
    found = []
    for (first, begin), (last, end) in zip(index[:-1].tolist(), index[1:].tolist(), strict=True):
        parts = []
        for place in range(first, last + 1):
            whole = tokens[documents[place]]
            parts += whole[begin if place == first else 0 : end + 1 if place == last else None]
        found.append(parts)
    return found
