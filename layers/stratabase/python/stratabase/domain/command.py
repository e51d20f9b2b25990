"""What a client asks to be written: values as they came, not read yet."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stratabase.domain.entity import Reference


@dataclass(frozen=True, slots=True)
class Create:
    """Make an object. `given` holds JSON values by attribute name."""

    class_name: str
    given: Mapping[str, Any] = field(default_factory=dict)
    client_id: str | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """Change an object: what is not given stays, null clears."""

    reference: Reference
    given: Mapping[str, Any] = field(default_factory=dict)
    client_id: str | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """End an object."""

    reference: Reference
