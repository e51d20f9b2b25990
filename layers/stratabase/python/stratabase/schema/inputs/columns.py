"""How what is given of a role becomes a command: one function for each kind of input.

A null clears, but where an object is made there is nothing to clear. Nulls in lists are passed over.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stratabase.domain.command import Create, Update
from stratabase.domain.issue import Path
from stratabase.domain.role_command import Links, Parts, Point
from stratabase.model.api_names import GeneratedType
from stratabase.model.class_ import Class

if TYPE_CHECKING:
    from stratabase.schema.inputs.reading import Reading

Given = Mapping[str, Any]

_CLEARED = Parts(delete_all=True)


def one_id(_: "Reading", __: Class, given: Any, ___: Path) -> Point:
    """Read the id of the object that an association is to lead to."""
    return Point(given)


def several_ids(_: "Reading", __: Class, given: Any, ___: Path) -> Links | None:
    """Read the ids that a new object's association is to lead to."""
    return None if given is None else Links(add=_there(given))


def reference(_: "Reading", __: Class, given: Any, ___: Path) -> Point | None:
    """Read `{set, remove}`."""
    if given is None:
        return Point()
    remove = bool(given.get("remove"))
    return Point(given.get("set"), remove) if remove or "set" in given else None


def references(_: "Reading", __: Class, given: Any, ___: Path) -> Links:
    """Read `{add, remove, removeAll}`."""
    if given is None:
        return Links(remove_all=True)
    return Links(_there(given.get("add")), _there(given.get("remove")), bool(given.get("removeAll")))


class New:
    """Reads the parts of a new object: inputs of a family that makes objects."""

    def __init__(self, family: GeneratedType) -> None:
        self._family = family

    def one(self, reading: "Reading", part: Class, given: Any, path: Path) -> Parts | None:
        """Read a part."""
        return None if given is None else Parts([reading.create(self._family, part, given, path)])

    def several(self, reading: "Reading", part: Class, given: Any, path: Path) -> Parts | None:
        """Read a list of parts."""
        made = [reading.create(self._family, part, each, way) for each, way in _each(given, path)]
        return Parts(made) if made else None


class Changed:
    """Reads what is to be done with the parts of an object that there is."""

    def __init__(self, create: GeneratedType, update: GeneratedType) -> None:
        self._create = create
        self._update = update

    def one(self, reading: "Reading", part: Class, given: Any, path: Path) -> Parts:
        """Read `{create, update, delete}`."""
        return (
            _CLEARED
            if given is None
            else Parts(
                self._made(reading, part, _alone(given, "create", path)),
                self._updated(reading, part, _alone(given, "update", path)),
                delete_all=bool(given.get("delete")),
            )
        )

    def several(self, reading: "Reading", part: Class, given: Any, path: Path) -> Parts:
        """Read `{create, update, delete, deleteAll}`."""
        return (
            _CLEARED
            if given is None
            else Parts(
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


def saved(reading: "Reading", part: Class, given: Any, path: Path) -> Parts:
    """Read the one part that is to be there: it is changed if it has an id, and made if not."""
    if given is None:
        return _CLEARED
    command = reading.save(part, given, path)
    return Parts(update=[command]) if isinstance(command, Update) else Parts([command])


def all_saved(reading: "Reading", part: Class, given: Any, path: Path) -> Parts:
    """Read `{save, delete, deleteAll}`."""
    if given is None:
        return _CLEARED
    commands = [reading.save(part, each, way) for each, way in _each(given.get("save"), (*path, "save"))]
    return Parts(
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
