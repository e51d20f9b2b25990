"""Members who lock, unlock and write objects of a store."""

from stratabase.core.domain.objects.change import Change, Effect, ObjectCheck
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.store.ids import TimeOrderedIds
from tests.core.store.graphs import Objects

MINUTE = 60_000

commit_id = TimeOrderedIds().new
"""Returns a commit id that is unique across processes."""


class Member:
    """A member who locks and writes objects at an instant."""

    def __init__(self, objects: Objects, name: str, now: Instant = MINUTE) -> None:
        self.objects = objects
        self.id = f"id of {name}"
        self.name = name
        self.now = now

    def at(self, now: Instant) -> "Member":
        """Return the same member at another instant."""
        return Member(self.objects, self.name, now)

    def until(self, until: Instant) -> Lock:
        """Return a lock of this member that ends at an instant."""
        return Lock(self.id, self.name, until)

    def lock(self, *references: Reference, until: Instant | None = None) -> Lock:
        """Lock objects, by default for ten minutes, and return the lock."""
        taken = self.until(self.now + 10 * MINUTE if until is None else until)
        self.objects.entities.lock(commit_id(), references, taken, self.now)
        return taken

    def unlock(self, *references: Reference, anybodys: bool = False) -> None:
        entities = self.objects.entities
        entities.unlock(commit_id(), references, self.id, self.now, anybodys=anybodys)

    def change(self, *effects: Effect) -> Change:
        """Return a change by this member."""
        return Change(commit_id(), self.now, effects, member_id=self.id, now=self.now)

    def write(self, *effects: Effect) -> None:
        """Commit effects as one change by this member."""
        self.objects.entities.commit(self.change(*effects))

    def touch(self, class_name: str, id_: str) -> ObjectCheck:
        """Return the check of an object in its present state."""
        return ObjectCheck(self.objects.get(class_name, id_))
