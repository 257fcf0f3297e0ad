"""docs/trace.md names every order and packing there is, with every option."""

import re
from pathlib import Path

from dataaudit.order import all_kinds, all_packings

DOCS = (Path(__file__).resolve().parents[1] / "docs" / "trace.md").read_text(encoding="utf-8")


def test_every_order_and_packing_is_described():
    for kind in all_kinds().values():
        assert f"| `{kind.form.split(',')[0].split('[')[0]}` |" in DOCS
        for option in re.findall(r",([a-z-]+)", kind.form):
            assert option in DOCS, (kind.name, option)
    for name in all_packings():
        assert f"| `{name}` |" in DOCS
