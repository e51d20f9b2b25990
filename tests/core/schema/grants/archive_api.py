"""The GraphQL API over the archive, whose files keep versions, with its callers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.version import format_version_instant
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model_file
from stratabase.core.operations.context import Services
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from tests.core.schema.grants.guild_api import GuildApi
from tests.core.schema.graph_api import OrderedIds
from tests.fakes import ADMINISTRATOR, NOON, FrozenClock, unlimited_budget

ARCHIVE = read_model_file(Path(__file__).parent.parent / "models/archive.graphql")
CLERK = Caller("m7", "clerk", "Clerk")
READER = Caller("m8", "reader", "Reader")
KEEPER = Caller("m9", "keeper", "Keeper")
BINDER = Caller("m10", "binder", "Binder")

R = TypeVar("R")


class ArchiveApi(GuildApi):
    """Writes one second apart, and reads versions."""

    def __init__(self, engine: Engine, model: Model = ARCHIVE) -> None:
        self._engine = engine
        self._ids = OrderedIds()
        self.clock = FrozenClock()
        self.go_on(model)

    def go_on(self, model: Model) -> None:
        """Continue under another model."""
        self.entities = Repository(self._engine, model)
        self.services = Services(model, self.entities, self.clock, self._ids, unlimited_budget)
        self.executor = SchemaExecutor(self.services, _failed)

    def file(self, **data: Any) -> str:
        """Create a file, one second later."""
        return self._later(lambda: self.create("Dossier", ADMINISTRATOR, **{"name": "a", "level": 1, **data}))

    def change(self, class_name: str, id_: str, caller: Caller = ADMINISTRATOR, /, **data: Any) -> None:
        """Update an object, one second later, despite warnings."""
        query = (
            f"mutation($data: {class_name}Update!) {{ {class_name}___update(data: $data, "
            "forceWarnings: {dataValidation: true}) { _id } }"
        )
        self._later(lambda: self.ask(query, caller, data={"_id": id_, **data}))

    def delete(self, class_name: str, id_: str) -> None:
        """Delete an object, one second later."""
        query = f'mutation {{ {class_name}___delete(_id: "{id_}") {{ deleted }} }}'
        self._later(lambda: self.ask(query))

    def version(self, id_: str, second: int, selection: str, caller: Caller = CLERK) -> Any:
        """Return the selected fields of a file as of a number of seconds after the start."""
        return self.ask(self._of("getVersion", id_, selection, atVersion=second), caller)

    def diff(self, id_: str, first: int, last: int, caller: Caller = CLERK) -> Any:
        """Return the changes of a file by attribute name, as the caller sees them."""
        selection = 'changes { name old new changedBy changedOn(format: "ss") }'
        found = self.ask(self._of("getVersionDiff", id_, selection, **{"from": first, "to": last}), caller)
        return found and {
            each["name"]: (each["old"], each["new"], each["changedBy"], each["changedOn"])
            for each in found["changes"]
        }

    def restoration(self, id_: str, second: int, selection: str = "_id", *, force: bool = False) -> str:
        """Return the request that restores a file as of a second. It runs one second later."""
        self.clock.instant += 1000
        query = self._of("restoreVersion", id_, selection, atVersion=second)
        if force:
            query = query.replace(") {", ", forceWarnings: {dataValidation: true}) {", 1)
        return f"mutation {query}"

    def _of(self, verb: str, id_: str, selection: str, **seconds: int) -> str:
        moments = ", ".join(f'{name}: "{at(second)}"' for name, second in seconds.items())
        return f'{{ Dossier___{verb}(_id: "{id_}", {moments}) {{ {selection} }} }}'

    def _later(self, work: Callable[[], R]) -> R:
        self.clock.instant += 1000
        return work()


def locking(verb: str, *named: str) -> str:
    """Return the request that locks or unlocks objects, each given as `Class.id`."""
    each = ", ".join('{{entityName: {}, _id: "{}"}}'.format(*one.split(".")) for one in named)
    return f"mutation {{ {verb}(locks: [{each}]) {{ locked }} }}"


def at(second: int) -> str:
    """Return a number of seconds after the start as an argument."""
    return format_version_instant(NOON + 1000 * second, ADMINISTRATOR.formats)


def _failed(error: BaseException, _: str) -> None:
    raise error
