"""The ledger of reading: every record is a document, unreadable, or without text."""

from typing import Any

from dataaudit.report.numbers import bytes_of, count
from dataaudit.report.view import View, capped

ORDER = 90
TITLE = "section.reading"
LISTED = 50


def build(view: View) -> dict[str, Any] | None:
    """Returns the files, damaged ones and those that lost most first."""
    corpus = view.result.corpus
    files, more = capped(view, view.result.files, LISTED)
    return {
        "lead": view.t(
            "reading.lead",
            count(corpus.records),
            count(corpus.documents),
            count(corpus.unreadable),
            count(corpus.without_text),
        ),
        "has_lost": bool(corpus.unreadable or corpus.without_text),
        "rows": [
            {
                "name": file.name,
                "format": " ".join(each for each in (file.format, file.compression) if each),
                "records": count(file.records),
                "documents": count(file.documents),
                "unreadable": count(file.unreadable),
                "without_text": count(file.without_text),
                "size": bytes_of(file.size),
                "damage": view.t.reason(file.damage),
            }
            for file in files
        ],
        "more": more,
    }
