"""What one operation costs, and why it is not done when it costs too much."""

from functools import cached_property

from graphql import (
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    value_from_ast_untyped,
)

from stratabase.model.api_names import FILTER_EXP
from stratabase.schema.cost.step import WRITTEN, Share
from stratabase.schema.cost.steps import Steps
from stratabase.schema.cost.window import Variables
from stratabase.schema.selections import Selections
from stratabase.wording import at_most


class Cost:
    """Judges one operation; what it selects does not depend on variables any more."""

    def __init__(
        self, schema: GraphQLSchema, operation: OperationDefinitionNode, selections: Selections, most: int
    ) -> None:
        """Read the operation. Raises GraphQLError when it leads to objects at too many places."""
        type_ = schema.get_root_type(operation.operation)
        assert type_, "the document is valid"
        steps = Steps(selections, writes=operation.operation is OperationType.MUTATION)
        self._steps = steps.of(type_, operation.selection_set)
        self._most = most
        self._defaults = {
            definition.variable.name.value: value_from_ast_untyped(definition.default_value)
            for definition in operation.variable_definitions or ()
            if definition.default_value
        }

    def excess(self, variables: Variables) -> GraphQLError | None:
        """Return why the operation is not done, None when it costs no more than it may."""
        return self._judged(variables) if self._varies else self._always

    @cached_property
    def _varies(self) -> bool:
        return any(step.varies for step in self._steps)

    @cached_property
    def _always(self) -> GraphQLError | None:
        return self._judged({})

    def _judged(self, variables: Variables) -> GraphQLError | None:
        given = {**self._defaults, **variables}
        total = sum(step.total(given) + step.conditions(given) for step in self._steps)
        if total <= self._most:
            return None
        shares = (share for step in self._steps for share in step.costs(given))
        return _error(total, self._most, max(shares, key=lambda share: share.cost))


def _error(total: int, most: int, costliest: Share) -> GraphQLError:
    return GraphQLError(
        f"The request would cost about {total:,}: {at_most(most)}, "
        f"where an object that is read counts 1, one that is written {WRITTEN}, "
        f"and a character of a {FILTER_EXP} 1. "
        f"{'.'.join(costliest.step.keys)} alone costs {costliest.cost:,}: {costliest.advice}.",
        costliest.step.node,
    )
