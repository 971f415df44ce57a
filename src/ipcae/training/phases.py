"""The phases of a fit."""

from __future__ import annotations

from enum import StrEnum


class Phase(StrEnum):
    """A phase of a fit, by its name in progress lines, logs, checkpoints and reports.

    - ``SELECTING``: the selection layer and the decoder are trained together.
    - ``SCREENING``: a network that reads all features learns which to drop.
    - ``RANKING``: a classical method scores the features, without epochs.
    - ``DECODING``: new decoders are trained on fixed selections.
    - ``FINE_TUNING``: trained decoders are trained further on fixed selections.
    - ``REFITTING``: the fine-tuning is repeated with the validation rows among the training rows.

    >>> print(Phase.FINE_TUNING)
    fine-tuning
    """

    SELECTING = "selecting"
    SCREENING = "screening"
    RANKING = "ranking"
    DECODING = "decoding"
    FINE_TUNING = "fine-tuning"
    REFITTING = "refitting"
