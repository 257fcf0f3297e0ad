"""Adapters that bring dataaudit's verdicts into other libraries."""
