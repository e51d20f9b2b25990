"""What a request selects of objects besides stored values: derived attributes, locks, and roles."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from stratabase.core.domain.objects.entity import Entity, RoleName
from stratabase.core.domain.query.page import Page, Query
from stratabase.core.model.model import Role
from stratabase.values.frozen import frozen

View = Mapping[str, Any]
"""An object as the answer shows it: its state, and the results of its roles under the keys of a `Fetch`."""
Render = Callable[[Entity], Mapping[str, Any]]
"""A function that makes an object's part of the view, without its roles."""
RenderPage = Callable[[Page, Sequence[View]], Any]
"""A function that makes the answer of a page and the views of its objects."""


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

    @property
    def has_only_values(self) -> bool:
        """Whether an answer shows nothing but what `Render` makes of each object."""
        return not (self.roles or self.derived or self.revision) and self.render_lock is None


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
