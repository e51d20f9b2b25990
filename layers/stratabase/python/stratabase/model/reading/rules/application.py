"""A model is one application, with at least one class and one administrator profile."""

import re
from collections.abc import Iterator

from graphql.language import SchemaExtensionNode

from stratabase.model.reading.manuscript import Manuscript, Use
from stratabase.model.reading.mistake import Mistake, mistake, shown

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_PROFILE = re.compile(r"\S(.{0,98}\S)?")
_MISSING = 'The model names no application. It begins with: extend schema @application(name: "…").'


def application(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check that there is an application, that its name fits into an address, and that it has a class."""
    use = manuscript.use("application")
    if use is None:
        yield from _absent(manuscript)
        return
    if not _NAME.fullmatch(use["name"]):
        text = f'"{shown(use["name"])}" names no application: write letters, digits and _, a letter first.'
        yield mistake(use.at("name"), text)
    if not manuscript.classes and not manuscript.unread:
        yield mistake(use.node, f"The application {shown(use['name'])} has no class. Write a type.")


def _absent(manuscript: Manuscript) -> Iterator[Mistake]:
    if manuscript.schema_unread or _tried(manuscript):
        return
    if manuscript.schema:
        yield mistake(manuscript.schema, _MISSING)
    else:
        yield Mistake(manuscript.file, 1, 1, _MISSING)


def _tried(manuscript: Manuscript) -> bool:
    """Return whether there is an @application that other rules have found wrong."""
    schemas = (node for node in manuscript.definitions if isinstance(node, SchemaExtensionNode))
    return any(use.name.value == "application" for node in schemas for use in node.directives or ())


def profiles(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check that profiles have names of their own, and that one of them is an administrator's."""
    uses = list(manuscript.all("profile"))
    seen: set[str] = set()
    for use in uses:
        yield from _name_mistakes(use, seen)
        seen.add(use["name"].casefold())
    if uses and not manuscript.schema_unread and all(use.sound and not use["administrator"] for use in uses):
        text = "No profile is an administrator's. Write administrator: true in one of them."
        yield mistake(uses[0].node, text)


def _name_mistakes(use: Use, seen: set[str]) -> Iterator[Mistake]:
    name = use["name"]
    if not _PROFILE.fullmatch(name) or not name.isprintable():
        yield mistake(
            use.at("name"), "A profile has a name of 1 to 100 characters, without blanks around it."
        )
    elif name.casefold() in seen:
        text = (
            f'There is a profile "{shown(name)}" already; names that differ only in case count as the same.'
        )
        yield mistake(use.at("name"), text)
