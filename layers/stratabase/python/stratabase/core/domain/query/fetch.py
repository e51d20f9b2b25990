"""What a request selects of objects besides stored values: derived attributes, locks, and roles."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from stratabase.core.domain.issues.issue import Path
from stratabase.core.domain.objects.entity import Entity, RoleName
from stratabase.core.domain.query.groups import Grouping, GroupPage
from stratabase.core.domain.query.page import Page, Query
from stratabase.core.model.model import Role
from stratabase.values.frozen import frozen

View = Mapping[str, Any]
"""An object as the answer shows it: its state, and the results of its roles under the keys of a `Fetch`."""
Render = Callable[[Entity], Mapping[str, Any]]
"""A function that makes an object's part of the view, without its roles."""
RenderPage = Callable[[Page, Sequence[View]], Any]
"""A function that makes the answer of a page and the views of its objects."""


Labels = Mapping[str, Mapping[str, str | None]]
"""By role, and by the id of an object that it leads to: the label of the object."""


@frozen
class CountFetch:
    """The number of all matches of a page, counted no further than one beyond a limit."""

    limit: int
    render: Callable[[int, bool], Any]
    """Makes the answer of a number, and of whether there are more."""

    def of(self, number: int) -> Any:
        """Return the answer for a number of matches, which is right up to one beyond the limit."""
        return self.render(min(number, self.limit), number > self.limit)


@frozen
class GroupFetch:
    """Groups of all matches of a page, or the totals of all of them."""

    grouping: Grouping
    render: Callable[[GroupPage, Labels], Any]
    """Makes the answer of the groups, with the labels of their keys."""
    path: Path
    """The path of response keys from the root field."""
    labelled: frozenset[str] = frozenset()
    """The roles among the keys whose objects are shown with their labels."""

    @property
    def only_counts(self) -> bool:
        """Whether only the number of all matches is needed."""
        return not (self.grouping.keys or self.grouping.needed)


TotalsFetch = CountFetch | GroupFetch


@frozen
class Fetch:
    """What a request selects of the objects of one class. `roles` is keyed by the keys of the view."""

    roles: Mapping[str, "RoleFetch"] = field(default_factory=dict)
    derived: tuple[str, ...] = ()
    """The names of the selected derived attributes."""
    version_start: bool = False
    """Whether `_versionStart` is selected."""
    render_lock: Callable[[Entity], Any] | None = None
    """A function that makes the answer of an object's lock, for the key LOCK; None if it is not selected."""
    revision: bool = False
    """Whether `_revision` is selected."""
    attributes: frozenset[str] | None = None
    """The stored attributes that the answer shows; None for all that the state has."""
    totals: Mapping[str, TotalsFetch] = field(default_factory=dict)
    """The totals that the page of the objects shows, by keys like those of the roles."""
    facts: frozenset[str] = frozenset()
    """The names of the selected fields that show what only the service knows."""

    @property
    def has_only_values(self) -> bool:
        """Whether an answer shows nothing but what `Render` makes of each object."""
        return not (self.roles or self.derived or self.revision) and self.render_lock is None


def for_totals(query: Query, totals: Mapping[str, TotalsFetch]) -> Query:
    """Return a query for a page of objects in memory that also has all matches, if there are totals."""
    if not totals:
        return query
    names = [each.grouping.names for each in totals.values() if isinstance(each, GroupFetch)]
    return replace(query, fields=replace(query.fields, totals=frozenset[str]().union(*names)))


@frozen
class ToOne:
    """The object that a role leads to. The answer is its view, or None if there is no object."""

    name: RoleName
    role: Role
    fetch: Fetch


@frozen
class ToMany:
    """A page of the objects that a role leads to."""

    name: RoleName
    role: Role
    fetch: Fetch
    query: Query
    render_page: RenderPage


@frozen
class Associables:
    """A page of the objects that an association may lead to."""

    name: RoleName
    role: Role
    fetch: Fetch
    query: Query
    render_page: RenderPage


RoleFetch = ToOne | ToMany | Associables
LOCK = "_lock"


def render_stored(entity: Entity) -> Mapping[str, Any]:
    """Return an object's state: the `Render` for stored values."""
    return entity.state
