"""Rules on expressions: they have no errors, conditions are Boolean, derived attributes get their type."""

from collections.abc import Iterator

from graphql.language import StringValueNode

from stratabase.core.model.reading.draft.errors import ModelError, position_in_text
from stratabase.core.model.reading.draft.model_draft import DirectiveUse, FieldDraft, ModelDraft
from stratabase.core.model.reading.draft.resolution import DraftSymbols
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.base import AttributeType
from stratabase.values.cel.expression import check_expression
from stratabase.values.cel.scope import Scope
from stratabase.values.cel.syntax import ExpressionError, InvalidExpression

_CONDITIONS = {"warning": "condition", "grant": "where"}
"""For each directive with a condition: the name of the argument."""


def check_expressions(draft: ModelDraft) -> Iterator[ModelError]:
    """Check every condition and every expression of a derived attribute."""
    names = DraftSymbols(draft)
    for one in draft.granted_classes:
        scope = Scope(names, one.name)
        for holder in (one, *one.fields):
            for use in holder.uses:
                if use.name in _CONDITIONS:
                    yield from _check_expression(use, _CONDITIONS[use.name], scope, TYPES["Boolean"])
        for field in one.fields:
            yield from _check_derived_expression(field, scope)


def _check_derived_expression(field: FieldDraft, scope: Scope) -> Iterator[ModelError]:
    use = field.directive("derived")
    if use and field.type:
        # Another rule yields an error for types whose values no expression can have.
        result_type = None if field.type.numbered or field.type.holds_file else field.type
        yield from _check_expression(use, "expression", scope, result_type)


def _check_expression(
    use: DirectiveUse, argument: str, scope: Scope, result_type: AttributeType | None
) -> Iterator[ModelError]:
    text, node = use[argument], use.node_of(argument)
    if not text or not text.strip() or not isinstance(node, StringValueNode):
        return
    try:
        errors = check_expression(text, scope, result_type).errors
    except InvalidExpression as refusal:
        errors = refusal.errors
    for one in errors:
        yield error_in_file(node, one)


def error_in_file(node: StringValueNode, one: ExpressionError) -> ModelError:
    """Return an error of an expression with its place in the file."""
    assert node.loc is not None
    line, column = position_in_text(node, one.at)
    return ModelError(node.loc.source.name, line, column, one.message, one.suggestion)
