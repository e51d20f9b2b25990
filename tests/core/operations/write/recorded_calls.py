"""The objects of a scenario, with a record of each call to them that reads or writes."""

from collections.abc import Callable
from typing import Any

from tests.fakes import DictEntities


class RecordedCalls:
    """Passes calls on and records their names, except for checks that read nothing."""

    def __init__(self, entities: DictEntities) -> None:
        self._entities = entities
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            if name != "check_role":
                self.calls.append(name)
            return getattr(self._entities, name)(*arguments, **options)

        return call
