"""Rules decide about one document: data in, boolean masks out."""

from dataaudit.rules.evaluate import EMPTY, Mask, empty_documents, evaluate

__all__ = ["EMPTY", "Mask", "empty_documents", "evaluate"]
