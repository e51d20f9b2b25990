"""Which slot each index of each class has, as the registry in the store says, whatever the model becomes.

Objects are written with places for all slots that the registry knows, also where the model of this process
does not name the index (any more, or yet). Pages are read from those that are READY. A process reads the
registry again after FRESH seconds, so soon after a slot was given to an index everybody writes it.

The guards of a uniqueness constraint are written only by processes whose model names it. Any other drops the
constraint from the registry before it writes: so one that stays there is kept to by everybody.
"""

import secrets
import time
from collections.abc import Callable, Iterator

from stratabase.model.class_ import Class, Unique
from stratabase.model.model import Model
from stratabase.store import keys
from stratabase.store.access_path import AccessPath
from stratabase.store.built import State
from stratabase.store.engine import Batch, Engine, ExpectationFailed, OutcomeUnknown
from stratabase.store.registry import Registry, action_on, registry_of

FRESH = 5.0
"""Seconds for which a process believes what it has read."""


def milliseconds() -> int:
    """Return what time it is."""
    return time.time_ns() // 1_000_000


class Slots:
    """The registry as a model's classes need it: what it lacks of them is added when it is read."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], int] = milliseconds,
    ) -> None:
        self._engine = engine
        self._model = model
        self._clock = clock
        self._now = now
        self._registry = Registry()
        self._paths: dict[str, tuple[AccessPath, ...]] = {}
        self._stale_at = clock()

    def paths(self, class_name: str) -> tuple[AccessPath, ...]:
        """Return the indexes of a class that its objects lie in."""
        self.registry()
        return self._paths.get(class_name, ())

    def is_guarded(self, class_: Class, unique: Unique) -> bool:
        """Return whether every object of a class holds its guard of a uniqueness constraint."""
        return self.registry().is_guarded(class_, unique)

    def lacking(self) -> tuple[str, ...]:
        """Return what a reindex has to build, as a person knows it: `Employee @unique(email)`."""
        registry = self.registry()
        return tuple(
            f"{class_.name} {name}" for class_ in self._stored() for name in registry.lacking(class_)
        )

    def registry(self) -> Registry:
        """Return the registry, read FRESH seconds ago at most."""
        read_at = self._clock()
        if read_at >= self._stale_at:
            self._registry = self.change(self.complete)
            self._paths = {name: self._registry.paths(name) for name in self._registry.classes}
            self._stale_at = read_at + FRESH
        return self._registry

    def change(self, changed: Callable[[Registry], Registry]) -> Registry:
        """Change the registry as it is now, and return what it has become; others may change it too."""
        while True:
            before = registry_of(self._engine.get([keys.REGISTRY])[0])
            after = changed(before)
            if after is before or self._write(after):
                return after

    def _write(self, registry: Registry) -> bool:
        try:
            self._engine.commit(Batch(f"slots{secrets.token_hex(12)}", (action_on(registry),)))
        except (ExpectationFailed, OutcomeUnknown):
            # Perhaps it was written, and only the answer lost: whoever reads it again will see.
            return False
        return True

    def complete(self, registry: Registry) -> Registry:
        """Return the registry with what the model asks for, as far as there are slots."""
        for class_ in self._stored():
            # Who has not been served yet has no objects, unless they are older than the registry.
            new = class_.name not in registry.classes
            ready = new and (not (class_.indexes or class_.uniques) or self._is_empty(class_.name))
            state = State.READY if ready else State.BUILDING
            registry = registry.serving(class_, state, self._now())
        return registry

    def _stored(self) -> Iterator[Class]:
        return (class_ for class_ in self._model.classes.values() if class_.is_stored)

    def _is_empty(self, class_name: str) -> bool:
        pages = self._engine.range(keys.LISTING, keys.listing(class_name), limit=1)
        return not any(pages)
