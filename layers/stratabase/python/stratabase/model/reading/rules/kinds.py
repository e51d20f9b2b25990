"""Singletons and forms do without what only makes sense for many stored objects."""

from collections.abc import Iterator, Mapping

from stratabase.model.class_ import Kind
from stratabase.model.reading.manuscript import Manuscript, Member, Written
from stratabase.model.reading.mistake import Mistake, mistake

_ONE = "there is only one object of it"
_NONE = "its objects are never stored"
_WHY = {Kind.SINGLETON: _ONE, Kind.FORM: _NONE}
_DIRECTIVES: Mapping[Kind, tuple[str, ...]] = {
    Kind.SINGLETON: ("unique", "index"),
    Kind.FORM: ("unique", "index"),
}
_ARGUMENTS: Mapping[Kind, tuple[str, ...]] = {Kind.FORM: ("versioned", "platform")}
_TYPES: Mapping[Kind, tuple[str, ...]] = {Kind.SINGLETON: ("Serial",), Kind.FORM: ("Serial", "File")}


def kinds(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check what classes say against their kind, and that platform attributes are named once."""
    for one in manuscript.classes.values():
        yield from _platform(one)
        if one.kind is not Kind.ORDINARY:
            yield from _directives(one)
            yield from _arguments(one)
            for member in one.fields:
                yield from _member(one, member)
    yield from _targets(manuscript)


def _platform(one: Written) -> Iterator[Mistake]:
    use = one.use("class")
    seen: set[str] = set()
    for word, node in use.each("platform") if use else ():
        if word in seen:
            yield mistake(node, f"{word} stands here already.")
        seen.add(word)


def _directives(one: Written) -> Iterator[Mistake]:
    for use in one.uses:
        if use.name in _DIRECTIVES[one.kind]:
            yield mistake(use.node, f"@{use.name} means nothing on {_called(one)}: {_WHY[one.kind]}.")


def _arguments(one: Written) -> Iterator[Mistake]:
    use = one.use("class")
    for name in _ARGUMENTS.get(one.kind, ()):
        if use and use[name]:
            yield mistake(use.at(name), f"{name} means nothing on {_called(one)}: {_WHY[one.kind]}.")


def _member(one: Written, member: Member) -> Iterator[Mistake]:
    if member.type and member.type.name in _TYPES[one.kind] and not member.is_derived:
        text = f"{_called(one)} has no {member.type.name}: {_WHY[one.kind]}."
        yield mistake(member.named, text[0].upper() + text[1:])
    if one.kind is Kind.FORM and member.is_composition:
        yield mistake(member.named, f"The form {one.name} has no parts: {_NONE}.")


def _targets(manuscript: Manuscript) -> Iterator[Mistake]:
    """Refuse roles that lead to singletons and forms."""
    for member in manuscript.members:
        target = manuscript.classes.get(member.target) if member.leads_to else None
        if target and target.kind is not Kind.ORDINARY:
            yield mistake(member.named, f"No role leads to {_called(target)}: {_WHY[target.kind]}.")


def _called(one: Written) -> str:
    return f"the {one.kind.value.lower()} {one.name}"
