"""One small page, and what the published formulas (in our variant) make of it, worked out by hand."""

import pyarrow as pa
import pytest

from dataaudit.signals import DocumentBatch, all_signals

# Characters with the line feed: 42 + 1, 19 + 1, 0 + 1, 26 + 1, 24 = 115. Words: 9 + 4 + 5 + 4 = 22.
PAGE = """The river rose, and the boats left... #sad
- We use cookies #1

SEE {JavaScript} for of it
Nobody knew that. Why…?!"""

EXPECTED = {
    "char_count": 115,
    "word_count": 22,
    "line_count": 4,
    "paragraph_count": 2,
    # Gopher: 115 characters less 18 spaces and 4 line feeds, over 22 words
    "mean_word_char_count": 93 / 22,
    "longest_word_char_count": 12,  # {JavaScript}
    # Gopher G5: #sad and #1; G6: left... and Why…
    "hash_symbol_ratio": 2 / 22,
    "ellipsis_symbol_ratio": 2 / 22,
    # Gopher G9: all but "-" and "#1" hold a letter
    "alpha_word_ratio": 20 / 22,
    # Gopher G10: and, the, of; "The" and "that." are written otherwise
    "stop_word_count": 3,
    # RedPajama-V2, on words as they are: every word occurs once ("The" and "the" are two)
    "unique_word_ratio": 1,
    # "SEE"
    "uppercase_word_ratio": 1 / 22,
    # Gopher G7 and G8, over lines that are not blank: "- We" starts with a hyphen; none ends with an ellipsis
    "bullet_line_ratio": 1 / 4,
    "ellipsis_line_ratio": 0,
    # C4 and FineWeb: only the last line ends with a mark
    "terminal_punct_line_ratio": 1 / 4,
    # FineWeb: 42 is long; 19, 26 and 24 are short; 4 line feeds over 22 words
    "short_line_ratio": 3 / 4,
    "newline_word_ratio": 4 / 22,
    # C4: one line each; RedPajama-V2: { and }
    "javascript_line_ratio": 1 / 4,
    "policy_line_ratio": 1 / 4,
    "lorem_ipsum_count": 0,
    "curly_bracket_ratio": 2 / 115,
    # , ... # - # { } . … ? ! are 13 characters that are no letter, number or white space
    "special_char_ratio": 13 / 115,
    "punct_char_ratio": 13 / 115,
    "digit_char_ratio": 1 / 115,
    "whitespace_char_ratio": 22 / 115,
}


@pytest.mark.parametrize(("name", "expected"), EXPECTED.items())
def test_the_page(name, expected):
    found = all_signals()[name].measure(DocumentBatch(text=pa.array([PAGE], pa.large_string())))
    assert found.to_pylist() == [pytest.approx(expected)]
