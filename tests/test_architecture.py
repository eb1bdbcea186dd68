"""The house stands: imports point downwards, the data half needs no torch, and every package and file has its size."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import pytest

from tests.repository import ROOT, package_folders, repository_files

FLOORS = (
    "cli",
    "train",
    "integrations",
    "evaluation",
    "drift",
    "policy",
    "publish",
    "pipeline",
    "counterfactual",
    "sources",
    "llm",
    "interventions",
    "validate",
    "answers",
    "tensor",
    "text",
    "latex",
    "types",
    "html",
    "resources",
    "errors",
    "templates",
    "data_cards",
)
"""From the roof to the ground: a floor may import those below it and itself, never one above."""

TORCH_FLOORS = frozenset({"train", "integrations", "evaluation", "drift", "policy", "tensor"})
"""Floors that may need torch; the others, the data half, must do without."""

MOST_LINES_OF_A_MODULE = 320
MOST_LINES_OF_A_FUNCTION = 60


@cache
def modules() -> dict[str, str]:
    """From each module's dotted name to its path in the repository."""
    folders = {folder: package for package, folder in package_folders().items()}
    found = {}
    for name in repository_files():
        folder, _, file = name.rpartition("/")
        if file.endswith(".py") and folder in folders:
            found[f"{folders[folder]}.{file.removesuffix('.py')}".removesuffix(".__init__")] = name
    return found


@cache
def tree(module: str) -> ast.Module:
    return ast.parse((ROOT / modules()[module]).read_text(encoding="utf-8"))


def imported(module: str) -> Iterator[str]:
    """The dotted names that a module imports from this package, relative imports resolved."""
    package = module if modules()[module].endswith("__init__.py") else module.rpartition(".")[0]
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "semifactual")
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*parts, *filter(None, [node.module])])
            if base == "semifactual":
                yield from (f"semifactual.{alias.name}" for alias in node.names)
            elif base.startswith("semifactual."):
                yield base


def floor(module: str) -> str | None:
    """The floor of a module; None for the package itself, which every floor may read its version from."""
    return module.split(".")[1] if "." in module else None


def climbs(importer: str, name: str) -> bool:
    above, below = floor(importer), floor(name)
    if below is None or below not in FLOORS:
        return False
    return above is None or FLOORS.index(below) < FLOORS.index(above)


def test_every_module_is_on_a_floor() -> None:
    assert {floor(module) for module in modules()} - {None} <= set(FLOORS)


def test_imports_point_downwards() -> None:
    assert [f"{module} -> {name}" for module in modules() for name in imported(module) if climbs(module, name)] == []


def test_a_climbing_import_is_seen() -> None:
    assert climbs("semifactual.text.lexer", "semifactual.pipeline.build")
    assert climbs("semifactual", "semifactual.text")
    assert not climbs("semifactual.pipeline.build", "semifactual.text.lexer")
    assert "semifactual.cli.running" in set(imported("semifactual.cli.main"))


def test_the_cli_imports_its_siblings_relatively_and_the_rest_absolutely() -> None:
    for module in (module for module in modules() if floor(module) == "cli"):
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.ImportFrom):
                sibling = node.level == 1 and node.module is not None
                assert sibling or (node.level == 0 and not (node.module or "").startswith("semifactual.cli")), module


def test_the_data_half_imports_without_torch() -> None:
    data_half = sorted(module for module in modules() if floor(module) not in TORCH_FLOORS)
    program = f"""
import sys
from importlib import import_module
from importlib.abc import MetaPathFinder

class Refuse(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "transformers", "accelerate"):
            raise AssertionError(f"{{name}} was imported")

sys.meta_path.insert(0, Refuse())
for module in {data_half!r}:
    import_module(module)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("heavy", ["datasets", "pyarrow", "pydantic", "sympy", "pandas", "numpy", "rich.console"])
def test_help_loads_nothing_heavy(heavy: str) -> None:
    program = f"""
import sys
from semifactual.cli.main import main
main(["--help"])
sys.exit({heavy!r} in sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


def test_listed_packages_are_those_of_the_tree() -> None:
    folders = {name.rpartition("/")[0] for name in repository_files() if name.endswith("/__init__.py")}
    in_tree = {folder for folder in folders if folder.split("/")[0] in ("src", "cli", "templates", "data_cards")}
    assert set(package_folders().values()) == in_tree


def test_modules_and_functions_keep_their_size() -> None:
    too_long = []
    for module, path in modules().items():
        length = len((ROOT / path).read_text(encoding="utf-8").splitlines())
        if length > MOST_LINES_OF_A_MODULE:
            too_long.append(f"{path}: {length} lines")
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.FunctionDef) and body_length(node) > MOST_LINES_OF_A_FUNCTION:
                too_long.append(f"{path}: {node.name} has {body_length(node)} lines")
    assert too_long == []


def body_length(function: ast.FunctionDef) -> int:
    """The lines of a function's body; a long list of options is no long function."""
    return (function.end_lineno or 0) - function.body[0].lineno + 1
