"""Random models: classes with attributes of every type, roles of every kind, derived values, and grants."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from stratabase.core.model.model import Class, Grant, Model
from stratabase.core.model.reading import InvalidModel, read_model
from tests.core.domain.query.queries import FILES, VALUES
from tests.graphs.models import ASSOCIATIONS, COMPOSITIONS, ClassText, associate, compose

ATTRIBUTES: Mapping[str, str] = {
    "name": "String",
    "notes": "Text",
    "count": "Int",
    "price": "Real",
    "good": "Boolean",
    "day": "Date",
    "hour": "Time",
    "moment": "Datetime",
    "vintage": "Year",
    "colour": "Colour",
    "picture": "File",
    "number": "Serial",
    "alias": "String @text(compare: FOLDED)",
    "remark": "Text @text(compare: FOLDED_NO_ACCENTS)",
    "code": "String",
}
"""By name: the type, perhaps with `@text`. Classes have some of them. `code` is unique."""
CODES = ("String", "String @text(compare: FOLDED)")
"""The types of `code`."""
STORED: Mapping[str, Sequence[Any]] = {**VALUES, "picture": FILES, "number": [1, 2, 3]}
"""By attribute: values that objects store, `code` excepted."""
PROFILES = ("Member", "Clerk")
HEAD = """
extend schema @application(name: "Random") @profile(name: "Admin", administrator: true)
  @profile(name: "Member") @profile(name: "Clerk")
enum Colour { RED GREEN BLUE }
"""
_FORMULAS = {
    "label": ("String", "firstNotNull(name, '-') + firstNotNull(code, '.')", {"name", "code"}),
    "double": ("Int", "count + 1", {"count"}),
    "past": ("Boolean", "day < today()", {"day"}),
    "own": ("Boolean", "name == caller.username", {"name"}),
    "dear": ("Boolean", "price > 5 && good", {"price", "good"}),
}
"""Derived attributes: type, expression, and the attributes that it needs."""

States = Mapping[str, Any]


def _first(values: Sequence[Any]) -> Any:
    return values[0]


def _first_not_null(values: Sequence[Any]) -> Any:
    return next((each for each in values if each is not None), None)


def _joined(values: Sequence[Any]) -> Any:
    return None if None in values else "/".join(map(str, values))


_LABELS: Mapping[str, Callable[[Sequence[Any]], Any]] = {
    "{}.name": _first,
    "count": _first,
    "code": _first,
    "firstNotNull({}.name, name, string(count))": _first_not_null,
    "concat(name, '/', {}.count, '/', {}.name)": _joined,
}
"""By label: its value for the values of the attributes that it names. `{}` stands for a role to one."""
_IN_LABEL = re.compile(r"\b(?:(\w+)\.)?(name|count|code)\b")


class Label(NamedTuple):
    """What a label means."""

    paths: Sequence[tuple[str, str]]
    """The attributes in it: the role that leads to the attribute, which may be empty, and the name."""
    value: Callable[[Sequence[Any]], Any]
    """Returns the label of an object for the values of these attributes."""


def label_of(class_: Class) -> Label | None:
    """Return what the label of a class means, None if there is none."""
    text = class_.label or ("code" if "code" in class_.attributes else None)
    if text is None:
        return None
    paths = _IN_LABEL.findall(text)
    for role in {role for role, _ in paths if role}:
        text = text.replace(f"{role}.", "{}.")
    return Label(paths, _LABELS[text])


class Condition(NamedTuple):
    """A condition of grants."""

    role: str | None
    """The role to one whose object is tested, None for the object itself."""
    holds: Callable[[States], bool]


_TESTS: Mapping[str, Callable[[States], bool]] = {
    "count >= 1": lambda state: state.get("count") is not None and state["count"] >= 1,
    "count < 10": lambda state: state.get("count") is not None and state["count"] < 10,
    "isNull(name) || name != 'a'": lambda state: state.get("name") is None or state["name"] != "a",
    "name == 'ab' || count == 0": lambda state: state.get("name") == "ab" or state.get("count") == 0,
}
"""By text: a test by two attributes that each class has."""


def condition_of(grant: Grant) -> Condition:
    """Return what the condition of a grant means."""
    where = str(grant.where)
    if where in _TESTS:
        return Condition(None, _TESTS[where])
    role, _, test = where.partition(".")
    return Condition(role, _TESTS[test])


class RandomModel(NamedTuple):
    """A model, and the same model without indexes."""

    model: Model
    without_indexes: Model


def random_model(chance: Random) -> RandomModel:
    """Return a valid model. It has a part class and a class that keeps versions now and then."""
    while True:
        classes = _classes(chance)
        texts = [HEAD + "\n".join(map(str, classes))]
        for class_ in classes:
            class_.directives = [each for each in class_.directives if not each.startswith("@index")]
        texts.append(HEAD + "\n".join(map(str, classes)))
        try:
            return RandomModel(*(read_model(text, "random.graphql") for text in texts))
        except InvalidModel:  # for example because no object of a class can be created first
            continue


def _classes(chance: Random) -> list[ClassText]:
    names = [f"C{number}" for number in range(chance.randint(2, 4))]
    attributes = {name: _attributes(chance) for name in names}
    classes = [
        ClassText(name, fields=[f"{each}: {types[each]}" for each in attributes[name]])
        for name in names
        for types in ({**ATTRIBUTES, "code": chance.choice(CODES)},)
    ]
    whole = chance.choice([None, 0, 0])
    if whole is not None:
        compose(chance.choice(COMPOSITIONS), 0, classes[whole], classes[-1])
    ordinary = classes if whole is None else classes[:-1]
    for number in range(1, chance.randint(2, 5)):
        associate(
            chance.choice([*ASSOCIATIONS]),
            number,
            chance.choice(classes),
            chance.choice([*ordinary, *classes]),
        )
    for class_ in classes:
        class_.directives += _directives(chance, class_, attributes[class_.name])
        class_.directives[0] = class_.directives[0].replace("(", f"({_label(chance, class_)}", 1)
        class_.fields += _derived(chance, class_, attributes)
    for class_ in classes:
        _grant(chance, class_, is_part=class_ not in ordinary)
    return classes


def _attributes(chance: Random) -> list[str]:
    others = [name for name in ATTRIBUTES if name not in {"name", "count"}]
    found = ["name", "count", *chance.sample(others, chance.randint(2, 7))]
    chance.shuffle(found)
    return found


def _directives(chance: Random, class_: ClassText, attributes: Sequence[str]) -> Iterator[str]:
    exposed = "exposed: true, " if any("whole0" in key for key in class_.keys) else ""
    versioned = str(chance.random() < 0.3).lower()
    yield f"@class({exposed}versioned: {versioned}, platform: [CREATED_BY, LAST_MODIFIED_ON])"
    if "code" in attributes:
        yield '@unique(attributes: ["code"])'
    indexable = [name for name in attributes if ATTRIBUTES[name] != "File"]
    for names in {tuple(chance.sample(indexable, chance.randint(1, 2))) for _ in range(chance.randint(0, 3))}:
        quoted = ", ".join(f'"{name}"' for name in names)
        yield f"@index(attributes: [{quoted}])"


def _label(chance: Random, class_: ClassText) -> str:
    """Return the argument with a label, or nothing."""
    label, roles = chance.choice([*_LABELS]), [name for name, _, many in _roles(class_) if not many]
    if label == "code" or ("{}" in label and not roles):
        return ""  # the default
    return f'label: "{label.replace("{}", chance.choice(roles or [""]))}", '


def _derived(chance: Random, class_: ClassText, attributes: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for name, (type_, expression, needed) in _FORMULAS.items():
        if needed <= {*attributes[class_.name]} and chance.random() < 0.5:
            yield f'{name}: {type_} @derived(expression: "{expression}")'
    for role, target, many in [*_roles(class_)]:
        drawn = chance.random()
        if many and drawn < 0.4:
            yield f'{role}_number: Int @derived(path: "{role}", aggregate: COUNT)'
        elif many and drawn < 0.6:
            yield f'{role}_top: Int @derived(path: "{role}.count", aggregate: MAX)'
        elif not many and drawn < 0.6:
            name = chance.choice([each for each in attributes[target] if ATTRIBUTES[each] != "File"])
            type_ = ATTRIBUTES[name].partition(" ")[0]
            yield f'{role}_{name}: {type_} @derived(path: "{role}.{name}")'


def _roles(class_: ClassText) -> Iterator[tuple[str, str, bool]]:
    """Yield the roles in the text of a class: name, target, and whether to many."""
    for field in class_.fields:
        name, _, type_ = field.partition(": ")
        if name.startswith(("to", "of", "parts")):
            yield name, type_.split(" ")[0].strip("[]!"), "[" in type_


def _grant(chance: Random, class_: ClassText, *, is_part: bool) -> None:
    """Add grants for both profiles to a class and to some of its fields."""
    keys = [key for key in class_.keys if key.startswith("to")]
    for profile in PROFILES:
        if chance.random() < (0.5 if is_part else 0.1):
            continue
        tests = [*_TESTS, *(f"{key}.{test}" for key in keys for test in ("count >= 1", "count < 10"))]
        class_.directives.append(_grant_text(profile, "READ", chance.choice([None, None, *tests])))
        for place, field in enumerate(class_.fields):
            drawn = chance.random()
            if drawn < 0.06:
                class_.fields[place] = f"{field} {_grant_text(profile, '', None)}"
            elif drawn < 0.12:
                class_.fields[place] = f"{field} {_grant_text(profile, 'READ', chance.choice([*_TESTS]))}"


def _grant_text(profile: str, allowed: str, where: str | None) -> str:
    condition = f', where: "{where}"' if where else ""
    return f'@grant(profile: "{profile}", allow: [{allowed}]{condition})'
