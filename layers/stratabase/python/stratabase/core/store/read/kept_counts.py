"""Keeps the numbers of matches that pages have counted, until something is written, and what was too much.

Each page of a list asks for the same number. Counting takes longer than the rest of the page if there are
many matches, or if each object must be tested. A number is exact as long as the data has the same version,
which only some engines know. Of several requests that ask for the same number at the same time, one counts.
"""

from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import replace
from threading import Lock
from typing import NamedTuple

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.filter import And, Comparison, Filter, Not, Or
from stratabase.core.domain.query.page import Page, Query
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.model.model import Class
from stratabase.core.store.engine.port import Engine

_MAX_KEPT = 128
"""The maximum number of counts to keep."""
_MAX_PARTS = 8
"""The maximum number of comparisons in the filter of a count, and of values in a comparison."""
_MAX_TEXT = 200
"""The maximum length of a text in such a filter."""

_MAX_EXCESSES = 128
"""The maximum number of requests to remember that reached the limit."""
_REMEMBERED = 5 * 60 * 1_000
"""For how many milliseconds. Objects may be deleted meanwhile."""

_Key = tuple[str, Filter | None]
"""A class, and the filter whose matches are counted."""


class _Count(NamedTuple):
    """A number of matches."""

    number: int
    data_version: object
    """The version of the data before the count."""


class KeptCounts:
    """The latest numbers of matches. Several threads may share them."""

    def __init__(self) -> None:
        self._counts: dict[_Key, _Count] = {}
        self._under_way: dict[tuple[_Key, object], Future[None]] = {}
        """By what is counted now, and the version of the data before: a future that is done afterward."""
        self._lock = Lock()

    def page(self, engine: Engine, query: Query, read: Callable[[Query], Page]) -> Page:
        """Return the page of a query with its total count. If that is known, read the page without it.

        `read`: reads the page of a query that has other fields, but is otherwise the same.
        """
        version = engine.data_version()
        if version is None:
            return read(query)
        key = (query.class_name, query.filter)
        number = self._find(key, version)
        if number is None:
            mine = Future[None]()
            with self._lock:
                counting = self._under_way.setdefault((key, version), mine)
            if counting is mine:
                return self._count(key, version, query, read)
            waiting.until(counting)
            number = self._find(key, version)
        if number is None:  # the other request has failed, or something was written
            return read(query)
        fields = query.fields
        if not (fields.items or fields.has_next or fields.has_prev):
            return Page(total_count=number)
        page = read(replace(query, fields=replace(fields, total_count=False)))
        return Page(page.items, number, page.has_next, page.has_prev)

    def _count(self, key: _Key, version: object, query: Query, read: Callable[[Query], Page]) -> Page:
        """Return the page of a query, and keep its total count."""
        try:
            page = read(query)
            # If something was written meanwhile, the data has another version from now on.
            self._keep(key, _Count(page.total_count or 0, version))
        finally:
            with self._lock:
                done = self._under_way.pop((key, version))
            done.set_result(None)
        return page

    def _find(self, key: _Key, data_version: object) -> int | None:
        with self._lock:
            count = self._counts.pop(key, None)
            if count is None or count.data_version != data_version:
                return None
            self._counts[key] = count  # as the latest
            return count.number

    def _keep(self, key: _Key, count: _Count) -> None:
        with self._lock:
            self._counts[key] = count
            if len(self._counts) > _MAX_KEPT:
                del self._counts[next(iter(self._counts))]


class _Excess(NamedTuple):
    """A refusal, how many bytes the request had read, and until when it counts."""

    refusal: ReadBudgetExceeded
    bytes_read: int
    until: Instant


class Excesses:
    """The requests for all matches of a filter that have reached the read limit a short time ago.

    The same request would again read up to the limit, at the price of these reads, and be refused.
    Several threads may share them.
    """

    def __init__(self) -> None:
        self._by_query: dict[Hashable, _Excess] = {}

    def check(self, query: Query, budget: ReadBudget, now: Instant) -> None:
        """Raise ReadBudgetExceeded for a query that would certainly exhaust a budget."""
        found = self._by_query.get(_matches_key(query))
        if found is not None and found.until > now and budget.would_be_exhausted(found.bytes_read):
            refusal = found.refusal
            hint = replace(refusal.hint, estimated=True)
            raise ReadBudgetExceeded(refusal.class_name, refusal.objects_read, hint)

    def note(self, query: Query, refusal: ReadBudgetExceeded, bytes_read: int, now: Instant) -> None:
        """Remember a query that was refused after so many bytes."""
        if len(self._by_query) >= _MAX_EXCESSES:
            self._by_query.clear()
        self._by_query[_matches_key(query)] = _Excess(refusal, bytes_read, now + _REMEMBERED)


def _matches_key(query: Query) -> Hashable:
    """Return what decides which objects are read for all matches of a query."""
    return query.class_name, query.filter, query.implied, query.implied_by_grants


def can_keep(filter_: Filter | None, class_: Class) -> bool:
    """Return whether the number of matches of a filter can be kept: it is short, and compares stored values.

    What is computed can depend on the time and the caller too.
    """
    return filter_ is None or (_parts(filter_) <= _MAX_PARTS and _compares_few_values(filter_, class_))


def _parts(filter_: Filter) -> int:
    """Return the number of comparisons of a filter."""
    if isinstance(filter_, And | Or):
        return sum(map(_parts, filter_.parts))
    return _parts(filter_.part) if isinstance(filter_, Not) else 1


def _compares_few_values(filter_: Filter, class_: Class) -> bool:
    if isinstance(filter_, And | Or):
        return all(_compares_few_values(part, class_) for part in filter_.parts)
    if isinstance(filter_, Not):
        return _compares_few_values(filter_.part, class_)
    if not isinstance(filter_, Comparison) or filter_.attribute in class_.derived:
        return False
    operand = filter_.operand
    values = operand if isinstance(operand, tuple) else (operand,)
    return len(values) <= _MAX_PARTS and not any(
        isinstance(value, str) and len(value) > _MAX_TEXT for value in values
    )
