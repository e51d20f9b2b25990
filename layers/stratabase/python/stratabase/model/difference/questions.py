"""Questions about the stored objects, which say how many of them a change of the model concerns.

A question is pure: it makes a tally, and whoever reads the store shows the tally each object once. So all
questions about a class need only one scan. All names in questions are stored names.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from stratabase.model.attribute import Attribute
from stratabase.wording import is_or_are, pluralize

StoredState = Mapping[str, Any]
"""The stored state of an object, with its `_id`."""


class Tally(ABC):
    """Counts the objects that a question is about."""

    count: int = 0
    """The number of objects so far that the question is about."""
    total: int = 0
    """The number of objects so far of the class that the question names."""

    @abstractmethod
    def see(self, class_name: str, state: StoredState) -> None:
        """Take an object into account. Each object must be shown once."""

    def finish(self) -> None:  # noqa: B027 - most tallies have nothing to do
        """Compute what depends on all objects. Call it after the last one."""


class Question(ABC):
    """A question about the objects of a class, or about members."""

    class_name: str
    """The stored name of the class."""
    label: str
    """The class as texts name it."""

    @property
    def scanned(self) -> tuple[str, ...]:
        """The stored names of the classes whose objects the tally must see."""
        return (self.class_name,)

    @abstractmethod
    def tally(self) -> Tally:
        """Return a new tally."""

    @abstractmethod
    def answer(self, count: int, total: int) -> str:
        """Return the sentence with the result."""


class _Matching(Tally):
    """Counts the objects for which a function returns true."""

    def __init__(self, matches: Callable[[StoredState], bool]) -> None:
        self._matches = matches

    def see(self, class_name: str, state: StoredState) -> None:
        """Count the object if it matches."""
        del class_name
        self.total += 1
        self.count += self._matches(state)


@dataclass(frozen=True)
class AllObjects(Question):
    """The number of all objects of a class."""

    class_name: str
    label: str

    def tally(self) -> Tally:
        """Count every object."""
        return _Matching(lambda _: True)

    def answer(self, count: int, total: int) -> str:
        """Return the number of objects."""
        del count
        return f"{_objects(total, self.label)} {is_or_are(total)} stored."


@dataclass(frozen=True)
class WithState(Question):
    """The number of objects whose state `matches`. `text`: such as "have a value"."""

    class_name: str
    label: str
    text: str
    matches: Callable[[StoredState], bool]

    def tally(self) -> Tally:
        """Count the states that match."""
        return _Matching(self.matches)

    def answer(self, count: int, total: int) -> str:
        """Return the share of the objects."""
        return f"{count:,} of {total:,} {self.label} objects {self.text}."


@dataclass(frozen=True)
class WithLinks(Question):
    """The number of objects that have from `least` to `most` links of a role."""

    class_name: str
    label: str
    text: str
    role: str
    least: int = 1
    most: int | None = None

    def tally(self) -> Tally:
        """Count the objects whose state has a number of links under the name of the role."""
        return _Matching(lambda state: self._is_meant(state[links_name(self.role)]))

    def _is_meant(self, links: int) -> bool:
        return links >= self.least and (self.most is None or links <= self.most)

    def answer(self, count: int, total: int) -> str:
        """Return the share of the objects."""
        return f"{count:,} of {total:,} {self.label} objects {self.text}."


def links_name(role: str) -> str:
    """Return the name under which a state that a tally sees has the number of links of a role (at most 2)."""
    return f"links {role}"


class _Repeated(Tally):
    """Counts the objects that have the same values as another one before them."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names
        self._seen: set[tuple[Any, ...]] = set()

    def see(self, class_name: str, state: StoredState) -> None:
        """Count the object if an object before had the same values. Nulls are never the same."""
        del class_name
        self.total += 1
        values = tuple(map(state.get, self._names))
        if any(value is None or isinstance(value, dict | list) for value in values):
            return
        self.count += values in self._seen
        self._seen.add(values)


@dataclass(frozen=True)
class Repeated(Question):
    """The number of objects that repeat the values of another one in some attributes or keys."""

    class_name: str
    label: str
    names: tuple[str, ...]
    text: str = "repeat the values of another one"

    def tally(self) -> Tally:
        """Count the second and further objects with the same values."""
        return _Repeated(self.names)

    def answer(self, count: int, total: int) -> str:
        """Return the share of the objects."""
        return f"{count:,} of {total:,} {self.label} objects {self.text}."


class _NotLedTo(Tally):
    def __init__(self, class_name: str, holder: str, key: str) -> None:
        self._class, self._holder, self._key = class_name, holder, key
        self._ids: set[str] = set()
        self._led_to: set[Any] = set()

    def see(self, class_name: str, state: StoredState) -> None:
        """Remember the id of an object, or of the object that its key refers to."""
        if class_name == self._holder and isinstance(target := state.get(self._key), str):
            self._led_to.add(target)
        if class_name == self._class:
            self._ids.add(state["_id"])

    def finish(self) -> None:
        """Compare the ids with the keys."""
        self.total, self.count = len(self._ids), len(self._ids - self._led_to)


@dataclass(frozen=True)
class NotLedTo(Question):
    """The number of objects to which no key of the class `holder` refers."""

    class_name: str
    label: str
    holder: str
    key: str

    @property
    def scanned(self) -> tuple[str, ...]:
        """Both classes, which may be the same."""
        return (self.class_name,) if self.class_name == self.holder else (self.class_name, self.holder)

    def tally(self) -> Tally:
        """Collect ids and keys."""
        return _NotLedTo(self.class_name, self.holder, self.key)

    def answer(self, count: int, total: int) -> str:
        """Return the share of the objects."""
        return f"{count:,} of {total:,} {self.label} objects lead to no object."


@dataclass(frozen=True)
class MembersWithProfile(Question):
    """The number of members with a profile. `class_name` is empty, because members are no objects."""

    profile: str
    class_name: str = ""
    label: str = "member"

    @property
    def scanned(self) -> tuple[str, ...]:
        """No class."""
        return ()

    def tally(self) -> Tally:
        """Count the members whose state has the profile."""
        return _Matching(lambda member: member.get("profile") == self.profile)

    def answer(self, count: int, total: int) -> str:
        """Return the share of the members."""
        return f"{count:,} of {total:,} {'member has' if total == 1 else 'members have'} the profile."


def with_value(class_name: str, label: str, name: str, text: str = "have a value") -> Question:
    """Return the question how many objects have a value, a key or parts under a name."""
    return WithState(class_name, label, text, lambda state: state.get(name) not in (None, []))


def without_value(class_name: str, label: str, name: str, text: str = "have no value") -> Question:
    """Return the question how many objects have null or nothing under a name."""
    return WithState(class_name, label, text, lambda state: state.get(name) in (None, []))


def with_exactly(class_name: str, label: str, name: str, value: str) -> Question:
    """Return the question how many objects have a value under a name."""
    return WithState(
        class_name, label, f'have the value "{value}" in {name}', lambda state: state.get(name) == value
    )


def outside_domain(class_name: str, label: str, name: str, attribute: Attribute) -> Question:
    """Return the question how many objects have a value that the constraints of an attribute refuse."""

    def is_refused(state: StoredState) -> bool:
        value = state.get(name)
        if value is None or not attribute.type.storage.accepts(value):
            return False
        return any(True for _ in attribute.violations(value))

    return WithState(class_name, label, "have a value that the new domain refuses", is_refused)


def _objects(total: int, label: str) -> str:
    return pluralize(total, f"{label} object")
