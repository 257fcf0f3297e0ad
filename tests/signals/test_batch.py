import pyarrow as pa

from dataaudit.signals import DocumentBatch
from dataaudit.signals.views import decoded, words_of


def test_what_is_forgotten_is_computed_again_and_the_rest_is_kept() -> None:
    batch = DocumentBatch(text=pa.array(["two words"], pa.large_string()))
    characters, words = batch.once(decoded), batch.once(words_of)
    batch.forget(decoded)
    assert batch.once(decoded) is characters
    again = batch.once(words_of)
    assert again is not words
    assert again.starts.tolist() == words.starts.tolist() == [0, 4]
