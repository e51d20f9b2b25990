"""A derived attribute says how it is computed, and nothing that only a stored one can keep to."""

from collections.abc import Iterator

from stratabase.model.reading.manuscript import Manuscript, Member, Use
from stratabase.model.reading.mistake import Mistake, mistake
from stratabase.model.reading.rules.texts import empty

_STORED = {"File": "keep a file", "Serial": "be numbered by the service"}
"""What only stored attributes can do, by type."""


def derived(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check every @derived of an attribute, but for its path."""
    for member in manuscript.members:
        if member.type and (use := member.use("derived")):
            yield from _way(use)
            yield from empty(use, "expression")
            yield from empty(use, "path")
            yield from _restricted(member, use)


def _way(use: Use) -> Iterator[Mistake]:
    if "expression" in use.given and "path" in use.given:
        yield mistake(use.at("path"), "A derived attribute has either an expression or a path, not both.")
    elif use.sound and not {"expression", "path"} & set(use.given):
        yield mistake(use.node, "A derived attribute has an expression or a path.")
    elif use["aggregate"] and "expression" in use.given:
        yield mistake(use.at("aggregate"), "An aggregate goes with a path, not with an expression.")


def _restricted(member: Member, use: Use) -> Iterator[Mistake]:
    name = member.full_name
    if member.required:
        text = f"{name} is derived, so it cannot be required: leave out the !."
        yield mistake(member.node.type, text)
    for other in ("domain", "file"):
        if restriction := member.use(other):
            text = f"{name} is derived, so @{other} has nothing to check: restrict what it is made of."
            yield mistake(restriction.node, text)
    if (
        member.type
        and member.type.name in _STORED
        and ("expression" in use.given or member.type.name == "File")
    ):
        text = f"{name} is derived, so it cannot {_STORED[member.type.name]}."
        yield mistake(member.named, text)
