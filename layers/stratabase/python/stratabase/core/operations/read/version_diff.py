"""Find out what differs between two versions of an object, and who changed it and when."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from stratabase.core.domain.objects.entity import Entity, Moment, Reference, normalize_reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.version_diff import (
    AttributeChange,
    attribute_change,
    changed_by,
    changed_names,
    last_changes,
)
from stratabase.core.model.model import Class
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.versions import VersionReader


class _Side(NamedTuple):
    """An object at one of the two instants: its version, and what the caller may know of it."""

    at: Instant
    version: Entity | None
    told: Entity | None
    """What the caller may know. None if the object did not exist or was hidden."""

    def tells(self, name: str) -> bool:
        """Return whether the caller may know an attribute or a role. True if the object did not exist."""
        return self.told is None or name in self.told.state


def version_diff(
    read_context: ReadContext, reference: Reference, from_: Instant, to: Instant
) -> list[AttributeChange] | None:
    """Return the differences from one instant to another. `from_` may be the later one.

    If the object did not exist or was hidden at one instant, it counts as empty; at both, the result is None.
    Raises ReadBudgetExceeded, Unavailable.
    """
    return _Difference(read_context, normalize_reference(reference)).between(from_, to)


class _Difference:
    """Compares two versions of one object, as the caller may see them."""

    def __init__(self, read_context: ReadContext, reference: Reference) -> None:
        self._entities = read_context.entities
        self._budget = read_context.budget
        self._class: Class = read_context.model.classes[reference.class_name]
        self._reference = reference
        self._versions = VersionReader(read_context)

    def between(self, from_: Instant, to: Instant) -> list[AttributeChange] | None:
        """Return the changes from one instant to another."""
        moments = [Moment(self._reference, from_), Moment(self._reference, to)]
        found = self._entities.as_of(moments, self._budget)
        old, new = (self._side(at, version) for at, version in zip((from_, to), found, strict=True))
        if old.told is None and new.told is None:
            return None
        names = changed_names(self._class, old.told, new.told)
        # A difference would reveal a hidden value, so both sides must be visible.
        changes = [
            attribute_change(self._class, name, old.told, new.told)
            for name in names
            if old.tells(name) and new.tells(name)
        ]
        if not changes:
            return []
        return self._dated(changes, *((old, new) if from_ <= to else (new, old)))

    def _side(self, at: Instant, version: Entity | None) -> _Side:
        shown = self._versions.show(version, at)
        if version is None or shown is None:
            return _Side(at, version, None)
        return _Side(at, version, replace(shown, state=self._versions.readable_state(shown, at)))

    def _dated(
        self, changes: Sequence[AttributeChange], earlier: _Side, later: _Side
    ) -> list[AttributeChange]:
        """Return changes with who made each last and when, if the caller may know that."""
        if later.version is None:
            return self._ended(changes, later.at)
        # The versions between the two instants show who changed each attribute last.
        between = self._entities.versions(
            self._reference, earlier.at + 1, later.at + 1, backward=True, budget=self._budget
        )
        names = (each.name for each in changes)
        made = dict(last_changes(names, between, earlier.version))
        shown = self._shown(made.values())
        return [_made(each, shown[made[each.name].start] if each.name in made else None) for each in changes]

    def _shown(self, versions: Iterable[Entity]) -> Mapping[Instant | None, Entity | None]:
        """Return, by start, what is visible of versions of the object."""
        each = {version.start: version for version in versions}
        return dict(zip(each, self._versions.show_each([*each.values()]), strict=True))

    def _ended(self, changes: Sequence[AttributeChange], at: Instant) -> list[AttributeChange]:
        """Return the changes of a deleted object with the time of its deletion.

        Who deleted it is not recorded.
        """
        found = self._entities.versions(
            self._reference, None, at + 1, backward=True, limit=1, budget=self._budget
        )
        last = next(found, None)
        return [replace(each, changed_on=None if last is None else last.end) for each in changes]


def _made(change: AttributeChange, shown: Entity | None) -> AttributeChange:
    """Return a change with its author and time, taken from what is visible of the version that made it."""
    if shown is None:
        return change
    return replace(change, changed_by=changed_by(shown), changed_on=shown.start)
