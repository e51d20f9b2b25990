"""Validate documents: their limits first, and then the rules of graphql-core."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from functools import partial
from typing import Any

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLInputType,
    GraphQLSchema,
    Node,
    NoSchemaIntrospectionCustomRule,
    NoUndefinedVariablesRule,
    OperationDefinitionNode,
    ParallelVisitor,
    ValidationContext,
    Visitor,
    specified_rules,
    validate,
)
from graphql.language.visitor import EnterLeaveVisitor
from graphql.validation import ASTValidationRule, ValuesOfCorrectTypeRule
from graphql.validation.validate import ValidationAbortedError

from stratabase.core.schema.execution.document_hints import with_hint
from stratabase.core.schema.execution.errors import ValuesWithPlaces
from stratabase.core.schema.execution.limits import ExecutionPolicy, limit_violations
from stratabase.core.schema.execution.literals import LITERAL_VARIABLE
from stratabase.values.messages import _

MAX_REPORTED_ERRORS = 9
Places = dict[str, GraphQLInputType | None]
"""By variable that stands for a literal: the type of its place. None if there can be no literal."""

_TOO_INVOLVED = _(
    "The document is too complex to validate. "
    "Select each field only once in each place, nest fewer fragments, or split the "
    "document into several requests."
)
_NO_METHODS = EnterLeaveVisitor(None, None)


def _with_known_methods(rule: type[ASTValidationRule]) -> type[ASTValidationRule]:
    """Return a validation rule that finds its methods once, and not again for each document.

    There are over twenty rules and a dozen kinds of nodes, and most rules have no method for most kinds. To
    find that out takes half of the time of validating a small document.
    """
    names: dict[str, tuple[str | None, str | None]] = {}

    def method_name(event: str, kind: str) -> str | None:
        return next((name for name in (f"{event}_{kind}", event) if hasattr(rule, name)), None)

    class RuleWithKnownMethods(rule):  # type: ignore[valid-type, misc] # the class is a variable
        def get_enter_leave_for_kind(self, kind: str) -> EnterLeaveVisitor:
            if kind not in names:
                names[kind] = method_name("enter", kind), method_name("leave", kind)
            enter, leave = names[kind]
            if enter is leave is None:
                return _NO_METHODS
            return EnterLeaveVisitor(
                None if enter is None else getattr(self, enter),
                None if leave is None else getattr(self, leave),
            )

    return RuleWithKnownMethods


class _LiteralPlaces(NoUndefinedVariablesRule):
    """The rule on undefined variables for templates: notes the places of those that stand for literals."""

    def __init__(self, places: Places, context: ValidationContext) -> None:
        super().__init__(context)
        self._places = places

    def enter_operation_definition(self, operation: OperationDefinitionNode, *_args: Any) -> None:
        """Check the variables that an operation uses."""
        defined = {each.variable.name.value for each in operation.variable_definitions or ()}
        for usage in self.context.get_recursive_variable_usages(operation):
            name = usage.node.name.value
            if name.startswith(LITERAL_VARIABLE):
                self._places[name] = usage.type
            elif name not in defined:
                self.report_error(GraphQLError(f"${name} is not defined"))


_UNDEFINED_VARIABLES = _with_known_methods(NoUndefinedVariablesRule)
_OWN: Mapping[type[ASTValidationRule], type[ASTValidationRule]] = {
    NoUndefinedVariablesRule: _UNDEFINED_VARIABLES,
    ValuesOfCorrectTypeRule: _with_known_methods(ValuesWithPlaces),
}
_RULES = tuple(_OWN.get(rule) or _with_known_methods(rule) for rule in specified_rules)
_LITERAL_PLACES: Any = _with_known_methods(_LiteralPlaces)
_NO_INTROSPECTION = _with_known_methods(NoSchemaIntrospectionCustomRule)


class _Rules(Visitor):
    """All rules as one visitor, which frees them when it is closed.

    The visitor with which graphql-core calls its rules refers to itself. Only the garbage collector would
    free it, the rules, and what they have found, and a new document would take a third longer.
    """

    def __init__(self, rules: Iterable[Callable[[ValidationContext], Visitor]]) -> None:
        super().__init__()
        self._rules = rules
        self._visitor = ParallelVisitor(())

    def __call__(self, context: ValidationContext) -> "_Rules":
        """Begin to validate, as a rule does."""
        self._visitor = ParallelVisitor([rule(context) for rule in self._rules])
        return self

    def enter(self, node: Node, *args: Any) -> Any:
        """Enter a node with each rule."""
        enter = self._visitor.get_enter_leave_for_kind(node.kind).enter
        return enter(node, *args) if enter else None

    def leave(self, node: Node, *args: Any) -> Any:
        """Leave a node with each rule."""
        leave = self._visitor.get_enter_leave_for_kind(node.kind).leave
        return leave(node, *args) if leave else None

    def close(self) -> None:
        """Free what the rules have kept."""
        self._visitor.enter_leave_map.clear()
        self._visitor = ParallelVisitor(())


def _validate(
    schema: GraphQLSchema, document: DocumentNode, rules: Iterable[Any], max_errors: int, *, suggest: bool
) -> list[GraphQLError]:
    """Return the errors of a document, as `validate` does."""
    with closing(_Rules(rules)) as together:
        one: Any = together
        return validate(schema, document, [one], max_errors=max_errors, hide_suggestions=not suggest)


class Validator:
    """Finds the errors of documents."""

    def __init__(self, schema: GraphQLSchema, policy: ExecutionPolicy) -> None:
        """Make a validator for the full schema."""
        self._schema = schema
        self._limits = policy.limits
        self._suggestions = policy.suggestions
        self._rules = _RULES if policy.introspection else (*_RULES, _NO_INTROSPECTION)

    def excess(self, document: DocumentNode) -> list[GraphQLError]:
        """Return the errors of a document that exceeds limits. Check this before `errors`.

        graphql-core validates repeated fields in quadratic time.
        """
        return limit_violations(document, self._limits)

    def errors(self, document: DocumentNode, schema: GraphQLSchema | None = None) -> list[GraphQLError]:
        """Return the first errors of a document in the full schema, or in another one."""
        errors = _validate(
            schema or self._schema, document, self._rules, MAX_REPORTED_ERRORS, suggest=self._suggestions
        )
        found = [_with_advice(error) for error in errors[:MAX_REPORTED_ERRORS]]
        return [with_hint(error, schema or self._schema) for error in found] if self._suggestions else found

    def literal_places(self, template: DocumentNode) -> Mapping[str, GraphQLInputType] | None:
        """Return the types of the places of literals, by the variables that stand for them in a template.

        With literals of these types, the template is a valid document within the limits. None if it may not
        be valid with any.
        """
        if self.excess(template):
            return None
        places: Places = {}
        noted = partial(_LITERAL_PLACES, places)
        rules = [noted if rule is _UNDEFINED_VARIABLES else rule for rule in self._rules]
        if _validate(self._schema, template, rules, 0, suggest=False):
            return None
        known = {name: type_ for name, type_ in places.items() if type_ is not None}
        return known if len(known) == len(places) else None


def _with_advice(error: GraphQLError) -> GraphQLError:
    """Return an error, with advice if graphql-core gave up validating."""
    return GraphQLError(_TOO_INVOLVED) if isinstance(error, ValidationAbortedError) else error
