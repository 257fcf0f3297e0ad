"""The report as one HTML file: a rendering of ``report.json`` and of nothing else."""

from dataaudit.report.comparison import render_comparison_page, write_comparison_page
from dataaudit.report.file import NAME, write_page
from dataaudit.report.frame import BUDGET
from dataaudit.report.page import render
from dataaudit.report.texts import LANGUAGES

__all__ = ["BUDGET", "LANGUAGES", "NAME", "render", "render_comparison_page", "write_comparison_page", "write_page"]
