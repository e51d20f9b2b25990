"""What one method does at an address: one definition, which serves it and documents it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from stratabase.domain.member import Caller
from stratabase.edge.request import Request
from stratabase.edge.response import Response
from stratabase.edge.shape import Several, Shape

Act = Callable[[Request, Caller | None], Response]
"""Answers a request; the caller is known wherever the address is protected."""


class Manner(Enum):
    """In what form an operation says why it refuses."""

    PROBLEM = "problem details in the form that `format` chooses"
    JSON = "problem details in JSON"
    TEXT = "a plain text"


@dataclass(frozen=True, slots=True)
class Told:
    """A status that an operation answers, and what its body is.

    A shape in JSON or XML as `format` says, shapes by media type, or just one media type or several.
    """

    about: str
    body: Shape | Several | Mapping[str, Shape] | tuple[str, ...] | str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    """What the headers of the answer are for, by their names."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the query or of the address (which is always required)."""

    about: str
    required: bool = False
    example: str | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """A method of an address.

    `answers` are the statuses that are its own: those that every operation may answer (401 where it is
    protected, 405, 503 and so on) the OpenAPI document adds by itself.
    """

    act: Act
    id: str
    about: str
    answers: Mapping[int, Told] = field(default_factory=dict)
    body: Shape | Mapping[str, Shape] | None = None
    """The body that it reads: a shape in JSON or XML as `format` says, or shapes by media type.

    Where there is none, whatever body a request has is passed over.
    """
    query: Mapping[str, Parameter] = field(default_factory=dict)
    refuses: Manner = Manner.PROBLEM
    formatted: bool = True
    """Whether the query's `format` chooses the form of its bodies."""
    rights: Callable[[Request, Caller], None] | None = None
    """Raises Forbidden for callers who may not do this whatever is in the body, which is not read then."""
    largest: int | None = 64 * 1024
    """The most bytes of a body; None: as many as arrive."""
