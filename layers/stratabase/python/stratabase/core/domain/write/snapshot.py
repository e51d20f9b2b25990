"""What has been read for a plan, and what must still be read."""

from dataclasses import dataclass, field

from stratabase.core.domain.files.pending_file import PendingFile
from stratabase.core.domain.issues.issue import Path
from stratabase.core.domain.objects.change import Tombstone
from stratabase.core.domain.objects.entity import Entity, Moment, Reference, RoleName, SerialName
from stratabase.core.domain.objects.instant import Instant

Owner = tuple[RoleName, str]
"""An object and one of its roles, to find what the role leads to."""
Pair = tuple[RoleName, str, str]
"""A role and two objects, to find whether the role leads from the first to the second."""


@dataclass(slots=True)
class Missing:
    """What must be read, without duplicates and in the order in which the plan needed it."""

    entities: dict[Reference, None] = field(default_factory=dict)
    seen: dict[Reference, None] = field(default_factory=dict)
    """Objects that exist, to find whether the caller sees them."""
    links: dict[Owner, None] = field(default_factory=dict)
    pairs: dict[Pair, None] = field(default_factory=dict)
    serials: dict[tuple[SerialName, Path], None] = field(default_factory=dict)
    """Numbers to assign, each with the path of the object that the request creates."""
    versions: dict[Moment, None] = field(default_factory=dict)
    seen_versions: dict[Moment, None] = field(default_factory=dict)
    """Former states, to find whether the caller may see them."""
    tombstones: dict[Reference, None] = field(default_factory=dict)
    uploads: dict[str, None] = field(default_factory=dict)
    """The IDs of pending files."""
    known_since: dict[RoleName, None] = field(default_factory=dict)
    """Roles, to find since when objects have them in their state."""

    def __bool__(self) -> bool:
        return bool(self.serials) or self._is_more_than_serials

    @property
    def is_serials_only(self) -> bool:
        """Whether nothing but numbers must be read."""
        return bool(self.serials) and not self._is_more_than_serials

    @property
    def _is_more_than_serials(self) -> bool:
        return bool(
            self.entities
            or self.seen
            or self.links
            or self.pairs
            or self.uploads
            or self.versions
            or self.seen_versions
            or self.tombstones
            or self.known_since
        )


@dataclass(slots=True)
class Snapshot:
    """Everything that has been read for a plan.

    A plan asks its snapshot for whatever it needs. What the snapshot does not know counts as absent, and is
    noted in `missing`. When that has been read, the plan is made again, until nothing is missing.
    """

    entities: dict[Reference, Entity | None] = field(default_factory=dict)
    seen: dict[Reference, bool] = field(default_factory=dict)
    links: dict[Owner, tuple[str, ...]] = field(default_factory=dict)
    pairs: dict[Pair, bool] = field(default_factory=dict)
    serials: dict[tuple[SerialName, Path], int] = field(default_factory=dict)
    versions: dict[Moment, Entity | None] = field(default_factory=dict)
    seen_versions: dict[Moment, bool] = field(default_factory=dict)
    tombstones: dict[Reference, Tombstone | None] = field(default_factory=dict)
    uploads: dict[str, PendingFile | None] = field(default_factory=dict)
    known_since: dict[RoleName, Instant] = field(default_factory=dict)
    _missing: Missing | None = None
    """What is missing, from the first time on that something was."""

    @property
    def missing(self) -> Missing:
        """What the plan has asked for, and the snapshot does not know."""
        if self._missing is None:
            self._missing = Missing()
        return self._missing

    @property
    def is_complete(self) -> bool:
        """Whether nothing is missing."""
        return self._missing is None or not self._missing

    def take_missing(self) -> Missing:
        """Return what is missing, and forget it, because it will be read."""
        missing, self._missing = self.missing, None
        return missing

    def knows(self, reference: Reference) -> bool:
        """Return whether it is known if an object exists."""
        return reference in self.entities

    def entity(self, reference: Reference) -> Entity | None:
        """Return an object; None if it does not exist."""
        if reference not in self.entities:
            self.missing.entities[reference] = None
        return self.entities.get(reference)

    def sees(self, reference: Reference) -> bool:
        """Return whether the caller sees an object that exists."""
        if reference not in self.seen:
            self.missing.seen[reference] = None
        return self.seen.get(reference, False)

    def version(self, reference: Reference, at: Instant) -> Entity | None:
        """Return the state of an object at an instant; None if it did not exist."""
        moment = Moment(reference, at)
        if moment not in self.versions:
            self.missing.versions[moment] = None
        return self.versions.get(moment)

    def sees_version(self, reference: Reference, at: Instant) -> bool:
        """Return whether the caller may see an object's state at an instant; False if it did not exist."""
        if self.version(reference, at) is None:
            return False
        moment = Moment(reference, at)
        if moment not in self.seen_versions:
            self.missing.seen_versions[moment] = None
        return self.seen_versions.get(moment, False)

    def has_role(self, version: Entity, role: RoleName) -> bool:
        """Return whether the state of a version has what a role in it led to.

        If the model has changed where the role is stored, the versions that had ended before do not have it.
        """
        if version.end is None:
            return True
        if role not in self.known_since:
            self.missing.known_since[role] = None
        return version.end > self.known_since.get(role, 0)

    def knows_tombstone(self, reference: Reference) -> bool:
        """Return whether the result of `tombstone` is known."""
        return reference in self.tombstones

    def tombstone(self, reference: Reference) -> Tombstone | None:
        """Return the tombstone of a deleted object; None if there is none."""
        if reference not in self.tombstones:
            self.missing.tombstones[reference] = None
        return self.tombstones.get(reference)

    def upload(self, id_: str) -> PendingFile | None:
        """Return a pending file, whether it has expired or not; None if there is none."""
        if id_ not in self.uploads:
            self.missing.uploads[id_] = None
        return self.uploads.get(id_)

    def linked_ids(self, role: RoleName, id_: str) -> tuple[str, ...]:
        """Return the IDs that a role leads to, for roles that the object's own state does not contain."""
        if (role, id_) not in self.links:
            self.missing.links[role, id_] = None
        return self.links.get((role, id_), ())

    def is_linked(self, role: RoleName, owner: str, other: str) -> bool:
        """Return whether a link exists."""
        if (role, owner, other) not in self.pairs:
            self.missing.pairs[role, owner, other] = None
        return self.pairs.get((role, owner, other), False)

    def serial(self, name: SerialName, path: Path) -> int | None:
        """Return the number of the object that the request creates at a path; None if it has none yet."""
        if (name, path) not in self.serials:
            self.missing.serials[name, path] = None
        return self.serials.get((name, path))
