"""The figures on warm-up and weight decay: CAE with another training setting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paper.cell import Cell, cell
from paper.items.base import Item
from paper.items.pairs import pair, studied
from paper.protocol import RECONSTRUCTION, Protocol
from paper.results import Results


def item(
    name: str,
    title: str,
    caption: str,
    *,
    setting: str,
    values: Callable[[Protocol], tuple[float, ...]],
    label: str,
) -> Item:
    """Return a figure that compares values of a setting for CAE, 0 first, and IP-CAE.

    ``label`` is a format string for the name of a value.
    """

    # NOTE[DIFF]: the paper names neither the data set nor the task of its figures on warm-up and
    # weight decay.
    def variants(protocol: Protocol, dataset: str) -> dict[str, Cell]:
        return {
            label.format(value) if value else "CAE": cell(
                protocol, dataset, RECONSTRUCTION, "cae", **{setting: value}
            )
            for value in (0, *values(protocol))
        }

    def cells(protocol: Protocol) -> list[Cell]:
        return [
            own
            for dataset in studied(protocol)
            for own in (
                *variants(protocol, dataset).values(),
                pair(protocol, dataset, RECONSTRUCTION)[1],
            )
        ]

    def drawn(protocol: Protocol, results: Results) -> Any:
        better = pair(protocol, protocol.study, RECONSTRUCTION)[1]
        return draw(results, variants(protocol, protocol.study), better)

    return Item(name=name, title=title, caption=caption, cells=cells, draw=drawn)


def draw(results: Results, variants: dict[str, Cell], better: Cell) -> Any:
    """Draw the validation error over the epochs, and the test error of every variant.

    The first variant is plain CAE; ``better`` is IP-CAE.
    """
    from paper import drawing

    figure, axes = drawing.panels(1, 2, 8.6, 3.4, width_ratios=(3, 2))
    curves, ends = axes[0]
    plain, *changed = variants
    shades = drawing.shades(len(changed) + 1)[:-1][::-1]
    looks = {plain: (drawing.COLORS["cae"], drawing.LINES["cae"])}
    looks |= {name: (shade, "-") for name, shade in zip(changed, shades, strict=True)}
    for place, (name, own) in enumerate(variants.items()):
        color, line = looks[name]
        drawing.draw_curve(
            curves,
            results,
            own,
            "validation_error",
            name,
            scale=1000,
            color=color,
            line=line,
            band=False,
        )
        _point(ends, place, results, own, color)
    _point(ends, len(variants), results, better, drawing.COLORS["ip-cae"])
    ends.set_yticks(range(len(variants) + 1), [*variants, "IP-CAE"])
    ends.invert_yaxis()
    ends.grid(False)
    ends.grid(axis="x", color=drawing.PALE, alpha=0.45, linewidth=0.6)
    curves.set_yscale("log")
    curves.yaxis.set_major_formatter("{x:g}")
    curves.yaxis.set_minor_formatter("{x:g}")
    curves.tick_params(which="minor", labelsize=8, colors=drawing.INK, color=drawing.PALE)
    drawing.label(curves, title="Validation error × 1000", x="epoch")
    drawing.label(ends, title="Test error × 1000")
    drawing.legend(curves)
    return figure


def _point(axis: Any, place: int, results: Results, own: Cell, color: Any) -> None:
    values = 1000 * results.test(own)
    axis.errorbar(values.mean(), place, xerr=values.std(), color=color, marker="o", capsize=3)
