"""Mergeable integer summaries: small tables that add up to the same whole in any order and any grouping."""
