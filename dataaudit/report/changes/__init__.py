"""Sections of a comparison's page. One module and one template of the same name each; found by walking this package."""

from functools import cache

from dataaudit.report.walk import Section, sections_of


@cache
def all_changes() -> list[Section]:
    """Returns every section in the order of the page."""
    return sections_of(__name__, __path__)
