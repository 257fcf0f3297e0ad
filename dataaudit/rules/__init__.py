"""Rules decide about one document: data in, boolean masks out."""

from dataaudit.rules.evaluate import EMPTY, Mask, empty_documents, evaluate
from dataaudit.rules.moving import Admission, admission, at_step, is_moving, limits_of, loosest
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
    "is_moving",
    "limits_of",
    "loosest",
    "reasons",
]
