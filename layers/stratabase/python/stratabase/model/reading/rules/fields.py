"""A field is an attribute of one value, or a role to one object or a list of them."""

from collections.abc import Iterator

from graphql.language import TypeNode, print_ast

from stratabase.model.reading.manuscript import Manuscript, Member, Written
from stratabase.model.reading.mistake import Mistake, mistake, nearest, shown
from stratabase.model.types import TYPES

_OTHERWISE = {
    **dict.fromkeys(("Float", "Double", "Decimal", "Number", "Money"), "Real"),
    **dict.fromkeys(("Integer", "Long", "BigInt"), "Int"),
    **dict.fromkeys(("Timestamp", "Instant"), "Datetime"),
    **dict.fromkeys(("Bool",), "Boolean"),
    **dict.fromkeys(("Upload", "Blob", "Binary"), "File"),
    **dict.fromkeys(("ID", "Char", "Varchar"), "String"),
}
"""What other languages call the attribute types."""
_FOR_ROLES = ("association", "composition")
_FOR_ATTRIBUTES = ("domain", "file", "derived")


def fields(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check the type of every field, and that its directives are for its kind of field."""
    for one in manuscript.classes.values():
        yield from _any(one)
        for member in one.fields:
            yield from _arguments(member)
            yield from _shape(member) if member.type or member.leads_to else _unknown(manuscript, member)
            yield from _directives(member)


def _any(one: Written) -> Iterator[Mistake]:
    if not one.fields:
        yield mistake(one.node.name, f"The class {shown(one.name)} has no attribute and no role.")


def _arguments(member: Member) -> Iterator[Mistake]:
    if member.node.arguments:
        text = f"{shown(member.full_name)} takes no arguments: the service makes those that clients need."
        yield mistake(member.node.arguments[0], text)


def _unknown(manuscript: Manuscript, member: Member) -> Iterator[Mistake]:
    word = member.target
    if word in manuscript.unread:
        return
    known = [*TYPES, *manuscript.classes, *manuscript.enumerations, *manuscript.unread]
    message = f"Unknown type {shown(word)}: neither an attribute type, nor a class or an enum of the model."
    at = mistake(member.named, message)
    yield Mistake(at.file, at.line, at.column, message, _OTHERWISE.get(word) or nearest(word, tuple(known)))


def _shape(member: Member) -> Iterator[Mistake]:
    if member.type and member.many:
        text = f"{member.full_name} holds one value, not a list: for many, make a class and a @composition."
        yield mistake(member.node.type, text)
    elif member.leads_to and member.many and not _is_list(member.node.type):
        right = f"[{member.leads_to}!]" + "!" * member.required
        yield mistake(member.node.type, f"A list of objects is written {right}.")


def _is_list(node: TypeNode) -> bool:
    """Return whether a type is `[X!]` or `[X!]!`."""
    return print_ast(node).count("[") == 1 and print_ast(node).rstrip("!").endswith("!]")


def _directives(member: Member) -> Iterator[Mistake]:
    wrong: tuple[str, ...] = ()
    kind = other = ""
    if member.type:
        wrong, kind, other = _FOR_ROLES, "an attribute", "roles"
    elif member.leads_to:
        wrong, kind, other = _FOR_ATTRIBUTES, "a role", "attributes"
    for use in member.uses:
        if use.name in wrong:
            yield mistake(use.node, f"@{use.name} is for {other}; {member.full_name} is {kind}.")
    if member.leads_to and (composition := member.use("composition")) and member.use("association"):
        text = f"{member.full_name} is either an association or a composition, not both."
        yield mistake(composition.node, text)
