"""Reads facts about every id of a tokenizer: what is a digit, a raw byte, special, or a hole."""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tokenizers import Tokenizer

from dataaudit.kernels.vocabulary import Vocabulary
from dataaudit.tokenize.engines.tokenizers_engine import plain_tokenizer
from dataaudit.tokenize.tokenizer_file import locate, read_settings

_RAW_BYTE = re.compile(r"<0x([0-9A-Fa-f]{2})>")


class SpecialIds(NamedTuple):
    """Ids that begin, end and fill a document; None where the tokenizer does not say."""

    bos_id: int | None
    eos_id: int | None
    pad_id: int | None


def vocabulary(path: str | Path) -> Vocabulary:
    """Returns facts about each id of the tokenizer at *path*.

    The ids are those of the loaded tokenizer, which numbers some added tokens otherwise than the file says.

    Raises:
        TokenizerError: The file cannot be loaded.
    """
    found = locate(path)
    content = read_settings(found)
    tokenizer = plain_tokenizer(found)
    added = tokenizer.get_added_tokens_decoder()
    tokens = {number: token for token, number in tokenizer.get_vocab(with_added_tokens=False).items()}
    tokens |= {number: token.content for number, token in added.items()}
    id_space = max(tokens, default=-1) + 1
    in_use, is_digit, is_byte, is_special = (np.zeros(id_space, np.bool_) for _ in range(4))
    to_bytes = _decoder(content)
    has_raw_bytes = bool(content["model"].get("byte_fallback"))
    for number, token in tokens.items():
        in_use[number] = True
        if number in added:
            is_digit[number] = _is_digits(token.encode())
            continue
        raw = to_bytes(token)
        is_digit[number] = _is_digits(raw)
        is_byte[number] = (len(raw) == 1 and raw >= b"\x80") or (has_raw_bytes and _is_raw_byte(token))
    special = [number for number, token in added.items() if token.special]
    is_special[special] = True
    return Vocabulary(
        id_space=id_space,
        in_use=in_use,
        is_digit=is_digit,
        is_byte_fallback=is_byte,
        is_special=is_special,
        unk_id=_unk_id(content["model"], tokenizer),
        special_strings=tuple(sorted(added[number].content for number in special)),
    )


def token_texts(path: str | Path, ids: Iterable[int]) -> list[str | None]:
    r"""Returns what each id stands for; None for an id without a token.

    Bytes that are no whole character are written as ``\xe4``.

    Raises:
        TokenizerError: The file cannot be loaded.
    """
    found = locate(path)
    tokenizer, to_bytes = plain_tokenizer(found), _decoder(read_settings(found))
    added = tokenizer.get_added_tokens_decoder()
    texts: list[str | None] = []
    for number in ids:
        token = tokenizer.id_to_token(number) if 0 <= number < 1 << 32 else None
        if token is not None and number not in added:
            token = to_bytes(token).decode("utf-8", "backslashreplace")
        texts.append(token)
    return texts


def token_bytes(path: str | Path) -> dict[int, bytes]:
    """Returns the bytes that each token of the model stands for, by id; added tokens are not among them.

    Raises:
        TokenizerError: The file cannot be loaded.
    """
    found = locate(path)
    tokenizer, to_bytes = plain_tokenizer(found), _decoder(read_settings(found))
    added = tokenizer.get_added_tokens_decoder()
    tokens = tokenizer.get_vocab(with_added_tokens=False)
    return {number: to_bytes(token) for token, number in tokens.items() if number not in added}


def special_ids(path: str | Path) -> SpecialIds:
    """Returns the ids named in tokenizer_config.json or special_tokens_map.json beside the file.

    Where these are silent, BOS and EOS are what the post-processor puts around a text, and the padding id is that of
    the file's own padding.
    """
    found = locate(path)
    padding = read_settings(found).get("padding") or {}
    tokenizer = plain_tokenizer(found)
    named = {**_beside(found, "special_tokens_map.json"), **_beside(found, "tokenizer_config.json")}

    def number(role: str) -> int | None:
        value = named.get(role)
        token = value.get("content") if isinstance(value, dict) else value
        return tokenizer.token_to_id(token) if isinstance(token, str) else None

    plain, full = (tokenizer.encode("a", add_special_tokens=add).ids for add in (False, True))
    begins = full[0] if full[:1] != plain[:1] else None
    ends = full[-1] if full[-1:] != plain[-1:] else None
    bos, eos, pad = (number(role) for role in ("bos_token", "eos_token", "pad_token"))
    return SpecialIds(
        begins if bos is None else bos, ends if eos is None else eos, padding.get("pad_id") if pad is None else pad
    )


def _beside(path: Path, name: str) -> dict[str, Any]:
    """Returns the JSON object of a file beside the tokenizer, empty when there is none that can be read."""
    try:
        content = json.loads((path.parent / name).read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _decoder(content: dict[str, Any]) -> Callable[[str], bytes]:
    """Returns the function from a token of the model to the bytes it stands for."""
    model = content["model"]
    if _has_part(content, "ByteLevel"):
        return _from_byte_alphabet
    prefix = model.get("continuing_subword_prefix") or ""
    has_raw_bytes = bool(model.get("byte_fallback"))
    suffix = model.get("end_of_word_suffix") or ""

    def to_bytes(token: str) -> bytes:
        if has_raw_bytes and _is_raw_byte(token):
            return bytes.fromhex(token[3:5])
        return token.removeprefix(prefix).removesuffix(suffix).replace("▁", " ").encode()

    return to_bytes


def _has_part(content: dict[str, Any], kind: str) -> bool:
    """Returns whether the pre-tokenizer, the decoder or the normalizer is, or has in its sequence, a *kind*."""

    def has(part: dict[str, Any] | None) -> bool:
        inner = [*(part or {}).get("pretokenizers", []), *(part or {}).get("decoders", [])]
        inner += (part or {}).get("normalizers", [])
        return part is not None and (part.get("type") == kind or any(has(each) for each in inner))

    return any(has(content.get(name)) for name in ("pre_tokenizer", "decoder", "normalizer"))


def _byte_alphabet() -> dict[int, int]:
    """Returns GPT-2's alphabet: visible Latin-1 characters are their own byte, the other bytes follow from U+0100."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in own]
    return {byte: byte for byte in own} | {256 + n: byte for n, byte in enumerate(others)}


_BYTE_OF = _byte_alphabet()
_TO_LATIN_1 = {point: _BYTE_OF.get(point, 0xFFFD) for point in {*range(256), *_BYTE_OF}}


def _from_byte_alphabet(token: str) -> bytes:
    """Returns the bytes of a byte-level token; characters outside the alphabet stand for themselves."""
    try:
        return token.translate(_TO_LATIN_1).encode("latin-1")
    except UnicodeEncodeError:
        known = (bytes([_BYTE_OF[ord(each)]]) if ord(each) in _BYTE_OF else each.encode() for each in token)
        return b"".join(known)


def _is_raw_byte(token: str) -> bool:
    return _RAW_BYTE.fullmatch(token) is not None


def _is_digits(raw: bytes) -> bool:
    return raw.decode("utf-8", "replace").strip().isdecimal()


def _unk_id(model: dict[str, Any], tokenizer: Tokenizer) -> int:
    number = model.get("unk_id")
    if number is None and model.get("unk_token") is not None:
        number = tokenizer.token_to_id(model["unk_token"])
    return -1 if number is None else int(number)
