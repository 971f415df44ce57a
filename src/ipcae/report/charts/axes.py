"""Axes of charts: the mapping of values to pixels, and ticks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ipcae.text import number


@dataclass(frozen=True)
class Frame:
    """The size of every chart and the edges of its plotting area, in pixels.

    The width is that of a phone, so that text has the same size on all screens.
    """

    width: int = 360
    height: int = 238
    left: int = 46
    right: int = 348
    top: int = 20
    bottom: int = 200


FRAME = Frame()


@dataclass(frozen=True)
class Axis:
    """A mapping of values from ``low`` to ``high`` to pixels from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def place(self, value: float) -> float:
        """Return the pixel of a value.

        >>> Axis(0, 10, 100, 200).place(5), Axis(1, 100, 0, 10, log=True).place(10)
        (150.0, 5.0)
        """
        low, high = self._position(self.low), self._position(self.high)
        share = (self._position(value) - low) / (high - low)
        return self.start + share * (self.end - self.start)

    def _position(self, value: float) -> float:
        return math.log10(max(value, 1e-300)) if self.log else value

    def ticks(self) -> list[float]:
        """Return three to six round numbers within the axis.

        >>> Axis(0, 100, 0, 1).ticks(), Axis(0.1, 10, 0, 1, log=True).ticks()
        ([0.0, 20.0, 40.0, 60.0, 80.0, 100.0], [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0])
        """
        if self.log:
            for steps in ((1, 2, 5), (1, 3), (1,)):
                ticks = self._decades(steps)
                if 3 <= len(ticks) <= 7:
                    return ticks
            if len(ticks) > 7:
                return ticks[:: math.ceil(len(ticks) / 6)]
        return self._round()

    def _decades(self, steps: tuple[int, ...]) -> list[float]:
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        ticks = [float(f"{step}e{power}") for power in powers for step in steps]
        return [t for t in ticks if self.low * 0.999 <= t <= self.high * 1.001]

    def _round(self) -> list[float]:
        raw = (self.high - self.low) / 5
        power = 10.0 ** math.floor(math.log10(raw))
        step = next(s * power for s in (1, 2, 2.5, 5, 10) if s * power >= raw * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [float(f"{i * step:.12g}") for i in range(first, last + 1)]


def axis_over(
    values: list[float], start: float, end: float, *, log: bool = False, margin: float = 0.04
) -> Axis:
    """Return an axis that covers all finite values, with a margin.

    >>> axis_over([3.0, 3.0], 0, 1).low < 3 < axis_over([3.0, 3.0], 0, 1).high
    True
    """
    finite = [v for v in values if math.isfinite(v)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    log = log and low > 0
    if log:
        ratio = max(high / low, 1.2) ** margin
        return Axis(low / ratio, high * ratio, start, end, log=True)
    spread = (high - low) or abs(high) * 0.1 or 1.0
    return Axis(low - margin * spread, high + margin * spread, start, end)


def tick_label(value: float) -> str:
    """Format the label of a tick in at most six characters.

    >>> tick_label(0.25), tick_label(27500.0), tick_label(-1_250_000.0)
    ('0.25', '27500', '−1.25M')
    """
    for size, suffix in ((1e9, "G"), (1e6, "M"), (1e5, "k")):
        if abs(value) >= size:
            return number(value / (1e3 if suffix == "k" else size), 5) + suffix
    return number(value, 5)
