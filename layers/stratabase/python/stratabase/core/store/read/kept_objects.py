"""Keeps the objects that were read by key, until something is written.

Only some engines know whether something was written. Requests are charged for kept objects as for others.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stratabase.core.domain.objects.entity import Entity, Reference

MAX_KEPT_BYTES = 16 * 1024 * 1024
"""The approximate memory that the kept objects of one model take, in bytes."""
_BYTES_BESIDE_STATE = 2_000
"""The approximate memory that an object takes without its state, in bytes."""
_BYTES_OF_CHARACTER = 6
"""The approximate memory that a decoded state takes for each character of its text, in bytes."""
_MAX_NOTED = 4_096
"""The maximum number of objects to note that were read alone."""
_MAX_SHARE = 16
"""An object is not kept if it takes more than this part of the memory: one 16th."""


class KeptObject(NamedTuple):
    """An object that was read by key. Requests share it if it is kept, so nobody may change its state."""

    entity: Entity | None
    """The object, None if it does not exist."""
    bytes_read: int
    """What each use of it charges a read budget."""


class ObjectsOfVersion:
    """The kept objects of one version of the data.

    There are two generations: the objects that were used since the last change of generations, and those
    that were used between that and the one before. A change forgets the older ones. So the objects that are
    used most stay, and using one costs a single look-up.
    """

    def __init__(self, data_version: object) -> None:
        self.data_version = data_version
        self._used: dict[Reference, KeptObject] = {}
        self._earlier: dict[Reference, KeptObject] = {}
        self._bytes = 0
        """The approximate memory that the used objects take."""

    def __iter__(self) -> Iterator[Entity]:
        """Yield the kept objects."""
        return (each.entity for each in {**self._earlier, **self._used}.values() if each.entity is not None)

    def __contains__(self, reference: Reference) -> bool:
        return reference in self._used or reference in self._earlier

    def find(self, references: Sequence[Reference]) -> list[KeptObject | None]:
        """Return the objects that are kept in the order of their references, None for the others."""
        found = list(map(self._used.get, references))
        for at, each in enumerate(found):
            if each is None:
                earlier = found[at] = self._earlier.get(references[at])
                if earlier is not None:
                    self.keep(earlier)
        return found

    def keep(self, read: KeptObject) -> None:
        """Keep an object that was read after this version of the data was seen, if it exists."""
        if read.entity is None:
            return  # clients choose the ids of objects that do not exist, which can be long
        size = _BYTES_BESIDE_STATE + _BYTES_OF_CHARACTER * read.bytes_read
        if size * _MAX_SHARE > MAX_KEPT_BYTES:
            return
        if self._bytes + size > MAX_KEPT_BYTES // 2:
            self._used, self._earlier, self._bytes = {}, self._used, 0
        self._used[read.entity.reference] = read
        self._bytes += size


class KeptObjects:
    """The objects that were read by key most recently.

    Each connection has versions of its own. So threads that read by turns forget what the others keep. The
    server reads in one thread.
    """

    def __init__(self) -> None:
        self._latest = ObjectsOfVersion(None)
        self._noted: set[Reference] = set()

    def may_have(self, reference: Reference) -> bool:
        """Return whether an object is kept or noted. Otherwise, asking for the version is not worth it."""
        return reference in self._noted or reference in self._latest

    def note(self, reference: Reference) -> None:
        """Note that an existing object was read alone, and not kept. The next time, it is."""
        if len(self._noted) >= _MAX_NOTED:
            self._noted.clear()
        self._noted.add(reference)

    def of(self, data_version: object) -> ObjectsOfVersion:
        """Return the kept objects of a version of the data, and forget those of any other."""
        latest = self._latest
        if latest.data_version != data_version:
            latest = self._latest = ObjectsOfVersion(data_version)
        return latest
