"""Names: variables, fields of `caller`, attributes, and roles to other objects."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from stratabase.values.cel.environment import Environment, Path
from stratabase.values.cel.kinds import BOOLEAN, FILE, INT, OBJECT, REAL, UNKNOWN, ValueKind
from stratabase.values.cel.scope import AttributeSymbol, RoleSymbol
from stratabase.values.cel.syntax import MemberAccessNode, NameNode, Word
from stratabase.values.cel.typed_expression import Checker, Evaluator, TypedExpression, unknown_at
from stratabase.values.formats.decimals import is_canonical_decimal
from stratabase.values.messages import and_list, or_list
from stratabase.values.wording import shorten

CALLER = "caller"
"""The name in expressions of the member who sends the request."""
ReadStored = Callable[[Any], Any]
"""Maps a stored value to a value. A value that another type has stored counts as null, as in filters."""
ReadState = Callable[[Mapping[str, Any]], Any]
"""Maps an object's state to the value of an attribute."""


def _whole(stored: Any) -> int | None:
    return stored if type(stored) is int else None


def _boolean(stored: Any) -> bool | None:
    return stored if type(stored) is bool else None


def _text(stored: Any) -> str | None:
    return stored if type(stored) is str else None


def _mapping(stored: Any) -> Mapping[str, Any] | None:
    return stored if isinstance(stored, Mapping) else None


def _decimal(stored: Any) -> Decimal | None:
    return Decimal(stored) if is_canonical_decimal(stored) else None


_READERS: Mapping[ValueKind, ReadStored] = {INT: _whole, BOOLEAN: _boolean, REAL: _decimal, FILE: _mapping}
"""For each kind: how to read a stored value. The values of all other kinds are stored as text."""


def attribute_evaluator(path: Path, symbol: AttributeSymbol) -> Evaluator:
    """Return an evaluator of the attribute at the end of a path."""
    *roles, name = path
    of_state = symbol.read or _read_stored(name, _READERS.get(symbol.kind, _text))
    return _own_evaluator(of_state) if not roles else _related_evaluator(tuple(roles), of_state)


def _read_stored(name: str, read: ReadStored) -> ReadState:
    return lambda state: read(state.get(name))


def _own_evaluator(of_state: ReadState) -> Evaluator:
    return lambda environment: of_state(environment.values)


def _related_evaluator(roles: Path, of_state: ReadState) -> Evaluator:
    def value(environment: Environment) -> Any:
        state = environment.related.get(roles)
        return None if state is None else of_state(state)

    return value


def role_evaluator(path: Path) -> Evaluator:
    """Return an evaluator of the object that a path leads to."""
    return lambda environment: environment.related.get(path)


MAX_ROLES = 10
"""The limit on roles in one path, because each costs a read."""


def check_name(checker: Checker, node: NameNode) -> TypedExpression:
    """Check a name, or several names with dots between them."""
    first, *others = node.words
    if first.text in checker.variables:
        return _check_variable(checker, node)
    if first.text == CALLER and (
        others or checker.scope.symbols.find(checker.scope.class_name, CALLER) is None
    ):
        return _check_caller_field(checker, node)
    return _check_path(checker, node)


def check_member_access(checker: Checker, node: MemberAccessNode) -> TypedExpression:
    """Report a name after an expression that has no attributes."""
    checker.check(node.operand)
    return checker.report(node.word.at, f"Only a role has attributes. Remove .{shorten(node.word.text)}.")


def _check_variable(checker: Checker, node: NameNode) -> TypedExpression:
    variable, *others = node.words
    if others:
        text = f"{shorten(variable.text)} is an item of a list, so it has no attributes."
        return checker.report(others[0].at, text)
    typed = checker.variables[variable.text]
    return replace(typed, at=node.at)


def _check_caller_field(checker: Checker, node: NameNode) -> TypedExpression:
    """Check a field of the caller."""
    fields = checker.scope.symbols.caller_fields
    caller, *others = node.words
    if not others:
        text = f"caller is a member, not a value. Add one of its fields: {or_list(fields)}."
        return checker.report(caller.at, text)
    field, *more = others
    if field.text not in fields:
        text = f"caller has no field {shorten(field.text)}. It has {and_list(fields)}."
        return checker.report(field.at, text, word=field.text, among=fields)
    if more:
        return checker.report(more[0].at, f"caller.{field.text} is a value. The path must end there.")
    checker.caller_fields.add(field.text)
    return TypedExpression(fields[field.text], _of_caller(field.text), node.at)


def _of_caller(field: str) -> Evaluator:
    return lambda environment: environment.context.caller_field(field)


def _check_path(checker: Checker, node: NameNode) -> TypedExpression:
    """Check a path from the class over roles to an attribute or a role."""
    at, path = checker.scope.class_name, tuple(word.text for word in node.words)
    for number, word in enumerate(node.words):
        found = checker.scope.symbols.find(at, word.text)
        if found is None:
            return _report_unknown_name(checker, at, word, first=number == 0)
        if isinstance(found, AttributeSymbol):
            return _check_attribute(checker, node, number, found, at)
        if refusal := _reason_not_to_follow(checker, found, f"{at}.{word.text}"):
            return checker.report(word.at, refusal)
        if number == MAX_ROLES:
            return checker.report(word.at, f"A path can have at most {MAX_ROLES} roles.")
        at = found.target
    checker.paths.add(path)
    return TypedExpression(OBJECT, role_evaluator(path), node.at)


def class_led_to(checker: Checker, node: NameNode) -> str | None:
    """Return the class to which a path of to-one roles leads, None if a name is not such a path."""
    at = checker.scope.class_name
    if node.words[0].text in checker.variables:
        return None
    for word in node.words:
        found = checker.scope.symbols.find(at, word.text)
        if not isinstance(found, RoleSymbol) or found.many:
            return None
        at = found.target
    return at


def _reason_not_to_follow(checker: Checker, role: RoleSymbol, name: str) -> str | None:
    """Return an error message if an expression can't follow a role, or else None."""
    if role.many:
        return f"{name} leads to many objects. For one value, use @derived(path: …, aggregate: …)."
    return (
        None
        if checker.scope.allows_roles
        else f"{name} is a role. A filter can use only the class's own attributes."
    )


def _check_attribute(
    checker: Checker, node: NameNode, number: int, symbol: AttributeSymbol, class_name: str
) -> TypedExpression:
    """Return the typed expression of an attribute that was found at a word of a path."""
    if symbol.kind is UNKNOWN:
        return unknown_at(node.at)
    if number + 1 < len(node.words):
        text = f"{class_name}.{node.words[number].text} is an attribute. The path must end there."
        return checker.report(node.words[number + 1].at, text)
    path: Path = tuple(word.text for word in node.words)
    checker.paths.add(path)
    evaluate = attribute_evaluator(path, symbol)
    return TypedExpression(symbol.kind, evaluate, node.at, path=path, folding=symbol.folding)


def _report_unknown_name(checker: Checker, class_name: str, word: Word, *, first: bool) -> TypedExpression:
    """Report an unknown name, with a hint or a suggestion."""
    name = word.text
    if first and (hint := _hint(checker, name)):
        return checker.report(word.at, hint)
    among: Iterable[str] = checker.scope.symbols.names_in(class_name)
    if first:
        values = [f"'{value}'" for enum in checker.scope.symbols.enumerations.values() for value in enum]
        among = [*among, *checker.variables, CALLER, *values]
    text = f'{class_name} has no attribute or role "{shorten(name)}".'
    return checker.report(word.at, text, word=name, among=among)


def _hint(checker: Checker, name: str) -> str | None:
    """Return an error message for the name of a function, an enum, or an enum value, or else None."""
    if name in checker.function_names:
        return f"{name} is a function. Add parentheses after it."
    for enum, values in checker.scope.symbols.enumerations.items():
        if name in values:
            return f"{name} is a value of {enum}. Write it in quotes: '{name}'."
        if name == enum and values:
            return f"{name} is an enum. Write its values in quotes, such as '{values[0]}'."
    return None
