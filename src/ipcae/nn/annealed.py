"""The base class of modules with a temperature."""

from __future__ import annotations

import math

from torch import nn

from ipcae.errors import InputError, invalid_argument
from ipcae.schedules import Schedule


class Annealed(nn.Module):
    """Base class of modules with a temperature T > 0.

    The temperature is a float and not part of the ``state_dict``: it is set in training and not
    used in evaluation.

    Parameters
    ----------
    temperature : float or Schedule
        T, or a schedule that returns T as a function of progress, starting at ``temperature(0)``.

    See Also
    --------
    ipcae.nn.ConcreteSelect : A layer that selects K of D inputs.
    ipcae.nn.ConcreteCategorical : Differentiable one-hot samples.
    Exponential : Geometric interpolation.

    Examples
    --------
    >>> from ipcae import Exponential
    >>> from ipcae.nn import ConcreteSelect
    >>> layer = ConcreteSelect(64, 10, temperature=Exponential(10.0, 0.1))
    >>> layer.set_progress(0.5)
    >>> layer.temperature
    1.0
    """

    def __init__(self, temperature: float | Schedule):
        super().__init__()
        self.schedule: Schedule | None = temperature if callable(temperature) else None
        self.temperature = temperature(0.0) if callable(temperature) else temperature

    @property
    def temperature(self) -> float:
        """The current temperature; set it directly, or by :meth:`set_progress`."""
        return self._temperature

    @temperature.setter
    def temperature(self, value: float) -> None:
        try:
            value = float(value)
        except (TypeError, ValueError):
            raise invalid_argument(
                "temperature", value, "a number above 0, or a schedule"
            ) from None
        if not (math.isfinite(value) and value > 0):
            raise InputError(f"The temperature is {value}: expected a finite number above 0.")
        self._temperature = value

    def set_progress(self, progress: float) -> None:
        """Set the temperature to the value of the schedule at a progress from 0 to 1."""
        if self.schedule is None:
            raise InputError(
                f"The temperature is fixed at {self.temperature:g} and has no schedule: pass one "
                "to the module, such as temperature=Exponential(10.0, 0.01)."
            )
        self.temperature = self.schedule(progress)
