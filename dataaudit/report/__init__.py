"""The report as one HTML file: a rendering of ``report.json`` and of nothing else."""

from dataaudit.report.file import NAME, write_page
from dataaudit.report.frame import BUDGET
from dataaudit.report.page import render
from dataaudit.report.texts import LANGUAGES

__all__ = ["BUDGET", "LANGUAGES", "NAME", "render", "write_page"]
