"""What the kernels need to know about a tokenizer: facts by token id, as plain arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Facts about each id of a tokenizer's id space.

    Attributes:
        id_space: one past the largest id, added tokens included.
        in_use: bool[id_space], whether the id has a token; False is a hole.
        is_digit: bool[id_space], whether the token's text, stripped of white space, is one or more digits (Unicode
            Nd).
        is_byte_fallback: bool[id_space], whether the token stands for one raw byte (`<0xE4>`, or a
            byte that is no whole character).
        is_special: bool[id_space], whether the token is marked special.
        unk_id: id of the unknown token, or -1 when there is none.
        special_strings: the literal texts of the special tokens, sorted.
    """

    id_space: int
    in_use: NDArray[np.bool_]
    is_digit: NDArray[np.bool_]
    is_byte_fallback: NDArray[np.bool_]
    is_special: NDArray[np.bool_]
    unk_id: int
    special_strings: tuple[str, ...]
