"""Read what a plan lacks: each kind of thing in one batch, however much of it there is."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from stratabase.domain.objects.entity import Entity, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.domain.write.snapshot import Missing, Moment, Owner, Pair, Snapshot
from stratabase.operations.ports import Entities

Q = TypeVar("Q", Owner, Pair)


Look = Callable[[Sequence[Entity]], Sequence[bool]]
"""Tells of objects that were read whether the caller sees them."""


LookBack = Callable[[Sequence[Entity], Instant], Sequence[bool]]
"""Tells of objects, as they were at an instant, whether the caller sees that."""


def load_missing(entities: Entities, snapshot: Snapshot, look: Look, look_back: LookBack) -> None:
    """Add to a snapshot what it lacks. Raises TooMuchRead, Unavailable.

    `look` tells which objects the caller sees, `look_back` of which it sees what they were.
    """
    lacking, snapshot.missing = snapshot.missing, Missing()
    if lacking.entities:
        references = list(lacking.entities)
        snapshot.entities.update(zip(references, entities.read(references), strict=True))
    for role, owners in _by_role(lacking.links).items():
        ids = [id_ for _, id_ in owners]
        snapshot.links.update(zip(owners, entities.linked(role, ids), strict=True))
    for role, pairs in _by_role(lacking.pairs).items():
        ends = [(owner, other) for _, owner, other in pairs]
        snapshot.pairs.update(zip(pairs, entities.are_linked(role, ends), strict=True))
    if lacking.seen:
        known = {reference: snapshot.entities[reference] for reference in lacking.seen}
        there = {reference: entity for reference, entity in known.items() if entity is not None}
        snapshot.seen.update(zip(there, look([*there.values()]), strict=True))
    if lacking.versions:
        moments = list(lacking.versions)
        snapshot.versions.update(zip(moments, entities.as_of(moments), strict=True))
    for at, asked in _by_instant(lacking.seen_versions).items():
        versions = [version for moment in asked if (version := snapshot.versions[moment]) is not None]
        seen = dict(zip((each.reference for each in versions), look_back(versions, at), strict=True))
        snapshot.seen_versions.update({moment: seen.get(moment[0], False) for moment in asked})
    if lacking.tombstones:
        references = list(lacking.tombstones)
        snapshot.tombstones.update(zip(references, entities.tombstones(references), strict=True))
    if lacking.serials:
        _number(entities, snapshot, lacking)


def _by_role(questions: Iterable[Q]) -> Mapping[RoleName, Sequence[Q]]:
    found: dict[RoleName, list[Q]] = defaultdict(list)
    for question in questions:
        found[question[0]].append(question)
    return found


def _by_instant(moments: Iterable[Moment]) -> Mapping[Instant, Sequence[Moment]]:
    found: dict[Instant, list[Moment]] = defaultdict(list)
    for moment in moments:
        found[moment[1]].append(moment)
    return found


def _number(entities: Entities, snapshot: Snapshot, lacking: Missing) -> None:
    """Give out new numbers in the order of the request."""
    wanted = Counter(name for name, _ in lacking.serials)
    numbers = {name: iter(given) for name, given in entities.next_serials(wanted).items()}
    for name, path in lacking.serials:
        snapshot.serials[name, path] = next(numbers[name])
