"""No derived attribute depends on itself, be it by way of others and of other classes."""

from collections.abc import Iterator

from stratabase.model.reading.manuscript import Manuscript, Member
from stratabase.model.reading.mistake import Mistake, mistake
from stratabase.model.reading.rounds import rounds
from stratabase.model.reading.rules.texts import chains
from stratabase.model.reading.walk import walk


def circles(manuscript: Manuscript) -> Iterator[Mistake]:
    """Report each circle once, at the attribute in it that stands first."""
    derived = {(one.owner, one.name): one for one in manuscript.members if one.is_derived}
    made_of = {name: [*_made_of(manuscript, one)] for name, one in derived.items()}
    for way in rounds(made_of):
        chain = " -> ".join(".".join(name) for name in [*way, way[0]])
        member = derived[way[0]]
        use = member.use("derived")
        assert use is not None
        place = use.at("path" if "path" in use.given else "expression")
        yield mistake(place, f"{member.full_name} depends on itself: {chain}.")


def _made_of(manuscript: Manuscript, member: Member) -> Iterator[tuple[str, str]]:
    """Yield the attributes that a derived one is made of, as class and name."""
    for names in _ways(member):
        walked = walk(manuscript, member.owner, names)
        if walked.type:
            yield walked.steps[-1]


def _ways(member: Member) -> list[tuple[str, ...]]:
    use = member.use("derived")
    assert use is not None
    path = [tuple(use["path"].split("."))] if use["path"] else []
    return path + chains(use["expression"] or "")
