"""Rules on labels: each is made of stored values that are the same for everyone at any time."""

from collections.abc import Iterator

from graphql.language import StringValueNode

from stratabase.core.model.reading.draft.errors import ModelError, check_not_empty
from stratabase.core.model.reading.draft.model_draft import DirectiveUse, ModelDraft
from stratabase.core.model.reading.draft.resolution import DraftSymbols, attribute_type, resolve_path
from stratabase.core.model.reading.rules.expressions import error_in_file
from stratabase.values.cel.expression import check_expression
from stratabase.values.cel.names import CALLER
from stratabase.values.cel.parser import parse
from stratabase.values.cel.scope import Scope
from stratabase.values.cel.syntax import (
    CallNode,
    ExpressionError,
    InvalidExpression,
    NameNode,
    Word,
    walk_nodes,
)

_CHANGING = frozenset({"now", "today"})
_REFUSED = "A label is the same for everyone at any time, so it can't use {}."


def check_labels(draft: ModelDraft) -> Iterator[ModelError]:
    """Check the expression of every label."""
    for class_ in draft.classes.values():
        if use := class_.directive("class"):
            yield from check_not_empty(use, "label")
            yield from _check_label(draft, class_.name, use)


def _check_label(draft: ModelDraft, class_name: str, use: DirectiveUse) -> Iterator[ModelError]:
    text, node = use["label"], use.node_of("label")
    if text and text.strip() and isinstance(node, StringValueNode):
        for error in _errors(draft, class_name, text):
            yield error_in_file(node, error)


def _errors(draft: ModelDraft, class_name: str, text: str) -> Iterator[ExpressionError]:
    try:
        checked = check_expression(text, Scope(DraftSymbols(draft), class_name))
    except InvalidExpression as refusal:
        yield from refusal.errors
        return
    refused = {word.at: error for word, error in _refused_words(draft, class_name, text)}
    yield from refused.values()
    # What is wrong with such a word in any expression is no longer of interest.
    others = [error for error in checked.errors if error.at not in refused]
    yield from others
    kind = checked.expression.kind
    if kind.element:
        yield ExpressionError(0, f"This is {kind.name}, but a label must be one value. Make it a text.")


def _refused_words(draft: ModelDraft, class_name: str, text: str) -> Iterator[tuple[Word, ExpressionError]]:
    """Yield the words that other expressions can use, but labels can't, each with its error."""
    for node in walk_nodes(parse(text)):
        if isinstance(node, CallNode) and node.word.text in _CHANGING:
            yield node.word, ExpressionError(node.word.at, _REFUSED.format(f"{node.word.text}()"))
        elif isinstance(node, NameNode):
            yield from _refused_names(draft, class_name, node)


def _refused_names(
    draft: ModelDraft, class_name: str, node: NameNode
) -> Iterator[tuple[Word, ExpressionError]]:
    first = node.words[0]
    if first.text == CALLER and attribute_type(draft, class_name, CALLER) is None:
        message = _REFUSED.format(CALLER)
        # The field of the caller may have an error of its own.
        yield from ((word, ExpressionError(first.at, message)) for word in node.words)
        return
    resolved = resolve_path(draft, class_name, [word.text for word in node.words])
    for word, (owner, name) in zip(node.words, resolved.steps, strict=False):
        if resolve_path(draft, owner, [name]).many:
            message = f"{owner}.{name} leads to many objects. A label can use only roles that lead to one."
            yield word, ExpressionError(word.at, message)
        field = draft.classes[owner].fields_by_name.get(name) if owner in draft.classes else None
        if field is not None and field.is_derived:
            message = f"{owner}.{name} is derived. A label can use only stored attributes."
            yield word, ExpressionError(word.at, message)
