"""Report the build states of what a model needs: indexes, constraints, roles and lists of deleted objects."""

from collections.abc import Iterator
from typing import NamedTuple

from stratabase.core.model.model import Class, Index, Model, Unique
from stratabase.core.model.stored_names import ClassNames, StoredNames
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.indexes.entries import DELETED_OBJECTS, BuildState, directive_label
from stratabase.core.store.indexes.registry import Registry, stored_registry, wanted_entries
from stratabase.core.store.layout.associations import Associations


class IndexState(NamedTuple):
    """The state of an index, a uniqueness constraint, a role or the deleted objects of a class."""

    class_name: str
    label: str
    """Such as `@unique(last_name, first_name)`, in the names of the model."""
    state: BuildState
    since: int | None = None
    """The instant at which it entered the state, in milliseconds since 1970. None if it has no entry."""


def index_states(engine: Engine, model: Model) -> Iterator[IndexState]:
    """Yield the states of all indexes and constraints of a model.

    Also yield those of roles and of lists of deleted objects that are not READY. Raises Unavailable.
    """
    registry = stored_registry(engine)
    names = StoredNames(model)
    associations = Associations(names.stored_model)
    for class_ in model.classes.values():
        if class_.is_stored:
            shown = names.classes[class_.name]
            stored = names.stored_model.classes[shown.stored_name]
            yield from _directives(registry, class_.name, stored, shown)
            for role in registry.unfinished_roles(associations.stored_roles(stored.name)):
                yield IndexState(class_.name, role.label(shown), role.state, role.since)
            for deleted in registry.unfinished_deleted(stored):
                yield IndexState(class_.name, DELETED_OBJECTS, deleted.state, deleted.since)


def _directives(registry: Registry, name: str, stored: Class, shown: ClassNames) -> Iterator[IndexState]:
    entries = (*registry.slots(stored.name), *registry.uniques.get(stored.name, ()))
    wanted = wanted_entries(stored, entries)
    directives: tuple[Index | Unique, ...] = (*stored.uniques, *stored.indexes)
    for directive in directives:
        found = [entry for entry in entries if wanted.get(entry.number) == directive]
        # There may be a second one, which is built while the first one serves.
        ready = (entry for entry in found if entry.state is BuildState.READY)
        entry = next(ready, next(iter(found), None))
        state, since = (BuildState.BUILDING, None) if entry is None else (entry.state, entry.since)
        yield IndexState(name, directive_label(directive, shown), state, since)
