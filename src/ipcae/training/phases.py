"""The phases of a fit, by the names that progress, logs, checkpoints and reports share."""

from __future__ import annotations

from enum import StrEnum


class Phase(StrEnum):
    """A part of a fit.

    - ``SELECTING``: a selector and its decoder are trained together.
    - ``SCREENING``: a network on all features learns which to drop.
    - ``RANKING``: a classical method scores the features; there are no epochs.
    - ``DECODING``: new decoders are trained on selections that are already made.
    - ``FINE_TUNING``: trained decoders are trained further on the fixed selections.

    >>> print(Phase.FINE_TUNING)
    fine-tuning
    """

    SELECTING = "selecting"
    SCREENING = "screening"
    RANKING = "ranking"
    DECODING = "decoding"
    FINE_TUNING = "fine-tuning"
