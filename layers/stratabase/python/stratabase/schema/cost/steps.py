"""From an operation to its steps."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from graphql import (
    FieldNode,
    GraphQLError,
    GraphQLField,
    GraphQLList,
    GraphQLObjectType,
    SelectionSetNode,
    get_named_type,
    get_nullable_type,
)

from stratabase.schema.cost.step import WRITTEN, Step
from stratabase.schema.cost.window import Options
from stratabase.schema.objects import ATTRIBUTE
from stratabase.schema.options import DEFAULT_SIZE
from stratabase.schema.selections import Selections, names_of

MOST = 1_000
"""Steps of one operation, its fragments spread: so many can be thought through in milliseconds."""
BULK = 1_000
"""How many objects a service in bulk finds, if it is not said how many it may."""

_OPTIONS, _COUNT = "options", "totalCount"
_SHOWS_NO_OBJECTS = frozenset({_COUNT, "__typename"})


class Place(NamedTuple):
    """Where fields are selected: of which type, by which sets of selections, below which response keys."""

    type: GraphQLObjectType
    sets: Sequence[SelectionSetNode]
    keys: tuple[str, ...] = ()


class Steps:
    """Finds the steps of one operation; `weight`: what an object costs at its root fields."""

    def __init__(self, selections: Selections, *, writes: bool) -> None:
        self._selections = selections
        self._root_weight = WRITTEN if writes else 1
        self._found = 0

    def below(self, place: Place) -> Iterator[Step]:
        """Yield the steps at a place. Raises GraphQLError when they are too many."""
        for key, nodes in self._selections.collect(place.sets).items():
            field = place.type.fields.get(nodes[0].name.value)
            type_ = get_named_type(field.type) if field else None
            if field is None or not isinstance(type_, GraphQLObjectType):
                continue
            sets = [node.selection_set for node in nodes if node.selection_set]
            inside = Place(type_, sets, (*place.keys, key))
            if _is_part_of_the_answer(field):
                yield from self.below(inside)
            else:
                yield self._step(field, nodes[0], inside)

    def _step(self, field: GraphQLField, node: FieldNode, inside: Place) -> Step:
        self._found += 1
        if self._found > MOST:
            raise GraphQLError(
                f"The document leads to objects at more than {MOST:,} places, its fragments spread: "
                "ask in several requests.",
                node,
            )
        selected = names_of(self._selections.collect(inside.sets))
        given = {argument.name.value: argument.value for argument in node.arguments or ()}
        shows = not selected <= _SHOWS_NO_OBJECTS
        return Step(
            node,
            inside.keys,
            self._root_weight if len(inside.keys) == 1 else 1,
            Options(given.get(_OPTIONS) if shows else None),
            _usual(field, inside.type) if shows else 0,
            _COUNT in selected,
            tuple(self.below(inside)),
        )


def _is_part_of_the_answer(field: GraphQLField) -> bool:
    """Return whether a field shows what is there already: an attribute's value, or the items of a page."""
    return ATTRIBUTE in field.extensions or isinstance(get_nullable_type(field.type), GraphQLList)


def _usual(field: GraphQLField, type_: GraphQLObjectType) -> int:
    if _OPTIONS not in field.args:
        return 1
    return DEFAULT_SIZE if "hasNext" in type_.fields else BULK
