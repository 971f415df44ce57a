"""Every parametrization that the package exports, so that tests find new ones by themselves."""

from dataclasses import is_dataclass

from ipcae import parametrizations

PARAMETRIZATIONS = {
    name: getattr(parametrizations, name)
    for name in parametrizations.__all__
    if is_dataclass(getattr(parametrizations, name))
}
