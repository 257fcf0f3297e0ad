"""Charts as SVG, coloured by CSS variables; text stands beside them in HTML, so that they can stretch.

Every chart has a title and a description; ids are numbered in the order of drawing, so a page is the same each time.
"""

import math
from collections.abc import Sequence

from markupsafe import Markup

from dataaudit.report.texts import Texts, packed, shown

HEIGHT = 100
LEVELS = 8


class Charts:
    """Draws the charts of one page."""

    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._drawn = 0

    def histogram(self, hist: Sequence[int], token_hist: Sequence[int], limits: Sequence[float], *names: str) -> Markup:
        """Returns documents as bars and tokens as a line, both on a log scale; *limits* are places from 0 to 1."""
        width = max(1, len(hist))
        parts = [
            _path("bars", _bars(hist)),
            _path("line", _steps(token_hist)),
            *(_line("limit", place * width, width) for place in limits),
        ]
        return self._svg("chart", width, HEIGHT, parts, "chart.histogram", *names)

    def before_after(self, old: Sequence[int], new: Sequence[int], *names: str) -> Markup:
        """Returns documents of one run as bars and of another as a line, on one log scale."""
        width, most = max(1, len(old)), max(*old, *new, 0, 0)
        parts = [_path("bars", _bars(old, most)), _path("line", _steps(new, most))]
        return self._svg("chart", width, HEIGHT, parts, "chart.before_after", *names)

    def bars(self, values: Sequence[float], kind: str = "bars") -> Markup:
        """Returns a bar of several parts, from 0 to 1 in all; drawn for the eye only, the numbers stand beside it."""
        parts, start = [], 0.0
        for place, value in enumerate(values):
            parts.append(
                f'<rect class="s{place % 6}" x="{_short(start * 100)}" width="{_short(value * 100)}" height="8"/>'
            )
            start += value
        return Markup(  # noqa: S704 - numbers only
            f'<svg class="bar {kind}" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
            f"{''.join(parts)}</svg>"
        )

    def bullet(self, value: float, warn: float | None, fail: float | None, *names: str) -> Markup:
        """Returns a value as a bar and the levels as marks."""
        top = max(value, *(each for each in (warn, fail) if each is not None), 1e-12) * 1.25
        parts = [f'<rect class="value" y="26" width="{_short(100 * value / top)}" height="48"/>']
        for kind, level in (("warn", warn), ("fail", fail)):
            if level is not None:
                parts.append(_line(kind, 100 * level / top, 100))
        return self._svg("bullet", 100, HEIGHT, parts, "chart.bullet", *names)

    def heat(
        self, rows: Sequence[Sequence[float | None]], marks: Sequence[float], *names: str, most: float | None = None
    ) -> Markup:
        """Returns a row a measure and a column a part; each row is shaded up to *most*, else to its own largest."""
        width = max((len(row) for row in rows), default=1) or 1
        cells: list[list[str]] = [[] for _ in range(LEVELS + 1)]
        for top, row in enumerate(rows):
            top_value = most or max((each for each in row if each is not None), default=0.0)
            for left, each in enumerate(row):
                if each is not None:
                    cells[level(each, top_value)].append(f"M{left} {top}h1v1h-1z")
        parts = [_path(f"h{place}", "".join(each)) for place, each in enumerate(cells) if each]
        parts += [_line("mark", place, width, len(rows)) for place in marks]
        return self._svg("heat", width, len(rows), parts, "chart.heat", *names)

    def _svg(self, kind: str, width: int, height: int, parts: Sequence[str], key: str, *args: str) -> Markup:
        self._drawn += 1
        name = f"g{self._drawn}"
        head = Markup('<title id="{0}t">{1}</title><desc id="{0}d">{2}</desc>').format(
            name, shown(self._texts.plain(f"{key}.title", *args)), shown(self._texts.plain(f"{key}.text", *args))
        )
        label = Markup('role="img" aria-labelledby="{0}t {0}d" data-svg="{1}" data-la="{2}"').format(
            name, key, packed(args)
        )
        return Markup(  # noqa: S704 - the parts are numbers, the rest is escaped
            f'<svg class="{kind}" viewBox="0 0 {width} {height}" preserveAspectRatio="none" {label}>'
            f"{head}{''.join(parts)}</svg>"
        )


def level(value: float, most: float) -> int:
    """Returns the shade of a value, 0 to 8."""
    if most <= 0 or value <= 0:
        return 0
    return max(1, min(LEVELS, round(LEVELS * value / most)))


def place_of(value: float, edges: Sequence[float]) -> float:
    """Returns where a value stands on an axis with a bin a step, from 0 to 1."""
    last = len(edges) - 1
    if last < 1 or value <= edges[0]:
        return 0.0
    if value >= edges[-1]:
        return 1.0
    at = next(place for place in range(last) if value < edges[place + 1])
    return (at + (value - edges[at]) / (edges[at + 1] - edges[at])) / last


def _heights(counts: Sequence[int], most: int | None) -> list[float]:
    top = math.log1p(max(counts, default=0) if most is None else most) or 1.0
    return [math.log1p(each) / top * (HEIGHT - 6) for each in counts]


def _bars(counts: Sequence[int], most: int | None = None) -> str:
    return "".join(
        f"M{place} {HEIGHT}v-{_short(height)}h.92v{_short(height)}z"
        for place, height in enumerate(_heights(counts, most))
        if height
    )


def _steps(counts: Sequence[int], most: int | None = None) -> str:
    if not any(counts):
        return ""
    tops = (f"V{_short(HEIGHT - height)}h1" for height in _heights(counts, most))
    return f"M0 {HEIGHT}{''.join(tops)}V{HEIGHT}"


def _path(kind: str, data: str) -> str:
    return f'<path class="{kind}" d="{data}"/>' if data else ""


def _line(kind: str, place: float, width: float, height: int = HEIGHT) -> str:
    at = _short(min(max(place, 0.0), width))
    return f'<path class="{kind}" d="M{at} 0V{height}"/>'


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
