"""Prompt templates: the instructions around a problem, as a text with a place for it."""

from __future__ import annotations

from pathlib import Path

from semifactual.errors import ConfigError
from semifactual.resources import template_names, template_text

QUESTION = "{question}"
"""What a prompt template holds in place of the problem's text."""


def load_prompt_template(name: str) -> str:
    """A prompt template: the text of a file, or of ``templates/prompts/NAME.txt``. Its final line break is dropped.

    Raises:
        ConfigError: there is no such template, or it has no ``{question}``.
    """
    known = {Path(path).stem: path for path in template_names("prompts") if path.endswith(".txt")}
    path = Path(name)
    if name in known:
        text = template_text(known[name])
    elif path.is_file():
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"the prompt template {name} cannot be read: {error}") from error
    else:
        raise ConfigError(
            f"there is no prompt template {name!r}: no file of that name, and no such name in templates/prompts",
            hint=f"the names are: {', '.join(sorted(known))}",
        )
    if QUESTION not in text:
        raise ConfigError(f"the prompt template {name} has no {QUESTION}, so no problem would be in the prompt")
    return text.removesuffix("\n")


def render_prompt(template: str, question: str) -> str:
    """The template with the problem's text in it. Braces anywhere else mean nothing."""
    return template.replace(QUESTION, question)
