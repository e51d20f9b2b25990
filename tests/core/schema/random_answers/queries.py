"""Random queries about random objects, most of which match something, and values of their variables."""

from collections.abc import Sequence
from random import Random
from typing import Any

from graphql import (
    GraphQLInputObjectType,
    GraphQLSchema,
    parse_type,
    parse_value,
    type_from_ast,
    value_from_ast_untyped,
)

from stratabase.core.model.model import Class, Model
from tests.core.schema.execution.random_documents import DocumentWriter
from tests.core.schema.random_answers.models import STORED

_SIZES = (*["0", "1", "2", "3", "5", "20", "70"] * 5, "-1")
_FORMATS = ('"default"', '"yyyy"', '"yyyy"', '"dd MMMM yyyy"', '"HH:mm"', '"#,##0.00"', '""')
_EXPRESSIONS = (
    *["\"alias == 'Ab'\"", "\"remark.startsWith('E') || count > 9\""],
    *['"count > 0"', '"!isNull(name)"', '"isNull(count) || count < 10"', '"name == caller.username"'] * 5,
    '"count +"',
)
_KNOWN = {
    "ID": [*(f'"o{number:02}"' for number in range(14)), '"o39"', '"none"'],
    "Int": ["-1", "0", "1", "9", "10"],
    "Serial": ["1", "2", "3"],
    "String": [
        *('"a"', '"A"', '"ab"', '"b"', '""', '"\\u00e9"', '"STRASSE"', '"fi"'),
        *('"k1"', '"K2"', '"k3"', '"k9"', '"ada"'),
    ],
    "Text": ['"a"', '"AB"', '""', '"line\\nline"', '"e"'],
    "Real": ['"0.5"', "-9", "10", '"10.25"', "9.0"],
    "Date": ['"1999-12-31"', '"2000-01-01"', '"01/01/2000"', '"2024-02-29"'],
    "Time": ['"09:30:00"', '"00:00"', '"23:59:59"'],
    "Datetime": ['"2000-01-01T00:00:00Z"', '"2024-02-29T12:00:00.001Z"', '"01/01/2000 01:00"'],
    "Year": ["1", "1999", "2024"],
}
"""By scalar: literals, mostly of values that objects have."""
_INSTANTS = [f'"2020-01-01T12:00:{second:02}Z"' for second in range(12)]


class QueryWriter(DocumentWriter):
    """Writes random queries of a model's objects: by id, by unique values, pages, and versions."""

    def __init__(self, model: Model, schema: GraphQLSchema, chance: Random) -> None:
        super().__init__(schema, chance)
        self._classes = model.classes
        root = schema.query_type
        assert root
        reads = [name for name in root.fields if "___get" in name]
        pages = [name for name in reads if name.endswith(("___getPage", "___getDeletedPage"))]
        self._pages = [("query", root, pages)]
        self._reads = [("query", root, [*reads, *pages * 3])]
        self._pool: Sequence[str] = ()
        """Literals to use for the leaves of a value, instead of those of its type."""
        self._pools: dict[str, Sequence[str]] = {}
        """By variable: the literals of its leaves."""
        self._at: str | None = None
        """The cursor of the first page of a document, None to draw one."""

    def query(self, *, literals: bool = False) -> str:
        """Return a document."""
        self._roots, self._at, self._pools = self._reads, None, {}
        return self.document(literals=literals)

    def walk(self) -> str:
        """Return a document with one page, which starts at the variable `at`."""
        self._roots, self._at, self._pools = self._pages, "$at", {}
        self._fragments, self._literals, self._variables = [], False, {"at": "Cursor"}
        _, root, names = self._pages[0]
        page = self._field(root, self._chance.choice(names), 1).partition(": ")[2]
        definitions = ", ".join(f"${each}: {type_}" for each, type_ in self._variables.items())
        return " ".join([f"query({definitions}) {{ page: {page} }}", *self._fragments])

    def targets(self) -> str:
        """Return a document with a page of values of objects and of what their to-one roles lead to."""
        self._variables = {}
        classes = [each for each in self._classes.values() if f"{each.name}___getPage" in self._pages[0][2]]
        class_ = self._chance.choice([each for each in classes if each.roles] or classes)
        to_one = [each for each in class_.roles.values() if not each.many]
        roles = self._chance.sample(to_one, self._chance.randint(0, len(to_one)))
        below = [f"{each.name} {{ {self._values(self._classes[each.target])} }}" for each in roles]
        options = f"{{next: {self._chance.choice([1, 5, 70])}}}"
        return (
            f"{{ page: {class_.name}___getPage(options: {options}) "
            f"{{ items {{ {' '.join([self._values(class_), *below])} }} }} }}"
        )

    def _values(self, class_: Class) -> str:
        names = [each for each in class_.attributes if each in STORED and each != "picture"]
        return " ".join(["_id", *self._chance.sample(names, min(len(names), 2))])

    def variables(self) -> dict[str, Any]:
        """Return values of the variables of the last document. Some are missing."""
        found = {}
        for name, type_text in self._variables.items():
            written, _, _ = type_text.partition(" = ")
            is_required = written.endswith("!")
            if name != "at" and (is_required or self._chance.random() < 0.8):
                self._pool = self._pools.get(name, ())
                found[name] = value_from_ast_untyped(parse_value(self._literal(self._type(written), 2)))
        self._pool = ()
        return found

    def _type(self, written: str) -> Any:
        return type_from_ast(self._schema, parse_type(written))

    def _selected(self, names: list[str]) -> list[str]:
        chosen = self._chance.sample(names, min(len(names), self._chance.choice([1, 2, 3, 4, 6])))
        always = [name for name in ("items", "nextCursor", "prevCursor") if name in names]
        return [*chosen, *(each for each in always if each not in chosen and self._chance.random() < 0.8)]

    def _odds_of(self, argument: str) -> float:
        if self._at is not None:
            return 1.0 if argument == "options" else 0.0
        return {"options": 0.8, "insight": 0.0, "disableCache": 0.1}.get(argument, 0.3)

    def _argument(self, name: str, type_: Any) -> str:
        if self._at is not None:
            return self._object(type_, 0)
        pools = {
            "limit": _SIZES,
            "next": _SIZES,
            "format": _FORMATS,
            "atVersion": _INSTANTS,
            "from": _INSTANTS,
            "to": _INSTANTS,
        }
        return self._drawn(pools.get(name, ()), type_, 0)

    def _drawn(self, pool: Sequence[str], type_: Any, depth: int) -> str:
        """Return a value of a type, whose leaves are from a pool if that is not empty."""
        before, self._pool = self._pool, pool
        try:
            return self._value(type_, depth) if depth < 2 else self._constant(type_, depth)
        finally:
            self._pool = before

    def _value(self, type_: Any, depth: int) -> str:
        text = super()._value(type_, depth)
        if text.startswith("$"):
            self._pools[text[1:]] = self._pool
        return text

    def _leaf(self, type_: Any) -> str:
        return self._chance.choice(self._pool or _KNOWN.get(type_.name) or [super()._leaf(type_)])

    def _object(self, type_: GraphQLInputObjectType, depth: int) -> str:
        if not type_.name.endswith("PageOptions"):
            return super()._object(type_, depth)
        at, self._at = self._at, None
        fields = {} if at is None else {"cursor": at}
        limit = self._chance.choice(["next", "next", "prev", None])
        for name, odds, pool in (
            (limit, 1, _SIZES),
            ("offset", 0.2, _SIZES),
            ("filter", 0.5, ()),
            ("filter_exp", 0.1, _EXPRESSIONS),
            ("orderBy", 0.5, ()),
            ("fromCursor", 0.05, ()),
        ):
            if name in type_.fields and self._chance.random() < odds:
                fields[str(name)] = self._drawn(pool, type_.fields[str(name)].type, depth + 1)
        return f"{{{', '.join(f'{name}: {each}' for name, each in fields.items())}}}"
