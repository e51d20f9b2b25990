"""Read a page of the deleted objects of a class, the latest deletion first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from stratabase.core.domain.issues.refusals import Hint, ReadBudgetExceeded
from stratabase.core.domain.objects.change import DeletedObject, DeletionPlace
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.instant import parse_instant
from stratabase.core.domain.query.derived import computed_parts
from stratabase.core.domain.query.matching import matcher
from stratabase.core.domain.query.page import Page, Query, read_window
from stratabase.core.model.model import Class, PlatformAttribute
from stratabase.core.model.users import USER
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.versions import VersionReader


class DeletedPage(NamedTuple):
    """A page of last versions, and the deleted objects that they are of."""

    page: Page
    deleted: Sequence[DeletedObject]


def deleted_page(read_context: ReadContext, query: Query) -> DeletedPage:
    """Return one page of the deleted objects of a class whose last versions are visible.

    The order of the query is that of deletions, and its filter tests the last versions. Those that do not
    match or are hidden are passed over. Raises ReadBudgetExceeded, Unavailable, DeletedNotListed.
    """
    place, backward = _place(query), query.window.backward
    reader = _DeletedReader(read_context, query)
    shown = read_window(
        query,
        lambda size: reader.matches(place, size, oldest_first=backward),
        lambda: reader.matches(place, 1, oldest_first=not backward, inclusive=True),
    )
    page = Page([each.version for each in shown.items], has_next=shown.has_next, has_prev=shown.has_prev)
    return DeletedPage(page, shown.items)


def _place(query: Query) -> DeletionPlace | None:
    """Return the position where the window starts."""
    start = query.window.start
    if start is None:
        return None
    ended, id_ = start.values
    return DeletionPlace(parse_instant(ended) if isinstance(ended, str) else 0, str(id_))


class _DeletedReader:
    """Reads the deleted objects that match a query and are visible."""

    def __init__(self, read_context: ReadContext, query: Query) -> None:
        self._read_context = read_context
        self._query = query
        class_ = read_context.model.classes[query.class_name]
        self._versions = VersionReader(read_context, of_deleted=True)
        self._derived = computed_parts(query, class_).derived
        compare = partial(read_context.budget.compare_in, query.class_name)
        self._matches = None if query.filter is None else matcher(query.filter, class_, compare)
        self._passed = 0

    def matches(
        self, start: DeletionPlace | None, size: int, *, oldest_first: bool, inclusive: bool = False
    ) -> Iterator[DeletedObject]:
        """Yield the objects from a position on. `size`: how many to read at first.

        Raises ReadBudgetExceeded, DeletedNotListed.
        """
        context = self._read_context
        batches = context.entities.deleted(
            self._query.class_name,
            start,
            context.budget,
            inclusive=inclusive,
            oldest_first=oldest_first,
            size=size,
        )
        try:
            for batch in batches:
                self._passed += len(batch)
                yield from self._visible_matches(batch)
        except ReadBudgetExceeded:
            hint = Hint(costly=("filter",)) if self._matches else Hint(shared=True)
            raise ReadBudgetExceeded(self._query.class_name, self._passed, hint) from None

    def _visible_matches(self, batch: Sequence[DeletedObject]) -> Iterator[DeletedObject]:
        by_reference = {each.version.reference: each for each in batch}
        versions: Iterable[Entity] = [each.version for each in batch]
        versions = self._versions.visible(self._query.class_name, versions, len(batch) or None)
        if self._derived:
            versions = self._versions.with_derived(versions, self._derived)
        budget, matches = self._read_context.budget, self._matches
        for version in budget.within(self._query.class_name, versions):
            if matches is None or matches(version.state):
                yield by_reference[version.reference]


def deleted_by(
    read_context: ReadContext, class_: Class, deleted: Sequence[DeletedObject]
) -> Mapping[Reference, str]:
    """Return the usernames of the members who deleted objects, as far as they are known.

    The caller must be able to read who last modified every object of the class. If the class does not record
    that, the caller must be able to read all usernames. Raises ReadBudgetExceeded.
    """
    if USER not in read_context.model.classes or not _may_know_authors(read_context, class_):
        return {}
    authors = {each.reference: each.author.member_id for each, _ in deleted if each.author is not None}
    members = [Reference(USER, id_) for id_ in dict.fromkeys(authors.values()) if id_]
    found = read_context.entities.read(members, read_context.budget) if members else []
    names = {each.reference.id: str(each.state["username"]) for each in found if each is not None}
    return {each: names[id_] for each, id_ in authors.items() if id_ in names}


def _may_know_authors(read_context: ReadContext, class_: Class) -> bool:
    access, name = read_context.access, PlatformAttribute.LAST_MODIFIED_BY.value
    if access is None:
        return True
    if name in class_.attributes:
        return access.always_shows(class_.name, name)
    return access.sees_every_object(USER) and access.always_shows(USER, "username")
