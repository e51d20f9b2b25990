"""An object that a request writes: what it was, and what it shall be."""

from dataclasses import dataclass, field

from stratabase.domain.change import Gone
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.issue import Path
from stratabase.domain.singleton import is_unwritten
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
    gone: Gone | None = None
    """What is remembered of it, if the request brings it back."""
    asked: dict[str, Path] = field(default_factory=dict)
    """Where something is asked of its roles."""
    cleared: set[str] = field(default_factory=set)
    """The roles that the request asks to lead to nothing, whatever they led to."""

    @property
    def is_made(self) -> bool:
        """Whether the request makes it: also a singleton by its first write, and what comes back."""
        is_first = self.before is not None and is_unwritten(self.subject.class_, self.before)
        return self.new or self.gone is not None or is_first

    @property
    def is_changed(self) -> bool:
        """Whether it shall be another than it was."""
        return any(self.was(name) != value for name, value in self.state.items())

    @property
    def is_written(self) -> bool:
        """Whether it begins, changes or ends."""
        return self.new or self.ended or self.is_changed

    def was(self, name: str) -> Stored:
        """Return the value that it had."""
        return None if self.before is None else self.before.state.get(name)

    def place(self, role: str) -> Path:
        """Return where the request speaks of a role."""
        return self.asked.get(role, (*self.subject.path, role))
