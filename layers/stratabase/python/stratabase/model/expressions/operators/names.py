"""Names: variables, `caller`, attributes, and the roles that lead to other objects."""

from collections.abc import Iterable

from stratabase.model.expressions.attributes import reader, role_reader
from stratabase.model.expressions.caller import CALLER, NAME
from stratabase.model.expressions.checker import Checker
from stratabase.model.expressions.kinds import OBJECT, UNKNOWN
from stratabase.model.expressions.meaning import Meaning, Run, unknown
from stratabase.model.expressions.paths import Path
from stratabase.model.expressions.scope import Value, Way
from stratabase.model.expressions.syntax import Names, Selection, Word
from stratabase.model.words import listed, shown

FARTHEST = 10
"""Roles in one path: each is another read."""


def names(checker: Checker, node: Names) -> Meaning:
    """Check a name, or several with dots between them."""
    first, *others = node.words
    if first.text in checker.variables:
        return _variable(checker, node)
    if first.text == NAME and (others or checker.scope.names.find(checker.scope.class_name, NAME) is None):
        return _caller(checker, node)
    return _path(checker, node)


def selection(checker: Checker, node: Selection) -> Meaning:
    """Refuse a name after something that has no names."""
    checker.meaning(node.operand)
    return checker.refuse(
        node.word.at, f"Only a role has attributes: .{shown(node.word.text)} finds nothing here."
    )


def _variable(checker: Checker, node: Names) -> Meaning:
    variable, *others = node.words
    if others:
        return checker.refuse(
            others[0].at, f"{shown(variable.text)} is an item of a list: it has no attributes."
        )
    meaning = checker.variables[variable.text]
    return Meaning(meaning.kind, meaning.run, node.at, texts=meaning.texts)


def _caller(checker: Checker, node: Names) -> Meaning:
    """Check a field of the member who asks."""
    caller, *others = node.words
    if not others:
        return checker.refuse(
            caller.at, f"caller is the member who asks: write which of {listed(CALLER, 'or')}."
        )
    field, *more = others
    if field.text not in CALLER:
        text = f"caller, the member who asks, has no {shown(field.text)}; it has {listed(CALLER)}."
        return checker.refuse(field.at, text, word=field.text, among=CALLER)
    if more:
        return checker.refuse(more[0].at, f"caller.{field.text} is a value: a path ends there.")
    checker.caller.add(field.text)
    return Meaning(CALLER[field.text], _of_caller(field.text), node.at)


def _of_caller(field: str) -> Run:
    if field == "username":
        return lambda environment: environment.circumstances.username
    return lambda environment: environment.circumstances.of_caller(field)


def _path(checker: Checker, node: Names) -> Meaning:
    """Walk from the class over roles to an attribute, or to a role."""
    at, path = checker.scope.class_name, tuple(word.text for word in node.words)
    for number, word in enumerate(node.words):
        found = checker.scope.names.find(at, word.text)
        if found is None:
            return _lost(checker, at, word, first=number == 0)
        if isinstance(found, Value):
            return _ending(checker, node, number, found, at)
        if refusal := _refusal(checker, found, f"{at}.{word.text}"):
            return checker.refuse(word.at, refusal)
        if number == FARTHEST:
            return checker.refuse(word.at, f"A path walks over at most {FARTHEST} roles.")
        at = found.target
    checker.uses.add(path)
    return Meaning(OBJECT, role_reader(path), node.at)


def _refusal(checker: Checker, way: Way, name: str) -> str | None:
    """Return why a role cannot be walked."""
    if way.many:
        return f"{name} leads to many objects: make one value of them by @derived(path: …, aggregate: …)."
    return None if checker.scope.roles else f"{name} is a role; a filter takes the class's own attributes."


def _ending(checker: Checker, node: Names, number: int, value: Value, at: str) -> Meaning:
    """Return the meaning of the attribute that a path has come to."""
    if value.kind is UNKNOWN:
        return unknown(node.at)
    if number + 1 < len(node.words):
        text = f"{at}.{node.words[number].text} is an attribute; a path ends there."
        return checker.refuse(node.words[number + 1].at, text)
    path: Path = tuple(word.text for word in node.words)
    checker.uses.add(path)
    return Meaning(value.kind, reader(path, value.kind), node.at)


def _lost(checker: Checker, at: str, word: Word, *, first: bool) -> Meaning:
    """Report a name that means nothing."""
    name = word.text
    if first and (hint := _hint(checker, name)):
        return checker.refuse(word.at, hint)
    among: Iterable[str] = checker.scope.names.near(at)
    if first:
        values = [f"'{value}'" for enum in checker.scope.names.enumerations.values() for value in enum]
        among = [*among, *checker.variables, NAME, *values]
    text = f'{at} has no attribute and no role "{shown(name)}".'
    return checker.refuse(word.at, text, word=name, among=among)


def _hint(checker: Checker, name: str) -> str | None:
    """Return what to write for the name of a function, of an enum, or of a value of one."""
    if name in checker.functions:
        return f"{name} is a function: write brackets behind it."
    for enum, values in checker.scope.names.enumerations.items():
        if name in values:
            return f"{name} is a value of {enum}: write it in quotes, '{name}'."
        if name == enum and values:
            return f"{name} is an enum: write its values as texts, such as '{values[0]}'."
    return None
