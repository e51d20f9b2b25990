"""How what is given of a role becomes a command: one function for each kind of input.

A null clears, but where an object is made there is nothing to clear. Nulls in lists are passed over.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stratabase.domain.issue import Path
from stratabase.domain.write.commands import Create, PartsCommand, ToManyCommand, ToOneCommand, Update
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class

if TYPE_CHECKING:
    from stratabase.schema.inputs.reading import Reading

Given = Mapping[str, Any]

_CLEARED = PartsCommand(delete_all=True)


def one_id(_: "Reading", __: Class, given: Any, ___: Path) -> ToOneCommand:
    """Read the id of the object that an association is to lead to."""
    return ToOneCommand(given)


def several_ids(_: "Reading", __: Class, given: Any, ___: Path) -> ToManyCommand | None:
    """Read the ids that a new object's association is to lead to."""
    return None if given is None else ToManyCommand(add=_there(given))


def reference(_: "Reading", __: Class, given: Any, ___: Path) -> ToOneCommand | None:
    """Read `{set, remove}`."""
    if given is None:
        return ToOneCommand()
    remove = bool(given.get("remove"))
    return ToOneCommand(given.get("set"), remove) if remove or "set" in given else None


def references(_: "Reading", __: Class, given: Any, ___: Path) -> ToManyCommand:
    """Read `{add, remove, removeAll}`."""
    if given is None:
        return ToManyCommand(remove_all=True)
    return ToManyCommand(_there(given.get("add")), _there(given.get("remove")), bool(given.get("removeAll")))


class New:
    """Reads the parts of a new object: inputs of a family that makes objects."""

    def __init__(self, family: GeneratedType) -> None:
        self._family = family

    def one(self, reading: "Reading", part: Class, given: Any, path: Path) -> PartsCommand | None:
        """Read a part."""
        return None if given is None else PartsCommand([reading.create(self._family, part, given, path)])

    def several(self, reading: "Reading", part: Class, given: Any, path: Path) -> PartsCommand | None:
        """Read a list of parts."""
        made = [reading.create(self._family, part, each, way) for each, way in _each(given, path)]
        return PartsCommand(made) if made else None


class Changed:
    """Reads what is to be done with the parts of an object that there is."""

    def __init__(self, create: GeneratedType, update: GeneratedType) -> None:
        self._create = create
        self._update = update

    def one(self, reading: "Reading", part: Class, given: Any, path: Path) -> PartsCommand:
        """Read `{create, update, delete}`."""
        return (
            _CLEARED
            if given is None
            else PartsCommand(
                self._made(reading, part, _alone(given, "create", path)),
                self._updated(reading, part, _alone(given, "update", path)),
                delete_all=bool(given.get("delete")),
            )
        )

    def several(self, reading: "Reading", part: Class, given: Any, path: Path) -> PartsCommand:
        """Read `{create, update, delete, deleteAll}`."""
        return (
            _CLEARED
            if given is None
            else PartsCommand(
                self._made(reading, part, _each(given.get("create"), (*path, "create"))),
                self._updated(reading, part, _each(given.get("update"), (*path, "update"))),
                _there(given.get("delete")),
                bool(given.get("deleteAll")),
            )
        )

    def _made(self, reading: "Reading", part: Class, given: Iterator[tuple[Given, Path]]) -> list[Create]:
        return [reading.create(self._create, part, each, path) for each, path in given]

    def _updated(self, reading: "Reading", part: Class, given: Iterator[tuple[Given, Path]]) -> list[Update]:
        return [reading.update(self._update, part, each, path) for each, path in given]


def saved(reading: "Reading", part: Class, given: Any, path: Path) -> PartsCommand:
    """Read the one part that is to be there: it is changed if it has an id, and made if not."""
    if given is None:
        return _CLEARED
    command = reading.save(part, given, path)
    return PartsCommand(update=[command]) if isinstance(command, Update) else PartsCommand([command])


def all_saved(reading: "Reading", part: Class, given: Any, path: Path) -> PartsCommand:
    """Read `{save, delete, deleteAll}`."""
    if given is None:
        return _CLEARED
    commands = [reading.save(part, each, way) for each, way in _each(given.get("save"), (*path, "save"))]
    return PartsCommand(
        [command for command in commands if isinstance(command, Create)],
        [command for command in commands if isinstance(command, Update)],
        _there(given.get("delete")),
        bool(given.get("deleteAll")),
    )


def _there(given: Sequence[Any] | None) -> list[Any]:
    return [each for each in given or () if each is not None]


def _each(given: Sequence[Any] | None, path: Path) -> Iterator[tuple[Given, Path]]:
    return ((each, (*path, place)) for place, each in enumerate(given or ()) if each is not None)


def _alone(given: Given, name: str, path: Path) -> Iterator[tuple[Given, Path]]:
    return ((given[name], (*path, name)) for _ in range(given.get(name) is not None))
