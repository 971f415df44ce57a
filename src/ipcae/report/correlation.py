"""Correlations of the selected features with the unselected ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ipcae.arrays import Booleans, Floats, Integers
from ipcae.evaluation import Sample
from ipcae.feature_table import FeatureTable
from ipcae.tables.encodings.coding import ColumnCoding

MOST_SELECTED, MOST_OTHERS, N_CLOSEST = 20, 24, 3
STRONG = 0.7
_MOST_VALUES = 2e7


@dataclass(frozen=True, eq=False)
class Correlations:
    """Correlation of selected with unselected features, that of categories without a sign.

    Attributes
    ----------
    selected, others : list of str
        The names of the rows and columns of ``correlation``.
    correlation : array of shape (len(selected), len(others))
    closest : list of list of (str, float)
        For each row, the unselected features most correlated with it.
    n_selected, n_others : int
        Total numbers of selected and unselected features.
    n_covered : int
        Number of unselected features that are strongly correlated with a selected one.
    n_rows : int
    has_categories : bool
    """

    selected: list[str]
    others: list[str]
    correlation: Floats
    closest: list[list[tuple[str, float]]]
    n_selected: int
    n_others: int
    n_covered: int
    n_rows: int
    has_categories: bool


def correlate(
    features: FeatureTable, sample: Sample, codings: Sequence[ColumnCoding] = ()
) -> Correlations | None:
    """Correlate over the rows of a sample; return None if all features are selected.

    ``codings`` say which columns are categories.
    """
    chosen = [feature for feature in features if feature.selected]
    others = [feature for feature in features if not feature.selected]
    if not others:
        return None
    is_category = np.zeros(len(features), dtype=bool)
    for column, coding in enumerate(codings):
        is_category[column] = coding.has_indicators and len(coding.levels) > 2
    n_indicators = sum(len(coding.levels) for coding in codings)
    sample = sample.at_most(max(int(_MOST_VALUES / (len(features) + n_indicators)), 200))
    values = sample.numbers().numpy()
    correlation = _correlations(
        *(
            (values[:, columns], is_category[columns])
            for columns in ([f.index for f in chosen], [f.index for f in others])
        )
    )
    strength = np.abs(correlation)
    shown = strength[:MOST_SELECTED]
    columns = np.argsort(-shown.max(0), kind="stable")[:MOST_OTHERS]
    # Group the columns by their closest selected feature.
    columns = columns[np.lexsort((-shown.max(0)[columns], shown.argmax(0)[columns]))]
    return Correlations(
        selected=[feature.name for feature in chosen[:MOST_SELECTED]],
        others=[others[i].name for i in columns],
        correlation=correlation[:MOST_SELECTED, columns],
        closest=[
            [(others[i].name, float(line[i])) for i in np.argsort(-np.abs(line))[:N_CLOSEST]]
            for line in correlation[:MOST_SELECTED]
        ],
        n_selected=len(chosen),
        n_others=len(others),
        n_covered=int((strength.max(0) >= STRONG).sum()),
        n_rows=len(sample),
        has_categories=bool(is_category.any()),
    )


def _correlations(left: tuple[Floats, Booleans], right: tuple[Floats, Booleans]) -> Floats:
    """Return the correlations of columns, some of which are categories. Shape: -> (F, G).

    That of a category with a number is the multiple correlation with its indicators, and that of
    two categories is Cramér's V; the squares of both are adjusted for what chance explains.

    >>> codes, half = np.arange(12.0)[:, None] % 4, np.arange(12.0)[:, None] % 2
    >>> categories, numbers = np.array([True]), np.array([False])
    >>> _correlations((codes, categories), (np.hstack([3 - codes, half]), np.array([True, False])))
    array([[1., 1.]])
    >>> _correlations((half, numbers), (-half, numbers))
    array([[-1.]])
    """
    (vectors, starts, df), (others, other_starts, other_df) = _spans(*left), _spans(*right)
    products = vectors.T @ others
    squares = np.add.reduceat(np.square(products), starts, axis=0)
    squares = np.add.reduceat(squares, other_starts, axis=1)
    expected = np.outer(df, other_df) / (len(vectors) - 1)
    most = np.minimum.outer(df, other_df) - expected
    strength = np.sqrt((squares - expected).clip(0, most) / np.where(most > 0, most, np.inf))
    numbers = np.logical_not(np.logical_or.outer(left[1], right[1]))
    return np.where(numbers, products[np.ix_(starts, other_starts)], strength)


def _spans(values: Floats, is_category: Booleans) -> tuple[Floats, Integers, Floats]:
    """Return vectors that span the columns, where those of a column start, and their rank.

    A number is one vector without its mean, of length 1, and 0 if it is constant. A category has
    one vector per level, whose products with those of another one give χ² / N.
    """
    blocks = []
    for column, indicators in zip(values.T, is_category, strict=True):
        if indicators:
            codes = np.unique(column, return_inverse=True)[1]
            block = np.eye(codes.max() + 1)[codes]
            blocks.append((block - block.mean(0)) / np.sqrt(block.sum(0)))
        else:
            center = column - column.mean()
            norm = np.linalg.norm(center) if column.min() < column.max() else np.inf
            blocks.append(center[:, None] / norm)
    sizes = np.array([block.shape[1] for block in blocks])
    return np.hstack(blocks), np.cumsum(sizes) - sizes, np.where(is_category, sizes - 1.0, 1.0)
