"""An item: a table or a figure of the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paper.cell import Cell
from paper.protocol import Protocol
from paper.results import Results


@dataclass(frozen=True)
class Item:
    """The cells of an item and the functions that present their results.

    Parameters
    ----------
    name : str
        Name on the command line.
    title, caption : str
    cells : function of the protocol
    table : function of protocol and results, optional
        Returns Markdown.
    draw : function of protocol and results, optional
        Returns a matplotlib figure.
    status : function of protocol and results, optional
        Returns a short comparison with the paper.
    """

    name: str
    title: str
    caption: str
    cells: Callable[[Protocol], list[Cell]]
    table: Callable[[Protocol, Results], str] | None = None
    draw: Callable[[Protocol, Results], Any] | None = None
    status: Callable[[Protocol, Results], str] | None = None
