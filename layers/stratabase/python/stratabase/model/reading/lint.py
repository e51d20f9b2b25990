"""What a model may say, but probably should not.

Those are grants that depend on what members set themselves, and patterns that admit ASCII without saying so.
"""

from collections.abc import Iterator
from dataclasses import fields

from graphql.language import Node as AstNode
from graphql.language import StringValueNode

from stratabase.model.expressions.caller import NAME
from stratabase.model.expressions.expression import Expression
from stratabase.model.expressions.names_as_written import names_as_written
from stratabase.model.expressions.of_model import Expressions, expressions_of
from stratabase.model.expressions.parsing import parsed
from stratabase.model.expressions.paths import Path
from stratabase.model.expressions.syntax import Names, Node
from stratabase.model.model import Model
from stratabase.model.reading.manuscript import Manuscript, Use
from stratabase.model.reading.mistake import Mistake, listed, mistake
from stratabase.model.reading.places import place_in
from stratabase.model.types.rules.pattern import ascii_words

SET_BY_MEMBERS = ("notes", "language", "timeZone", "dateFormat", "timeFormat")
"""The fields of `caller` that every member may change without anybody's proof or leave."""
_ADVICE = (
    "so they decide themselves what this allows: compare caller.id, username or profile, which only "
    "administrators set, or email, which members must confirm."
)

_ASCII = (
    r"only ASCII letters (RE2): write [\p{L}\p{N}_] for a character of words in any script, or [A-Za-z0-9_] "
    "if ASCII is meant."
)


def lint(manuscript: Manuscript, model: Model) -> Iterator[Mistake]:
    """Yield what somebody should look at in a model that has been read, with its place."""
    expressions = expressions_of(model)
    for one in manuscript.classes.values():
        for holder in (one, *one.fields):
            for use in holder.all("grant"):
                if use["where"]:
                    yield from _conditions(expressions, one.name, use)
    yield from _patterns(manuscript)


def _patterns(manuscript: Manuscript) -> Iterator[Mistake]:
    """Yield a warning for each pattern with words, which other engines make of the letters of any script."""
    for member in manuscript.members:
        if use := member.use("domain"):
            for pattern, node in use.each("pattern"):
                if found := ascii_words(pattern):
                    yield mistake(node, f"{listed(found)} {'know' if len(found) > 1 else 'knows'} {_ASCII}")


def _conditions(expressions: Expressions, class_name: str, use: Use) -> Iterator[Mistake]:
    """Yield a warning for each field that members set, which a grant reads itself or by what is derived.

    And for each name of a member that it takes as it was written, whoever has that name now.
    """
    text, node = use["where"], use.at("where")
    for written in names_as_written(expressions.model, class_name, text):
        yield _at(node, written.at, str(written))
    for names in _caller_fields(parsed(text)):
        field = names.words[1]
        if field.text in SET_BY_MEMBERS:
            yield _at(node, names.at, f"Members set caller.{field.text} themselves, {_ADVICE}")
    condition = expressions.condition(class_name, text)
    for path in sorted(condition.uses):
        derived = _derived_from(expressions, class_name, path)
        found = [field for field in SET_BY_MEMBERS if field in derived]
        if found:
            made_of = listed([f"caller.{field}" for field in found])
            message = f"{'.'.join(path)} is derived from {made_of}, which members set themselves, {_ADVICE}"
            yield mistake(node, message)


def _at(node: AstNode, character: int, message: str) -> Mistake:
    """Return a warning with its place: a character of a text of the model."""
    if not isinstance(node, StringValueNode) or node.loc is None:
        return mistake(node, message)
    line, column = place_in(node, character)
    return Mistake(node.loc.source.name, line, column, message)


def _caller_fields(node: Node) -> Iterator[Names]:
    """Yield the places of an expression that read a field of `caller`."""
    if isinstance(node, Names) and len(node.words) > 1 and node.words[0].text == NAME:
        yield node
    for field in fields(node):
        yield from _within(getattr(node, field.name))


def _within(value: object) -> Iterator[Names]:
    if isinstance(value, Node):
        yield from _caller_fields(value)
    elif isinstance(value, tuple):
        for item in value:
            yield from _within(item)


def _derived_from(expressions: Expressions, class_name: str, path: Path) -> frozenset[str]:
    """Return the fields of `caller` from which the attribute at the end of a path is derived."""
    class_ = expressions.model.classes[class_name]
    first, *rest = path
    if first in class_.roles:
        return _derived_from(expressions, class_.roles[first].target, tuple(rest)) if rest else frozenset()
    attribute = class_.attributes.get(first)
    if attribute is None or attribute.derivation is None:
        return frozenset()
    if attribute.derivation.path:
        return _derived_from(expressions, class_name, attribute.derivation.path)
    expression = expressions.derived(class_name, attribute)
    return _read_by(expressions, class_name, expression) if expression else frozenset()


def _read_by(expressions: Expressions, class_name: str, expression: Expression) -> frozenset[str]:
    """Return the fields of `caller` that an expression reads, itself or by derived attributes."""
    return expression.caller.union(
        *(_derived_from(expressions, class_name, path) for path in expression.uses)
    )
