"""Random documents for a schema, most of them valid, and documents with mistakes."""

import re
from random import Random
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
    is_required_argument,
    is_required_input_field,
)

TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\w.-]+|[^\s\w]')
STRINGS = ["", "a", "Ada", "2020-01-31", "id001", "x y", 'quo\\"te', "tab\\t", "\\u00e9"]
NUMBERS = ["0", "7", "-3", "50", "2147483648", "1.50", "-2e3"]
STRANGERS = ["{", "}", "(", ")", "[", "]", ":", "!", "$", "@", "...", "on", "null", "true", "x", "5", "1.5"]
STRANGERS += ['"a"', "$v0", "__typename", "__schema", "query", "fragment", "F0", "@skip", "if", "String"]


class DocumentWriter:
    """Writes random documents for a schema."""

    def __init__(self, schema: GraphQLSchema, chance: Random) -> None:
        self._chance = chance
        self._schema = schema
        self._roots = [
            (kind, root, [*root.fields])
            for kind, root in (("query", schema.query_type), ("mutation", schema.mutation_type))
            if root
        ]
        self._variables: dict[str, str] = {}
        self._fragments: list[str] = []
        self._literals = False

    def document(self, *, literals: bool = False) -> str:
        """Return a document of one operation, sometimes two. If `literals`, without variables."""
        self._fragments = []
        number = 2 if self._chance.random() < 0.1 else 1
        self._literals = literals
        operations = [self._operation(f" O{place}" if number > 1 else "") for place in range(number)]
        return " ".join([*operations, *self._fragments])

    def mutated(self, text: str) -> str:
        """Return a text with tokens dropped, doubled, swapped, or replaced."""
        tokens = TOKENS.findall(text)
        for _ in range(self._chance.randint(1, 2)):
            place, other = self._chance.randrange(len(tokens)), self._chance.randrange(len(tokens))
            how = self._chance.randrange(6)
            if how == 0 and len(tokens) > 1:
                del tokens[place]
            elif how == 1:
                tokens.insert(place, tokens[place])
            elif how == 2:
                tokens[place], tokens[other] = tokens[other], tokens[place]
            elif how == 3:
                tokens[place] = tokens[other]
            elif how == 4:
                tokens[place] = self._chance.choice(STRANGERS)
            else:
                # A whole stretch, for example an argument or a field with its selection.
                tokens[other:other] = tokens[place : place + self._chance.randint(2, 6)]
        return " ".join(tokens)

    def _operation(self, name: str) -> str:
        self._variables = {}
        kind, root, names = self._chance.choice(self._roots)
        fields = [self._field(root, each, 1) for each in self._some(names, 2)]
        selected = self._in_fragment(root, " ".join(fields))
        variables = ", ".join(f"${each}: {type_}" for each, type_ in self._variables.items())
        if not name and not variables and kind == "query" and self._chance.random() < 0.5:
            return f"{{ {selected} }}"
        return f"{kind}{name}{f'({variables})' if variables else ''} {{ {selected} }}"

    def _some(self, values: list[str], maximum: int) -> list[str]:
        return [self._chance.choice(values) for _ in range(self._chance.randint(1, maximum))]

    def _in_fragment(self, type_: GraphQLObjectType, selected: str) -> str:
        drawn = self._chance.random()
        if drawn < 0.06:
            return f"... {{ {selected} }}"
        if drawn < 0.12:
            return f"... on {type_.name}{self._directive()} {{ {selected} }}"
        # A fragment with variables is valid only in operations that have them.
        if drawn < 0.2 and "$" not in selected:
            name = f"F{len(self._fragments)}"
            self._fragments.append(f"fragment {name} on {type_.name} {{ {selected} }}")
            again = f" ...{name}" if self._chance.random() < 0.2 else ""
            return f"...{name}{self._directive()}{again}"
        return selected

    def _directive(self) -> str:
        if self._chance.random() > 0.1:
            return ""
        condition = self._value(GraphQLNonNull(self._schema.type_map["Boolean"]), 0)
        return f" @{self._chance.choice(['skip', 'include'])}(if: {condition})"

    def _field(self, parent: GraphQLObjectType, name: str, depth: int) -> str:
        alias = f"a{self._chance.randrange(400)}: " if self._chance.random() < 0.3 or depth == 1 else ""
        if self._chance.random() < 0.05:
            return f"{alias}__typename"
        field = parent.fields[name]
        arguments = [
            f"{each}: {self._argument(each, argument.type)}"
            for each, argument in field.args.items()
            if is_required_argument(argument) or self._chance.random() < self._odds_of(each)
        ]
        given = f"({', '.join(arguments)})" if arguments else ""
        text = f"{alias}{name}{given}{self._directive()}"
        type_ = get_named_type(field.type)
        if not isinstance(type_, GraphQLObjectType):
            return text
        fields = [
            each
            for each, below in type_.fields.items()
            if depth < 4 or not isinstance(get_named_type(below.type), GraphQLObjectType)
        ]
        chosen = [self._field(type_, each, depth + 1) for each in self._selected(fields)] if fields else []
        return f"{text} {{ {self._in_fragment(type_, ' '.join(chosen or ['__typename']))} }}"

    def _selected(self, names: list[str]) -> list[str]:
        """Return the fields of a selection."""
        return self._some(names, 4)

    def _odds_of(self, argument: str) -> float:
        """Return how often an argument that is not required is given."""
        del argument
        return 0.3

    def _argument(self, name: str, type_: Any) -> str:
        del name
        return self._value(type_, 0)

    def _value(self, type_: Any, depth: int) -> str:
        if not self._literals and self._chance.random() < 0.2:
            name = f"v{len(self._variables)}"
            default = self._chance.random() < 0.2 and not isinstance(type_, GraphQLNonNull)
            self._variables[name] = f"{type_}{f' = {self._literal(type_, 2)}' if default else ''}"
            return f"${name}"
        return self._literal(type_, depth)

    def _literal(self, type_: Any, depth: int) -> str:
        if isinstance(type_, GraphQLNonNull):
            type_ = type_.of_type
        elif self._chance.random() < 0.05:
            return "null"
        if isinstance(type_, GraphQLList):
            return self._list(type_.of_type, depth)
        if isinstance(type_, GraphQLInputObjectType):
            return self._object(type_, depth)
        return self._leaf(type_)

    def _leaf(self, type_: Any) -> str:
        if isinstance(type_, GraphQLEnumType):
            return str(self._chance.choice([*type_.values]))
        texts = [f'"{each}"' for each in STRINGS]
        known = {
            "Boolean": ["true", "false"],
            "Int": NUMBERS[:4],
            "ID": ['"id001"', '"id002"', '"a0"', '"a1"', '"b0"', '"s0"', "7"],
            "String": texts,
        }
        return self._chance.choice(known.get(type_.name, [*texts, *NUMBERS]))

    def _list(self, type_: Any, depth: int) -> str:
        value = self._value if depth < 2 else self._constant
        items = [value(type_, depth + 1) for _ in range(self._chance.randint(0, 2))]
        if len(items) == 1 and self._chance.random() < 0.3:
            return items[0]
        return f"[{', '.join(items)}]"

    def _constant(self, type_: Any, depth: int) -> str:
        return self._literal(type_, max(depth, 2))

    def _object(self, type_: GraphQLInputObjectType, depth: int) -> str:
        if type_.is_one_of:
            names = [self._chance.choice([*type_.fields])]
            return f"{{{names[0]}: {self._constant(GraphQLNonNull(type_.fields[names[0]].type), depth + 1)}}}"
        names = [name for name, field in type_.fields.items() if is_required_input_field(field)]
        if depth < 3:
            names += [each for each in self._some([*type_.fields], 2) if each not in names]
        value = self._value if depth < 2 else self._constant
        fields = [f"{name}: {value(type_.fields[name].type, depth + 1)}" for name in dict.fromkeys(names)]
        return f"{{{', '.join(fields)}}}"
