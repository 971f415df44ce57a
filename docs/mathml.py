"""Formulas as MathML, which browsers render without scripts, fonts or a network."""

from __future__ import annotations

from typing import Any

from latex2mathml.converter import convert


def inline(writer: Any, node: Any) -> None:
    """Write a formula in a line of text."""
    writer.body.append(convert(node.astext()))
    _skip(node)


def block(writer: Any, node: Any) -> None:
    """Write a formula of its own."""
    writer.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    _skip(node)


def _skip(node: Any) -> None:
    from docutils.nodes import SkipNode

    raise SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer as ``html_math_renderer = "mathml"``."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
