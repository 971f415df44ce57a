"""Rendering of the Jinja templates, with autoescaping."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ipcae import text
from ipcae.report.charts.axes import FRAME, tick_label


def render(template: str, **values: Any) -> Markup:
    """Render a template.

    >>> render("paragraph", sentence="A & B")
    Markup('<p>A &amp; B</p>')
    """
    return Markup(environment().get_template(f"{template}.html.j2").render(values))


@cache
def environment() -> Environment:
    """Return the environment of the templates."""
    env = Environment(
        loader=PackageLoader("ipcae.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: visible(value) if isinstance(value, str) else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for function in (text.number, text.fixed, text.percent, text.duration, text.shortened):
        env.filters[function.__name__] = function
    env.filters |= {"count": text.count, "tick": tick_label, "visible": visible}
    env.filters |= {"integer": "{:,}".format, "px": "{:.1f}".format, "share": "{:.3f}".format}
    env.globals |= {"asset": asset, "frame": FRAME}
    env.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    return env


def visible(value: str) -> str:
    r"""Escape invisible characters and direction marks; markup is unchanged.

    >>> print(visible("a\nb\u202egpj.exe"))
    a\nb\u202egpj.exe
    """
    return value if isinstance(value, Markup) else text.printable(value)


@cache
def asset(name: str) -> Markup:
    """Return the content of a style sheet or script of the package."""
    folder = resources.files("ipcae.report").joinpath("assets")
    return Markup(folder.joinpath(name).read_text(encoding="utf-8"))
