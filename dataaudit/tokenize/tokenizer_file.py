"""Finds a tokenizer.json, says which one it is, and recognises the files that are given in its place."""

import base64
import binascii
import hashlib
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from dataaudit.errors import TokenizerError

_CONVERT = (
    "Convert it once: pip install transformers, then in Python "
    "`AutoTokenizer.from_pretrained('FOLDER').backend_tokenizer.save('tokenizer.json')`, "
    "where FOLDER holds the model's tokenizer files"
)
_SENTENCEPIECE = f"a SentencePiece model. {_CONVERT} (needs sentencepiece and protobuf)."
_TEKKEN = (
    "a tekken file of mistral-common. Use the model's tokenizer.json, or convert once: pip install transformers "
    "mistral-common, then `from transformers.integrations.mistral import convert_tekken_tokenizer` and "
    "`convert_tekken_tokenizer('tekken.json').backend_tokenizer.save('tokenizer.json')`."
)
_TIKTOKEN = (
    "a tiktoken rank file, which holds no split pattern and no special tokens. Convert it once: pip install "
    "transformers tiktoken, then `from transformers.integrations.tiktoken import convert_tiktoken_to_fast` and "
    "`convert_tiktoken_to_fast(tiktoken.get_encoding('NAME'), 'FOLDER')`, which writes FOLDER/tokenizer.json."
)


MOST_IDS = 1 << 24
"""No model has an embedding table of 16 million rows."""


class TokenizerIdentity(NamedTuple):
    """Which tokenizer a file is.

    Attributes:
        sha256: of the file's bytes.
        size: of the file in bytes.
        model_type: ``BPE``, ``Unigram``, ``WordPiece`` or ``WordLevel``.
        id_space: one past the largest id, added tokens included.
        digest: sha256 of the content without truncation, padding and formatting: equal for files that give the same
            ids after being saved again.
        renumbered: added tokens that load under another id than the file declares.
    """

    sha256: str
    size: int
    model_type: str
    id_space: int
    digest: str
    renumbered: "tuple[Renumbered, ...]"


class Renumbered(NamedTuple):
    """An added token whose declared id is ignored: ``tokenizers`` numbers them on from the end of the vocabulary."""

    token: str
    declared: int
    actual: int


def locate(path: str | Path) -> Path:
    """Returns the tokenizer.json that *path* names: the file itself, or the one in that folder.

    Raises:
        TokenizerError: There is none.
    """
    found = Path(path)
    if found.is_dir():
        inside = found / "tokenizer.json"
        if inside.is_file():
            return inside
        others = sorted(each.name for each in found.iterdir() if "token" in each.name or each.suffix == ".model")
        has = f" It has {', '.join(others[:5])}." if others else ""
        raise TokenizerError(f"{found}: this folder has no tokenizer.json.{has} Give the path of a tokenizer.json.")
    if not found.is_file():
        raise TokenizerError(
            f"{found}: no such tokenizer file. Expected the path of a tokenizer.json, or of a folder that has one."
        )
    return found


def stamp(path: Path) -> tuple[int, int, int]:
    """Returns what changes when the file changes; a key for what was read from it."""
    facts = path.stat()
    return facts.st_mtime_ns, facts.st_size, facts.st_ino


def read_settings(path: Path) -> dict[str, Any]:
    """Returns the content of a tokenizer.json without its vocabulary and merges; not to be changed.

    Raises:
        TokenizerError: It is something else; the message says what and how to convert it.
    """
    return _settings(path, stamp(path))


@lru_cache(maxsize=1)
def _settings(path: Path, _stamp: tuple[int, int, int]) -> dict[str, Any]:
    content = parse(path, _read(path))
    model = {key: value for key, value in content["model"].items() if key not in ("vocab", "merges")}
    return {**content, "model": model}


def parse(path: Path, data: bytes) -> dict[str, Any]:
    """Returns the content of a tokenizer.json from its bytes; *path* is only for messages."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        raise TokenizerError(f"{path}: expected a tokenizer.json, but this is {_recognise_bytes(data)}") from None
    if isinstance(content, dict) and isinstance(content.get("model"), dict) and "vocab" in content["model"]:
        return content
    raise TokenizerError(f"{path}: expected a tokenizer.json, but this is {_recognise_json(content)}")


def identify(path: str | Path) -> TokenizerIdentity:
    """Returns which tokenizer *path* is; loads it once to know its id space.

    Raises:
        TokenizerError: It cannot be loaded.
    """
    found = locate(path)
    return _identity(found, stamp(found))


@lru_cache(maxsize=1)
def _identity(found: Path, _stamp: tuple[int, int, int]) -> TokenizerIdentity:
    from dataaudit.tokenize.engines.tokenizers_engine import plain_tokenizer

    data = _read(found)
    content = parse(found, data)
    _refuse_far_ids(found, content)
    tokenizer = plain_tokenizer(found)
    meaning = {key: value for key, value in content.items() if key not in ("truncation", "padding")}
    canonical = json.dumps(meaning, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return TokenizerIdentity(
        sha256=hashlib.sha256(data).hexdigest(),
        size=len(data),
        model_type=type(tokenizer.model).__name__,
        id_space=max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1) + 1,
        digest=hashlib.sha256(canonical.encode()).hexdigest(),
        renumbered=tuple(
            Renumbered(added["content"], added["id"], actual)
            for added in content.get("added_tokens") or []
            if (actual := tokenizer.token_to_id(added["content"])) is not None and actual != added["id"]
        ),
    )


def _refuse_far_ids(path: Path, content: dict[str, Any]) -> None:
    """Refuses ids for which an engine, or a table by id, would need all memory."""
    vocabulary = content.get("model", {}).get("vocab") if isinstance(content.get("model"), dict) else None
    declared = list(vocabulary.values()) if isinstance(vocabulary, dict) else []
    declared += [each.get("id") for each in content.get("added_tokens") or [] if isinstance(each, dict)]
    largest = max((each for each in declared if isinstance(each, int)), default=0)
    if largest >= MOST_IDS:
        raise TokenizerError(
            f"{path} declares a token with id {largest:,}; ids below {MOST_IDS:,} are supported. The file is damaged, "
            "or no model's tokenizer."
        )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TokenizerError(f"{path}: cannot read this tokenizer file: {error.strerror}.") from error


def _recognise_bytes(data: bytes) -> str:
    """Returns what a file that is not JSON is, and what to do."""
    if not data.strip():
        return "an empty file. Download it again."
    if data.startswith(b"version https://git-lfs"):
        return "a Git LFS pointer, not the file itself. Fetch it with `git lfs pull`."
    # a SentencePiece ModelProto starts with its first piece: field 1, its length, and in it the text as field 1
    if data[:1] == b"\n" and data[2:3] == b"\n" and b"\x15" in data[:64]:
        return _SENTENCEPIECE
    head = data.splitlines()[:3]
    if all(_is_rank_line(line) for line in head):
        return _TIKTOKEN
    if data.startswith(b"#version"):
        return "a merges.txt, half of a BPE tokenizer. " + _CONVERT + "."
    if re.match(rb"\S{1,40}\r?\n\S{1,40}\r?\n", data):
        return "no JSON; it looks like a vocab.txt, the word list of a WordPiece tokenizer. " + _CONVERT + "."
    return f"no JSON: it starts with {data[:20]!r}. Give the path of a tokenizer.json, or download the file again."


def _is_rank_line(line: bytes) -> bool:
    token, _, rank = line.partition(b" ")
    try:
        base64.b64decode(token, validate=True)
    except binascii.Error:
        return False
    return rank.isdigit()


def _recognise_json(content: object) -> str:
    """Returns what a JSON file that is no tokenizer.json is, and what to do."""
    beside = "Give the tokenizer.json that usually stands beside it."
    if not isinstance(content, dict):
        return f"JSON that holds a {type(content).__name__}. {beside}"
    if "vocab" in content and "config" in content:
        return _TEKKEN
    if "tokenizer_class" in content or "model_max_length" in content:
        return f"a tokenizer_config.json (settings, no vocabulary). {beside}"
    if "architectures" in content or "model_type" in content:
        return f"a model's config.json. {beside}"
    if "cls_token" in content or "eos_token" in content or "bos_token" in content:
        return f"a special_tokens_map.json. {beside}"
    if content and all(isinstance(value, int) for value in content.values()):
        return f"a vocab.json, half of a BPE tokenizer. {beside} If there is none: {_CONVERT[0].lower()}{_CONVERT[1:]}."
    return f'JSON without a "model" that has a "vocab" (its keys: {", ".join(sorted(content)[:6])}). {beside}'
