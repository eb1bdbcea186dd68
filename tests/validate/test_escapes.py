"""Damage by escapes: letters that JSON takes for control characters, and backslashes in other numbers."""

import json

import pytest

from semifactual.text.document import Document
from semifactual.validate.common import backslashes, json_damage
from semifactual.validate.contract import Pair
from semifactual.validate.escapes import escape_damage
from semifactual.validate.verdict import Mode

COMMANDS = (
    "frac",
    "forall",
    "times",
    "text",
    "theta",
    "to",
    "neq",
    "nabla",
    "nu",
    "right",
    "rho",
    "beta",
    "binom",
    "bar",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_read_as_an_escape_is_named(command):
    before = rf"Let $\{command} a$ be given."
    after = json.loads(f'"{before}"')
    assert escape_damage(before, after).startswith(rf"\{command} became a ")
    assert escape_damage(before, after).endswith(repr(command[1:]))


@pytest.mark.parametrize(
    ("before", "after", "evidence"),
    [
        (r"$a \le b$", r"$a \\le b$", r"\le became \\le"),
        (r"$\{1, 2\}$", r"$\\{1, 2\\}$", r"\{ became \\{"),
        (r"$a \\ b$", r"$a \ b$", "\\\\  became \\ "),
        (r"$\\frac12$", r"$\frac12$", r"\\frac became \frac"),
        (r"$n \geqslant 2$", r"$n geqslant 2$", r"\geqslant became 'geqslant' without its backslash"),
        (r"$\sin x$", r"$sin x$", r"\sin became 'sin' without its backslash"),
        (r"$\frac12$", r"$rac12$", r"\frac became 'rac'"),
        (r"$\frac12$", r"$ rac12$", r"\frac became 'rac'"),
    ],
)
def test_lost_and_doubled_backslashes_are_named(before, after, evidence):
    assert escape_damage(before, after) == evidence


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"$\frac12$", r"$\dfrac12$"),
        (r"$a \le b$", r"$a \leq b$"),
        (r"$\triangle ABC$ is given.", r"The triangle $ABC$ is given."),
        (r"$\sqrt{2}$", "sqrt(2)"),
        (r"Let $\theta$ be\nan angle.", r"An angle is $\alpha$."),
        (r"$\tan x$", "an angle"),
        ("no LaTeX", "\frac12"),
    ],
)
def test_other_changes_are_no_damage(before, after):
    assert escape_damage(before, after) is None


def test_the_check_looks_at_what_differs():
    before = r"The ratio $\frac12$ is half of $\times$ and more, " * 20
    pair = Pair(Document(before), Document(before[:-1] + r"and $\times$"))
    assert json_damage.run(pair).passed
    broken = Pair(Document(before), Document(before.replace(r"\times", "\times", 1)))
    assert json_damage.run(broken).evidence == r"\times became a tab and 'imes'"


@pytest.mark.parametrize(("mode", "allowed"), [(Mode.FROZEN, False), (Mode.SEMANTIC, True)])
def test_other_names_of_commands_are_the_same_in_semantic_mode(mode, allowed):
    before, after = r"Is $\frac12 \le x$?", r"Is \(\dfrac{1}{2}\,\leqslant x\)?"
    assert backslashes.run(Pair(Document(before), Document(after), mode=mode)).passed is allowed


def test_other_commands_are_others_in_semantic_mode():
    before, after = Document(r"Is $a \le x$?"), Document(r"Is $a \ge x$?")
    assert backslashes.run(Pair(before, after, mode=Mode.SEMANTIC)).passed is False
