"""Warnings about a model that is valid but probably not what its author wants.

Those here are about texts in the model: grants that depend on fields which members set themselves, conditions
that compare the name of a member as text, patterns that match only ASCII without saying so, and days that are
not in ISO 8601. `lint_rules` has those about classes, profiles, labels, indexes and `@warning`.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from graphql.language import Node as AstNode
from graphql.language import StringValueNode

from stratabase.core.model.attribute import Attribute
from stratabase.core.model.constraints.base import read_argument
from stratabase.core.model.member_names import NAMING_ATTRIBUTES
from stratabase.core.model.model import Model
from stratabase.core.model.model_expressions import ModelExpressions, expressions_of
from stratabase.core.model.reading.draft.errors import ModelError, error_at, position_in_text
from stratabase.core.model.reading.draft.model_draft import DirectiveUse, ModelDraft
from stratabase.core.model.reading.lint_rules import (
    lint_conditions,
    lint_dependents,
    lint_hidden_conditions,
    lint_labels,
    lint_opposites,
    lint_parts,
    lint_profiles,
)
from stratabase.core.model.reading.rules.narrower_profiles import lint_narrower_profiles
from stratabase.core.model.types.temporal import TemporalType
from stratabase.core.model.users import USER, with_users
from stratabase.values.cel.environment import Path
from stratabase.values.cel.expression import Expression
from stratabase.values.cel.names import CALLER
from stratabase.values.cel.parser import parse
from stratabase.values.cel.syntax import (
    CallNode,
    ComparisonNode,
    ConditionalNode,
    ListNode,
    NameNode,
    Node,
    children,
    walk_nodes,
)
from stratabase.values.formats.date_fields import DatePart
from stratabase.values.formats.regex import ascii_words
from stratabase.values.messages import and_list
from stratabase.values.wording import shorten

SET_BY_MEMBERS = ("notes", "language", "timeZone", "dateFormat", "timeFormat")
"""The fields of `caller` that members can change themselves, without confirmation."""
_ADVICE = (
    "so they can control what this grant allows. Compare caller.id or caller.profile, which only "
    "administrators set, or caller.email, which members must confirm."
)
_ASCII = (
    r"only ASCII letters (RE2). Write [\p{L}\p{N}_] for a word character of any script, or [A-Za-z0-9_] "
    "for ASCII."
)
_DAYS = (("default", "value"), ("domain", "min"), ("domain", "max"))
"""The directives and arguments that give a Date or a Datetime as text."""
_BY_MEMBER_ID = frozenset({"==", "!=", "in"})
_CALLER_NAME = [CALLER, "username"]
_EXISTENCE_FUNCTIONS = frozenset({"isNull", "has"})
"""The functions that test only whether a value exists. They don't depend on the name itself."""


def lint(draft: ModelDraft, model: Model) -> Iterator[ModelError]:
    """Yield the warnings about a valid model, with their locations."""
    model = with_users(model)
    expressions = expressions_of(model)
    for one in draft.granted_classes:
        for holder in (one, *one.fields):
            for use in holder.directives("grant"):
                if use["where"]:
                    yield from _lint_condition(expressions, one.name, use)
                    yield from _lint_names(model, one.name, use, "where")
    for one in draft.classes.values():
        for use in one.directives("warning"):
            yield from _lint_names(model, one.name, use, "condition")
    yield from _lint_patterns(draft)
    yield from _lint_days(draft)
    for check in (
        lint_parts,
        lint_profiles,
        lint_narrower_profiles,
        lint_labels,
        lint_conditions,
        lint_dependents,
        lint_hidden_conditions,
        lint_opposites,
    ):
        yield from check(draft, model)


def _lint_patterns(draft: ModelDraft) -> Iterator[ModelError]:
    """Yield a warning for each pattern with an escape for words, which matches only ASCII in RE2."""
    for field in draft.fields:
        if use := field.directive("domain"):
            for pattern, node in use.items_of("pattern"):
                if found := ascii_words(pattern):
                    yield error_at(
                        node, f"{and_list(found)} {'match' if len(found) > 1 else 'matches'} {_ASCII}"
                    )


def _lint_days(draft: ModelDraft) -> Iterator[ModelError]:
    """Yield a warning for each day of a default or a domain that is not in ISO 8601."""
    for field in draft.fields:
        if not isinstance(field.type, TemporalType) or DatePart.DATE not in field.type.needed_parts:
            continue
        for name, argument in _DAYS:
            use = field.directive(name)
            written = use[argument] if use else None
            if use and written and field.type.from_iso(written) is None:
                meant = read_argument(field.type, written)
                text = f'{argument}: "{shorten(written)}" means {meant}. Write it in ISO 8601: "{meant}".'
                yield error_at(use.node_of(argument), text)


def _lint_condition(
    expressions: ModelExpressions, class_name: str, use: DirectiveUse
) -> Iterator[ModelError]:
    """Yield the warnings about fields that members set themselves, in the condition of a grant.

    The condition reads them directly or through derived attributes.
    """
    text, node = use["where"], use.node_of("where")
    for names in _caller_field_names(parse(text)):
        field = names.words[1]
        if field.text in SET_BY_MEMBERS:
            yield _warning_at(node, names.at, f"Members can set caller.{field.text} themselves, {_ADVICE}")
    condition = expressions.condition(class_name, text)
    for path in sorted(condition.paths):
        derived = _caller_fields_behind(expressions, class_name, path)
        found = [field for field in SET_BY_MEMBERS if field in derived]
        if found:
            fields = and_list(f"caller.{field}" for field in found)
            message = (
                f"{'.'.join(path)} is derived from {fields}, which members can set themselves, {_ADVICE}"
            )
            yield error_at(node, message)


def _lint_names(model: Model, class_name: str, use: DirectiveUse, argument: str) -> Iterator[ModelError]:
    """Yield the warnings about names of members that a condition compares as text."""
    text, node = use[argument], use.node_of(argument)
    # A comparison of two names would be reported from both sides.
    found = [*uses_of_written_names(model, class_name, text)] or uses_of_caller_name(model, class_name, text)
    for use_of_name in found:
        yield _warning_at(node, use_of_name.at, str(use_of_name))


def _warning_at(node: AstNode, character: int, message: str) -> ModelError:
    """Return a warning at a character of a text in the model."""
    if not isinstance(node, StringValueNode) or node.loc is None:
        return error_at(node, message)
    line, column = position_in_text(node, character)
    return ModelError(node.loc.source.name, line, column, message)


def _caller_field_names(node: Node) -> Iterator[NameNode]:
    """Yield the names in an expression that read a field of `caller`."""
    for each in walk_nodes(node):
        if isinstance(each, NameNode) and len(each.words) > 1 and each.words[0].text == CALLER:
            yield each


def _caller_fields_behind(expressions: ModelExpressions, class_name: str, path: Path) -> frozenset[str]:
    """Return the fields of `caller` from which the attribute at the end of a path is derived."""
    class_ = expressions.model.classes[class_name]
    first, *rest = path
    if first in class_.roles:
        return (
            _caller_fields_behind(expressions, class_.roles[first].target, tuple(rest))
            if rest
            else frozenset()
        )
    attribute = class_.attributes.get(first)
    if attribute is None or attribute.derivation is None:
        return frozenset()
    if attribute.derivation.path:
        return _caller_fields_behind(expressions, class_name, attribute.derivation.path)
    expression = expressions.derived(class_name, attribute)
    return _caller_fields_read_by(expressions, class_name, expression) if expression else frozenset()


def _caller_fields_read_by(
    expressions: ModelExpressions, class_name: str, expression: Expression
) -> frozenset[str]:
    """Return the fields of `caller` that an expression reads, directly or through derived attributes."""
    return expression.caller_fields.union(
        *(_caller_fields_behind(expressions, class_name, path) for path in expression.paths)
    )


class NameUse(NamedTuple):
    """A use of a member's name as text, at the character `at` of a condition. `path` leads to the name."""

    at: int
    path: str
    derived_from: str = ""
    """The path or expression of a derived attribute that gives the name; empty for the name itself."""

    def __str__(self) -> str:
        """Return the warning."""
        derived_from = f" (derived from {self.derived_from})" if self.derived_from else ""
        name = "the attribute that holds the name" if self.derived_from else self.path
        return (
            f"This condition might compare {self.path}{derived_from} as text, and another member can later "
            f"take that name. Compare {name} directly with caller.username, using ==, !=, or in."
        )


class CallerNameUse(NamedTuple):
    """A use of `caller.username` as text, at the character `at` of a condition."""

    at: int
    derived_attribute: str = ""
    """The path to the derived attribute that uses the name; empty if the condition itself does."""

    def __str__(self) -> str:
        """Return the warning."""
        subject = f"{self.derived_attribute}, which this condition uses, compares"
        return (
            f"{subject if self.derived_attribute else 'This condition compares'} a text with "
            "caller.username, and another member can later take that name. To connect objects with a "
            "member, use a role such as assignee: _User, and compare assignee == caller.id."
        )


Use = TypeVar("Use")
FindUses = Callable[[str, NameNode], Iterator[Use]]
"""Yields the uses of a member's name as text that a name is, given the class of the condition."""


def uses_of_written_names(model: Model, class_name: str, text: str) -> Iterator[NameUse]:
    """Yield the uses of member names in objects, in a condition that compares them as text.

    `text` is a condition without errors, over the class `class_name`.
    """
    return _uses(model, class_name, parse(text), partial(_uses_in_path, model))


def uses_of_caller_name(model: Model, class_name: str, text: str) -> Iterator[CallerNameUse]:
    """Yield the uses of `caller.username` in a condition that compares it as text.

    `text` is a condition without errors, over the class `class_name`.
    """
    # A name at the left of a list is compared with each of its items.
    return iter(dict.fromkeys(_uses(model, class_name, parse(text), partial(_uses_of_caller, model))))


def _uses(model: Model, class_name: str, node: Node, find: FindUses[Use]) -> Iterator[Use]:
    if isinstance(node, NameNode):
        yield from find(class_name, node)
    elif isinstance(node, ComparisonNode) and node.operator.text in _BY_MEMBER_ID:
        for other in children(node.right) if isinstance(node.right, ListNode) else (node.right,):
            # Members are compared by their IDs, or by names that only they have, so this is safe.
            if not _are_members(model, class_name, node.left, other):
                yield from _uses(model, class_name, node.left, find)
                yield from _uses(model, class_name, other, find)
    elif not (isinstance(node, CallNode) and node.word.text in _EXISTENCE_FUNCTIONS):
        for child in children(node):
            yield from _uses(model, class_name, child, find)


def _uses_of_caller(model: Model, class_name: str, node: NameNode) -> Iterator[CallerNameUse]:
    path = _names_of(node)
    if path == _CALLER_NAME:
        yield CallerNameUse(node.at)
    elif _depends_on_caller_name(model, class_name, path):
        yield CallerNameUse(node.at, ".".join(path))


def _depends_on_caller_name(model: Model, class_name: str, path: Sequence[str]) -> bool:
    """Return whether the attribute at the end of a path depends on `caller.username` as text."""
    owner, _, attribute = _find_attribute(model, class_name, path)
    derivation = attribute.derivation if attribute else None
    if derivation is None:
        return False
    if derivation.expression is None:
        return _depends_on_caller_name(model, owner, derivation.path)
    return next(uses_of_caller_name(model, owner, derivation.expression), None) is not None


def _names_of(node: NameNode) -> list[str]:
    return [word.text for word in node.words]


def _are_members(model: Model, class_name: str, one: Node, other: Node) -> bool:
    """Return whether the comparison of two nodes compares members, and not a text with a name."""
    if _is_member_name(model, class_name, one):
        return _is_member_name(model, class_name, other) or (
            _is_caller_name(one) and _is_present_name(model, class_name, other)
        )
    return _is_caller_name(other) and _is_present_name(model, class_name, one)


def _is_caller_name(node: Node) -> bool:
    return isinstance(node, NameNode) and _names_of(node) == _CALLER_NAME


def _is_present_name(model: Model, class_name: str, node: Node) -> bool:
    """Return whether a node is the username that a member has now, which no two members share."""
    if not isinstance(node, NameNode):
        return False
    owner, name, _ = _find_attribute(model, class_name, _names_of(node))
    return owner == USER and name == "username"


def _is_member_name(model: Model, class_name: str, node: Node) -> bool:
    """Return whether a node always gives the name of a member together with the member's ID."""
    if isinstance(node, NameNode):
        path = _names_of(node)
        return path == _CALLER_NAME or _find_attribute(model, class_name, path)[1] in NAMING_ATTRIBUTES
    if isinstance(node, ListNode) or (isinstance(node, CallNode) and node.word.text == "firstNotNull"):
        return all(_is_member_name(model, class_name, child) for child in children(node))
    if isinstance(node, ConditionalNode):
        values = (*(value for _, value in node.cases), node.otherwise)
        return all(_is_member_name(model, class_name, value) for value in values)
    return False


def _uses_in_path(model: Model, class_name: str, node: NameNode) -> Iterator[NameUse]:
    path = _names_of(node)
    owner, name, attribute = _find_attribute(model, class_name, path)
    derivation = attribute.derivation if attribute else None
    use = NameUse(node.at, ".".join(path))
    if name in NAMING_ATTRIBUTES:
        yield use
    elif derivation is not None and derivation.expression is not None:
        expression = parse(derivation.expression)
        found = _uses(model, owner, expression, partial(_uses_in_path, model))
        if _is_member_name(model, owner, expression) or next(found, None):
            yield use._replace(derived_from=derivation.expression)
    elif derivation is not None and _find_attribute(model, owner, derivation.path)[1] in NAMING_ATTRIBUTES:
        yield use._replace(derived_from=".".join(derivation.path))


def _find_attribute(model: Model, class_name: str, path: Sequence[str]) -> tuple[str, str, Attribute | None]:
    """Return the class that a path reaches, the name of the attribute at its end, and that attribute.

    If there is no attribute at the end, the name is empty and the attribute is None.
    """
    *roles, name = path
    for role in roles:
        found = model.classes[class_name].roles.get(role)
        if found is None:
            return class_name, "", None
        class_name = found.target
    attribute = model.classes[class_name].attributes.get(name)
    return class_name, name if attribute else "", attribute
