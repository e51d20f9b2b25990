"""Classes with uniqueness constraints, and their reindexing without waiting."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from stratabase.core.model.model import Class, Unique
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.indexes.registry_cache import RegistryCache
from stratabase.evolution.backfill.reindex import Reindex, ReindexOutcome
from tests.core.store.clocks import Time
from tests.models import model

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
