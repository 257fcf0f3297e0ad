"""What samples are counted in."""

from typing import Literal

Unit = Literal["tokens", "words"]
"""Token ids; or, of texts without a tokenizer, words in buckets."""
