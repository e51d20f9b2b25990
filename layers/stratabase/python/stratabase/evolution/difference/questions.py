"""Questions about the stored objects, which say how many of them a change of the model concerns.

A question is pure: it makes a tally, and whoever reads the store shows the tally each object once. So all
questions about a class need only one scan. All names in questions are stored names.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from stratabase.core.model.attribute import Attribute
from stratabase.values.folding import Folding
from stratabase.values.wording import is_or_are, pluralize

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


class OtherKey(NamedTuple):
    """The key of the objects at the other side of an association, by stored names."""

    class_name: str
    key: str


class _WithAssociations(Tally):
    """Counts the objects whose number of associations is in a range."""

    def __init__(self, question: "WithAssociations") -> None:
        self._question = question
        self._numbers = Counter[str]()
        """By object of the class, or by the object that a key refers to: the number of associations."""
        self._ids: set[str] = set()

    def see(self, class_name: str, state: StoredState) -> None:
        """Count the associations that an object holds, for itself or for the one that its key refers to."""
        question = self._question
        if not question.keys:  # the object alone tells, so nothing needs to be remembered
            self.total += 1
            self.count += self._is_meant(self._held(state))
            return
        for other in question.keys:
            if class_name == other.class_name and isinstance(target := state.get(other.key), str):
                self._numbers[target] += 1
        if class_name == question.class_name:
            self._ids.add(state["_id"])
            self._numbers[state["_id"]] += self._held(state)

    def _held(self, state: StoredState) -> int:
        links: int = state[links_name(self._question.role)] if self._question.in_links else 0
        value = state.get(self._question.role) if self._question.in_state else None
        return links + (len(value) if isinstance(value, list) else value is not None)

    def finish(self) -> None:
        """Compare the numbers with the range."""
        if self._question.keys:
            self.total = len(self._ids)
            self.count = sum(self._is_meant(self._numbers[id_]) for id_ in self._ids)

    def _is_meant(self, number: int) -> bool:
        least, most = self._question.least, self._question.most
        return number >= least and (most is None or number <= most)


@dataclass(frozen=True)
class WithAssociations(Question):
    """The number of objects whose role leads to from `least` to `most` objects.

    A change of the model moves associations from one place to another, as far as the new place has room. So
    the question names both places: then the answer is the same before and after the move.
    """

    class_name: str
    label: str
    text: str
    role: str
    in_state: bool = False
    """Whether objects have the role in their states, as a key or as a list of parts."""
    in_links: bool = False
    keys: tuple[OtherKey, ...] = ()
    least: int = 1
    most: int | None = None

    @property
    def scanned(self) -> tuple[str, ...]:
        """The class, and those of the other side that hold keys."""
        return tuple(dict.fromkeys((self.class_name, *(other.class_name for other in self.keys))))

    def tally(self) -> Tally:
        """Count the associations of each object."""
        return _WithAssociations(self)

    def answer(self, count: int, total: int) -> str:
        """Return the share of the objects."""
        return f"{count:,} of {total:,} {self.label} objects {self.text}."


def links_name(role: str) -> str:
    """Return the name under which a state that a tally sees has the number of links of a role (at most 2)."""
    return f"links {role}"


class UniqueName(NamedTuple):
    """The stored name of an attribute or key that is unique together with others."""

    name: str
    folding: Folding | None = None
    """How its texts are folded before they are compared."""

    def value(self, state: StoredState) -> Any:
        """Return what is compared of a state."""
        value = state.get(self.name)
        return value if self.folding is None else self.folding.operand(value)


class _Repeated(Tally):
    """Counts the objects that have the same values as another one before them."""

    def __init__(self, names: tuple[UniqueName, ...]) -> None:
        self._names = names
        self._seen: set[tuple[Any, ...]] = set()

    def see(self, class_name: str, state: StoredState) -> None:
        """Count the object if an object before had the same values. Nulls are never the same."""
        del class_name
        self.total += 1
        values = tuple(each.value(state) for each in self._names)
        if any(value is None or isinstance(value, dict | list) for value in values):
            return
        self.count += values in self._seen
        self._seen.add(values)


@dataclass(frozen=True)
class Repeated(Question):
    """The number of objects that repeat the values of another one in some attributes or keys."""

    class_name: str
    label: str
    names: tuple[UniqueName, ...]

    def tally(self) -> Tally:
        """Count the second and further objects with the same values."""
        return _Repeated(self.names)

    def answer(self, count: int, total: int) -> str:
        """Return the share of the objects."""
        return f"{count:,} of {total:,} {self.label} objects repeat the values of another one."


@dataclass(frozen=True)
class MembersWithProfile(Question):
    """The number of members with a profile. `class_name` is empty, because members are not objects."""

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


def without_value(class_name: str, label: str, name: str) -> Question:
    """Return the question how many objects have null or nothing under a name."""
    return WithState(class_name, label, "have no value", lambda state: state.get(name) in (None, []))


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
