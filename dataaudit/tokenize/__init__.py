"""Texts in, token ids out: two engines, checked against each other."""

from dataaudit.tokenize.compare import EngineChoice, FirstDifference, compare_engines
from dataaudit.tokenize.encoder import Encoder, load_encoder, release_encoder
from dataaudit.tokenize.shards import TokenShardBatch, TokenShardWriter, read_token_shard, token_shard_metadata
from dataaudit.tokenize.tokenizer_file import Renumbered, TokenizerIdentity, identify
from dataaudit.tokenize.tokens import IdType, TokenBatch, Unencoded, id_dtype, narrow
from dataaudit.tokenize.vocabulary import SpecialIds, special_ids, token_bytes, token_texts, vocabulary

__all__ = [
    "Encoder",
    "EngineChoice",
    "FirstDifference",
    "IdType",
    "Renumbered",
    "SpecialIds",
    "TokenBatch",
    "TokenShardBatch",
    "TokenShardWriter",
    "TokenizerIdentity",
    "Unencoded",
    "compare_engines",
    "id_dtype",
    "identify",
    "load_encoder",
    "narrow",
    "read_token_shard",
    "release_encoder",
    "special_ids",
    "token_bytes",
    "token_shard_metadata",
    "token_texts",
    "vocabulary",
]
