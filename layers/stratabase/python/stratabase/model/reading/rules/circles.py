"""No derived attribute depends on itself, be it by way of others and of other classes."""

from collections.abc import Iterable, Iterator

from stratabase.model.expressions import ExpressionMistakes, Path, Scope, examine
from stratabase.model.reading.manuscript import Manuscript, Member
from stratabase.model.reading.mistake import Mistake, mistake
from stratabase.model.reading.naming import WrittenNames
from stratabase.model.reading.rounds import rounds
from stratabase.model.reading.walk import walk


def circles(manuscript: Manuscript) -> Iterator[Mistake]:
    """Report each circle once, at the attribute in it that stands first."""
    names = WrittenNames(manuscript)
    derived = {(one.owner, one.name): one for one in manuscript.members if one.is_derived}
    made_of = {name: [*_made_of(manuscript, one, names)] for name, one in derived.items()}
    for way in rounds(made_of):
        chain = " -> ".join(".".join(name) for name in [*way, way[0]])
        member = derived[way[0]]
        use = member.use("derived")
        assert use is not None
        place = use.at("path" if "path" in use.given else "expression")
        yield mistake(place, f"{member.full_name} depends on itself: {chain}.")


def _made_of(manuscript: Manuscript, member: Member, names: WrittenNames) -> Iterator[tuple[str, str]]:
    """Yield the attributes that a derived one is made of, as class and name."""
    for path in _paths(member, Scope(names, member.owner)):
        walked = walk(manuscript, member.owner, path)
        if walked.type:
            yield walked.steps[-1]


def _paths(member: Member, scope: Scope) -> Iterable[Path]:
    use = member.use("derived")
    assert use is not None
    path = [tuple(use["path"].split("."))] if use["path"] else []
    return [*path, *_uses(use["expression"], scope)] if use["expression"] else path


def _uses(text: str, scope: Scope) -> Iterable[Path]:
    """Return the paths in an expression, also in one with mistakes; sorted, so that messages do not vary."""
    try:
        return sorted(examine(text, scope).expression.uses)
    except ExpressionMistakes:
        return ()
