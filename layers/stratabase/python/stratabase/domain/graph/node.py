"""An object that a request writes: what it was, and what it shall be."""

from dataclasses import dataclass, field

from stratabase.domain.entity import Entity, Reference
from stratabase.domain.issue import Path
from stratabase.domain.subject import Subject
from stratabase.model.attribute import Stored


@dataclass(slots=True, eq=False)
class Node:
    """An object in a request."""

    subject: Subject
    reference: Reference
    before: Entity | None
    state: dict[str, Stored]
    new: bool = False
    """The request makes it."""
    ended: bool = False
    asked: dict[str, Path] = field(default_factory=dict)
    """Where something is asked of its roles."""

    @property
    def is_changed(self) -> bool:
        """Whether it shall be another than it was."""
        return any(self.was(name) != value for name, value in self.state.items())

    def was(self, name: str) -> Stored:
        """Return the value that it had."""
        return None if self.before is None else self.before.state.get(name)

    def place(self, role: str) -> Path:
        """Return where the request speaks of a role."""
        return self.asked.get(role, (*self.subject.path, role))
