"""How the two runs were made differently, which may be why numbers moved."""

import json
from typing import Any

from dataaudit.report.comparison_view import ComparisonView

ORDER = 60
TITLE = "compare.method"
LONGEST = 200
"""Characters of a value that are shown."""


def build(view: ComparisonView) -> dict[str, Any]:
    """Returns the differences of tool, config, tokenizer and signals."""
    rows, more = view.capped(view.found.method)
    return {"rows": [(each.what, _short(each.old), _short(each.new)) for each in rows], "more": more}


def _short(value: Any) -> str:
    text = "–" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[:LONGEST] + " …"
