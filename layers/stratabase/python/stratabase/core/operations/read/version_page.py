"""Read a page of the versions of one object."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice

from stratabase.core.domain.issues.refusals import Hint, ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity, Reference, normalize_reference
from stratabase.core.domain.objects.instant import Instant, parse_instant
from stratabase.core.domain.objects.version import VERSION_START
from stratabase.core.domain.query.derived import computed_parts
from stratabase.core.domain.query.order import OrderTerm
from stratabase.core.domain.query.page import Page, Paginator, Query, read_window
from stratabase.core.model.api_names import ID
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.versions import VersionReader
from stratabase.values.messages import _


def version_page(read_context: ReadContext, reference: Reference, query: Query) -> Page:
    """Return one page of an object's visible versions. Raises ReadBudgetExceeded, Unavailable.

    In the order of their starts and without a filter, it reads no more versions than it shows. Otherwise it
    reads all.
    """
    versions = _Versions(read_context, normalize_reference(reference), query)
    return versions.range_page() if versions.is_range else versions.filtered_page()


class _Versions:
    """The versions of one object that a query asks for."""

    def __init__(self, read_context: ReadContext, reference: Reference, query: Query) -> None:
        self._read_context = read_context
        self._class = read_context.model.classes[query.class_name]
        self._versions = VersionReader(read_context)
        self._reference = reference
        self._query = query

    @property
    def is_range(self) -> bool:
        """Whether the page is a range of the versions in the order of their starts."""
        query, start = self._query, self._query.window.start
        needs_all = query.fields.total_count or query.fields.totals is not None
        if query.filter is not None or needs_all or self._term.attribute != VERSION_START:
            return False
        return start is None or self._start is not None

    def filtered_page(self) -> Page:
        """Return the page after reading all versions. Raises ReadBudgetExceeded."""
        read: list[Entity] = []
        names = computed_parts(self._query, self._class).derived
        versions = self._read(None, None, backward=False, limit=None)
        try:
            read.extend(self._versions.with_derived(versions, names) if names else versions)
        except ReadBudgetExceeded:
            raise ReadBudgetExceeded(self._query.class_name, len(read), self._remedy) from None
        budget, name = self._read_context.budget, self._query.class_name
        paginator = Paginator(self._query, self._class, partial(budget.compare_in, name))
        return paginator.page(budget.within(name, read))

    @property
    def _remedy(self) -> Hint:
        """The parts of the query because of which all versions are read."""
        query = self._query
        asked = {
            "filter": query.filter is not None,
            "totalCount": query.fields.total_count,
            _("totals such as aggregates"): query.fields.totals is not None,
            _("any sort order that does not start with _versionStart"): self._term.attribute != VERSION_START,
        }
        return Hint(costly=tuple(name for name, is_asked in asked.items() if is_asked))

    def range_page(self) -> Page:
        """Return the page without reading more versions than it needs."""
        backward = self._query.window.backward != self._term.descending
        shown = read_window(
            self._query,
            lambda size: self._onward(backward=backward, limit=size),
            lambda: self._behind(backward=backward),
        )
        return Page(shown.items, None, has_next=shown.has_next, has_prev=shown.has_prev)

    @property
    def _term(self) -> OrderTerm:
        """The first term of the order that distinguishes versions of one object."""
        return next(term for term in self._query.order.terms if term.attribute != ID)

    @property
    def _start(self) -> Instant | None:
        """The instant where the window starts, if it is the start of a version of this object."""
        start, terms = self._query.window.start, self._query.order.terms
        values = (
            {} if start is None else dict(zip((each.attribute for each in terms), start.values, strict=False))
        )
        text = values.get(VERSION_START)
        if not isinstance(text, str) or values.get(ID, self._reference.id) != self._reference.id:
            return None
        return parse_instant(text)

    def _onward(self, *, backward: bool, limit: int) -> Iterator[Entity]:
        """Yield the versions from the window's start on, in one direction."""
        start, inclusive = self._start, self._query.window.inclusive
        if start is None:
            return self._read(None, None, backward=backward, limit=limit)
        if backward:
            return self._read(None, start + inclusive, backward=True, limit=limit)
        return self._read(start + (not inclusive), None, backward=False, limit=limit)

    def _behind(self, *, backward: bool) -> Iterator[Entity]:
        """Yield the first version on the other side of the window's start, if there is one."""
        start, inclusive = self._start, self._query.window.inclusive
        assert start is not None
        if backward:
            return self._read(start + inclusive, None, backward=False, limit=1)
        return self._read(None, start + (not inclusive), backward=True, limit=1)

    def _read(
        self, since: Instant | None, until: Instant | None, *, backward: bool, limit: int | None
    ) -> Iterator[Entity]:
        # If some versions may be hidden, the number to read is unknown.
        most = None if self._versions.hides(self._reference.class_name) else limit
        found = self._read_context.entities.versions(
            self._reference, since, until, backward=backward, limit=most, budget=self._read_context.budget
        )
        visible = self._versions.visible(self._reference.class_name, found, limit)
        unlocked = (each if each.lock is None else replace(each, lock=None) for each in visible)
        return islice(unlocked, limit)
