"""Who may write a unique attribute may read it: refusals would give the values of others away."""

from collections.abc import Iterator

from stratabase.model.reading.manuscript import Manuscript, Use, Written
from stratabase.model.reading.mistake import Mistake, listed, mistake, shown

_WRITING = frozenset({"CREATE", "EDIT"})


def unreadable(manuscript: Manuscript) -> Iterator[Mistake]:
    """Report grants that allow CREATE or EDIT of a unique attribute without READ."""
    for one in manuscript.classes.values():
        reported: set[int] = set()
        for name in _unique(one):
            for use in _grants(one, name):
                writing = [action for action in use["allow"] if action in _WRITING]
                if writing and use.sound and "READ" not in use["allow"] and id(use) not in reported:
                    reported.add(id(use))
                    yield mistake(use.at("allow"), _text(one, name, use, writing))


def _text(one: Written, name: str, use: Use, writing: list[str]) -> str:
    return (
        f'"{shown(use["profile"])}" may {listed(writing)} the unique {one.name}.{name} without READ, '
        "and so find out values by trying: add READ."
    )


def _unique(one: Written) -> list[str]:
    names = dict.fromkeys(name for use in one.all("unique") for name in use["attributes"])
    return [name for name in names if name in one.attributes]


def _grants(one: Written, name: str) -> list[Use]:
    """Return the grant that counts for an attribute, for each profile that has one."""
    counting = {use["profile"]: use for use in one.all("grant")}
    return list((counting | {use["profile"]: use for use in one.members[name].all("grant")}).values())
