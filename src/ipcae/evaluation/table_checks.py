"""Find columns that alone predict the target almost perfectly, and identical columns."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ipcae.arrays import Floats
from ipcae.evaluation.combined_target import parts_of_target, parts_sentence
from ipcae.evaluation.correlations import correlations
from ipcae.evaluation.leaks import leaks_sentence, likely_leaks
from ipcae.evaluation.sample import Sample
from ipcae.tasks import Task
from ipcae.text import listed

_SAME = 0.9999  # absolute correlation of columns that measure the same


@dataclass(frozen=True)
class TableChecks:
    """Columns to look at before trusting a result.

    Attributes
    ----------
    leaks : tuple of str
        Columns that alone predict the target almost perfectly, while others do not.
    duplicates : tuple of tuple of str
        Groups of identical columns.
    similar : tuple of tuple of str
        Pairs of selected columns that measure the same, such as one length in two units.
    parts : tuple of str
        Columns from which the target can be computed, such as the parts of a total.
    """

    leaks: tuple[str, ...] = ()
    duplicates: tuple[tuple[str, ...], ...] = ()
    similar: tuple[tuple[str, str], ...] = ()
    parts: tuple[str, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """Describe what was found.

        >>> print(*TableChecks(("y2",), (("a", "b"), ("c", "d"))).sentences, sep="\\n")
        Likely leak: y2 alone predicts the target suspiciously well. Is it known before the target?
        2 groups of columns are identical: a = b, c = d.
        """
        found = leak_sentences(self.leaks, self.parts)
        if self.duplicates:
            groups = [" = ".join(group) for group in self.duplicates]
            noun = "group of columns is" if len(groups) == 1 else "groups of columns are"
            found.append(f"{len(groups):,} {noun} identical: {listed(groups, 3)}.")
        if self.similar:
            pairs = [" and ".join(pair) for pair in self.similar]
            found.append(
                f"Selected columns measure the same ({listed(pairs, 3)}): leave one of them out to "
                "make room for another column."
            )
        return found


def check_table(
    task: Task, sample: Sample, names: list[str], selected: Sequence[int] = ()
) -> TableChecks:
    """Find copies of the target, or almost, and identical columns.

    Parameters
    ----------
    task : Task
    sample : Sample
        Rows with encoded targets, such as the training rows.
    names : list of str
        The names of the columns.
    selected : sequence of int
        The selected columns, which are compared with each other.
    """
    inputs = sample.numbers().numpy()
    duplicates = identical_columns(inputs)
    return TableChecks(
        likely_leaks(task, sample, names),
        tuple(tuple(names[i] for i in group) for group in duplicates),
        tuple((names[selected[i]], names[selected[j]]) for i, j in similar_pairs(inputs, selected)),
        parts_of_target(task, sample, names),
    )


def leak_sentences(leaks: Sequence[str], parts: Sequence[str]) -> list[str]:
    """Describe likely leaks, and the columns from which the target can be computed."""
    single = [leaks_sentence(leaks)] if leaks else []
    return [*single, parts_sentence(parts)] if parts else single


def similar_pairs(inputs: Floats, selected: Sequence[int]) -> list[tuple[int, int]]:
    """Return pairs of columns, as places in ``selected``, that are almost multiples of each other.

    >>> values = np.array([[1.0, 100.0, 7.0], [2.0, 200.0, 5.0], [4.0, 400.0, 6.0]])
    >>> similar_pairs(values, [0, 1, 2])
    [(0, 1)]
    """
    alike = np.triu(correlations(inputs[:, list(selected)]) > _SAME, 1)
    return [(int(i), int(j)) for i, j in np.argwhere(alike)]


def identical_columns(inputs: Floats) -> list[list[int]]:
    """Return the groups of identical columns that are not constant.

    >>> identical_columns(np.array([[1.0, 2.0, 1.0, 0.0], [3.0, 4.0, 3.0, 0.0]]))
    [[0, 2]]
    """
    groups = defaultdict(list)
    for index in np.flatnonzero(inputs.min(0) != inputs.max(0)).tolist():
        # Adding zero turns −0.0, whose bytes differ, into 0.0.
        column = np.ascontiguousarray(inputs[:, index] + 0.0)
        groups[hashlib.blake2b(column.tobytes(), digest_size=16).digest()].append(index)
    return [group for group in groups.values() if len(group) > 1]
