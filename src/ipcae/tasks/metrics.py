"""The metrics of the tasks: their labels, formats and directions."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ipcae.text import decimals_for, fixed, number, percent, with_error


@dataclass(frozen=True)
class Metric:
    """A metric, and how to format its values, which are between ``lowest`` and ``highest``.

    >>> METRICS["accuracy"].write(0.934), METRICS["r2"].write(0.5), METRICS["r2"].write(-0.0001)
    ('93.4\\xa0%', '0.500', '0.000')
    >>> METRICS["log_loss"].write(0.25), METRICS["log_loss"].write(1.4)
    ('0.250', '1.40')
    >>> METRICS["accuracy"].write_interval((0.9, 0.96))
    '90.0 to 96.0\\xa0%'
    >>> METRICS["accuracy"].write_error(0.967, 0.01), METRICS["log_loss"].write_error(0.0984, 0.033)
    ('96.7 ±\\xa01.0\\xa0%', '0.098 ±\\xa00.033')
    """

    label: str
    style: str = "number"
    higher_is_better: bool = True
    lowest: float = 0.0
    highest: float = 1.0

    @property
    def on_axis(self) -> tuple[float, str]:
        """The factor by which values are multiplied on an axis, and the unit of its label.

        >>> METRICS["accuracy"].on_axis, METRICS["r2"].on_axis
        ((100.0, ' (%)'), (1.0, ''))
        """
        return (100.0, " (%)") if self.style == "percent" else (1.0, "")

    def write(self, value: float) -> str:
        """Format a value."""
        if self.style == "percent":
            return percent(value, column=True)
        if self.style == "fraction":
            return fixed(value, 3)
        # With trailing zeros, unlike in a sentence: values are compared in a column.
        return fixed(value, decimals_for([value])) if 1e-3 <= abs(value) < 1e3 else number(value)

    def write_error(self, value: float, error: float) -> str:
        """Format a value with its standard error: with the same decimals, and the unit once."""
        if self.style == "percent":
            return with_error(100 * value, 100 * error, 1) + "\u00a0%"
        if self.style == "fraction":
            return with_error(value, error, 3)
        return with_error(value, error, max(decimals_for([error]) - 1, 0))

    def write_interval(self, interval: tuple[float, float]) -> str:
        """Format an interval with the same decimals at both ends; a unit is written once.

        >>> METRICS["accuracy"].write_interval((0.596, 0.81))
        '59.6 to 81.0\\xa0%'
        >>> METRICS["log_loss"].write_interval((0.0294, 1.84))
        '0.03 to 1.84'
        """
        ends, unit, decimals = interval, "", 3
        if self.style == "percent":
            ends, unit, decimals = (100 * interval[0], 100 * interval[1]), "\u00a0%", 1
        elif self.style == "number":
            largest = max(map(abs, ends))
            if not 1e-3 <= largest < 1e9:
                return f"{number(ends[0])} to {number(ends[1])}"
            decimals = decimals_for([largest])
        low, high = (fixed(end, decimals) for end in ends)
        return f"{low} to {high}{unit}"


def write_score(name: str, value: float, error: float) -> str:
    """Format a score with its standard error; a metric is formatted as everywhere else.

    >>> write_score("balanced_accuracy", 0.934, 0.012), write_score("neg_log_loss", -0.5, 0.25)
    ('93.4 ±\\xa01.2\\xa0%', '−0.500 ±\\xa00.250')
    """
    if name in METRICS:
        return METRICS[name].write_error(value, error)
    return with_error(value, error, 3)


def _loss(label: str) -> Metric:
    return Metric(label, higher_is_better=False, highest=math.inf)


def _explained(label: str) -> Metric:
    """Return a metric that is 1 at best, 0 for a constant prediction, and negative for worse."""
    return Metric(label, "fraction", lowest=-math.inf)


METRICS = {
    "accuracy": Metric("accuracy", "percent"),
    "balanced_accuracy": Metric("balanced accuracy", "percent"),
    "roc_auc": Metric("ROC AUC", "fraction"),
    "log_loss": _loss("log loss"),
    "brier_score": Metric("Brier score", higher_is_better=False, highest=2.0),
    "label_accuracy": Metric("label accuracy", "percent"),
    "exact_match": Metric("rows with all labels correct", "percent"),
    "r2": _explained("R²"),
    "mean_absolute_error": _loss("mean absolute error"),
    "root_mean_squared_error": _loss("root mean squared error"),
    "concordance": Metric("concordance index", "fraction"),
    "concordance_ipcw": Metric("concordance index, weighted for censoring", "fraction"),
    "reconstruction_r2": _explained("R² of all columns"),
    "d2": _explained("D², explained deviance"),
    "mean_deviance": _loss("mean deviance"),
    "error": _loss("mean ‖x − x̂‖ / D, scaled columns"),
}
