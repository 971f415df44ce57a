"""The result compared with its null distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from ipcae.evaluation import ChanceTest
from ipcae.evaluation.chance import N_BINS
from ipcae.report.charts.axes import FRAME, Axis, axis_over
from ipcae.report.templates import render


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram, in pixels."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Histogram:
    """The content of ``histogram.html.j2``: bars, and a line at the observed value."""

    x: Axis
    bars: list[Bar]
    mark: float

    @classmethod
    def of(cls, values: np.ndarray, observed: float) -> Histogram:
        """Return the histogram of values that are not all equal, with the observed one inside."""
        ends = [float(values.min()), float(values.max()), observed]
        x = axis_over(ends, FRAME.left, FRAME.right)
        counts, edges = np.histogram(values, bins=N_BINS)
        y = Axis(0, 1.05 * counts.max(), FRAME.bottom, FRAME.top)
        places = [x.place(float(edge)) for edge in edges]
        bars = [
            Bar(left, y.place(count), right - left, FRAME.bottom - y.place(count))
            for left, right, count in zip(places, places[1:], counts.tolist(), strict=False)
        ]
        return cls(x, [bar for bar in bars if bar.height > 0], x.place(observed))


def draw_chance(chance: ChanceTest) -> Markup:
    """Return the null distribution with the observed value."""
    histogram = None
    if len(chance.null) and chance.null.min() < chance.null.max():
        histogram = Histogram.of(chance.null, chance.statistic)
    return render("chance", chance=chance, chart=histogram)
