"""Random options of pages and bulk services, such as forms, mistakes and missing variables make them."""

import json
from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

MODEL = """
type Tag { name: String size: Int people: [Person!] @association(opposite: "tags") }
type Person { name: String tags: [Tag!] @association(opposite: "people") }
"""
OPERANDS: Mapping[str, tuple[str, tuple[Any, ...]]] = {
    "name___eq": ("String", ("t0", "t1", None)),
    "name___ne": ("String", ("t0", None)),
    "name___contains": ("String", ("t", "1", "", None)),
    "name___in": ("[String!]", (["t0", "t2"], [], None)),
    "name___not___in": ("[String!]", (["t0"], [], None)),
    "name___not___null": ("Boolean", (True, False)),
    "size___gt": ("Int", (1, None)),
    "size___lte": ("Int", (2, None)),
    "size___in": ("[Int]", ([1, None], [], None)),
    "_id___not___null": ("Boolean", (True,)),
    "_id___null": ("Boolean", (True,)),
}
"""By the field of a filter: the type of its operand, and operands."""
_VARIABLES = {"next": "Int", "filter_exp": "String", "filter": "TagFilter"}
"""The types of the options that may be variables."""
_ROLES = {"Tag": ("people", "Person"), "Person": ("tags", "Tag")}
_CONDITIONS = (None, "", " ", "size > 1", "name == 't1' || size == 1", "true")
_ORDERS: tuple[list[str], ...] = (["size___DESC", "name___ASC"], ["name___ASC"], [])


class Requested(NamedTuple):
    """Options as a document says them, and the variables that it declares."""

    literal: str
    declared: Mapping[str, str]
    """The types of the variables by name."""
    given: Mapping[str, Any]
    """The values of the variables. One that is declared may be missing."""


class RandomOptions:
    """A generator of options, and of ways to write them."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def options(self) -> dict[str, Any]:
        """Return options."""
        chance = self._chance
        found: dict[str, Any] = {}
        if chance.random() < 0.9:
            found["filter"] = None if chance.random() < 0.05 else self._filter("Tag", 3)
        if chance.random() < 0.25:
            found["filter_exp"] = chance.choice(_CONDITIONS)
        if chance.random() < 0.5:
            found[chance.choice(["next", "next", "prev"])] = chance.choice([None, 0, 1, 2, 9])
        if chance.random() < 0.2:
            found["offset"] = chance.choice([None, 0, 1, 3])
        if chance.random() < 0.2:
            found["orderBy"] = chance.choice(_ORDERS)
        if chance.random() < 0.15:
            found["cursor"] = None
        if chance.random() < 0.15:
            found["fromCursor"] = chance.choice([None, {}])
        return found

    def written(self, options: Mapping[str, Any]) -> Requested:
        """Return a way to write options: as a variable, or as a literal in which some values are variables.

        A variable may have no value, as if the client had left it undefined.
        """
        if self._chance.random() < 0.4:
            return Requested("$o", {"o": "TagPageOptions!"}, {"o": options})
        declared: dict[str, str] = {}
        given: dict[str, Any] = {}
        return Requested(self._literal(options, declared, given), declared, given)

    def _filter(self, class_name: str, depth: int) -> dict[str, Any]:
        chance, found = self._chance, dict[str, Any]()
        for _ in range(chance.choice([0, 1, 1, 1, 2])):
            kind = chance.random() if depth else 1
            if kind < 0.4:
                found[chance.choice(["AND", "OR"])] = self._several(class_name, depth)
            elif kind < 0.5:
                found["NOT"] = None if chance.random() < 0.05 else self._filter(class_name, depth - 1)
            elif kind < 0.65:
                role, target = _ROLES[class_name]
                test = chance.choice(["some", "none", "every"])
                found[f"{role}___{test}"] = self._filter(target, depth - 1)
            else:
                name = chance.choice([each for each in OPERANDS if class_name == "Tag" or each[0] != "s"])
                found[name] = chance.choice(OPERANDS[name][1])
        return found

    def _several(self, class_name: str, depth: int) -> list[dict[str, Any]] | None:
        if self._chance.random() < 0.05:
            return None
        return [self._filter(class_name, depth - 1) for _ in range(self._chance.choice([0, 1, 2, 2]))]

    def _literal(self, value: Any, declared: dict[str, str], given: dict[str, Any], name: str = "") -> str:
        """Return a GraphQL literal. A value of the field `name` may become a variable."""
        type_ = OPERANDS[name][0] if name in OPERANDS else _VARIABLES.get(name)
        if type_ is not None and self._chance.random() < 0.25:
            variable = f"v{len(declared)}"
            declared[variable] = type_
            if self._chance.random() < 0.8:
                given[variable] = value
            return f"${variable}"
        if isinstance(value, Mapping):
            fields = (f"{key}: {self._literal(each, declared, given, key)}" for key, each in value.items())
            return f"{{{', '.join(fields)}}}"
        if isinstance(value, list):
            return f"[{', '.join(self._literal(each, declared, given) for each in value)}]"
        is_enum = isinstance(value, str) and value.endswith(("ASC", "DESC"))
        return str(value) if is_enum else json.dumps(value)
