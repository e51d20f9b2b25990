"""Builds what a model needs from the data that is there, before an embedded store serves the model."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cli import unbuilt
from stratabase.model.model import Class, Model
from stratabase.settings import Settings
from stratabase.store.backfill.reindex import Reindex
from stratabase.store.engine.port import Engine
from stratabase.store.indexes.entries import BuildState, RegistryEntry, RequiredRoleEntry
from stratabase.store.indexes.registry import entry_label
from stratabase.store.keyring import file_lock
from stratabase.store.layout import keys

LOCK = "build.lock"
"""The file in the home that a process locks while it builds."""
INTERVAL = 2.0
"""Seconds from one line about the progress to the next."""
_PATIENCE = 1.0
_TRIES = 3
"""How often required roles are built before the model is served all the same."""

Say = Callable[..., None]
"""Is told lines for the person at the terminal."""


def is_embedded(settings: Settings) -> bool:
    """Return whether the store is in this process, so that a model can wait until everything is built."""
    return settings.store == "sqlite"


def build_before_serving(settings: Settings, engine: Engine, model: Model, say: Say) -> None:
    """Make everything READY that the model asks for of an embedded store. Raises Unavailable.

    Of several processes that share the store one builds, and the others wait for it. Processes that serve
    another model go on meanwhile, and keep what is being built.
    """
    if not is_embedded(settings):
        return
    reindex = Reindex(engine, model, ahead=True, local=True)
    wanted = reindex.unfinished(class_.name for class_ in model.classes.values() if class_.is_stored)
    if not wanted:
        return
    with one_at_a_time(settings.home, say):
        for name, built in reindex.unfinished(wanted).items():
            # What is not as it was, another process has built while this one waited.
            if _states(built) & _states(wanted[name]):
                _build(reindex, engine, model.classes[name], built, say)


@contextmanager
def one_at_a_time(home: Path, say: Say) -> Iterator[None]:
    """Wait until no other process on this machine builds, and let none begin meanwhile."""
    path, told = home / LOCK, False
    while True:
        try:
            with file_lock.held(path, _PATIENCE if told else 0):
                yield
                return
        except file_lock.Busy:
            if not told:
                say("Another process builds what the model needs; waiting until it is done.")
            told = True


def count(engine: Engine, class_name: str) -> int:
    """Return how many objects a class has."""
    return sum(map(len, engine.range(keys.LISTING, keys.listing(class_name))))


def _states(built: Iterable[RegistryEntry]) -> set[tuple[int, BuildState]]:
    return {(one.number, one.state) for one in built}


def _build(reindex: Reindex, engine: Engine, class_: Class, built: Sequence[RegistryEntry], say: Say) -> None:
    """Build what is to be built for a class, and say how far it is and what is wrong."""
    names = ", ".join(entry_label(class_, one) for one in built)
    total = count(engine, class_.name)
    progress = Progress(f"Building {class_.name} {names}", total, say)
    outcome = reindex.run(class_.name, progress)
    for _ in range(_TRIES - 1):
        # A process that serves the last model does not keep roles that only the new one requires.
        left = reindex.unfinished([class_.name]).get(class_.name, ())
        broken = {duplicate.unique for duplicate in outcome.duplicates}
        if not any(
            isinstance(one, RequiredRoleEntry) and one.requirement.key_role not in broken for one in left
        ):
            break
        outcome = reindex.run(class_.name, progress)
    if total:
        say(f"Built {class_.name} {names}: {progress.done:,} objects were looked at.")
    if lines := list(unbuilt.lines(class_.name, outcome, whole=False)):
        say(*lines, unbuilt.advice([outcome]))


class Progress:
    """Says how far something is that a start waits for: at its beginning, and from time to time."""

    def __init__(self, title: str, total: int, say: Say) -> None:
        """`total`: of how many objects; of none, nothing is said."""
        self._title = title
        self._total = total
        self._say = say
        self._due = time.monotonic() + INTERVAL
        self.done = 0
        if total:
            say(f"{title} for {total:,} objects before the model is served.")

    def __call__(self, objects: int) -> None:
        """Be told that so many more objects were looked at."""
        self.done += objects
        if time.monotonic() >= self._due:
            share = min(100, 100 * self.done // max(1, self._total))
            self._say(f"{self._title}: {share}% ({self.done:,} of {self._total:,} objects)")
            self._due = time.monotonic() + INTERVAL
