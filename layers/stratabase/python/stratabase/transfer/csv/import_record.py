"""How far the import of a file is, and the ids of the objects that it creates.

The store keeps one record for each file and mapping of its columns. The record determines the ids of all
objects that the import creates, before it creates any. So an import that was interrupted at any point finds
out what it has written by reading these ids, and a repetition creates no object twice, even if another
process runs the same import at the same time.
"""

import base64
import json
import secrets
import zlib
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import blake2b, sha256

from stratabase.core.domain.objects.instant import Instant
from stratabase.core.operations.ports import Checkpoints
from stratabase.core.store.ids import id_text

_RANDOM_BITS = 80
_STEP_BITS = 40
MAX_REFUSED_SIZE = 300_000
"""The maximum number of characters of the list of refused rows, which must fit in one item of the store."""


class TooManyRefused(Exception):
    """So many rows are refused that the record can't list them."""


@dataclass(frozen=True)
class ImportRecord:
    """The record of an import."""

    file: str
    """The name of the file."""
    class_name: str
    began: Instant
    seed: str
    """A random secret in hexadecimal digits, so that nobody can guess the ids."""
    next_row: int = 0
    """The rows before this one are written or refused."""
    refused: str = ""
    """The numbers of the refused rows (see `pack_rows`)."""
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    """The numbers of objects so far. After an interruption, those of updates may lack the last ones."""
    ended: Instant | None = None
    """When all rows were written, None if they are not."""

    def id_of(self, row: int) -> str:
        """Return the id of the object that a row creates. The ids sort in the order of rows."""
        first, seed = self._first_id
        own = blake2b(row.to_bytes(8, "big"), key=seed, digest_size=_STEP_BITS // 8).digest()
        return id_text(first + (row << _STEP_BITS) + int.from_bytes(own, "big"))

    @cached_property
    def _first_id(self) -> tuple[int, bytes]:
        """The number before all ids, and the secret."""
        seed = bytes.fromhex(self.seed)
        random = int.from_bytes(seed[:10], "big") >> 1  # half of the range, so that rows keep the time
        return (int(self.began) << _RANDOM_BITS) + random, seed


class ImportRecords:
    """The record of one import in the store."""

    def __init__(self, checkpoints: Checkpoints, digest: str, meaning: Mapping[str, object]) -> None:
        """`digest`: of the file. `meaning`: the class, the columns and the formats, as JSON values."""
        text = json.dumps([digest, meaning], sort_keys=True)
        self._checkpoints = checkpoints
        self._work = f"csv#{sha256(text.encode()).hexdigest()}"

    def load(self) -> ImportRecord | None:
        """Return the record, None if there is none."""
        text = self._checkpoints.checkpoint(self._work)
        return None if text is None else ImportRecord(**json.loads(text))

    def begin(self, record: ImportRecord) -> ImportRecord:
        """Store a record, unless there is one; return the stored one. Raises Unavailable."""
        return ImportRecord(**json.loads(self._checkpoints.begin_checkpoint(self._work, _text(record))))

    def save(self, record: ImportRecord) -> None:
        """Replace the record. Raises Unavailable."""
        self._checkpoints.set_checkpoint(self._work, _text(record))

    def forget(self) -> None:
        """Delete the record. Raises Unavailable."""
        self._checkpoints.set_checkpoint(self._work, None)


def new_record(file: str, class_name: str, now: Instant, refused: Iterable[int]) -> ImportRecord:
    """Return the record of an import that begins. Raises TooManyRefused."""
    return with_refused(ImportRecord(file, class_name, now, secrets.token_hex(32)), refused)


def with_refused(record: ImportRecord, rows: Iterable[int]) -> ImportRecord:
    """Return a record with other refused rows. Raises TooManyRefused."""
    packed = pack_rows(rows)
    if len(packed) > MAX_REFUSED_SIZE:
        raise TooManyRefused
    return replace(record, refused=packed)


def pack_rows(rows: Iterable[int]) -> str:
    """Return numbers of rows as a short text: the distances between them, compressed."""
    distances, last = array("I"), 0
    for row in sorted(rows):
        distances.append(row - last)
        last = row
    return base64.b64encode(zlib.compress(distances.tobytes(), 9)).decode() if distances else ""


def unpack_rows(text: str) -> set[int]:
    """Return the numbers of rows of such a text."""
    distances = array("I")
    distances.frombytes(zlib.decompress(base64.b64decode(text)) if text else b"")
    rows, last = set(), 0
    for distance in distances:
        last += distance
        rows.add(last)
    return rows


def _text(record: ImportRecord) -> str:
    return json.dumps(asdict(record))
