"""What is built once per process: from the settings to the functions' answers."""

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING

from stratabase import __version__
from stratabase.clock import SystemClock
from stratabase.edge.authentication import Authentication
from stratabase.edge.basic import Basic
from stratabase.edge.cors import Cors
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.front_door import FrontDoor
from stratabase.edge.graphql import graphql_endpoint
from stratabase.edge.health import health_endpoint
from stratabase.edge.sdl import sdl_endpoint
from stratabase.model.model import Model
from stratabase.model.reading import read_model_file
from stratabase.observe import Log
from stratabase.operations.first_administrator import FirstAdministrator, NewAdministrator
from stratabase.operations.sign_in import SignIn
from stratabase.operations.world import World
from stratabase.passwords import Argon2Passwords
from stratabase.settings import Settings
from stratabase.store import keys
from stratabase.store.aside import Aside
from stratabase.store.engine import Engine
from stratabase.store.entities import StoredEntities
from stratabase.store.ids import TimeOrderedIds
from stratabase.store.sqlite.engine import SqliteEngine
from stratabase.store.sqlite.members import SqliteMembers

if TYPE_CHECKING:
    from stratabase.schema.executor import SchemaExecutor


def _sqlite(settings: Settings) -> Engine:
    return SqliteEngine(settings.home / "objects.db")


def _dynamodb(settings: Settings) -> Engine:
    from stratabase.store.dynamodb.creation import ensure_table  # noqa: PLC0415 - only where it is used
    from stratabase.store.dynamodb.endpoint import Endpoint as Place  # noqa: PLC0415
    from stratabase.store.dynamodb.engine import DynamoDBEngine  # noqa: PLC0415
    from stratabase.store.dynamodb.signed import SignedClient  # noqa: PLC0415

    client = SignedClient(Place(settings.region, settings.endpoint))
    if settings.endpoint is not None:
        ensure_table(client, settings.table)
    return Aside(DynamoDBEngine(client, settings.table))


_ENGINES: Mapping[str, Callable[[Settings], Engine]] = {"sqlite": _sqlite, "dynamodb": _dynamodb}
"""What keeps the objects, by the setting `store`."""


class Instance:
    """One instance of the service; each part is built when it is first needed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.log = Log(settings.log_level)
        self._clock = SystemClock()
        self._ids = TimeOrderedIds()
        self._passwords = Argon2Passwords()

    @cached_property
    def model(self) -> Model:
        """The model. Raises ModelMistakes, OSError."""
        return read_model_file(self.settings.model)

    @cached_property
    def engine(self) -> Engine:
        """The engine that keeps the objects."""
        return _ENGINES[self.settings.store](self.settings)

    @cached_property
    def members(self) -> SqliteMembers:
        """The stored members."""
        return SqliteMembers(self.settings.home / "members.db")

    @cached_property
    def executor(self) -> "SchemaExecutor":
        """What answers GraphQL requests."""
        from stratabase.schema.executor import SchemaExecutor  # noqa: PLC0415 - graphql-core takes 90 ms

        entities = StoredEntities(self.engine, self.model)
        return SchemaExecutor(
            World(self.model, entities, self._clock, self._ids),
            self._report,
            introspection=self.settings.introspection,
            suggestions=self.settings.suggestions,
        )

    @cached_property
    def graphql(self) -> FrontDoor:
        """The function `graphql`."""
        return FrontDoor(
            self._endpoints(self.model.application),
            self._authentication,
            cors=Cors(self.settings.allowed_origins),
            base_url=self.settings.base_url,
            log=self.log,
        )

    def _endpoints(self, application: str) -> Iterator[Endpoint]:
        yield health_endpoint(__version__, self.reachable)
        yield graphql_endpoint(application, self.executor)
        if self.settings.introspection:
            yield sdl_endpoint(application, lambda: self.executor.sdl)

    def reachable(self) -> bool:
        """Return whether the store answers."""
        try:
            self.engine.get([keys.REGISTRY])
        except Exception as error:  # noqa: BLE001 - whatever it is, the store does not answer
            self.log.error("The store does not answer", error=error)  # noqa: TRY400 - it is no standard logger
            return False
        return True

    def first_administrator(self) -> NewAdministrator | None:
        """Make the first member when there is none, and return it."""
        make = FirstAdministrator(self.members, self._passwords, self._ids, self.model)
        return make(self.settings.admin_password)

    def close(self) -> None:
        """Finish what is under way, and let go of the store."""
        self.engine.close()
        self.members.close()

    @cached_property
    def _authentication(self) -> Authentication:
        sign_in = SignIn(self.members, self._passwords, self.model.profiles, self._clock)
        return Authentication({"Basic": Basic(sign_in)} if self.settings.basic else {})

    def _report(self, error: BaseException, trace_id: str) -> None:
        self.log.error("A GraphQL field failed", trace_id=trace_id, error=error)


@cache
def instance() -> Instance:
    """Return the instance of this process, built from its environment. Raises BadSettings."""
    return Instance(Settings.from_environment(os.environ))


def graphql_function() -> FrontDoor:
    """Return the function `graphql`."""
    return instance().graphql
