"""Pages that are one file: the frame that every report shares, figures as text, data that no text can break out of."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import FunctionLoader, StrictUndefined
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup

from semifactual.resources import template_text, template_yaml

FOLDER = "report"
PALETTE = f"{FOLDER}/palette.yaml"
STYLE = f"{FOLDER}/style.css"
THEME_SCRIPT = f"{FOLDER}/theme.js"

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_NARROW_SPACE = "\u202f"
_DASH = "–"
_SIGNS = {"\n": "⏎", "\t": "⇥"}
_PARTS = re.compile(r"(?<=[_/-])(?=.)", re.DOTALL)
_JOINERS = "\u200c\u200d"
"""Parts of ordinary words in some scripts, and of emoji."""


def render_page(template: str, scripts: Sequence[str], data: Any, context: Mapping[str, Any]) -> str:
    """One self-contained HTML page: style, scripts and data inside it, and a policy that lets nothing else run or load.

    `template` extends ``report/base.html.jinja``; `scripts` are templates, run in order after the page; `data` is what
    they read from the element ``#data``. Whatever text stands in `context` or `data` is shown, never interpreted.
    """
    environment = SandboxedEnvironment(
        autoescape=True,
        loader=FunctionLoader(template_text),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        one.__name__: one for one in (figure, percent, count, spoken, breakable, tick, times, visible, duration)
    }
    theme, script = template_text(THEME_SCRIPT), "\n".join(template_text(name) for name in scripts)
    return environment.get_template(template).render(
        **context,
        palette=template_yaml(PALETTE),
        style=Markup(template_text(STYLE)),
        theme_script=Markup(theme),
        script=Markup(script),
        script_hashes=" ".join(f"'sha256-{_digest(text)}'" for text in (theme, script)),
        data=script_json(data),
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def script_json(value: Any) -> Markup:
    r"""JSON that may stand inside a script element: pure ASCII, and nothing in it can end the element.

    >>> script_json({"token": "</script>\u2028"})
    Markup('{"token":"\\u003c/script\\u003e\\u2028"}')
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def figure(value: float | None, digits: int = 3) -> str:
    """A number as a reader wants it: `digits` significant ones, thousands apart, powers of ten for the very small.

    >>> figure(0.021349), figure(-0.5), figure(3.2e-6), figure(0), figure(None), figure(12345.6)
    ('0.0213', '−0.500', '3.20 × 10⁻⁶', '0', '–', '12,346')
    """
    if value is None or math.isnan(value):
        return _DASH
    if value == 0:
        return "0"
    sign, size = "−" if value < 0 else "", abs(value)
    if size < 0.0005:
        mantissa, exponent = f"{size:.{digits - 1}e}".split("e")
        return f"{sign}{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"
    decimals = max(digits - 1 - math.floor(math.log10(size)), 0)
    return f"{sign}{size:,.{decimals}f}"


def tick(value: float) -> str:
    """The label of a round value on an axis.

    >>> tick(0), tick(0.25), tick(2.0), tick(1e-05)
    ('0', '0.25', '2', '10⁻⁵')
    """
    if value and abs(value) < 0.001 and (exponent := f"{value:.0e}").startswith("1e"):
        return f"10{str(int(exponent[2:])).translate(_SUPERSCRIPTS)}"
    return f"{value:g}"


def times(factor: float | None) -> str:
    """A factor for a sentence.

    >>> times(3.1415), times(0.0001), times(0.45)
    ('3.1', 'less than 0.01', '0.45')
    """
    return "less than 0.01" if factor is not None and factor < 0.01 else figure(factor, 2)


def percent(share: float | None) -> str:
    """A share as per cent.

    >>> percent(0.1282), percent(0), percent(0.00001), percent(1.0), percent(0.0042)
    ('12.8\u202f%', '0\u202f%', '< 0.01\u202f%', '100\u202f%', '0.42\u202f%')
    """
    if share is None:
        return _DASH
    if share == 0 or share == 1:
        return f"{share:.0%}".replace("%", f"{_NARROW_SPACE}%")
    if 0 < share < 0.0001:
        return f"< 0.01{_NARROW_SPACE}%"
    return f"{figure(100 * share, 3 if share >= 0.01 else 2)}{_NARROW_SPACE}%"


def duration(seconds: float) -> str:
    """A stretch of time, in the two largest of its units.

    >>> duration(0.25), duration(8.0), duration(187.4), duration(7260)
    ('0.25 s', '8.0 s', '3 min 7 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{figure(seconds, 2)} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60:,} h {minutes % 60} min"


def count(number: int, noun: str | None = None) -> str:
    """A number of things, with its noun where one is given.

    >>> count(12345), count(1, "problem"), count(2, "problem")
    ('12,345', '1 problem', '2 problems')
    """
    return f"{number:,}" if noun is None else f"{number:,} {noun}{'' if number == 1 else 's'}"


def spoken(name: str) -> str:
    """A name from the data as words.

    >>> spoken("reflection_marker")
    'reflection marker'
    """
    return name.replace("_", " ")


def breakable(name: str) -> Markup:
    """A name from the data that may go to the next line behind an underscore, a slash or a hyphen.

    >>> breakable("a_b<c")
    Markup('a_<wbr>b&lt;c')
    """
    return Markup("<wbr>").join(_PARTS.split(name))


def visible(text: str) -> str:
    r"""Text with line feeds and tabs as signs, and characters that act on what stands around them by their number.

    >>> visible("a\n\tb\u202ec")
    'a⏎⇥b⟨U+202E⟩c'
    """
    return "".join(_SIGNS.get(character) or _named(character) for character in text)


def _named(character: str) -> str:
    unseen = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in _JOINERS
    return f"⟨U+{ord(character):04X}⟩" if unseen else character


class Axis:
    """A linear axis from 0 with round ticks; says where a value stands, in per cent of its length.

    >>> axis = Axis(0.034)
    >>> axis.ticks, axis.at(0.02), axis.at(9.0)
    ((0.0, 0.01, 0.02, 0.03, 0.04), 50.0, 100.0)
    """

    def __init__(self, largest: float, most_ticks: int = 5) -> None:
        step = round_step(largest / most_ticks) if largest > 0 else 1.0
        steps = max(math.ceil(largest / step - 1e-9), 1)
        self.ticks = tuple(float(f"{step * i:.12g}") for i in range(steps + 1))
        self.top = self.ticks[-1]

    def at(self, value: float) -> float:
        """Per cent from the left; values beyond the end stand at the end."""
        return round(100 * min(max(value / self.top, 0.0), 1.0), 2)


def round_step(least: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that is not below `least`."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))
