"""Makes hostile text safe to show: control and bidi characters and what is no character as their code."""

import re

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ufffe\uffff]"
)
_BREAKS = re.compile("[\t\n]")


def visible(text: str) -> str:
    """Returns the text with control, zero-width and bidi characters as ``<U+202E>``; tab and LF stay.

    So are surrogates, U+FFFE and U+FFFF, which neither UTF-8 nor XML can hold.
    """
    return _UNSAFE.sub(_code, text)


def one_line(text: str) -> str:
    """Returns the text as *visible* does, with tab and LF as codes too: it ends no line and leaves no cell."""
    return _BREAKS.sub(_code, visible(text))


def _code(found: re.Match[str]) -> str:
    return f"<U+{ord(found[0]):04X}>"
