"""dataaudit: audits a corpus before a language-model training run."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = [
    "AuditResult",
    "Comparison",
    "DataAuditError",
    "DataMonitor",
    "ExportResult",
    "Filter",
    "FilterResult",
    "Finding",
    "MonitorLevels",
    "MonitorResult",
    "OrderResult",
    "Status",
    "TokenChecks",
    "TraceResult",
    "__version__",
    "audit",
    "check",
    "check_order",
    "compare",
    "export",
    "filter",
    "load_result",
    "render_comparison_html",
    "render_html",
    "shingles",
    "token_checks",
    "trace",
]

if TYPE_CHECKING:
    from dataaudit.api import (
        audit,
        check,
        check_order,
        compare,
        export,
        filter,  # noqa: A004
        load_result,
        render_comparison_html,
        render_html,
        trace,
    )
    from dataaudit.comparison.result import Comparison
    from dataaudit.duplicates.fingerprint import shingles
    from dataaudit.errors import DataAuditError
    from dataaudit.export_result import ExportResult
    from dataaudit.filter_result import FilterResult
    from dataaudit.integrations import token_checks
    from dataaudit.integrations.filter import Filter
    from dataaudit.integrations.token_checks import TokenChecks
    from dataaudit.monitor import DataMonitor, MonitorLevels, MonitorResult
    from dataaudit.order_result import OrderResult
    from dataaudit.result import AuditResult, Finding, Status
    from dataaudit.trace_result import TraceResult

_HOMES = {
    "AuditResult": "result",
    "Comparison": "comparison.result",
    "DataAuditError": "errors",
    "DataMonitor": "monitor",
    "ExportResult": "export_result",
    "Filter": "integrations.filter",
    "FilterResult": "filter_result",
    "Finding": "result",
    "MonitorLevels": "monitor",
    "MonitorResult": "monitor",
    "OrderResult": "order_result",
    "Status": "result",
    "TokenChecks": "integrations.token_checks",
    "TraceResult": "trace_result",
    "audit": "api",
    "check": "api",
    "check_order": "api",
    "compare": "api",
    "export": "api",
    "filter": "api",
    "load_result": "api",
    "render_comparison_html": "api",
    "render_html": "api",
    "shingles": "duplicates.fingerprint",
    "trace": "api",
}


def __getattr__(name: str) -> Any:
    """Loads a public name on first use, so that importing the package costs nothing."""
    from importlib import import_module

    if name == "token_checks":
        return import_module("dataaudit.integrations.token_checks")
    if name in _HOMES:
        return getattr(import_module(f"dataaudit.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'dataaudit' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
