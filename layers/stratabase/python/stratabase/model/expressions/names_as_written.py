"""Where a condition may go by the name of a member as it was written, and not by whom it means."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import chain
from typing import NamedTuple

from stratabase.model.attribute import Attribute
from stratabase.model.expressions.caller import NAME
from stratabase.model.expressions.parsing import parsed
from stratabase.model.expressions.syntax import Call, Choice, Comparison, Items, Names, Node
from stratabase.model.member_names import NAMING
from stratabase.model.model import Model

_BY_ID = frozenset({"==", "!=", "in"})
_ASKING = frozenset({"isNull", "has"})
"""The functions that ask whether there is a name, whosever it is."""
ADVICE = "a name that another member can take: compare it with caller.username, by ==, != or in"


class Use(NamedTuple):
    """A use of such a name, at a character of the text; `made_of`: what a derived attribute has it from."""

    at: int
    path: str
    made_of: str = ""

    def __str__(self) -> str:
        """Return what a person should know of it."""
        made_of = f", made of {self.made_of}," if self.made_of else ""
        return f"This may go by {self.path}{made_of} as it was written, {ADVICE}."


def names_as_written(model: Model, class_name: str, text: str) -> Iterator[Use]:
    """Yield the uses of such names in a condition over a class that has been checked."""
    return _uses(model, class_name, parsed(text))


def _uses(model: Model, class_name: str, node: Node) -> Iterator[Use]:
    if isinstance(node, Names):
        yield from _of_path(model, class_name, node)
    elif isinstance(node, Comparison) and node.operator.text in _BY_ID:
        for other in _children(node.right) if isinstance(node.right, Items) else (node.right,):
            if not (_is_member(model, class_name, node.left) and _is_member(model, class_name, other)):
                yield from _uses(model, class_name, node.left)
                yield from _uses(model, class_name, other)
    elif not (isinstance(node, Call) and node.word.text in _ASKING):
        for child in _children(node):
            yield from _uses(model, class_name, child)


def _is_member(model: Model, class_name: str, node: Node) -> bool:
    """Return whether all that a value can be is the name of a member, with whom it means."""
    if isinstance(node, Names):
        path = [word.text for word in node.words]
        return path == [NAME, "username"] or _found(model, class_name, path)[1] in NAMING
    if isinstance(node, Items) or (isinstance(node, Call) and node.word.text == "firstNotNull"):
        return all(_is_member(model, class_name, child) for child in _children(node))
    if isinstance(node, Choice):
        values = (*(value for _, value in node.cases), node.otherwise)
        return all(_is_member(model, class_name, value) for value in values)
    return False


def _of_path(model: Model, class_name: str, node: Names) -> Iterator[Use]:
    path = [word.text for word in node.words]
    owner, name, attribute = _found(model, class_name, path)
    derivation = attribute.derivation if attribute else None
    use = Use(node.at, ".".join(path))
    if name in NAMING:
        yield use
    elif derivation is not None and derivation.expression is not None:
        expression = parsed(derivation.expression)
        found = _uses(model, owner, expression)
        if _is_member(model, owner, expression) or next(found, None):
            yield use._replace(made_of=derivation.expression)
    elif derivation is not None and _found(model, owner, derivation.path)[1] in NAMING:
        yield use._replace(made_of=".".join(derivation.path))


def _found(model: Model, class_name: str, path: Sequence[str]) -> tuple[str, str, Attribute | None]:
    """Return the class to which a path leads, and the attribute at its end; "" and None if that is none."""
    *roles, name = path
    for role in roles:
        found = model.classes[class_name].roles.get(role)
        if found is None:
            return class_name, "", None
        class_name = found.target
    attribute = model.classes[class_name].attributes.get(name)
    return class_name, name if attribute else "", attribute


def _children(node: Node) -> Iterator[Node]:
    values = (getattr(node, field.name) for field in fields(node))
    return chain.from_iterable(map(_nodes, values))


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _nodes(item)
