"""The mark of a store: the instance that owns the store, where the store is, and the layout of its content.

Each of the three kinds of store has a mark: the objects, the members and the files. A process compares the
marks with its settings and with the layouts that it supports before it uses a store.

A later version of Stratabase can change the layout of a kind of store. `least_reader` and `least_writer` say
which layout a version must know at least to read or write the store, so two neighboring versions can use it
side by side.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from stratabase.core.domain.issues.refusals import StoreOutOfService
from stratabase.values.frozen import frozen


class StoreKind(Enum):
    """The kinds of store. The values are stored, and the commands show them."""

    OBJECTS = "objects"
    MEMBERS = "members"
    FILES = "files"


class LayoutRange(NamedTuple):
    """The layouts of a kind of store that this version of Stratabase knows."""

    oldest: int = 1
    newest: int = 1


KNOWN_LAYOUTS: Mapping[StoreKind, LayoutRange] = MappingProxyType(dict.fromkeys(StoreKind, LayoutRange()))
"""The layouts that this version knows. A store without a mark has layout 1."""


class StoreRefused(StoreOutOfService):
    """A store that this process must not use."""


@frozen
class StoreMark:
    """The mark of a store."""

    kind: StoreKind
    instance: str
    """The ID of the instance that owns the store."""
    place: str = ""
    """The name of the table or bucket. Empty for files of this machine, which a person can move."""
    layout: int = 1
    least_reader: int = 1
    """The lowest layout that a process must know to read the store."""
    least_writer: int = 1
    """The lowest layout that a process must know to write to the store."""
    replaced_by: str = ""
    """The name of the table that has replaced this one after a restore. Empty if none has."""

    @property
    def written_layout(self) -> int:
        """The layout in which processes write. During an upgrade, it is the new one already."""
        return max(self.layout, self.least_writer)

    def text(self) -> str:
        """Return the mark as JSON text."""
        fields = {name: getattr(self, name) for name in self.__match_args__ if name != "kind"}
        return orjson.dumps({"kind": self.kind.value, **fields}).decode()


def parse_mark(text: str) -> StoreMark:
    """Return the mark in a JSON text. Ignores fields that a later version has added.

    Raises ValueError if the text is not a mark.
    """
    content: dict[str, Any] = orjson.loads(text)
    try:
        known = {name: content[name] for name in StoreMark.__match_args__ if name in content}
        return StoreMark(**{**known, "kind": StoreKind(content["kind"])})
    except (KeyError, TypeError) as error:
        raise ValueError(f"This is not the mark of a store: {text[:200]}") from error


class StoreRequirements(NamedTuple):
    """What a process requires of the mark of a store."""

    kind: StoreKind
    place: str
    """The name of the table or bucket in the settings. Empty if the store has no name."""
    setting: str
    """The environment variable that selects the store."""
    instance: str | None = None
    """The ID of the instance. None: any, because the process knows no ID."""
    layouts: LayoutRange | None = None
    """None: those that this version knows."""

    @property
    def label(self) -> str:
        """The store, for messages."""
        return f"The store of {self.kind.value}{self.place and f' {self.place!r}'}"

    @property
    def known(self) -> LayoutRange:
        """The layouts that this process can use."""
        return self.layouts or KNOWN_LAYOUTS[self.kind]

    def check(self, mark: StoreMark | None, *, writes: bool = False) -> None:
        """Raise StoreRefused if a store with this mark must not be used. None: it has no mark.

        `writes`: the process is about to write.
        """
        if mark is None:
            return
        self._check_layout(mark, writes=writes)
        if mark.kind is not self.kind:
            raise StoreRefused(
                f"{self.label} is a store of {mark.kind.value}. Correct the setting {self.setting}."
            )
        if self.instance is not None and mark.instance != self.instance:
            raise StoreRefused(
                f"{self.label} belongs to the instance {mark.instance}, but this service is the instance "
                f"{self.instance}. Correct the setting {self.setting}, or run `stratabase store adopt` to "
                "make the store a part of this instance."
            )
        if mark.place != self.place and self.place and mark.place:
            raise StoreRefused(
                f"{self.label} is a copy of {mark.place!r}, for example from a restore. Correct the setting "
                f"{self.setting}, or run `stratabase store adopt` to use the copy."
            )
        if mark.replaced_by:
            raise StoreRefused(
                f"{self.label} was replaced by {mark.replaced_by!r}. Set {self.setting}={mark.replaced_by}, "
                "or run `stratabase store adopt` to go back to this store."
            )

    def _check_layout(self, mark: StoreMark, *, writes: bool) -> None:
        oldest, newest = self.known
        if mark.layout < oldest:
            raise StoreRefused(
                f"{self.label} has layout {mark.layout}, but this version of Stratabase requires layout "
                f"{oldest} or later. Run `stratabase store upgrade` with the version that you used before."
            )
        least, action = (mark.least_writer, "write to") if writes else (mark.least_reader, "read")
        if newest < least:
            raise StoreRefused(
                f"{self.label} has layout {mark.layout}. To {action} it, a version of Stratabase must know "
                f"layout {least}, but this version knows layout {newest}. Use a later version of Stratabase."
            )


class MarkCheck:
    """Checks the mark of a store once, before the first use, and its layout again before writes."""

    def __init__(self, required: StoreRequirements, read_mark: Callable[[], StoreMark | None]) -> None:
        self._required = required
        self._read_mark = read_mark
        self._mark: StoreMark | None = None
        self._is_checked = False

    def __call__(self, writes: bool) -> None:  # noqa: FBT001 - the signature of a check
        """Raise StoreRefused if this process must not use the store. `writes`: it is about to write."""
        if not self._is_checked:
            mark = self._read_mark()
            self._required.check(mark)
            self._mark, self._is_checked = mark, True
        if writes:
            self._required.check(self._mark, writes=True)
