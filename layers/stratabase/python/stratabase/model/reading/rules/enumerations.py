"""An enum has values, each once."""

from collections.abc import Iterator

from graphql.language import EnumTypeDefinitionNode

from stratabase.model.reading.manuscript import Manuscript
from stratabase.model.reading.mistake import Mistake, mistake, shown


def enumerations(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check the values of every enum."""
    for node in manuscript.enumerations.values():
        if not node.values:
            yield mistake(node.name, f"The enum {shown(node.name.value)} has no values.")
        yield from _repeated(node)


def _repeated(node: EnumTypeDefinitionNode) -> Iterator[Mistake]:
    seen: set[str] = set()
    for value in node.values or ():
        if value.name.value in seen:
            text = f"{shown(node.name.value)} has the value {shown(value.name.value)} already."
            yield mistake(value.name, text)
        seen.add(value.name.value)
