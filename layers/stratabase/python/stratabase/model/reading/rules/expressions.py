"""Expressions make sense, and give what is wanted: a condition a truth, a derived attribute its own type."""

from collections.abc import Iterator

from graphql.language import StringValueNode

from stratabase.expressions.errors import ExpressionError, InvalidExpression
from stratabase.expressions.expression import check_expression
from stratabase.expressions.scope import Scope
from stratabase.model.reading.draft.errors import ModelError, position_in_text
from stratabase.model.reading.draft.model_draft import DirectiveUse, FieldDraft, ModelDraft
from stratabase.model.reading.draft.resolution import DraftSymbols
from stratabase.model.types import TYPES
from stratabase.model.types.base import AttributeType

_CONDITIONS = {"warning": "condition", "grant": "where"}
"""The arguments that are conditions, by directive."""
_NEVER_DERIVED = frozenset({"File", "Serial"})
"""No derived attribute has these types, as another rule says."""


def check_expressions(draft: ModelDraft) -> Iterator[ModelError]:
    """Check every condition and every derived attribute that is an expression."""
    names = DraftSymbols(draft)
    for one in draft.classes.values():
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
        result_type = None if field.type.name in _NEVER_DERIVED else field.type
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
        yield _error_in_file(node, one)


def _error_in_file(node: StringValueNode, one: ExpressionError) -> ModelError:
    """Return a mistake where it stands in the file."""
    assert node.loc is not None
    line, column = position_in_text(node, one.at)
    return ModelError(node.loc.source.name, line, column, one.message, one.suggestion)
