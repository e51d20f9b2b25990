"""Do the same with each object that a query finds: each by itself, and all in a limited time."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Generic, TypeVar

from stratabase import waiting
from stratabase.domain.allowance import Allowance
from stratabase.domain.entity import Reference
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.matching import Test, matcher
from stratabase.domain.page import Query, Wanted
from stratabase.domain.refusal import Refused, TooMuchRead, Unavailable
from stratabase.operations.graph import NotMeant
from stratabase.operations.world import World

T = TypeVar("T")


def found(world: World, query: Query, allowance: Allowance) -> list[Reference]:
    """Return the objects of a query's page.

    Raises Refused when it has more than a bulk service may be for, TooMuchRead.
    """
    most = world.bulk.objects
    window = replace(query.window, size=min(query.window.size, most + 1))
    page = world.entities.page(replace(query, window=window), allowance)
    if len(page.items) > most:
        number = _counted(world, query, allowance, most)
        text = f"{number} {query.class_name} objects match, and at most {most:,} can be done with at once"
        text = f"{text}: narrow the filter, or ask for fewer with next"
        raise Refused([_issue(IssueType.MALFORMED_REQUEST, query.class_name, text)])
    return [entity.reference for entity in page.items]


def meant_by(world: World, query: Query) -> Test | None:
    """Return which objects a query means by their state; all of them where it has no filter."""
    return None if query.filter is None else matcher(query.filter, world.class_(query.class_name))


def _counted(world: World, query: Query, allowance: Allowance, least: int) -> str:
    """Return how many objects match, as a message tells it."""
    try:
        wanted = Wanted(items=False, total_count=True)
        return f"{world.entities.page(replace(query, wanted=wanted), allowance).total_count:,}"
    except TooMuchRead:
        return f"more than {least:,}"


class Bulk(Generic[T]):
    """Some objects, and what comes of each; `done`: what happens to them, in the past tense."""

    def __init__(self, world: World, class_name: str, references: Sequence[Reference], done: str) -> None:
        self._clock = world.clock
        self._end = world.clock.now() + 1000 * world.bulk.seconds
        self._class_name = class_name
        self._references = references
        self._done = done
        self._results: list[T] = []
        self._issues: list[Issue] = []

    def each(self, act: Callable[[Reference], T]) -> list[T]:
        """Return what `act` returns of each object, but for those of which it raises NotMeant.

        An object that it refuses keeps nothing from the others: Refused is raised in the end. Raises Refused
        too when the time is over, and Unavailable.
        """
        for reference in self._references:
            if self._clock.now() > self._end:
                raise self._refusal(f"the time is over, when {self._so_far()}; ask again to go on")
            waiting.give_way()
            self._try(act, reference)
        if self._issues:
            raise self._refusal(f"{self._so_far()}; what kept the others from it follows")
        return self._results

    def _try(self, act: Callable[[Reference], T], reference: Reference) -> None:
        try:
            self._results.append(act(reference))
        except NotMeant:
            pass
        except Refused as refusal:
            self._issues += refusal.issues
        except Unavailable as trouble:
            raise Unavailable(f"{self._so_far()}, then: {trouble}", trouble.retry_after) from trouble

    def _so_far(self) -> str:
        total = len(self._references)
        return f"{len(self._results):,} of {total:,} {self._class_name} objects were {self._done}"

    def _refusal(self, text: str) -> Refused:
        return Refused([_issue(IssueType.SERVICE_HANDLER_ERROR, self._class_name, text), *self._issues])


def _issue(type_: IssueType, class_name: str, text: str) -> Issue:
    """Return an issue about all objects together."""
    return Issue(type_, text, entity_name=class_name, path=("options",))
