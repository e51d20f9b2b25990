"""Answers questions about stored objects, which a change of the model raises, with one scan of each class.

It reads objects and links as they are stored, by stored names, and writes nothing. So it is correct for a
model that is not served yet. A change needs no decision if the stored objects have nothing that it concerns.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from stratabase.core.domain.objects.entity import RoleName
from stratabase.core.store.engine.parallel import ParallelMap
from stratabase.core.store.engine.port import Engine, Item
from stratabase.core.store.indexes.listing import listed_objects
from stratabase.core.store.layout import codec, links
from stratabase.evolution.backfill.drop import count_holders, erasure_of
from stratabase.evolution.difference import ModelChange, Severity
from stratabase.evolution.difference.questions import (
    MembersWithProfile,
    Question,
    Tally,
    WithAssociations,
    links_name,
)

_MAX_LINKS = 2
"""The maximum number of links to read for an object: no question tells larger numbers apart."""


class QuestionScan:
    """The answers to questions. First run all `steps`, then read `answer`."""

    def __init__(self, engine: Engine, parallel_map: ParallelMap, questions: Iterable[Question]) -> None:
        """`parallel_map`: runs reads of several ranges, possibly in parallel."""
        self._engine = engine
        self._parallel_map = parallel_map
        self._tallies: Mapping[Question, Tally] = {each: each.tally() for each in questions}

    @property
    def classes(self) -> tuple[str, ...]:
        """The stored names of the classes to scan."""
        return tuple(dict.fromkeys(name for question in self._tallies for name in question.scanned))

    @property
    def asks_for_members(self) -> bool:
        """Whether a question is about members."""
        return any(isinstance(each, MembersWithProfile) for each in self._tallies)

    @property
    def link_roles(self) -> int:
        """The number of roles whose links must be read for each object of a class."""
        return sum(len(self._roles_with_links(name)) for name in self.classes)

    def count_members(self, profiles: Iterable[str]) -> None:
        """Answer the questions about members. `profiles`: the profile of each member."""
        tallies = [tally for each, tally in self._tallies.items() if isinstance(each, MembersWithProfile)]
        for profile in profiles:
            for tally in tallies:
                tally.see("", {"profile": profile})

    def steps(self, class_name: str) -> Iterator[int]:
        """Scan a class. Yield the number of objects after each page. Raises Unavailable."""
        asked = [(each, tally) for each, tally in self._tallies.items() if class_name in each.scanned]
        roles = self._roles_with_links(class_name)
        for page in listed_objects(self._engine, class_name):
            for state in self._states(class_name, roles, page):
                for _, tally in asked:
                    tally.see(class_name, state)
            yield len(page)

    def _roles_with_links(self, class_name: str) -> Sequence[str]:
        """Return the roles of a class whose links must be read."""
        asked = (each for each in self._tallies if isinstance(each, WithAssociations) and each.in_links)
        return tuple(dict.fromkeys(each.role for each in asked if each.class_name == class_name))

    def _states(
        self, class_name: str, roles: Sequence[str], page: Sequence[Item]
    ) -> Iterator[Mapping[str, Any]]:
        states: list[dict[str, Any]] = [dict(codec.raw_state(item)) for item in page]
        for role in roles:
            counted = self._parallel_map(
                self._links_of(RoleName(class_name, role)), [each["_id"] for each in states]
            )
            for state, number in zip(states, counted, strict=True):
                state[links_name(role)] = number
        return iter(states)

    def _links_of(self, role: RoleName) -> Callable[[str], int]:
        return lambda id_: len(links.read_ids(self._engine, role, id_, _MAX_LINKS))

    def answer(self, question: Question) -> str:
        """Return the sentence that answers a question."""
        count, total = self.numbers(question)
        return question.answer(count, total)

    def numbers(self, question: Question) -> tuple[int, int]:
        """Return how many objects a question is about, and the number of all objects of the class."""
        tally = self._tallies[question]
        tally.finish()
        return tally.count, tally.total


_ORDER = (Severity.DECISION, Severity.REINDEX, Severity.SAFE)


def settle(
    engine: Engine, changes: Sequence[ModelChange], answers: QuestionScan, *, searches_versions: bool
) -> list[ModelChange]:
    """Return the changes without the decisions that the stored objects show to be none.

    Closed versions and deleted objects are in no index. So to know that they hold nothing takes a scan of the
    whole store. Without `searches_versions`, such changes stay decisions.
    """
    empty = [
        change
        for change in changes
        if change.if_none is not None and not any(answers.numbers(one)[0] for one in change.questions)
    ]
    names = {change.kept_in_versions for change in empty if change.kept_in_versions}
    held = names
    if names and searches_versions:
        found = count_holders(engine, [erasure_of(name) for name in sorted(names)])
        held = {name for name, numbers in found.items() if any(numbers)}
    settled = {id(change): change.if_none for change in empty if change.kept_in_versions not in held}
    return sorted(
        (settled.get(id(change)) or change for change in changes),
        key=lambda change: _ORDER.index(change.severity),
    )
