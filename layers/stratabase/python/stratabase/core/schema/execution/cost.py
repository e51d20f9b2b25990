"""Estimate the cost of an operation before it runs, and refuse it if the cost is too high."""

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    value_from_ast_untyped,
)

from stratabase.core.model.api_names import FILTER_EXP
from stratabase.core.schema.execution.cost_estimate import WRITTEN, CostShare, SizeOf, Variables, no_size
from stratabase.core.schema.execution.cost_steps import CostTreeBuilder
from stratabase.core.schema.execution.selections import Selections, fragments_of, selects_the_same
from stratabase.core.schema.execution.variables import coerce_variables
from stratabase.values.messages import _

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
        error = self._excess(variables)
        return None if error is not None and self._is_cheap(variables, size_of) else error

    def _excess(self, variables: Variables) -> GraphQLError | None:
        if not self._varies:
            return self._constant_error
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
