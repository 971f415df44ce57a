"""A cache of the latest scores of rankings that take long."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from ipcae.selectors.classical.base import Examples, Ranking, Scores
from ipcae.training.states.fingerprint import fingerprint

_MOST = 4
_scores: OrderedDict[tuple[Ranking, int, str], Scores] = OrderedDict()
_lock = Lock()


def cached_scores(ranking: Ranking, examples: Examples, seed: int) -> Scores:
    """Return the scores of a ranking that does not depend on the number of features.

    They are computed once for the same rows, for example if the K best features and a longer list
    of candidates are wanted.
    """
    key = ranking, seed, fingerprint(examples)
    with _lock:
        found = _scores.get(key)
    if found is None:
        found = ranking.scores(examples, 1, seed)  # without the lock: threads rank side by side
        with _lock:
            _scores[key] = found
            while len(_scores) > _MOST:
                _scores.popitem(last=False)
    return found.copy()
