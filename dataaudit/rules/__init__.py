"""Rules decide about one document: data in, boolean masks out."""

from dataaudit.rules.evaluate import EMPTY, Mask, empty_documents, evaluate
from dataaudit.rules.moving import Admission, admission, at_step, limits_of
from dataaudit.rules.reasons import REASONS, WITHOUT_TEXT, reasons

__all__ = [
    "EMPTY",
    "REASONS",
    "WITHOUT_TEXT",
    "Admission",
    "Mask",
    "admission",
    "at_step",
    "empty_documents",
    "evaluate",
    "limits_of",
    "reasons",
]
