"""Classes with uniqueness constraints, and their reindexing without waiting."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from stratabase.model.model import Class, Unique
from stratabase.store.backfill.reindex import Reindex, ReindexOutcome
from stratabase.store.engine.port import Engine
from stratabase.store.indexes.registry_cache import RegistryCache
from tests.models import model
from tests.store.clocks import Time

CODE = Unique(("code",))


def with_uniques(class_: Class, *uniques: Sequence[str]) -> Class:
    """Return a class with other uniqueness constraints."""
    return replace(class_, uniques=tuple(Unique(tuple(each)) for each in uniques))


def reindex(
    engine: Engine,
    class_: Class,
    time: Time | None = None,
    tell: Callable[[int], None] = lambda _: None,
    **options: Any,
) -> ReindexOutcome:
    """Reindex a class without waiting."""
    time = time or Time()
    built = Reindex(engine, model(class_), now=time.milliseconds, sleep=time.sleep, **options)
    return built.run(class_.name, tell)


def is_guarded(engine: Engine, class_: Class, unique: Unique = CODE) -> bool:
    """Return whether a process that has just started takes a constraint for READY."""
    return RegistryCache(engine, model(class_)).is_guarded(class_, unique)
