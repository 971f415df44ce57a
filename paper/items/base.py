"""What an item is: a table or a figure of the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paper.cell import Cell
from paper.protocol import Protocol
from paper.results import Results


@dataclass(frozen=True)
class Item:
    """The cells an item needs, and how to make it of their results.

    Parameters
    ----------
    name : str
        As on the command line.
    title, caption : str
    cells : function of the protocol
    table : function of protocol and results, optional
        Returns Markdown.
    draw : function of protocol and results, optional
        Returns a matplotlib figure.
    status : function of protocol and results, optional
        Says in a few words how an item that has run compares with the paper's.
    """

    name: str
    title: str
    caption: str
    cells: Callable[[Protocol], list[Cell]]
    table: Callable[[Protocol, Results], str] | None = None
    draw: Callable[[Protocol, Results], Any] | None = None
    status: Callable[[Protocol, Results], str] | None = None
