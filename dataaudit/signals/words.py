"""What a document's words are like. Words as word_count defines them."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dataaudit.kernels.hashing import hash_text
from dataaudit.kernels.patterns import count_distinct
from dataaudit.kernels.unicode import characters
from dataaudit.kernels.word_statistics import WordShapes, WordVariety, word_shapes, word_variety
from dataaudit.signals.batch import DocumentBatch
from dataaudit.signals.characters import of_classes
from dataaudit.signals.phrases import ELLIPSIS, phrases
from dataaudit.signals.signal import count, ratio, signal
from dataaudit.signals.views import null_where, words_of

GOPHER = "Gopher, arXiv:2112.11446, appendix A.1"
REDPAJAMA = "RedPajama-V2 quality signals"
NO_WORDS = "the text has no words"

ENGLISH_STOP_WORDS = ("the", "be", "to", "of", "and", "that", "have", "with")
STOP_STRINGS = {
    "Chinese": "的 年 在 月 是 和 日 了 於 為 有 被 人 中 为 他 與 後 也 而 由",
    "Japanese": "の に を は た て が と で 年 し 月 れ さ",
    "Korean": "의 다 이 는 에 을 한 년 하 은 를 했 고 에서 가 있 으로 인 월 로 되",
    "Thai": "ใน ที่ และ ของ เป็น มี การ ได้",
}
_STRINGS = tuple(sorted({string for strings in STOP_STRINGS.values() for string in strings.split()}))
_STRINGS_OF = [[_STRINGS.index(string) for string in strings.split()] for strings in STOP_STRINGS.values()]


def _word_counts(batch: DocumentBatch) -> NDArray[np.int64]:
    return np.diff(batch.once(words_of).offsets)


def _shapes(batch: DocumentBatch) -> WordShapes:
    return word_shapes(batch.once(words_of))


def _variety(batch: DocumentBatch) -> WordVariety:
    return word_variety(batch.once(words_of), np.array([hash_text(word) for word in ENGLISH_STOP_WORDS], np.uint64))


def _symbol_ratio(batch: DocumentBatch, symbols: NDArray[np.int64]) -> pa.Array:
    words = batch.once(_word_counts)
    return ratio(np.minimum(symbols, words), words)


@signal(unit="characters", source=GOPHER, minimum=1, null=NO_WORDS)
def mean_word_char_count(batch: DocumentBatch) -> pa.Array:
    """Mean length of the words.

    Of all words with the punctuation on them; datatrove leaves out words of symbols only, dolma takes the median.
    """
    return ratio(batch.once(_shapes).characters, batch.once(_word_counts))


@signal(unit="characters", source="C4, arXiv:1910.10683", minimum=1, null=NO_WORDS)
def longest_word_char_count(batch: DocumentBatch) -> pa.Array:
    """Length of the longest word.

    C4's code removes a line with a word of more than 1,000 characters.
    """
    return null_where(batch.once(_word_counts) == 0, batch.once(_shapes).longest)


@signal(unit="ratio", source=REDPAJAMA, null=NO_WORDS)
def unique_word_ratio(batch: DocumentBatch) -> pa.Array:
    """Different words over all words.

    Words as they are written; RedPajama-V2 lower-cases them and removes punctuation first. Of a document of more than
    4,194,304 words only the first so many are compared.
    """
    return ratio(batch.once(_variety).distinct, batch.once(_variety).compared)


@signal(unit="bits per word", source=REDPAJAMA, null=NO_WORDS)
def word_entropy_bits(batch: DocumentBatch) -> pa.Array:
    """Shannon entropy of the text's words.

    Words as they are written, in bits; RedPajama-V2 normalises them first and gives nats. Limited as
    unique_word_ratio is.
    """
    return null_where(batch.once(_word_counts) == 0, batch.once(_variety).entropy_bits)


@signal(unit="ratio", source=GOPHER, null=NO_WORDS)
def alpha_word_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of words with at least one letter of any script.

    RedPajama-V2 accepts a-z only, so that it calls every Chinese word non-alphabetic.
    """
    return ratio(batch.once(_shapes).with_letter, batch.once(_word_counts))


@signal(unit="words", source="Gopher, arXiv:2112.11446, appendix A.1; FineWeb-2 configs for Chinese to Thai")
def stop_word_count(batch: DocumentBatch) -> pa.Array:
    """Different stop words in the text, of the list that fits it best.

    English: Gopher's eight, as whole words in lower case. Chinese, Japanese, Korean and Thai: FineWeb-2's, anywhere in
    the text, since they are not set off by spaces (Korean's are endings of words); without its two middle dots. The
    largest of the five counts. DCLM counts occurrences instead of different words.
    """
    others = count_distinct(batch.data, batch.offsets, _STRINGS, _STRINGS_OF)
    return count(np.maximum(batch.once(_variety).listed, others.max(axis=1)))


@signal(unit="ratio", source=REDPAJAMA, null=NO_WORDS)
def uppercase_word_ratio(batch: DocumentBatch) -> pa.Array:
    """Share of words in capitals, as ``str.isupper`` has it."""
    return ratio(batch.once(_shapes).uppercase, batch.once(_word_counts))


@signal(unit="ratio", source=GOPHER, null=NO_WORDS)
def hash_symbol_ratio(batch: DocumentBatch) -> pa.Array:
    """Occurrences of # over words, at most 1.

    Variant datatrove, which has no upper bound; DCLM and RedPajama-V2 add ellipses, dolma counts words with a #.
    """
    return _symbol_ratio(batch, of_classes(batch, characters("#")))


@signal(unit="ratio", source=GOPHER, null=NO_WORDS)
def ellipsis_symbol_ratio(batch: DocumentBatch) -> pa.Array:
    """Occurrences of ... and … over words, at most 1.

    Variant datatrove, which has no upper bound. Six dots are two occurrences.
    """
    return _symbol_ratio(batch, batch.once(phrases).occurrences[ELLIPSIS])
