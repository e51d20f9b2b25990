"""A domain says what its type takes, in values of that type, and leaves some value possible."""

from collections.abc import Generator, Iterator

from graphql.language import Node

from stratabase.model.attribute import Domain, Stored
from stratabase.model.formats import DEFAULT_FORMATS
from stratabase.model.malformed import Malformed
from stratabase.model.reading.manuscript import Manuscript, Use
from stratabase.model.reading.mistake import Mistake, listed, mistake, shown
from stratabase.model.types.base import AttributeType

MOST_DIGITS = 38


def domains(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check every @domain of an attribute, but for its patterns."""
    for member in manuscript.members:
        if member.type and (use := member.use("domain")):
            yield from _fitting(member.type, use)
            yield from _lengths(use)
            least, greatest = yield from _range(member.type, use)
            yield from _values(member.type, use, _domain(use, least, greatest))


def _fitting(kind: AttributeType, use: Use) -> Iterator[Mistake]:
    if not use.given and use.sound:
        yield mistake(use.node, f"This @domain says nothing; {_taken(kind)}.")
    for name, argument in use.given.items():
        if name not in kind.restrictions:
            text = f"{name} is not for {kind.name}; {_taken(kind)}."
            yield mistake(argument, text)


def _taken(kind: AttributeType) -> str:
    restrictions = sorted(kind.restrictions)
    return f"{kind.name} takes {listed(restrictions)}" if restrictions else f"{kind.name} takes no @domain"


def _lengths(use: Use) -> Iterator[Mistake]:
    least, greatest, digits = use["minLength"], use["maxLength"], use["digits"]
    if least is not None and least < 0:
        yield mistake(use.at("minLength"), "minLength is 0 or more.")
    if greatest is not None and greatest < 1:
        yield mistake(use.at("maxLength"), "maxLength is 1 or more.")
    elif least is not None and greatest is not None and least > greatest:
        text = f"No value is possible: minLength {least} is greater than maxLength {greatest}."
        yield mistake(use.at("minLength"), text)
    if digits is not None and not 0 <= digits <= MOST_DIGITS:
        yield mistake(use.at("digits"), f"digits is a number from 0 to {MOST_DIGITS}.")


def _range(kind: AttributeType, use: Use) -> Generator[Mistake, None, tuple[Stored, Stored]]:
    """Return min and max, if they are right."""
    least = yield from _bound(kind, use, "min")
    greatest = yield from _bound(kind, use, "max")
    if least is not None and greatest is not None and kind.rank(greatest) < kind.rank(least):
        text = f"No value is possible: min {shown(use['min'])} is greater than max {shown(use['max'])}."
        yield mistake(use.at("min"), text)
        return None, None
    return least, greatest


def _bound(kind: AttributeType, use: Use, name: str) -> Generator[Mistake, None, Stored]:
    if use[name] is None or name not in kind.restrictions:
        return None
    return (yield from _read(kind, use[name], use.at(name), name))


def _read(kind: AttributeType, text: str, node: Node, name: str) -> Generator[Mistake, None, Stored]:
    try:
        return kind.read(text, DEFAULT_FORMATS)
    except Malformed as malformed:
        yield mistake(node, f"{name}: {malformed}.")
        return None


def _domain(use: Use, least: Stored, greatest: Stored) -> Domain:
    """Return what the domain asks of its own values: all but to be among them or like its patterns."""
    return Domain(
        minimum=least,
        maximum=greatest,
        min_length=use["minLength"],
        max_length=use["maxLength"],
        digits=use["digits"],
        email=bool(use["email"]),
        phone=bool(use["phone"]),
        partita_iva=bool(use["partitaIva"]),
        codice_fiscale=bool(use["codiceFiscale"]),
    )


def _values(kind: AttributeType, use: Use, domain: Domain) -> Iterator[Mistake]:
    if use["values"] is None or "values" not in kind.restrictions:
        return
    if use["values"] == () and use.sound:
        yield mistake(use.at("values"), "No value is possible: values is empty.")
    seen: list[Stored] = []
    for text, node in use.each("values"):
        value = yield from _read(kind, text, node, "values")
        if value in seen:
            yield mistake(node, f'"{shown(text)}" stands here already.')
        for breach in kind.domain_mistakes(value, domain) if value is not None else ():
            yield mistake(node, f'"{shown(text)}" is outside of its own domain: {breach.text}.')
        seen += [value] if value is not None else []
