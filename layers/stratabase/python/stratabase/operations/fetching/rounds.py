"""The same found out as of several instants: what is asked of the store for one of them is asked for all.

Each instant is looked at until something is asked that is not known. When all have come so far, that is read
at once, and they are looked at again. So round trips depend on how far one of them leads, not on how many
there are; and what is found of one is what would be found of it alone, since the same work finds it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

from stratabase import waiting
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.domain.query.derived import Derive
from stratabase.domain.query.page import Page, Query
from stratabase.domain.query.read_budget import ReadBudget, Tentative
from stratabase.operations.fetching.as_of import refuse_page
from stratabase.operations.fetching.moments import Moments
from stratabase.operations.fetching.source import Source
from stratabase.operations.fetching.stretch import Stretch

T = TypeVar("T")

_IN_A_ROW = 10
"""Instants that are looked at before others may go on: each may take a millisecond."""


class Unknown(Exception):
    """Something is asked that has yet to be read."""


class _Look(NamedTuple):
    """What is asked of the links of one owner."""

    role: RoleName
    stretch: Stretch
    owner: str


class Era:
    """The stored objects as they were at an instant, as far as they were read; what was not is noted."""

    def __init__(self, instant: Instant) -> None:
        self.instant = instant
        self.objects: dict[Reference, Entity | None] = {}
        self.links: dict[_Look, tuple[str, ...]] = {}
        self.unread: list[Reference] = []
        self.unseen: list[_Look] = []
        """The links that have yet to be looked at."""

    @property
    def is_waiting(self) -> bool:
        """Whether what was asked last is not known yet."""
        return bool(self.unread or self.unseen)

    def learn(
        self, objects: Mapping[Reference, Entity | None], links: Mapping[_Look, tuple[str, ...]]
    ) -> None:
        """Come to know what was asked."""
        self.objects |= objects
        self.links |= links
        self.unread, self.unseen = [], []

    def read(
        self, references: Sequence[Reference], allowance: ReadBudget | None = None
    ) -> list[Entity | None]:
        """Return the objects in the order asked for, None where there was none. Raises Unknown."""
        del allowance  # whoever answers draws from it
        self.unread = [reference for reference in references if reference not in self.objects]
        if self.unread:
            raise Unknown
        return [self.objects[reference] for reference in references]

    def linked(  # noqa: PLR0913 - as the port has it
        self,
        role: RoleName,
        ids: Sequence[str],
        *,
        start: str | None = None,
        limit: int | None = None,
        backward: bool = False,
        allowance: ReadBudget | None = None,
    ) -> list[tuple[str, ...]]:
        """Return for each owner the ids of the objects that a role may have led to. Raises Unknown."""
        del allowance
        looks = [_Look(role, Stretch(start, limit, backward), id_) for id_ in ids]
        self.unseen = [look for look in looks if look not in self.links]
        if self.unseen:
            raise Unknown
        return [self.links[look] for look in looks]

    def page(self, query: Query, allowance: ReadBudget, derive: Derive | None = None) -> Page:
        """Refuse: what may be associated is a question about the present."""
        del allowance, derive
        refuse_page(query)


class _Task(Generic[T]):
    """What is to be found out as of one instant."""

    def __init__(
        self, instant: Instant, begin: Callable[[Source, ReadBudget], Callable[[], T]], allowance: ReadBudget
    ) -> None:
        self.era = Era(instant)
        self._allowance = Tentative(allowance)
        self._find = begin(self.era, self._allowance)

    def is_done(self) -> bool:
        """Go as far as is known, if there is more of it; return whether that was all."""
        if self.era.is_waiting:
            return False
        self._allowance.begin()
        try:
            self.found = self._find()
        except Unknown:
            return False
        self._allowance.confirm()
        return True


class Rounds:
    """Finds out what is asked of several instants, within an allowance."""

    def __init__(
        self, moments: Moments, allowance: ReadBudget, catch_up: Callable[[], None] = lambda: None
    ) -> None:
        """`catch_up`: is called with each reading, for those who read beside it, and raise Unknown."""
        self._moments = moments
        self._allowance = allowance
        self._catch_up = catch_up

    def each(
        self, instants: Iterable[Instant], begin: Callable[[int, Source, ReadBudget], Callable[[], T]]
    ) -> list[T]:
        """Return what is found as of each instant. Raises TooMuchRead, Unavailable, and what finding raises.

        `begin` gets the number of an instant, and what reads as of then; what it returns is called again
        after each reading, and may keep whatever it came to know.
        """
        tasks = [
            _Task(instant, lambda *given, number=number: begin(number, *given), self._allowance)
            for number, instant in enumerate(instants)
        ]
        left = tasks
        while left := [*_not_done(left)]:
            self._answer([task.era for task in left])
            self._catch_up()
        return [task.found for task in tasks]

    def _answer(self, eras: Sequence[Era]) -> None:
        """Read the objects that are asked for; links only once all wait for these, so that they keep step."""
        if unread := [era for era in eras if era.unread]:
            self._read(unread)
        else:
            self._look(eras)

    def _read(self, eras: Sequence[Era]) -> None:
        moments = [(reference, era.instant) for era in eras for reference in era.unread]
        found = iter(self._moments.read(moments, self._allowance))
        for era in eras:
            era.learn({reference: next(found) for reference in era.unread}, {})

    def _look(self, eras: Sequence[Era]) -> None:
        asked: dict[tuple[RoleName, Stretch], dict[tuple[str, Instant], None]] = defaultdict(dict)
        for era in eras:
            for look in era.unseen:
                asked[look.role, look.stretch][look.owner, era.instant] = None
        found = {each: self._linked(*each, [*owners]) for each, owners in asked.items()}
        for era in eras:
            links = {look: found[look.role, look.stretch][look.owner, era.instant] for look in era.unseen}
            era.learn({}, links)

    def _linked(
        self, role: RoleName, stretch: Stretch, owners: Sequence[tuple[str, Instant]]
    ) -> Mapping[tuple[str, Instant], tuple[str, ...]]:
        return dict(zip(owners, self._moments.linked(role, owners, stretch, self._allowance), strict=True))


def _not_done(tasks: Iterable[_Task[T]]) -> Iterator[_Task[T]]:
    """Go on with tasks, and let others do so in between; yield those that are not done."""
    for number, task in enumerate(tasks, start=1):
        if number % _IN_A_ROW == 0:
            waiting.give_way()
        if not task.is_done():
            yield task
