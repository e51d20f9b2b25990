"""What a REST body looks like, in JSON and in XML: for its reader, its writer and the OpenAPI document."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a body; `type` is JSON's: string, integer, boolean. In XML its text is read as that."""

    about: str
    type: str = "string"
    required: bool = False
    nullable: bool = False
    """Whether it may be null, which is an empty element in XML."""
    most: int | None = None
    """The most characters of a string."""
    format: str | None = None
    """A name of OpenAPI's registry, such as email or password."""
    example: object = None


@dataclass(frozen=True, slots=True)
class Shape:
    """An object with fields; `root` is the name of its XML element."""

    root: str
    fields: Mapping[str, Field] = field(default_factory=dict)
    namespace: str | None = None
    """The namespace of its XML elements."""
    name: str | None = None
    """What the OpenAPI document calls it; without one, it is called like its XML element."""
    open: bool = False
    """Whether one that comes in may have other fields, which are passed over."""


@dataclass(frozen=True, slots=True)
class Several:
    """A list of objects: an array in JSON, elements within an element `root` in XML."""

    root: str
    each: Shape
