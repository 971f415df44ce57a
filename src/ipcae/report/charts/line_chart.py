"""Line charts, rendered as SVG with tooltips."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ipcae.report.charts.axes import FRAME, Axis, axis_over
from ipcae.text import number

_MOST_POINTS = 400
_LETTER_WIDTH = 6.2


@dataclass(frozen=True)
class Line:
    """A line: its name, its points by x, and its class in the style sheet.

    Only ``listed`` lines have values in tooltips. ``intervals`` are the ends of error bars, by x.
    """

    name: str
    points: dict[float, float]
    css: str
    dots: bool = False
    listed: bool = True
    intervals: dict[float, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class LineChart:
    """The content of ``line_chart.html.j2``.

    Without ``ticks``, round numbers of x are labeled; only integers if x has ``whole_numbers``.
    ``marks`` are labeled vertical lines, ``rings`` are highlighted points, and ``hints`` are the
    headings of tooltips.
    """

    title: str
    x_label: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = False
    limits: tuple[float, float] | None = None
    ticks: Sequence[float] = ()
    whole_numbers: bool = True
    marks: Sequence[tuple[float, str]] = ()
    rings: Sequence[tuple[float, float]] = ()
    hints: dict[float, str] = field(default_factory=dict)

    @cached_property
    def x(self) -> Axis:
        """The horizontal axis."""
        return axis_over(self._xs, FRAME.left, FRAME.right, log=self.log_x, margin=0.03)

    @cached_property
    def y(self) -> Axis:
        """The vertical axis."""
        if self.limits is not None:
            return Axis(*self.limits, FRAME.bottom, FRAME.top)
        values = [
            value
            for line in self.lines
            for x, y in line.points.items()
            for value in (y, *line.intervals.get(x, ()))
        ]
        return axis_over(values, FRAME.bottom, FRAME.top, log=self.log_y)

    @cached_property
    def _xs(self) -> list[float]:
        return sorted({x for line in self.lines for x in line.points})

    @property
    def x_ticks(self) -> Sequence[float]:
        """The ticks of the horizontal axis."""
        if self.ticks:
            return self.ticks
        ticks = [t for t in self.x.ticks() if t >= min(self._xs, default=0.0)]
        return [t for t in ticks if t.is_integer()] if self.whole_numbers else ticks

    @property
    def legend(self) -> list[Line]:
        """One line per name."""
        return list({line.name: line for line in self.lines}.values())

    @property
    def mark_labels(self) -> list[tuple[float, str]]:
        """Positions and labels of the marks, arranged without overlap inside the chart."""
        labels, end = [], float(FRAME.right)
        for x, words in sorted(self.marks, reverse=True):
            start = min(self.x.place(x) - 3, end - _LETTER_WIDTH * len(words))
            labels.append((start, words))
            end = start - _LETTER_WIDTH
        return labels

    @property
    def alt_text(self) -> str:
        """Description of the listed lines for screen readers."""
        ends = []
        for line in self.lines:
            values = [y for y in line.points.values() if math.isfinite(y)]
            if line.listed and values:
                ends.append(f"{line.name} from {number(values[0])} to {number(values[-1])}")
        return f"{self.title}, by {self.x_label}: {'; '.join(ends)}."

    def places(self, line: Line) -> list[tuple[float, float]]:
        """Return the points of a line in pixels."""
        finite = [x for x in sorted(line.points) if math.isfinite(line.points[x])]
        return [(self.x.place(x), self.y.place(line.points[x])) for x in _thinned(finite)]

    def pieces(self, line: Line) -> list[list[tuple[float, float]]]:
        """Return the points of a line in pixels, in pieces between values that are not finite."""
        gaps = [self.x.place(x) for x, y in line.points.items() if not math.isfinite(y)]
        pieces: dict[int, list[tuple[float, float]]] = {}
        for place in self.places(line):
            pieces.setdefault(sum(gap < place[0] for gap in gaps), []).append(place)
        return list(pieces.values())

    def bars(self, line: Line) -> list[tuple[float, float, float]]:
        """Return the error bars of a line in pixels: where, from and to."""
        return [
            (self.x.place(x), self.y.place(low), self.y.place(high))
            for x, (low, high) in line.intervals.items()
            if all(map(math.isfinite, (line.points.get(x, math.nan), low, high)))
        ]

    @property
    def hover(self) -> dict[str, object]:
        """Content of the tooltips."""
        xs = _thinned(sorted({x for line in self.lines if line.listed for x in line.points}))
        return {
            "x": [_pixel(self.x, x) for x in xs],
            "heads": [self.hints.get(x, f"{self.x_label} {number(x, 6)}") for x in xs],
            "lines": [
                {
                    "name": line.name,
                    "css": line.css,
                    "text": [number(line.points.get(x, math.nan), 4) for x in xs],
                    "y": [_pixel(self.y, line.points.get(x, math.nan)) for x in xs],
                }
                for line in self.lines
                if line.listed
            ],
        }


def _thinned(xs: list[float]) -> list[float]:
    """Return at most about ``_MOST_POINTS`` points, including the first and the last."""
    stride = math.ceil(len(xs) / _MOST_POINTS)
    return xs if stride <= 1 else [*xs[:-1:stride], xs[-1]]


def _pixel(axis: Axis, value: float) -> float | None:
    return round(axis.place(value), 1) if math.isfinite(value) else None
