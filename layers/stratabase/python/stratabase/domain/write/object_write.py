"""One object of a write request: what it was, and what it becomes."""

from dataclasses import dataclass, field

from stratabase.domain.issue import Path
from stratabase.domain.objects.change import Tombstone
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.identity import is_unwritten
from stratabase.domain.subject import Subject
from stratabase.model.attribute import Stored


@dataclass(slots=True, eq=False)
class ObjectWrite:
    """An object in a request."""

    subject: Subject
    reference: Reference
    before: Entity | None
    state: dict[str, Stored]
    is_new: bool = False
    """The request makes it."""
    is_deleted: bool = False
    tombstone: Tombstone | None = None
    """What is remembered of it, if the request brings it back."""
    role_paths: dict[str, Path] = field(default_factory=dict)
    """Where something is asked of its roles."""
    emptied_roles: set[str] = field(default_factory=set)
    """The roles that the request asks to lead to nothing, whatever they led to."""

    @property
    def begins(self) -> bool:
        """Whether the request makes it: also a singleton by its first write, and what comes back."""
        is_first = self.before is not None and is_unwritten(self.subject.class_, self.before)
        return self.is_new or self.tombstone is not None or is_first

    @property
    def is_changed(self) -> bool:
        """Whether it shall be another than it was."""
        return any(self.value_before(name) != value for name, value in self.state.items())

    @property
    def is_written(self) -> bool:
        """Whether it begins, changes or ends."""
        return self.is_new or self.is_deleted or self.is_changed

    def value_before(self, name: str) -> Stored:
        """Return the value that it had."""
        return None if self.before is None else self.before.state.get(name)

    def role_path(self, role: str) -> Path:
        """Return where the request speaks of a role."""
        return self.role_paths.get(role, (*self.subject.path, role))
