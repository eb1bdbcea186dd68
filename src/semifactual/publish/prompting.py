"""How a problem, or a rewrite of it, becomes the prompt that a trainer shows to its model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from semifactual.errors import ConfigError
from semifactual.pipeline.variants import VariantProblem
from semifactual.text.prompt_templates import QUESTION, load_prompt_template, render_prompt

SOURCE_FORMAT = "source"
"""What is given in place of a template's name where every problem keeps the format that it came in."""


class Style(StrEnum):
    """The form of a prompt."""

    CHAT = "chat"
    """A list of turns, each with a role and its content."""
    TEXT = "text"
    """The content of the user's turn alone."""


@dataclass(frozen=True, slots=True)
class Prompting:
    """One prompt format for a problem and for all its rewrites."""

    style: Style
    template: str | None
    """The text around a problem; None where every problem keeps its own, as ``metadata.prompt_format`` holds it."""

    @classmethod
    def named(cls, name: str, style: Style) -> Prompting:
        """The format of a prompt template, or with ``"source"`` each problem's own.

        Raises:
            ConfigError: there is no such template.
        """
        return cls(style, None if name == SOURCE_FORMAT else load_prompt_template(name))

    def prompt(self, problem: VariantProblem) -> list[dict[str, str]] | str:
        """The prompt of a problem: chat turns or a text.

        Raises:
            ConfigError: its own format has a system turn, which a text has no place for.
        """
        system, text = self._system(problem), self.text(problem, problem.text)
        if self.style is Style.CHAT:
            return [*system, {"role": "user", "content": text}]
        if system:
            raise ConfigError(
                f"the prompt of {problem.id} has a system turn, which a text has no place for",
                hint="take --style chat, or a --prompt other than source",
            )
        return text

    def text(self, problem: VariantProblem, question: str) -> str:
        """What the user's turn says where `question`, the problem or a rewrite of it, is asked."""
        return render_prompt(self._format(problem), question)

    def _format(self, problem: VariantProblem) -> str:
        if self.template is not None:
            return self.template
        match problem.metadata.get("prompt_format"):
            case str(text) | [*_, {"content": str(text)}] if QUESTION in text:
                return text
        return QUESTION

    def _system(self, problem: VariantProblem) -> list[dict[str, str]]:
        own = problem.metadata.get("prompt_format")
        if self.template is not None or not isinstance(own, list):
            return []
        return [_turn(turn) for turn in own[:-1]]


def _turn(turn: Mapping[str, Any]) -> dict[str, str]:
    return {"role": str(turn["role"]), "content": str(turn["content"])}
