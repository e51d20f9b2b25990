"""The errors of a document or of its variables, with no more than what responses show of them."""

from collections.abc import Mapping
from typing import Any

from graphql import GraphQLError, GraphQLSyntaxError

from stratabase.values.frozen import frozen
from stratabase.values.messages import _


@frozen
class DocumentError:
    """An error that a cache may keep.

    An exception must not be kept: its traceback refers to the frames of all callers, and so to the whole
    request. An error of graphql-core also refers to the nodes of the document.
    """

    message: str
    """A Message, unless it is one of graphql-core, which are in English."""
    formatted: Mapping[str, Any]
    """What responses show besides the message and its classification: places and paths."""
    positions: frozenset[int]
    """Where the error is in the text of the document, in characters."""
    is_syntax_error: bool

    @classmethod
    def of(cls, error: GraphQLError) -> "DocumentError":
        """Return what responses show of an error."""
        return cls(
            _without_internals(error),
            error.formatted,
            frozenset(error.positions or ()),
            isinstance(error, GraphQLSyntaxError),
        )

    @property
    def size(self) -> int:
        """The approximate size of its texts, in bytes."""
        return len(self.message.encode(errors="replace"))


def _without_internals(error: GraphQLError) -> str:
    """Return the message of an error without Python's internals.

    For example, Python explains that it cannot convert an Int of 5,000 digits.
    """
    internal = error.original_error is not None and not isinstance(error.original_error, GraphQLError)
    if not internal:
        return error.message
    return _("{problem}. The value can't be read.", problem=error.message.partition(", but")[0])
