"""What the operations of one document cost."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from graphql import DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode, get_variable_values

from stratabase.schema.compiled.program import compilable
from stratabase.schema.cost.cost import Cost
from stratabase.schema.selections import Selections, fragments_of


class Costs:
    """Judges the operations of a valid document; `most`: what one may cost."""

    def __init__(self, schema: GraphQLSchema, document: DocumentNode, most: int) -> None:
        self._schema = schema
        self._document = document
        self._most = most
        self._known: dict[int, Cost] = {}
        """By the identities of the operations, which live as long as their document."""

    def excess(self, operation: OperationDefinitionNode, variables: Mapping[str, Any]) -> GraphQLError | None:
        """Return why an operation is not done, None when it costs no more than it may."""
        known = self._known.get(id(operation))
        if known is not None:
            return known.excess(variables)
        try:
            return self._excess(operation, variables)
        except GraphQLError as error:
            return error

    def _excess(
        self, operation: OperationDefinitionNode, variables: Mapping[str, Any]
    ) -> GraphQLError | None:
        if self._selects_the_same:
            cost = self._known[id(operation)] = self._cost(operation)
            return cost.excess(variables)
        definitions = operation.variable_definitions or ()
        values = get_variable_values(self._schema, definitions, dict(variables))
        # If the variables are wrong, whoever executes it tells.
        return None if isinstance(values, list) else self._cost(operation, values).excess(variables)

    @cached_property
    def _selects_the_same(self) -> bool:
        return compilable(self._document)

    def _cost(self, operation: OperationDefinitionNode, values: Any = None) -> Cost:
        selections = Selections(fragments_of(self._document), values)
        return Cost(self._schema, operation, selections, self._most)
