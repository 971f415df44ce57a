"""Forward selection with two objectives, followed by exchanges of single features."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ipcae.arrays import Floats, Integers
from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.selectors.classical.examples import needed_classes
from ipcae.selectors.classical.models.leave_one_out import LeaveOneOut
from ipcae.selectors.classical.panel_forward import PanelForward
from ipcae.selectors.classical.statistics.neighbor_overlap import NeighborOverlap

_MOST_ROWS = 5000
_DROPS, _CHECKED = 8, 40
_LEAST_GAIN = 3e-4
_MOST_EXCHANGES = 30


@dataclass(frozen=True)
class PanelExchange(Ranking):
    """Exchange features of a forward selection as long as the classes are separated better.

    The features of :class:`PanelForward` are exchanged one at a time, for the one of its best
    candidates with which a kernel classifier has the largest leave-one-out recall, averaged over
    the classes (:class:`LeaveOneOut`). An exchange must keep the neighbors of the rows nearly as
    they are (:class:`NeighborOverlap`).

    The panel improves for the rows that it was selected from, but not for others, for which
    :class:`PanelForward` was as good or better (``docs/experiments/panels.md``).

    Parameters
    ----------
    start : PanelForward, default=PanelForward(shrinkage=50.0)
        The forward selection whose features are exchanged.
    fewest : int, default=40
        Classes with fewer rows are ignored, unless fewer than two classes would be left.
    tolerance : float, default=0.03
        Fraction of the neighbor overlap of the first panel that exchanges may lose.
    n_candidates : int, default=120
        Number of candidates for an exchange: the best features that the forward selection left out.

    See Also
    --------
    PanelSelector : Predict a class and reconstruct all columns.
    ipcae.selectors.PanelForward : The forward selection alone.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from ipcae import PanelSelector
    >>> from ipcae.selectors import PanelExchange
    >>> X, y = load_wine(return_X_y=True)
    >>> selector = PanelSelector(3, method=PanelExchange(), max_epochs=1, random_state=0)
    >>> int(selector.fit(X, y).get_support().sum())
    3
    """

    start: PanelForward = PanelForward(shrinkage=50.0)
    fewest: int = 40
    tolerance: float = 0.03
    n_candidates: int = 120

    needs = "classes"
    random = False
    linear = True

    def scores(self, examples: Examples, n_selected: int, seed: int) -> Scores:
        """Score the panel above 1, by the recall lost without each feature. Shape: (D,)."""
        examples = _of_classes(examples.thinned(_MOST_ROWS), self.fewest)
        first = self.start.scores(examples, n_selected, seed)
        first = first / max(float(first.max()), 1e-300)
        best = np.argsort(-first, kind="stable")
        pool = best[: max(self.n_candidates, n_selected)]
        exchange = _Exchange.of(examples)
        panel = exchange.improved(best[:n_selected], pool, self.tolerance)
        losses = exchange.losses(panel)
        scores = np.where(np.isin(np.arange(len(first)), panel), 0.0, 0.999 * first)
        scores[panel] = 1 + losses / max(float(losses.max()), 1e-300)
        return scores


def _of_classes(examples: Examples, fewest: int) -> Examples:
    """Return the rows of classes with at least this number of rows, if these are two or more."""
    classes = needed_classes(examples)
    counts = np.bincount(classes)
    if (counts >= fewest).sum() < 2:
        return examples
    return examples.take(counts[classes] >= fewest)


@dataclass(frozen=True, eq=False)
class _Exchange:
    """The criteria by which exchanges of columns are evaluated."""

    classifier: LeaveOneOut
    overlap: NeighborOverlap

    @classmethod
    def of(cls, examples: Examples) -> _Exchange:
        classes = needed_classes(examples)
        return cls(LeaveOneOut.of(examples.inputs, classes), NeighborOverlap.of(examples.inputs))

    def losses(self, panel: Integers) -> Floats:
        """Return the recall lost without each feature of the panel, at least a little."""
        if len(panel) == 1:
            return np.ones(1)
        recall = self.classifier.recall(panel)
        lost = [recall - self.classifier.recall(np.delete(panel, i)) for i in range(len(panel))]
        return np.maximum(lost, 1e-6)

    def improved(self, panel: Integers, pool: Integers, tolerance: float) -> Integers:
        """Make the best exchange for a column of the pool, and repeat."""
        recall = self.classifier.recall(panel)
        least = (1 - tolerance) * self.overlap.share(panel)
        for _ in range(_MOST_EXCHANGES):
            found = self._best(panel, np.setdiff1d(pool, panel), recall + _LEAST_GAIN, least)
            if found is None:
                break
            panel, recall = found, self.classifier.recall(found)
        return panel

    def _best(
        self, panel: Integers, others: Integers, least_recall: float, least_overlap: float
    ) -> Integers | None:
        """Return the panel after the best exchange, or None if none is good enough."""
        kept = [np.delete(panel, place) for place in np.argsort(self.losses(panel))[:_DROPS]]
        panels = [np.append(rest, new) for rest in kept for new in others]
        recalls = np.array([self.classifier.recall(each) for each in panels])
        for i in np.argsort(-recalls, kind="stable")[:_CHECKED]:
            if recalls[i] < least_recall:
                break
            if self.overlap.share(panels[i]) >= least_overlap:
                return panels[i]
        return None
