"""How what is given of a role becomes a command: one function for each kind of input.

A null clears, but where an object is made there is nothing to clear. Nulls in lists are passed over.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stratabase.domain.issues.issue import Path
from stratabase.domain.write.commands import Create, PartsCommand, ToManyCommand, ToOneCommand, Update
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class

if TYPE_CHECKING:
    from stratabase.schema.inputs.command_reader import CommandReader


Given = Mapping[str, Any]


_DELETE_ALL = PartsCommand(delete_all=True)


def read_id(_: "CommandReader", __: Class, given: Any, ___: Path) -> ToOneCommand:
    """Read the id of the object that an association is to lead to."""
    return ToOneCommand(given)


def read_ids(_: "CommandReader", __: Class, given: Any, ___: Path) -> ToManyCommand | None:
    """Read the ids that a new object's association is to lead to."""
    return None if given is None else ToManyCommand(add=_without_nulls(given))


def read_role_ref(_: "CommandReader", __: Class, given: Any, ___: Path) -> ToOneCommand | None:
    """Read `{set, remove}`."""
    if given is None:
        return ToOneCommand()
    remove = bool(given.get("remove"))
    return ToOneCommand(given.get("set"), remove) if remove or "set" in given else None


def read_role_refs(_: "CommandReader", __: Class, given: Any, ___: Path) -> ToManyCommand:
    """Read `{add, remove, removeAll}`."""
    if given is None:
        return ToManyCommand(remove_all=True)
    return ToManyCommand(
        _without_nulls(given.get("add")), _without_nulls(given.get("remove")), bool(given.get("removeAll"))
    )


class NewParts:
    """Reads the parts of a new object: inputs of a family that makes objects."""

    def __init__(self, family: GeneratedType) -> None:
        self._family = family

    def read_one(self, reading: "CommandReader", part: Class, given: Any, path: Path) -> PartsCommand | None:
        """Read a part."""
        return None if given is None else PartsCommand([reading.create(self._family, part, given, path)])

    def read_many(self, reading: "CommandReader", part: Class, given: Any, path: Path) -> PartsCommand | None:
        """Read a list of parts."""
        made = [reading.create(self._family, part, each, way) for each, way in _elements(given, path)]
        return PartsCommand(made) if made else None


class ChangedParts:
    """Reads what is to be done with the parts of an object that there is."""

    def __init__(self, create: GeneratedType, update: GeneratedType) -> None:
        self._create = create
        self._update = update

    def read_one(self, reading: "CommandReader", part: Class, given: Any, path: Path) -> PartsCommand:
        """Read `{create, update, delete}`."""
        return (
            _DELETE_ALL
            if given is None
            else PartsCommand(
                self._read_creates(reading, part, _single(given, "create", path)),
                self._read_updates(reading, part, _single(given, "update", path)),
                delete_all=bool(given.get("delete")),
            )
        )

    def read_many(self, reading: "CommandReader", part: Class, given: Any, path: Path) -> PartsCommand:
        """Read `{create, update, delete, deleteAll}`."""
        return (
            _DELETE_ALL
            if given is None
            else PartsCommand(
                self._read_creates(reading, part, _elements(given.get("create"), (*path, "create"))),
                self._read_updates(reading, part, _elements(given.get("update"), (*path, "update"))),
                _without_nulls(given.get("delete")),
                bool(given.get("deleteAll")),
            )
        )

    def _read_creates(
        self, reading: "CommandReader", part: Class, given: Iterator[tuple[Given, Path]]
    ) -> list[Create]:
        return [reading.create(self._create, part, each, path) for each, path in given]

    def _read_updates(
        self, reading: "CommandReader", part: Class, given: Iterator[tuple[Given, Path]]
    ) -> list[Update]:
        return [reading.update(self._update, part, each, path) for each, path in given]


def read_saved_part(reading: "CommandReader", part: Class, given: Any, path: Path) -> PartsCommand:
    """Read the one part that is to be there: it is changed if it has an id, and made if not."""
    if given is None:
        return _DELETE_ALL
    command = reading.save(part, given, path)
    return PartsCommand(update=[command]) if isinstance(command, Update) else PartsCommand([command])


def read_saved_parts(reading: "CommandReader", part: Class, given: Any, path: Path) -> PartsCommand:
    """Read `{save, delete, deleteAll}`."""
    if given is None:
        return _DELETE_ALL
    commands = [reading.save(part, each, way) for each, way in _elements(given.get("save"), (*path, "save"))]
    return PartsCommand(
        [command for command in commands if isinstance(command, Create)],
        [command for command in commands if isinstance(command, Update)],
        _without_nulls(given.get("delete")),
        bool(given.get("deleteAll")),
    )


def _without_nulls(given: Sequence[Any] | None) -> list[Any]:
    return [each for each in given or () if each is not None]


def _elements(given: Sequence[Any] | None, path: Path) -> Iterator[tuple[Given, Path]]:
    return ((each, (*path, place)) for place, each in enumerate(given or ()) if each is not None)


def _single(given: Given, name: str, path: Path) -> Iterator[tuple[Given, Path]]:
    return ((given[name], (*path, name)) for _ in range(given.get(name) is not None))
