"""Cells of CAE and IP-CAE, which most items compare."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from paper.cell import Cell, cell
from paper.protocol import TASKS, Protocol

PAIR = ("cae", "ip-cae")


def pair(protocol: Protocol, dataset: str, task: str, **settings: Any) -> list[Cell]:
    """Return the cell of CAE and that of IP-CAE."""
    return [cell(protocol, dataset, task, method, **settings) for method in PAIR]


def pairs_everywhere(protocol: Protocol) -> list[Cell]:
    """Return both cells of every data set and task."""
    return [
        own
        for dataset in protocol.datasets
        for task in TASKS
        for own in pair(protocol, dataset, task)
    ]


def varied(protocol: Protocol, setting: str, values: Iterable[Any]) -> list[Cell]:
    """Return both cells of the studied data set for every value of a setting, both tasks."""
    return [
        own
        for dataset in studied(protocol)
        for task in TASKS
        for value in values
        for own in pair(protocol, dataset, task, **{setting: value})
    ]


def studied(protocol: Protocol) -> tuple[str, ...]:
    """Return the data set of the ablation studies, or nothing if the protocol leaves it out."""
    return (protocol.study,) if protocol.study in protocol.datasets else ()
