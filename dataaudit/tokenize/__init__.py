"""Texts in, token ids out: two engines, checked against each other."""
