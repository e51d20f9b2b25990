"""What a client asks to be written: values as they came, not read yet."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stratabase.domain.entity import Reference
from stratabase.domain.instant import Instant
from stratabase.domain.issue import Path
from stratabase.domain.role_command import RoleCommand


@dataclass(frozen=True, slots=True)
class Create:
    """Make an object. `given` holds JSON values by attribute name, `roles` what is asked of its roles."""

    class_name: str
    given: Mapping[str, Any] = field(default_factory=dict)
    client_id: str | None = None
    roles: Mapping[str, RoleCommand] = field(default_factory=dict)
    path: Path | None = None
    """Of a part: where the request has it, from its whole on: ("addresses", "save", 0). Without one it is
    where `Parts` has it: ("addresses", "create", 0)."""


@dataclass(frozen=True, slots=True)
class Update:
    """Change an object: what is not given stays, null clears."""

    reference: Reference
    given: Mapping[str, Any] = field(default_factory=dict)
    client_id: str | None = None
    roles: Mapping[str, RoleCommand] = field(default_factory=dict)
    path: Path | None = None
    """As with Create."""
    if_version: tuple[Instant, ...] | None = None
    """When the version began on which the client relies: at one of these, if it says so."""


@dataclass(frozen=True, slots=True)
class UpdateBulk:
    """Change each of many objects of a class in the same way."""

    class_name: str
    given: Mapping[str, Any] = field(default_factory=dict)
    roles: Mapping[str, RoleCommand] = field(default_factory=dict)

    def of(self, reference: Reference) -> Update:
        """Return what is asked of one of them."""
        return Update(reference, self.given, roles=self.roles)


@dataclass(frozen=True, slots=True)
class Delete:
    """End an object, and all its parts; `place`: where the request asks for it."""

    reference: Reference
    place: Path = ("_id",)
    if_version: tuple[Instant, ...] | None = None
    """As with Update."""


@dataclass(frozen=True, slots=True)
class Restore:
    """Make an object of a versioned class, with its parts, what it was at an instant."""

    reference: Reference
    at: Instant
    forced: bool = False
    """What it referred to and is there no more is left out, and nothing said of it."""


Command = Create | Update | Delete
AnyCommand = Command | Restore
