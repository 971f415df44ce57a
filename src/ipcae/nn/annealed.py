"""What the sampling modules share: a temperature, and the schedule it may follow."""

from __future__ import annotations

import math

from torch import nn

from ipcae.errors import InputError
from ipcae.schedules import Schedule


class Annealed(nn.Module):
    """Abstract: a module with a temperature T > 0.

    The temperature is a plain number, not part of the ``state_dict``: whoever trains sets it, and
    evaluation does not need it.

    Parameters
    ----------
    temperature : float or Schedule
        T itself, or T as a function of progress, which starts at ``temperature(0)``.
    """

    def __init__(self, temperature: float | Schedule):
        super().__init__()
        self.schedule: Schedule | None = temperature if callable(temperature) else None
        self.temperature = temperature(0.0) if callable(temperature) else temperature

    @property
    def temperature(self) -> float:
        """T of the next samples: set it, or let :meth:`set_progress` follow the schedule."""
        return self._temperature

    @temperature.setter
    def temperature(self, value: float) -> None:
        value = float(value)
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"The temperature is {value}: expected a finite number above 0.")
        self._temperature = value

    def set_progress(self, progress: float) -> None:
        """Take the schedule's temperature at this part of training, from 0 to 1."""
        if self.schedule is None:
            raise InputError(
                f"The temperature is the number {self.temperature:g} and has no schedule to "
                "follow: build the module with one, such as temperature=Exponential(10.0, 0.01)."
            )
        self.temperature = self.schedule(progress)
