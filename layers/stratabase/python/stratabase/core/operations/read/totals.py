"""Compute the totals of pages: counts, aggregates and groups of all objects that match, whatever the page.

The objects of a class come from the store in one pass, which serves all totals of a page. Those of a role, or
the versions of an object, are in memory. A role counts as null if it leads to nothing that the caller sees.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from sys import maxsize
from typing import Any

from stratabase.core.domain.issues.issue import IssueType, Subject
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, RoleStorage, State, states_of
from stratabase.core.domain.objects.version import VERSION_START
from stratabase.core.domain.query.fetch import CountFetch, Fetch, GroupFetch, Labels, TotalsFetch
from stratabase.core.domain.query.groups import (
    MAX_GROUPS,
    Accumulation,
    Group,
    GroupPage,
    TooManyGroups,
    ValueColumns,
    page_of_groups,
)
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import ALL_IDS, Page, PageFields, Query, Window
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Class
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.batched_reads import BatchedRead, run
from stratabase.core.operations.read.identity_map import RoleLoader
from stratabase.core.operations.read.labels import labels_of
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.versions import VersionReader
from stratabase.values.messages import _

Totals = Mapping[str, TotalsFetch]
"""What to compute, by the keys of a `Fetch`."""
Rendered = Mapping[str, Any]
"""The rendered totals, by the same keys."""
ReadColumns = Callable[[Sequence[State], Iterable[str]], ValueColumns]
"""Reads attributes and roles of states."""


def page_with_totals(reader: Reader, query: Query, fetch: Fetch) -> Page:
    """Return a page of a class with the totals that are fetched. Raises ReadBudgetExceeded, Refused."""
    page = reader.page(replace(query, fields=replace(query.fields, totals=None)))
    return replace(page, totals=totals_of_class(reader, query, fetch.totals))


def totals_of_class(reader: Reader, query: Query, totals: Totals) -> Rendered:
    """Return the totals of all objects of a class that match a query.

    Raises ReadBudgetExceeded, Refused.
    """
    class_, reader = reader.model.classes[query.class_name], reader.for_totals()
    found: dict[str, Any] = {}
    counts = {key: each for key, each in totals.items() if isinstance(each, CountFetch)}
    if counts:
        most = max(each.limit for each in counts.values())
        number = sum(len(each.states) for each in reader.matches(_all(query, {}, most + 1)))
        found |= {key: each.of(number) for key, each in counts.items()}
    groupings = {key: each for key, each in totals.items() if isinstance(each, GroupFetch)}
    plain = {key: each for key, each in groupings.items() if each.only_counts}
    if plain:
        number = _count(reader, query)
        found |= {key: each.render(_page_of_count(each, number, class_), {}) for key, each in plain.items()}
    sums = _Sums(class_, {key: each for key, each in groupings.items() if key not in plain}, reader)
    if sums.names is not None:
        read, needed = _columns(class_, reader), _all(query, sums.beginnings)
        for states, numbers in reader.matches(needed):
            sums.add(read(states, sums.names), len(states), numbers)
        found |= sums.rendered()
    return found


def totals_of_pages(reader: Reader, class_: Class, totals: Totals, pages: Sequence[Page]) -> list[Page]:
    """Return pages of objects in memory with the totals of their matches.

    Raises ReadBudgetExceeded, Refused.
    """
    return _totals_in_memory(reader, class_, totals, pages, _columns(class_, reader))


def totals_of_versions(read_context: ReadContext, class_: Class, totals: Totals, page: Page) -> Page:
    """Return a page of versions with the totals of all that match. Raises as `totals_of_pages`.

    Roles lead to what they led to at the start of each version.
    """
    reader, versions = Reader(read_context), VersionReader(read_context)

    def read(states: Sequence[State], names: Iterable[str]) -> ValueColumns:
        columns: dict[str, Sequence[Any]] = {}
        for name in names:
            if name == ID:  # that of all versions is the same
                columns[name] = [state[VERSION_START] for state in states]
            elif name in class_.roles:
                role = RoleName(class_.name, name)
                columns[name] = versions.each(page.matches, partial(_target_of_version, role))
            else:
                columns[name] = [state.get(name) for state in states]
        return columns

    return _totals_in_memory(reader, class_, totals, [page], read)[0]


def _target_of_version(role: RoleName, reader: Reader, version: Entity) -> BatchedRead[Any]:
    return (yield from _Targets(role, reader).column([version.state]))[0]


def _all(query: Query, beginnings: Mapping[str, int | None], size: int = maxsize) -> Query:
    """Return the query for all matches of another one, or as many as `size`.

    `beginnings`: the attributes and roles of which totals use values, as in PageFields.
    """
    fields = PageFields(
        version_start=False,
        attributes=frozenset(),
        totals=frozenset(beginnings),
        beginnings=beginnings if size == maxsize else None,
    )
    return replace(query, order=Order(), window=Window(size), fields=fields)


def _count(reader: Reader, query: Query) -> int:
    """Return the number of all matches: the store may know it without reading them."""
    fields = PageFields(items=False, total_count=True, version_start=False, attributes=frozenset())
    return reader.page(replace(query, order=Order(), window=Window(), fields=fields)).total_count or 0


def _page_of_count(fetch: GroupFetch, number: int, class_: Class) -> Any:
    return page_of_groups(iter([Group((), number, {})]), fetch.grouping, class_)


def _totals_in_memory(
    reader: Reader, class_: Class, totals: Totals, pages: Sequence[Page], read: ReadColumns
) -> list[Page]:
    groupings = {key: each for key, each in totals.items() if isinstance(each, GroupFetch)}
    names = _Sums(class_, groupings, reader).names or frozenset()
    states = [*chain.from_iterable(states_of(page.matches) for page in pages)]
    # What the roles of the objects of all pages lead to is loaded together.
    columns = {name: iter(column) for name, column in read(states, names).items()}
    return [
        replace(page, totals=_of_page(page, totals, _Sums(class_, groupings, reader), columns))
        for page in pages
    ]


def _of_page(page: Page, totals: Totals, sums: "_Sums", columns: Mapping[str, Iterator[Any]]) -> Rendered:
    number = len(page.matches)
    sums.add({name: [*islice(column, number)] for name, column in columns.items()}, number)
    counts = {key: each.of(number) for key, each in totals.items() if isinstance(each, CountFetch)}
    return {**counts, **sums.rendered()}


class _Sums:
    """The groups of several requests, of the same objects."""

    def __init__(self, class_: Class, groupings: Mapping[str, GroupFetch], reader: Reader) -> None:
        self._class = class_
        self._reader = reader
        self._zone = reader.evaluation.zone
        self._groupings = groupings
        before_search = partial(reader.budget.compare_in, class_.name)
        self._found = {
            key: Accumulation(class_, each.grouping, self._zone, before_search)
            for key, each in groupings.items()
        }

    @property
    def names(self) -> frozenset[str] | None:
        """The columns that are needed; None if there is nothing to compute."""
        found = [each.names for each in self._found.values()]
        return frozenset().union(*found) if found else None

    @property
    def beginnings(self) -> Mapping[str, int | None]:
        """The same, with how many characters of the stored values are needed, None for all."""
        found: dict[str, int | None] = {}
        for each in self._groupings.values():
            for name, length in each.grouping.beginnings(self._class, self._zone):
                known = found.get(name, length)
                found[name] = None if known is None or length is None else max(known, length)
        return {name: found.get(name) for name in self.names or ()}

    def add(self, columns: ValueColumns, number: int, numbers: Sequence[int] | None = None) -> None:
        """Add states, as `Accumulation.add` does. Raises Refused if there are too many groups."""
        for key, each in self._found.items():
            try:
                each.add(columns, number, numbers)
            except TooManyGroups:
                raise self._too_many(self._groupings[key]) from None

    def rendered(self) -> Rendered:
        """Return the results by key."""
        pages = {key: each.page() for key, each in self._found.items()}
        return {
            key: each.render(pages[key], self._labels(each, pages[key]))
            for key, each in self._groupings.items()
        }

    def _labels(self, fetch: GroupFetch, page: GroupPage) -> Labels:
        return {
            key.name: self._labels_of(key.name, (group.keys[place] for group in page.items))
            for place, key in enumerate(fetch.grouping.keys)
            if key.name in fetch.labelled
        }

    def _labels_of(self, role: str, ids: Iterable[Any]) -> Mapping[str, str | None]:
        """Return by id the labels of objects to which a role leads."""
        target = self._reader.model.classes[self._class.roles[role].target]
        found = labels_of(self._reader, target, dict.fromkeys(id_ for id_ in ids if id_ is not None))
        return {reference.id: label for reference, label in found.items()}

    def _too_many(self, fetch: GroupFetch) -> Refused:
        message = _(
            "{class_name}: There are more than {maximum} groups. Narrow the filter, or use fewer or coarser "
            "keys in by.",
            class_name=self._class.name,
            maximum=f"{MAX_GROUPS:,}",
        )
        return Refused([Subject(self._class).issue(IssueType.MALFORMED_REQUEST, message, *fetch.path, "by")])


def _columns(class_: Class, reader: Reader) -> ReadColumns:
    """Return a function that reads attributes and roles of states. A role is the id of a visible object."""
    targets: dict[str, _Targets] = {}

    def read(states: Sequence[State], names: Iterable[str]) -> ValueColumns:
        found: dict[str, Sequence[Any]] = {}
        for name in names:
            if name in class_.roles:
                if name not in targets:
                    targets[name] = _Targets(RoleName(class_.name, name), reader)
                found[name] = run(targets[name].column(states))
            else:
                found[name] = [state.get(name) for state in states]
        return found

    return read


class _Targets(RoleLoader):
    """The visible objects that a to-one role leads to."""

    def __init__(self, name: RoleName, reader: Reader) -> None:
        super().__init__(name, reader)
        self._reader = reader
        self._known: dict[str | None, str | None] = {None: None}
        """By id that states have: the id of the visible object, None if there is none."""

    def column(self, states: Sequence[State]) -> BatchedRead[list[str | None]]:
        """Return for each state the id of the object that the role leads to, None if there is none."""
        if self.storage is RoleStorage.OPPOSITE_KEY:
            owners = [str(state[ID]) for state in states]
            ids: Sequence[Sequence[str]] = yield from self._reader.load_links(self.name, owners, ALL_IDS)
            yield from self._load(chain.from_iterable(ids))
            found = (self.targets(*each) for each in zip(owners, ids, strict=True))
            return [each[0].reference.id if each else None for each in found]
        stored = [next(iter(ids), None) for ids in self.all_stored_ids(states)]
        known = self._known
        new = {id_ for id_ in {*stored} if id_ is not None and id_ not in known}
        if new:
            yield from self._load(new)
            for id_ in new:
                there = self.found(self.reference(id_))
                known[id_] = None if there is None else str(there.state.get(ID, id_))
        return [known[id_] for id_ in stored]

    def _load(self, ids: Iterable[str]) -> BatchedRead[None]:
        references: list[Reference] = [*map(self.reference, dict.fromkeys(ids))]
        while needed := self.unread(references):
            yield from self._reader.load(needed)
