"""The page around the sections: a template, a style sheet and a script in one file."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from string import Template

from ipcae.report.markup import Html, escape


def render(
    *,
    title: str,
    sentence: str,
    tiles: Sequence[tuple[str, str]],
    sections: Sequence[tuple[str, str, Html]],
) -> str:
    """Return the whole page.

    >>> "<title>A &amp; B</title>" in render(title="A & B", sentence="", tiles=[], sections=[])
    True
    """
    return Template(part("page.html")).substitute(
        title=escape(title),
        sentence=escape(sentence),
        style=part("page.css"),
        script=part("page.js") + part("charts.js"),
        tiles="".join(
            f"<div><dd>{escape(value)}</dd><dt>{escape(name)}</dt></div>" for value, name in tiles
        ),
        links="".join(
            f'<li><a href="#{anchor}">{escape(heading)}</a></li>' for anchor, heading, _ in sections
        ),
        sections="\n".join(
            f'<section id="{anchor}" aria-labelledby="{anchor}-heading">'
            f'<h2 id="{anchor}-heading">{escape(heading)}</h2>{escape(content)}</section>'
            for anchor, heading, content in sections
        ),
    )


def part(name: str) -> str:
    """Return a file that pages are made of."""
    return resources.files("ipcae.report").joinpath(name).read_text(encoding="utf-8")
