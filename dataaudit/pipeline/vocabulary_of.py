"""What a run needs to know about its tokenizer's vocabulary, read once in a process: it takes over a second."""

from functools import lru_cache

from dataaudit.kernels.vocabulary import Vocabulary
from dataaudit.pipeline.plan import TokenizerSettings
from dataaudit.tokenize import vocabulary


@lru_cache(maxsize=1)
def vocabulary_of(tokenizer: TokenizerSettings) -> Vocabulary:
    """Returns the facts about a run's tokenizer."""
    return vocabulary(tokenizer.path)
