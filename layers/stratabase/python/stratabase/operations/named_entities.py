"""The objects that a request names to lock or unlock them, and why that is refused."""

from collections.abc import Callable, Iterator, Sequence

from stratabase.domain.change import TooLarge
from stratabase.domain.entity import Reference
from stratabase.domain.held import held
from stratabase.domain.instant import Instant
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.lock import holds
from stratabase.domain.locking import Unlockable
from stratabase.domain.member import Caller
from stratabase.domain.refusal import Refused, Unavailable
from stratabase.domain.sought import sought
from stratabase.domain.subject import Subject
from stratabase.model.malformed import shown
from stratabase.operations.lockable import unlockable
from stratabase.operations.terms import PLAINLY, Terms
from stratabase.operations.world import World
from stratabase.operations.write import MOST_ROUNDS

_PLACE = "locks"
"""The argument in which a request names them."""

Act = Callable[[Sequence[Reference], Instant], None]
"""Does something with objects, each named once, at an instant. Raises Unlockable, TooLarge, Unavailable."""


class NamedEntities:
    """Objects, of which each counts once however often it is named."""

    def __init__(
        self, world: World, references: Sequence[Reference], caller: Caller, terms: Terms = PLAINLY
    ) -> None:
        self._world = world
        self._terms = terms
        self._caller = caller
        self._numbers: dict[Reference, int] = {}
        """Where each is named first."""
        for number, reference in enumerate(references):
            self._numbers.setdefault(sought(reference), number)

    def check(self) -> Iterator[Issue]:
        """Yield what is wrong with the naming."""
        if not self._numbers:
            text = f"{_PLACE} names nothing: give at least one entity, such as {{entityName: …, _id: …}}"
            yield Issue(IssueType.MALFORMED_REQUEST, text, path=(_PLACE,))

    def act(self, act: Act) -> None:
        """Do it with all of them, once more where a lock has ended meanwhile.

        Raises Refused, TooMuchRead, Unavailable.
        """
        named = {reference: self._subject(reference) for reference in self._numbers}
        if issues := unlockable(self._world, named, self._caller, self._terms):
            raise Refused(issues)
        for _ in range(MOST_ROUNDS):
            try:
                return act(list(self._numbers), self._world.clock.now())
            except Unlockable as refusal:
                if refusal.missing or self._is_held(refusal):
                    raise Refused(self._explained(refusal)) from None
            except TooLarge as refusal:
                issue = Issue(IssueType.MALFORMED_REQUEST, f"{_PLACE}: {refusal}", path=(_PLACE,))
                raise Refused([issue]) from None
        raise Unavailable("locks of others kept beginning and ending; try again")

    def _is_held(self, refusal: Unlockable) -> bool:
        """Return whether something is still locked."""
        now = self._world.clock.now()
        return any(holds(lock, now) for _, lock in refusal.held)

    def _explained(self, refusal: Unlockable) -> list[Issue]:
        """Return the issues of a refusal, in the order of the request."""
        formats = self._caller.formats
        issues = [
            *(self._missing(reference) for reference in refusal.missing),
            *(
                held(IssueType.ENTITY_LOCK_EDIT, self._subject(reference), lock, formats)
                for reference, lock in refusal.held
            ),
        ]
        return sorted(issues, key=lambda issue: issue.path[1])

    def _missing(self, reference: Reference) -> Issue:
        subject = self._subject(reference)
        message = f"there is no {reference.class_name} with _id {shown(reference.id)}"
        return subject.issue(IssueType.ENTITY_NOT_FOUND, message, *subject.path, "_id")

    def _subject(self, reference: Reference) -> Subject:
        place = (_PLACE, self._numbers[reference])
        return Subject(self._world.class_(reference.class_name), reference.id, path=place)
