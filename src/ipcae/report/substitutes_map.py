"""The map of which features stand in for which others."""

from __future__ import annotations

from ipcae.report.markup import Html, escape, join, paragraph, table
from ipcae.report.substitutes import STRONG, Substitutes
from ipcae.text import count, fixed, shortened


def draw_substitutes(found: Substitutes, rows: str) -> Html:
    """Return correlations as a shaded table, and the closest of each as a list."""
    head = "".join(
        f'<th scope="col"><span title="{escape(name)}">{escape(shortened(name, 18))}</span></th>'
        for name in found.others
    )
    body = "".join(
        f'<tr><th scope="row" title="{escape(name)}">{escape(shortened(name, 18))}</th>'
        + "".join(_cell(value) for value in line)
        + "</tr>"
        for name, line in zip(found.selected, found.correlation.tolist(), strict=True)
    )
    limits = []
    if len(found.selected) < found.n_selected:
        limits.append(f"the first {len(found.selected)} of {found.n_selected} selected features")
    if len(found.others) < found.n_others:
        limits.append(
            f"the {len(found.others)} of {found.n_others:,} unselected ones closest to them"
        )
    shown = f" Shown are {' and '.join(limits)}." if limits else ""
    sentence = (
        f"{found.n_covered:,} of {count(found.n_others, 'unselected feature')} "
        f"{'has' if found.n_covered == 1 else 'have'} a correlation of {STRONG} or more, in size, "
        f"with a selected one."
    )
    listed = table(
        ("selected", "stands in for"),
        [
            (name, ", ".join(f"{shortened(o)} ({fixed(r, 2)})" for o, r in closest))
            for name, closest in zip(found.selected, found.closest, strict=True)
        ],
        "Closest features",
        "words",
    )
    return join(
        paragraph(sentence),
        Html(
            '<div class="box" tabindex="0" role="region" aria-label="Correlation map">'
            '<table class="heat map"><caption class="unseen">Correlation of selected (rows) with '
            'unselected features (columns)</caption><thead><tr><th scope="col" class="corner">'
            f"selected ↓ unselected →</th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        ),
        Html(f"<details><summary>The closest of each, as a list</summary>{listed}</details>"),
        paragraph(
            f"Pearson correlation over {rows.format(count(found.n_rows, 'row'))}. Blue: they rise "
            f"together; orange: one falls as the other rises.{shown}",
            "note",
        ),
    )


def _cell(value: float) -> str:
    sign = "plus" if value >= 0 else "minus"
    return f'<td class="{sign}" style="--heat:{abs(value):.2f}">{fixed(value, 2)}</td>'
