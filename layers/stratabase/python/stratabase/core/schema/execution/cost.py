"""Estimate the cost of an operation before it runs, and refuse it if the cost is too high."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any, NamedTuple

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLError,
    GraphQLField,
    GraphQLList,
    GraphQLObjectType,
    GraphQLSchema,
    ObjectValueNode,
    OperationDefinitionNode,
    OperationType,
    SelectionSetNode,
    ValueNode,
    get_named_type,
    get_nullable_type,
    value_from_ast_untyped,
)

from stratabase.core.model.api_names import AGGREGATES, FILTER_EXP, GROUPS, ID, TOTAL_COUNT_UP_TO
from stratabase.core.schema.execution.cost_estimate import (
    BULK,
    COUNTED,
    LISTED,
    WRITTEN,
    CostShare,
    CostStep,
    PageSizeOptions,
    SizeOf,
    Variables,
    no_size,
)
from stratabase.core.schema.execution.derived_reads import DerivedReads, DerivedReadsBuilder
from stratabase.core.schema.execution.selections import (
    Collected,
    Selections,
    fragments_of,
    names_of,
    selects_the_same,
)
from stratabase.core.schema.execution.variables import coerce_variables
from stratabase.core.schema.inputs.query_reader import DEFAULT_SIZE, query_reader_of
from stratabase.core.schema.types.attributes import ATTRIBUTE, AttributeField
from stratabase.core.schema.types.groups import TOTALS
from stratabase.core.schema.types.objects import PLANS_WRITE, ROLE, RoleField
from stratabase.values.messages import _

MAX_COST_STEPS = 1_000
"""Steps of one operation with its fragments expanded. The estimate of so many takes milliseconds."""
_OPTIONS, _COUNT, _HAS_NEXT = "options", "totalCount", "hasNext"
_NARROWING = frozenset({"filter", FILTER_EXP})
_ONLY_COUNT, _TYPENAME = frozenset({_COUNT}), frozenset({"__typename"})
_TOTALS = frozenset({_COUNT, TOTAL_COUNT_UP_TO, AGGREGATES, GROUPS})
"""The fields of a page for which all matches are counted or read."""


class SelectionPlace(NamedTuple):
    """A place in a selection: its type, its fields, and the response keys that lead there."""

    type: GraphQLObjectType
    fields: Collected
    keys: tuple[str, ...] = ()


@dataclass
class _Found:
    """What is selected at a place and in lists below it."""

    steps: list[CostStep] = field(default_factory=list)
    shown: dict[str, AttributeField] = field(default_factory=dict)
    """The attributes that are shown, by name."""
    plans_writes: bool = False
    """Whether a write is planned for each object."""


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
        found = _Found()
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
            elif PLANS_WRITE in field.extensions:
                found.plans_writes = True
            elif TOTALS in field.extensions:
                continue  # the step of the page has their cost
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
        counts = _TOTALS if _HAS_NEXT in inside.type.fields else _ONLY_COUNT
        given = {argument.name.value: argument.value for argument in node.arguments or ()}
        weight = WRITTEN if found.plans_writes else self._root_weight if len(inside.keys) == 1 else 1
        return CostStep(
            node,
            inside.keys,
            weight,
            self._reads_of(found.shown.values()),
            PageSizeOptions(given.get(_OPTIONS), partial(_reads_of_filter, field)),
            0 if selected <= counts | _TYPENAME else _usual(field, inside.type),
            _counted(field, given.get(_OPTIONS), selected & counts),
            tuple(found.steps),
            _sized_class(field),
        )

    def _reads_of(self, shown: Collection[AttributeField]) -> DerivedReads:
        """Return the reads that attributes of one class make."""
        for each in shown:
            self._derived = self._derived or DerivedReadsBuilder(each.model)
            return self._derived.of(each.owner, [one.attribute for one in shown])
        return DerivedReads()


def _sized_class(field: GraphQLField) -> str | None:
    """Return the class that has no fewer objects than a page shows, None if there is none."""
    if _OPTIONS not in field.args or ID in field.args:
        return None  # an object may have any number of versions
    reader = query_reader_of(field)
    return reader.class_.name if reader.shows_present else None


def _reads_of_filter(field: GraphQLField, filter_: Any) -> DerivedReads:
    """Return the reads that the filter of a page makes, or of a bulk service."""
    reader = query_reader_of(field)
    return DerivedReadsBuilder(reader.model).of_filter(reader.class_, filter_)


def _counted(field: GraphQLField, options: ValueNode | None, counts: frozenset[str]) -> int:
    """Return the cost of the fields among `counts`, together: all matches are read once for them."""
    if not counts:
        return 0
    leads: RoleField | None = field.extensions.get(ROLE)
    if leads is None:
        return COUNTED
    # A role is assumed to lead to as many objects as a page has by default, counted or shown.
    is_listed = leads.role.composition and counts == _ONLY_COUNT and _admits_all(options)
    return LISTED if is_listed else DEFAULT_SIZE


def _admits_all(options: ValueNode | None) -> bool:
    """Return whether options filter nothing, according to the document alone, without variables."""
    if isinstance(options, ObjectValueNode):
        return not any(each.name.value in _NARROWING for each in options.fields)
    return options is None


def _usual(field: GraphQLField, type_: GraphQLObjectType) -> int:
    if _OPTIONS not in field.args:
        return 1
    return DEFAULT_SIZE if _HAS_NEXT in type_.fields else BULK


_ABSENT = object()
_MAX_ALLOWED = 64
"""The maximum number of sizes to remember of one operation."""


class OperationCost:
    """The cost of one operation. What it selects must not depend on variables any more."""

    def __init__(
        self, schema: GraphQLSchema, operation: OperationDefinitionNode, selections: Selections, maximum: int
    ) -> None:
        """Raise GraphQLError if the operation leads to objects in more places than MAX_COST_STEPS."""
        type_ = schema.get_root_type(operation.operation)
        assert type_, "the document is valid"
        steps = CostTreeBuilder(selections, writes=operation.operation is OperationType.MUTATION)
        self._steps = steps.of(type_, operation.selection_set)
        self._maximum = maximum
        self._allowed: set[tuple[object, ...]] = set()
        """Numbers in the variables that decide the cost, which is not too high with them."""
        self._defaults = {
            definition.variable.name.value: value_from_ast_untyped(definition.default_value)
            for definition in operation.variable_definitions or ()
            if definition.default_value
        }

    def excess(self, variables: Variables, size_of: SizeOf = no_size) -> GraphQLError | None:
        """Return the error if the operation costs too much, else None.

        `size_of` is called only if it costs too much for classes of any size.
        """
        error = self._excess(variables) if self._varies else self._constant_error
        return None if error is None or self._is_cheap(variables, size_of) else error

    def _excess(self, variables: Variables) -> GraphQLError | None:
        sizes = self._sizes(variables)
        if sizes is not None and sizes in self._allowed:
            return None
        error = self._error_for(variables)
        if sizes is not None and error is None and len(self._allowed) < _MAX_ALLOWED:
            self._allowed.add(sizes)
        return error

    def _sizes(self, variables: Variables) -> tuple[object, ...] | None:
        """Return the values that decide the cost if they are whole numbers or absent, else None."""
        if self._deciding is None:
            return None
        sizes = tuple([variables.get(name, _ABSENT) for name in self._deciding])
        for size in sizes:
            if size.__class__ is not int and size is not _ABSENT:  # 1, 1.0 and true would be the same key
                return None
        return sizes

    @cached_property
    def _deciding(self) -> Sequence[str] | None:
        found = [step.deciding for step in self._steps]
        if None in found:
            return None
        return sorted({name for names in found if names is not None for name in names})

    @cached_property
    def _varies(self) -> bool:
        return any(step.varies for step in self._steps)

    @cached_property
    def _constant_error(self) -> GraphQLError | None:
        return self._error_for({})

    def _is_cheap(self, variables: Variables, size_of: SizeOf) -> bool:
        """Return whether the operation does not cost too much for classes of the sizes that are known."""
        given = {**self._defaults, **variables}
        return sum(step.total(given, cache(size_of)) for step in self._steps) <= self._maximum

    def _error_for(self, variables: Variables) -> GraphQLError | None:
        given = {**self._defaults, **variables}
        total = sum(step.total(given) for step in self._steps)
        if total <= self._maximum:
            return None
        shares = (share for step in self._steps for share in step.costs(given))
        return _cost_error(total, self._maximum, max(shares, key=lambda share: share.cost))


def _cost_error(total: int, maximum: int, costliest: CostShare) -> GraphQLError:
    message = _(
        "The estimated cost of the request is {cost}. The maximum is {maximum}. "
        "Each object read costs 1, each object written costs {written}, each batch of reads for derived "
        "attributes and filters on roles costs 1, and each character of {condition} costs 1. "
        "{field} alone costs {field_cost}. {advice}",
        cost=total,
        maximum=maximum,
        written=WRITTEN,
        condition=FILTER_EXP,
        field=".".join(costliest.step.keys),
        field_cost=costliest.cost,
        advice=costliest.advice,
    )
    return GraphQLError(message, costliest.step.node)


class DocumentCosts:
    """The costs of the operations of a valid document. `maximum` limits the cost of one operation."""

    def __init__(self, schema: GraphQLSchema, document: DocumentNode, maximum: int) -> None:
        self._schema = schema
        self._document = document
        self._maximum = maximum
        self._known: dict[int, OperationCost] = {}
        """By Python's `id` of an operation, which lives as long as its document."""

    def excess(
        self, operation: OperationDefinitionNode, variables: Mapping[str, Any], size_of: SizeOf = no_size
    ) -> GraphQLError | None:
        """Return the error if an operation costs too much, else None.

        `size_of` is called only if it costs too much for classes of any size.
        """
        known = self._known.get(id(operation))
        if known is not None:
            return known.excess(variables, size_of)
        try:
            return self._excess(operation, variables, size_of)
        except GraphQLError as error:
            return error

    def _excess(
        self, operation: OperationDefinitionNode, variables: Mapping[str, Any], size_of: SizeOf
    ) -> GraphQLError | None:
        # Without directives that depend on variables, the tree of steps is the same for each request: keep
        # it.
        if self._selects_the_same:
            cost = self._known[id(operation)] = self._cost(operation)
            return cost.excess(variables, size_of)
        definitions = operation.variable_definitions or ()
        values = coerce_variables(self._schema, definitions, variables)
        # If the variables are wrong, the execution reports it.
        return None if values is None else self._cost(operation, values).excess(variables, size_of)

    @cached_property
    def _selects_the_same(self) -> bool:
        return selects_the_same(self._document)

    def _cost(self, operation: OperationDefinitionNode, values: Any = None) -> OperationCost:
        selections = Selections(fragments_of(self._document), values)
        return OperationCost(self._schema, operation, selections, self._maximum)
