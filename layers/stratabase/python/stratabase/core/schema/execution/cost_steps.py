"""Build the tree of cost steps of an operation."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

from graphql import (
    FieldNode,
    GraphQLError,
    GraphQLField,
    GraphQLList,
    GraphQLObjectType,
    ObjectValueNode,
    SelectionSetNode,
    ValueNode,
    get_named_type,
    get_nullable_type,
)

from stratabase.core.model.api_names import FILTER_EXP
from stratabase.core.schema.execution.cost_estimate import (
    BULK,
    COUNTED,
    LISTED,
    WRITTEN,
    CostStep,
    PageSizeOptions,
)
from stratabase.core.schema.execution.derived_reads import DerivedReads, DerivedReadsBuilder
from stratabase.core.schema.execution.selections import Collected, Selections, names_of
from stratabase.core.schema.inputs.query_reader import DEFAULT_SIZE, query_reader_of
from stratabase.core.schema.types.attributes import ATTRIBUTE, AttributeField
from stratabase.core.schema.types.objects import ROLE, RoleField
from stratabase.values.messages import _

MAX_COST_STEPS = 1_000
"""Steps of one operation with its fragments expanded. The estimate of so many takes milliseconds."""
_OPTIONS, _COUNT = "options", "totalCount"
_NARROWING = frozenset({"filter", FILTER_EXP})
_SHOWS_NO_OBJECTS = frozenset({_COUNT, "__typename"})


class SelectionPlace(NamedTuple):
    """A place in a selection: its type, its fields, and the response keys that lead there."""

    type: GraphQLObjectType
    fields: Collected
    keys: tuple[str, ...] = ()


class _Found(NamedTuple):
    """What is selected at a place and in lists below it: steps, and the attributes that are shown by name."""

    steps: list[CostStep]
    shown: dict[str, AttributeField]


class CostTreeBuilder:
    """Builds the steps of one operation. If it `writes`, objects of its root fields cost more."""

    def __init__(self, selections: Selections, *, writes: bool) -> None:
        self._selections = selections
        self._root_weight = WRITTEN if writes else 1
        self._count = 0
        self._derived: DerivedReadsBuilder | None = None

    def of(self, type_: GraphQLObjectType, set_: SelectionSetNode) -> tuple[CostStep, ...]:
        """Return the steps of an operation. Raises GraphQLError if there are too many."""
        return tuple(self._found(SelectionPlace(type_, self._selections.collect([set_]))).steps)

    def _found(self, place: SelectionPlace) -> _Found:
        found = _Found([], {})
        self._find(place, found)
        return found

    def _find(self, place: SelectionPlace, found: _Found) -> None:
        for key, nodes in place.fields.items():
            field = place.type.fields.get(nodes[0].name.value)
            if field is None:
                continue
            if ATTRIBUTE in field.extensions:
                shown: AttributeField = field.extensions[ATTRIBUTE]
                found.shown[shown.attribute.name] = shown
            elif isinstance(type_ := get_named_type(field.type), GraphQLObjectType):
                inside = self._inside(place, key, type_, nodes)
                # The items of a page belong to the step of the page, which has the number of objects.
                if isinstance(get_nullable_type(field.type), GraphQLList):
                    self._find(inside, found)
                else:
                    found.steps.append(self._step(field, nodes[0], inside))

    def _inside(
        self, place: SelectionPlace, key: str, type_: GraphQLObjectType, nodes: Sequence[FieldNode]
    ) -> SelectionPlace:
        selected = self._selections.collect([node.selection_set for node in nodes])
        return SelectionPlace(type_, selected, (*place.keys, key))

    def _step(self, field: GraphQLField, node: FieldNode, inside: SelectionPlace) -> CostStep:
        self._count += 1
        if self._count > MAX_COST_STEPS:
            message = _(
                "With its fragments expanded, the document selects objects in more than {maximum} "
                "places. Split it into several requests.",
                maximum=MAX_COST_STEPS,
            )
            raise GraphQLError(message, node)
        selected, found = names_of(inside.fields), self._found(inside)
        given = {argument.name.value: argument.value for argument in node.arguments or ()}
        return CostStep(
            node,
            inside.keys,
            self._root_weight if len(inside.keys) == 1 else 1,
            self._reads_of(found.shown.values()),
            PageSizeOptions(given.get(_OPTIONS), partial(_reads_of_filter, field)),
            0 if selected <= _SHOWS_NO_OBJECTS else _usual(field, inside.type),
            _counted(field, given.get(_OPTIONS)) if _COUNT in selected else 0,
            tuple(found.steps),
            query_reader_of(field).class_.name if _OPTIONS in field.args else None,
        )

    def _reads_of(self, shown: Collection[AttributeField]) -> DerivedReads:
        """Return the reads that attributes of one class make."""
        for each in shown:
            self._derived = self._derived or DerivedReadsBuilder(each.model)
            return self._derived.of(each.owner, [one.attribute for one in shown])
        return DerivedReads()


def _reads_of_filter(field: GraphQLField, filter_: Any) -> DerivedReads:
    """Return the reads that the filter of a page makes, or of a bulk service."""
    reader = query_reader_of(field)
    return DerivedReadsBuilder(reader.model).of_filter(reader.class_, filter_)


def _counted(field: GraphQLField, options: ValueNode | None) -> int:
    """Return the cost of a `totalCount`."""
    leads: RoleField | None = field.extensions.get(ROLE)
    if leads is None:
        return COUNTED
    # A role is assumed to lead to as many objects as a page has by default, counted or shown.
    return LISTED if leads.role.composition and _admits_all(options) else DEFAULT_SIZE


def _admits_all(options: ValueNode | None) -> bool:
    """Return whether options filter nothing, according to the document alone, without variables."""
    if isinstance(options, ObjectValueNode):
        return not any(each.name.value in _NARROWING for each in options.fields)
    return options is None


def _usual(field: GraphQLField, type_: GraphQLObjectType) -> int:
    if _OPTIONS not in field.args:
        return 1
    return DEFAULT_SIZE if "hasNext" in type_.fields else BULK
