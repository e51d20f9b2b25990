"""What is wanted of objects beside what they keep: what is derived, and what their roles lead to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stratabase.domain.objects.entity import Entity, RoleName
from stratabase.domain.query.page import Page, Query
from stratabase.model.model import Role

View = Mapping[str, Any]
"""An object as it is answered: its state, and what its roles lead to under the spots that a fetch names."""


Render = Callable[[Entity], Mapping[str, Any]]
"""Makes of an object what its view shows of it by itself."""


RenderPage = Callable[[Page, Sequence[View]], Any]
"""Makes what is answered of a page and the views of its objects."""


@dataclass(frozen=True, slots=True)
class Fetch:
    """What is wanted of objects of one class: roles, each by the spot where a view holds it."""

    roles: Mapping[str, "RoleFetch"] = field(default_factory=dict)
    derived: tuple[str, ...] = ()
    """The derived attributes that are wanted in their views, under their names."""
    version_start: bool = False
    """`_versionStart` is wanted of them."""
    render_lock: Callable[[Entity], Any] | None = None
    """Makes what is answered of an object's lock, which a view holds as LOCK; None if that is not wanted."""


@dataclass(frozen=True, slots=True)
class ToOne:
    """The object that a role leads to; its view is the answer, None where there is no object."""

    name: RoleName
    role: Role
    fetch: Fetch


@dataclass(frozen=True, slots=True)
class ToMany:
    """A page of the objects that a role leads to."""

    name: RoleName
    role: Role
    fetch: Fetch
    query: Query
    render_page: RenderPage


@dataclass(frozen=True, slots=True)
class Associables:
    """A page of the objects that an association may lead to."""

    name: RoleName
    role: Role
    fetch: Fetch
    query: Query
    render_page: RenderPage


RoleFetch = ToOne | ToMany | Associables


LOCK = "_lock"


STATE_ONLY = Fetch()
"""Nothing is wanted beside what the objects keep."""


def stored_state(entity: Entity) -> Mapping[str, Any]:
    """Return an object's state: the face of what is stored."""
    return entity.state
