"""Lines over a number, with values under the pointer: a small SVG and the data it is read from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ipcae.report.axes import Axis, axis_over
from ipcae.report.markup import Html, escape, safe_json
from ipcae.text import number

# As wide as a phone, so that letters have the same size everywhere.
WIDTH, HEIGHT = 360, 230
LEFT, RIGHT, TOP, BOTTOM = 46, 348, 12, 192
_MOST_POINTS = 400
# A circle, a diamond and a square: colors alone do not reach everyone.
_SHAPES = {
    "first": "m-3.7 0a3.7 3.7 0 1 0 7.4 0a3.7 3.7 0 1 0-7.4 0z",
    "second": "m0-5.4l5.4 5.4l-5.4 5.4l-5.4-5.4z",
    "third": "m-3.9-3.9h7.8v7.8h-7.8z",
}


@dataclass(frozen=True)
class Line:
    """A line: its name, its points by x, and its class in the style sheet."""

    name: str
    points: dict[float, float]
    css: str
    dots: bool = False
    listed: bool = True


@dataclass(frozen=True)
class LineChart:
    """Lines that share both axes.

    ``remark`` is a vertical line with words beside it; ``rings`` are points to mark.
    """

    title: str
    x_label: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = False
    limits: tuple[float, float] | None = None
    x_ticks: Sequence[float] = ()
    remark: tuple[float, str] | None = None
    rings: Sequence[tuple[float, float]] = ()
    hints: dict[float, str] = field(default_factory=dict)

    def draw(self) -> Html:
        """Return a figure: the chart, its legend and, for the pointer, its values."""
        xs = sorted({x for line in self.lines for x in line.points})
        x_axis = axis_over(xs, LEFT, RIGHT, log=self.log_x, margin=0.03)
        y_axis = self._y_axis()
        parts = [*self._grid(x_axis, y_axis), *self._remark(x_axis)]
        for line in self.lines:
            parts += _stroke(line, x_axis, y_axis)
        for x, y in self.rings:
            parts.append(
                f'<circle class="ring" cx="{x_axis.place(x):.1f}" cy="{y_axis.place(y):.1f}" '
                'r="5"/>'
            )
        parts.append('<g class="hover"></g>')
        return Html(
            f'<figure class="chart"><figcaption>{escape(self.title)}</figcaption>'
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" tabindex="0" '
            f'aria-label="{escape(self._spoken())}" data-top="{TOP}" data-bottom="{BOTTOM}">'
            f'{"".join(parts)}</svg><div class="tip" aria-live="polite" hidden></div>'
            f'{self._legend()}<script type="application/json">'
            f"{safe_json(self._hover(xs, x_axis, y_axis))}</script></figure>"
        )

    def _y_axis(self) -> Axis:
        if self.limits is not None:
            return Axis(*self.limits, BOTTOM, TOP)
        values = [y for line in self.lines for y in line.points.values()]
        return axis_over(values, BOTTOM, TOP, log=self.log_y)

    def _grid(self, x_axis: Axis, y_axis: Axis) -> list[str]:
        parts = []
        for tick in y_axis.ticks():
            y = y_axis.place(tick)
            parts.append(
                f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>'
                f'<text class="y" x="{LEFT - 6}" y="{y + 4:.1f}">{number(tick)}</text>'
            )
        for tick in self.x_ticks or [t for t in x_axis.ticks() if t == int(t)]:
            x = x_axis.place(tick)
            parts.append(
                f'<path class="tick" d="M{x:.1f} {BOTTOM}v4"/>'
                f'<text class="x" x="{x:.1f}" y="{BOTTOM + 17}">{number(tick, 6)}</text>'
            )
        middle = (LEFT + RIGHT) / 2
        parts.append(f'<path class="axis" d="M{LEFT} {BOTTOM}H{RIGHT}"/>')
        parts.append(
            f'<text class="x label" x="{middle}" y="{HEIGHT - 5}">{escape(self.x_label)}</text>'
        )
        return parts

    def _remark(self, x_axis: Axis) -> list[str]:
        if self.remark is None:
            return []
        x = x_axis.place(self.remark[0])
        return [
            f'<path class="remark" d="M{x:.1f} {TOP}V{BOTTOM}"/>',
            f'<text class="remark" x="{x - 5:.1f}" y="{TOP + 10}">{escape(self.remark[1])}</text>',
        ]

    def _legend(self) -> str:
        seen: dict[str, Line] = {line.name: line for line in self.lines}
        if len(seen) < 2:
            return ""
        items = "".join(
            f'<li><i class="{escape(line.css)}{" dot" if len(line.points) == 1 else ""}"></i>'
            f"{escape(name)}</li>"
            for name, line in seen.items()
        )
        return f'<ul class="legend">{items}</ul>'

    def _spoken(self) -> str:
        """Say what the listed lines do, for those who cannot see them."""
        ends = []
        for line in self.lines:
            values = [y for y in line.points.values() if math.isfinite(y)]
            if line.listed and values:
                ends.append(f"{line.name} from {number(values[0])} to {number(values[-1])}")
        return f"{self.title}, by {self.x_label}: {'; '.join(ends)}."

    def _hover(self, xs: list[float], x_axis: Axis, y_axis: Axis) -> dict[str, object]:
        xs = _thinned(xs)
        lines = [
            {
                "name": line.name,
                "css": line.css,
                "text": [number(line.points.get(x, math.nan), 4) for x in xs],
                "y": [_pixel(y_axis, line.points.get(x, math.nan)) for x in xs],
            }
            for line in self.lines
            if line.listed
        ]
        heads = [self.hints.get(x, f"{self.x_label} {number(x, 6)}") for x in xs]
        return {"x": [_pixel(x_axis, x) for x in xs], "heads": heads, "lines": lines}


def _stroke(line: Line, x_axis: Axis, y_axis: Axis) -> list[str]:
    xs = _thinned([x for x in sorted(line.points) if math.isfinite(line.points[x])])
    places = [(x_axis.place(x), y_axis.place(line.points[x])) for x in xs]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [f'<polyline class="{escape(line.css)}" points="{points}"/>'] if len(xs) > 1 else []
    if line.dots or len(xs) == 1:
        shape = _SHAPES.get(line.css, _SHAPES["first"])
        parts += [
            f'<path class="dot {escape(line.css)}" d="M{x:.1f} {y:.1f}{shape}"/>' for x, y in places
        ]
    return parts


def _thinned(xs: list[float]) -> list[float]:
    """Keep no more points than there are pixels, the first and the last among them."""
    stride = math.ceil(len(xs) / _MOST_POINTS)
    return xs if stride <= 1 else [*xs[:-1:stride], xs[-1]]


def _pixel(axis: Axis, value: float) -> float | None:
    return round(axis.place(value), 1) if math.isfinite(value) else None
