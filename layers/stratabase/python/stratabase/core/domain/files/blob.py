"""Bytes in the blob store: their keys, and multipart uploads."""

import re
from collections.abc import Iterable
from typing import NamedTuple

MIN_PART_SIZE = 5 * 1024 * 1024
"""Bytes. Each part of a multipart upload has at least this size, except for the last one."""
MAX_PARTS = 10_000
"""The largest number of a part."""
CHUNK_SIZE = 256 * 1024
"""Bytes. The chunks of a read have at most this size."""
_KEY = re.compile(r"(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+")
_PREFIX = re.compile(r"(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]*")


class BlobNotFound(Exception):
    """The blob store has no bytes under a key, or no multipart upload with an ID."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


class Blob(NamedTuple):
    """Stored bytes."""

    key: str
    size: int
    """In bytes."""


class MultipartUpload(NamedTuple):
    """A multipart upload that is not complete: its key, and the ID that the blob store gave it."""

    key: str
    id: str


class UploadedPart(NamedTuple):
    """A part of a multipart upload. `token` is what the blob store returned for it."""

    number: int
    token: str


def is_blob_key(text: str) -> bool:
    """Return whether a text is a key: a relative path of ASCII letters, digits, `-` and `_`."""
    return _KEY.fullmatch(text) is not None


def check_blob_key(key: str) -> str:
    """Return a key. Raises ValueError for any other text."""
    if not is_blob_key(key):
        raise ValueError(f"{key!r} is not a key. Use ASCII letters, digits, - and _, separated by /.")
    return key


def check_blob_prefix(prefix: str) -> str:
    """Return a text with which keys can begin. Raises ValueError for any other text."""
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(f"No key can begin with {prefix!r}.")
    return prefix


def check_part_number(number: int) -> int:
    """Return the number of a part. Raises ValueError if no part can have it."""
    if not 1 <= number <= MAX_PARTS:
        raise ValueError(f"Parts have numbers from 1 to {MAX_PARTS}, not {number}.")
    return number


def parts_in_order(parts: Iterable[UploadedPart]) -> list[UploadedPart]:
    """Return the parts of an upload by number. Raises ValueError if there are none, or two with a number."""
    ordered = sorted(parts)
    if not ordered or len({part.number for part in ordered}) < len(ordered):
        raise ValueError("An upload needs at least one part, and each number once.")
    return ordered
