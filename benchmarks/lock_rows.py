"""The cost of locks: locking, unlocking, and writes that fail because of a lock."""

from collections.abc import Callable
from contextvars import Context
from dataclasses import replace
from typing import Any

from benchmarks.role_rows import CALLER, Cost, Operations
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.write.commands import PartsCommand, Update
from stratabase.core.model.types.base import Stored
from stratabase.core.operations.context import Services
from stratabase.core.operations.locks.services import lock, unlock
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.operations.write.services import save

MODEL = """
type Page { name: String lines: [Row!] @composition }
type Row { name: String }
"""

_OTHER = Caller("2", "other", "Member")
_SEVERAL = 10


class Locks:
    """Objects with locks, and the operations to measure. Each object has 1 index slot."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._whole = self._make("Page", "whole", lines=["part"])
        self._part = self._make("Row", "part", page_=self._whole.id)
        self._pages = [self._make("Page", f"p{number}") for number in range(_SEVERAL)]
        self._held = self._make("Page", "held")
        self._free = self._make("Page", "free")
        lock(services, [self._held], 10, _OTHER)

    def operations(self) -> Operations:
        """Return the operations to measure, by name."""
        one, several = self._pages[:1], self._pages
        rename = Update(self._pages[0], {"name": "new"})
        line = Update(
            self._whole, roles={"lines": PartsCommand(update=[Update(self._part, {"name": "new"})])}
        )
        return {
            "lock one": (Cost(1, 0, 1), lambda: lock(self._services, one, 10, CALLER)),
            f"lock {_SEVERAL}": (
                Cost(1, 0, 2 * _SEVERAL),
                lambda: lock(self._services, several, 10, CALLER),
            ),
            "lock a part": (Cost(2, 1, 4), lambda: lock(self._services, [self._part], 10, CALLER)),
            "update of what is locked": (Cost(2, 1, 2), lambda: save(self._services, rename, CALLER)),
            "update of a part through its whole": (
                Cost(2, 2, 2 + 1 + 2),
                lambda: save(self._services, line, CALLER),
            ),
            "unlock one": (Cost(1, 0, 1), lambda: unlock(self._services, one, CALLER)),
            f"unlock {_SEVERAL}": (Cost(1, 0, 2 * _SEVERAL), lambda: unlock(self._services, several, CALLER)),
            "a write refused when it gathers": (
                Cost(1, 1, 0),
                lambda: self._refused(self._services, self._held),
            ),
            "a write refused in the commit": (
                Cost(2, 1, 1),
                lambda: self._refused(self._overtaken(self._free), self._free),
            ),
        }

    def _refused(self, services: Services, held: Reference) -> None:
        try:
            save(services, Update(held, {"name": "new"}), CALLER)
        except Refused:
            return
        raise AssertionError("The lock does not keep the write out.")

    def _overtaken(self, reference: Reference) -> Services:
        """Return services with which another member locks an object before a commit. This is not measured."""

        def lock_first() -> None:
            Context().run(lock, self._services, [reference], 10, _OTHER)

        entities: Any = _Overtaken(self._services.entities, lock_first)
        return replace(self._services, entities=entities)

    def _make(self, class_name: str, id_: str, **state: Stored) -> Reference:
        reference = Reference(class_name, id_)
        entity = Entity(reference, {"_id": id_, "name": "n" * 300, **state})
        self._services.entities.commit(
            Change(self._services.ids.new(), self._services.clock.now(), (Creation(entity),))
        )
        return reference


class _Overtaken:
    """A repository that calls a function before each commit."""

    def __init__(self, entities: EntityRepository, before: Callable[[], object]) -> None:
        self._entities = entities
        self._before = before

    def commit(self, *arguments: Any, **options: Any) -> None:
        """Commit a change."""
        self._before()
        self._entities.commit(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._entities, name)
