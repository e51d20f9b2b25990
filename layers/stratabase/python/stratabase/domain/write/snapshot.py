"""What has been read for a plan, and what it still lacks."""

from dataclasses import dataclass, field

from stratabase.domain.issues.issue import Path
from stratabase.domain.objects.change import Tombstone
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.serials import SerialName

Owner = tuple[RoleName, str]
"""An object of which it is asked what a role leads to."""


Moment = tuple[Reference, Instant]
"""An object of which it is asked what it was at an instant."""


Pair = tuple[RoleName, str, str]
"""Two objects of which it is asked whether a role leads from the one to the other."""


@dataclass(slots=True)
class Missing:
    """What is to be read, each thing once."""

    entities: dict[Reference, None] = field(default_factory=dict)
    seen: dict[Reference, None] = field(default_factory=dict)
    """Of which it is asked whether the caller sees them: objects that are there."""
    links: dict[Owner, None] = field(default_factory=dict)
    pairs: dict[Pair, None] = field(default_factory=dict)
    serials: dict[tuple[SerialName, Path], None] = field(default_factory=dict)
    """By where the request makes the object that is to be numbered."""
    versions: dict[Moment, None] = field(default_factory=dict)
    seen_versions: dict[Moment, None] = field(default_factory=dict)
    """Of which it is asked whether the caller sees what they were."""
    tombstones: dict[Reference, None] = field(default_factory=dict)

    def __bool__(self) -> bool:
        of_now = (self.entities, self.seen, self.links, self.pairs, self.serials)
        return any((*of_now, self.versions, self.seen_versions, self.tombstones))


@dataclass(slots=True)
class Snapshot:
    """The answers to questions.

    A plan asks for whatever it needs. What is not known counts as absent and is noted as lacking: the
    plan is good only when nothing was, otherwise it is made once more when that has been read.
    """

    entities: dict[Reference, Entity | None] = field(default_factory=dict)
    seen: dict[Reference, bool] = field(default_factory=dict)
    links: dict[Owner, tuple[str, ...]] = field(default_factory=dict)
    pairs: dict[Pair, bool] = field(default_factory=dict)
    serials: dict[tuple[SerialName, Path], int] = field(default_factory=dict)
    versions: dict[Moment, Entity | None] = field(default_factory=dict)
    seen_versions: dict[Moment, bool] = field(default_factory=dict)
    tombstones: dict[Reference, Tombstone | None] = field(default_factory=dict)
    missing: Missing = field(default_factory=Missing)

    def knows(self, reference: Reference) -> bool:
        """Return whether it is known if there is an object."""
        return reference in self.entities

    def entity(self, reference: Reference) -> Entity | None:
        """Return an object."""
        if reference not in self.entities:
            self.missing.entities[reference] = None
        return self.entities.get(reference)

    def sees(self, reference: Reference) -> bool:
        """Return whether the caller sees an object that is there."""
        if reference not in self.seen:
            self.missing.seen[reference] = None
        return self.seen.get(reference, False)

    def version(self, reference: Reference, at: Instant) -> Entity | None:
        """Return what an object was at an instant."""
        if (reference, at) not in self.versions:
            self.missing.versions[reference, at] = None
        return self.versions.get((reference, at))

    def saw_version(self, reference: Reference, at: Instant) -> bool:
        """Return whether the caller sees what an object was at an instant, if it was there."""
        if self.version(reference, at) is None:
            return False
        if (reference, at) not in self.seen_versions:
            self.missing.seen_versions[reference, at] = None
        return self.seen_versions.get((reference, at), False)

    def knows_tombstone(self, reference: Reference) -> bool:
        """Return whether it is known what `gone` returns."""
        return reference in self.tombstones

    def tombstone(self, reference: Reference) -> Tombstone | None:
        """Return what is remembered of an object that was deleted."""
        if reference not in self.tombstones:
            self.missing.tombstones[reference] = None
        return self.tombstones.get(reference)

    def linked_ids(self, role: RoleName, id_: str) -> tuple[str, ...]:
        """Return what a role leads to that the object's state does not tell."""
        if (role, id_) not in self.links:
            self.missing.links[role, id_] = None
        return self.links.get((role, id_), ())

    def is_linked(self, role: RoleName, owner: str, other: str) -> bool:
        """Return whether there is a link."""
        if (role, owner, other) not in self.pairs:
            self.missing.pairs[role, owner, other] = None
        return self.pairs.get((role, owner, other), False)

    def serial(self, name: SerialName, path: Path) -> int | None:
        """Return the number of the object that a request makes at a place."""
        if (name, path) not in self.serials:
            self.missing.serials[name, path] = None
        return self.serials.get((name, path))
