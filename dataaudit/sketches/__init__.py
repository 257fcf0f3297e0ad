"""Mergeable integer summaries: a + b in any order gives the same numbers."""
