"""How notebooks show a fitted selector: scikit-learn's diagram and the selected features."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ipcae.feature_table import FeatureTable

_MOST = 50
_CELL = 'style="text-align: left; padding: 0.1em 0.8em 0.1em 0"'
_BAR = "display: inline-block; height: 0.7em; background: #1f77b4; border-radius: 2px"


class ShownInNotebooks(BaseEstimator):
    """Mixin for estimators with ``selection_``, or a ``selector_`` that has it."""

    def _html_repr(self) -> str:
        diagram: str = super()._html_repr()
        selector = getattr(self, "selector_", self)
        return diagram + selected_html(selector) if hasattr(selector, "selections_") else diagram


def selected_html(selector: Any) -> str:
    """Return the selected features of a fitted selector as a table with bars.

    >>> import numpy as np
    >>> from ipcae import RegressionSelector
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> selector = RegressionSelector(1, max_epochs=2, random_state=0).fit(X, X[:, 2])
    >>> "x2" in selected_html(selector)
    True
    """
    features = [feature for feature in FeatureTable.of(selector) if feature.selected]
    largest = max((f.importance for f in features if np.isfinite(f.importance)), default=0.0)
    rows = []
    for feature in features[:_MOST]:
        share = feature.importance / largest if largest > 0 else 0.0
        width = 12 * float(np.clip(np.nan_to_num(share), 0, 1))
        rows.append(
            f"<tr><td {_CELL}>{feature.rank}</td><td {_CELL}>{escape(feature.name)}</td>"
            f'<td {_CELL}><span style="{_BAR}; width: {width:.2f}em"></span> '
            f"{_number(feature.importance)}</td></tr>"
        )
    more = len(features) - len(rows)
    rest = f"<p>… and {more} more: get_feature_names_out().</p>" if more else ""
    head = f"<tr><th></th><th {_CELL}>selected feature</th><th {_CELL}>importance</th></tr>"
    return f'<table style="font-size: 0.9em">{head}{"".join(rows)}</table>{rest}'


def _number(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else ""
