"""What `@unique` and `@index` share: a list of attributes, each known, comparable, and named once."""

from collections.abc import Iterator

from stratabase.model.class_ import PlatformAttribute
from stratabase.model.reading.manuscript import Manuscript, Use, Written
from stratabase.model.reading.mistake import Mistake, mistake, shown

_PLATFORM = {attribute.value: attribute for attribute in PlatformAttribute}


def attribute_list(manuscript: Manuscript, one: Written, use: Use) -> Iterator[Mistake]:
    """Check the `attributes` of a directive on a class."""
    if use.sound and not use["attributes"]:
        yield mistake(use.at("attributes"), f"@{use.name} names at least one attribute.")
    seen: set[str] = set()
    for name, node in use.each("attributes"):
        text = f"{shown(name)} stands here already." if name in seen else _refusal(manuscript, one, use, name)
        if text:
            yield mistake(node, text, word="" if _known(one, name) else name, among=_attributes(one))
        seen.add(name)


def _attributes(one: Written) -> list[str]:
    return [member.name for member in one.members.values() if not member.leads_to]


def _known(one: Written, name: str) -> bool:
    return name in one.members or name in _PLATFORM


def _refusal(manuscript: Manuscript, one: Written, use: Use, name: str) -> str | None:
    """Return what is wrong with one of the names."""
    if name in _PLATFORM:
        return _platform(one, use, name)
    if name in one.roles or any(back.name == name for back in manuscript.backs.get(one.name, ())):
        return f"{one.name}.{name} is a role; @{use.name} takes attributes."
    if name not in one.members:
        return f"{one.name} has no attribute {shown(name)}."
    kind = one.members[name].type
    unordered = kind is not None and not kind.sortable
    return f"{one.name}.{name} holds files, which cannot be compared." if unordered else None


def _platform(one: Written, use: Use, name: str) -> str | None:
    if use.name == "unique":
        return f"{name} is given by the service, so it cannot be unique."
    recorded = one.use("class")
    if _PLATFORM[name] in one.platform or (recorded and not recorded.sound):
        return None
    return f"{one.name} does not record {name}: @class(platform: [{_PLATFORM[name].name}]) does."
