"""From a recipe's name and the settings of the command line to a checked `Recipe`, every mistake said at once.

A recipe is a YAML file. ``base: NAME`` takes another recipe and lays this one over it, so that a variant is as long as
its difference. Shipped recipes are named without path or ending; a recipe of one's own is a path.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from semifactual.errors import ConfigError
from semifactual.resources import template_names, template_text
from semifactual.train.recipe import Recipe

FOLDER = "recipes"
SUFFIX = ".yaml"
_INSIDE = {"credit": "form", "eval.sets": "NAME.source"}
"""What a section's own settings are shown by, where another than its first tells more."""


def shipped_recipes() -> tuple[str, ...]:
    """The names of the recipes that come with the package."""
    names = (name.removeprefix(f"{FOLDER}/") for name in template_names(FOLDER))
    return tuple(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))


def described_recipes() -> list[tuple[str, str]]:
    """Every shipped recipe, and the first line of its opening comment."""
    texts = {name: template_text(f"{FOLDER}/{name}{SUFFIX}") for name in shipped_recipes()}
    return [(name, text.partition("\n")[0].removeprefix("#").strip()) for name, text in texts.items()]


def load_recipe(name: str, settings: Iterable[str] = ()) -> Recipe:
    """The recipe of that name, or in that file, with settings such as ``credit.lambda0=0.1`` over it.

    Raises:
        ConfigError: with every mistake that is in it.
    """
    options = read_options(name, settings)
    try:
        return Recipe.model_validate(options)
    except ValidationError as error:
        raise faulty(name, faults_of(error)) from error


def read_options(name: str, settings: Iterable[str] = ()) -> dict[str, Any]:
    """The options of a recipe, its bases and the settings, merged and not yet checked. ``base=NAME`` may be set too.

    Raises:
        ConfigError: a file cannot be read, a base is missing or goes in a circle, a setting is no ``key=value``, or a
            validation set that is to be taken away is not there.
    """
    over: dict[str, Any] = {}
    for setting in settings:
        over = merged(over, _read_setting(setting))
    base = over.pop("base", None)
    options = merged({"label": Path(name).name.removesuffix(SUFFIX)}, _with_bases(name, None, (), base))
    for gone in (key for key, value in _sets(over).items() if value is None):
        if gone not in _sets(options):
            known = ", ".join(map(str, _sets(options))) or "none"
            raise ConfigError(f"there is no validation set {gone} to take away", hint=f"the sets are {known}")
    options = merged(options, over)
    if None in (sets := _sets(options)).values():
        kept = {key: value for key, value in sets.items() if value is not None}
        options["eval"] = {**options["eval"], "sets": kept}
    return options


def faulty(name: str, faults: Iterable[str]) -> ConfigError:
    """One error that holds every fault of a run, one a line."""
    found = list(faults)
    if len(found) == 1:
        return ConfigError(f"{name} cannot run: {found[0]}")
    lines = "".join(f"\n  {number}. {fault}" for number, fault in enumerate(found, 1))
    return ConfigError(f"{name} cannot run; {len(found)} things are wrong:{lines}")


def faults_of(error: ValidationError) -> list[str]:
    """One sentence for each thing that is wrong with the options."""
    found = []
    for detail in error.errors(include_url=False):
        key = ".".join(str(part) for part in detail["loc"])
        message = str(detail["msg"]).removeprefix("Value error, ")
        if detail["type"] == "extra_forbidden":
            found.append(f"there is no setting {key}{_suggestion(key)}")
        elif detail["type"] in {"model_type", "dict_type"}:
            found.append(
                f"{key} is {_show(detail['input'])}, and has settings of its own: write it as {_inside(key)}=..."
            )
        elif detail["type"] == "missing":
            found.append(f"{key} is missing")
        elif detail["type"] == "value_error":
            found.append(f"{key}: {message}")
        else:
            found.append(f"{key} is {_show(detail['input'])}: {message[:1].lower()}{message[1:]}")
    return found


def merged(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Two trees of options, the second over the first. An empty mapping empties.

    >>> merged({"a": {"x": 1, "y": 2}}, {"a": {"y": 3}})
    {'a': {'x': 1, 'y': 3}}
    """
    result = dict(below)
    for key, value in above.items():
        inside = result.get(key)
        both = isinstance(inside, Mapping) and isinstance(value, Mapping) and value
        result[key] = merged(dict(inside or {}), value) if both else value
    return result


def known_keys(model: type[BaseModel] = Recipe, prefix: str = "") -> list[str]:
    """Every key that a recipe may hold, dotted."""
    keys = []
    for name, field in model.model_fields.items():
        candidates = [field.annotation, *get_args(field.annotation)]
        inner = next((c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel)), None)
        if inner is None or name == "sets":
            keys.append(f"{prefix}{name}")
        else:
            keys.extend(known_keys(inner, f"{prefix}{name}."))
    return keys


def _with_bases(name: str, asking: Path | None, above: tuple[str, ...], base: str | None) -> dict[str, Any]:
    """The options of one recipe over those of its bases; `base`, where given, takes the place of its own."""
    if name in above:
        raise ConfigError(f"the recipe {above[0]} is its own base: {' -> '.join([*above, name])}")
    text, path = _read_text(name, asking)
    options = _parse(text, str(path or name))
    own_base = options.pop("base", None)
    base = base if base is not None else own_base
    if base is None:
        return options
    if not isinstance(base, str):
        raise ConfigError(f"the base of the recipe {name} is no name: {_show(base)}")
    return merged(_with_bases(base, path, (*above, name), None), options)


def _read_text(name: str, asking: Path | None) -> tuple[str, Path | None]:
    """A recipe's text, and its path if it is a file. A file's base may be a file beside it."""
    if name in shipped_recipes():
        return template_text(f"{FOLDER}/{name}{SUFFIX}"), None
    path = Path(name) if asking is None else asking.parent / name
    if path.suffix not in {".yaml", ".yml"} and not path.is_file():
        near = difflib.get_close_matches(name, shipped_recipes(), n=1)
        known = f"did you mean {near[0]}?" if near else f"the shipped recipes are {', '.join(shipped_recipes())}."
        raise ConfigError(f"there is no recipe {name}", hint=f"{known} A recipe of your own is a .yaml file")
    try:
        return path.read_text(encoding="utf-8"), path
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigError(f"cannot read the recipe {path}: {str(reason).lower()}") from error


def _parse(text: str, name: str) -> dict[str, Any]:
    try:
        options = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError(f"the recipe {name} is not YAML: {' '.join(str(error).split())}") from error
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise ConfigError(f"the recipe {name} is not a mapping of settings", hint="write lines such as `steps: 600`")
    return {str(key): value for key, value in options.items()}


def _read_setting(setting: str) -> dict[str, Any]:
    """``a.b=c`` as ``{"a": {"b": c}}``; the value is read as YAML, so 1e-6 too must become a number."""
    key, equals, text = setting.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"--set {setting} is no setting", hint="write it as --set credit.lambda0=0.1")
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        value = text
    for part in reversed(key.strip().split(".")):
        value = {part: value}
    assert isinstance(value, dict)
    return value


def _sets(options: Mapping[str, Any]) -> Mapping[Any, Any]:
    """The validation sets of options that are not yet checked; a set that is null is to be taken away."""
    section = options.get("eval")
    sets = section.get("sets") if isinstance(section, Mapping) else None
    return sets if isinstance(sets, Mapping) else {}


def _inside(key: str) -> str:
    """A setting inside a section."""
    if key.startswith("eval.sets."):
        return f"{key}.source"
    first = next((known for known in known_keys() if known.startswith(f"{key}.")), f"{key}.KEY")
    return f"{key}.{_INSIDE[key]}" if key in _INSIDE else first


def _suggestion(key: str) -> str:
    parent, _, last = key.rpartition(".")
    siblings = [known for known in known_keys() if known.rpartition(".")[0] == parent]
    by_name = [known for known in known_keys() if known.rpartition(".")[2] == last]
    sections = [] if parent else list(Recipe.model_fields)
    near = difflib.get_close_matches(key, [*sections, *siblings, *by_name], n=1, cutoff=0.6) or by_name[:1]
    return f"; did you mean {near[0]}?" if near else ""


def _show(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
