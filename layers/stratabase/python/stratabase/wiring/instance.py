"""One instance of the service."""

from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from time import monotonic
from typing import TYPE_CHECKING

from stratabase import __version__
from stratabase.clock import SystemClock
from stratabase.domain.allowance import MEGABYTE, Allowance
from stratabase.domain.bulk import BulkLimits
from stratabase.edge.cors import Cors
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.front_door import FrontDoor
from stratabase.edge.graphiql.endpoints import graphiql_endpoints
from stratabase.edge.graphql import graphql_endpoint
from stratabase.edge.health import health_endpoint
from stratabase.edge.sdl import sdl_endpoint
from stratabase.model.model import Model
from stratabase.observe import Log
from stratabase.operations.first_administrator import (
    FirstAdministrator,
    NewAdministrator,
    PresentAdministrator,
)
from stratabase.operations.world import World
from stratabase.passwords import Argon2Passwords
from stratabase.settings import Settings
from stratabase.store import keys
from stratabase.store.engine import Engine
from stratabase.store.entities import StoredEntities
from stratabase.store.ids import TimeOrderedIds
from stratabase.store.metered import measuring
from stratabase.wiring.engines import engine_of, side_by_side_of
from stratabase.wiring.gate import Gate
from stratabase.wiring.models import model_of
from stratabase.wiring.people import People, people_of

if TYPE_CHECKING:
    from stratabase.schema.executor import SchemaExecutor
    from stratabase.schema.policy import Policy
    from stratabase.wiring.administration import Office


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
        return model_of(self.settings.model)

    @cached_property
    def engine(self) -> Engine:
        """The engine that keeps the objects."""
        return engine_of(self.settings)

    @cached_property
    def entities(self) -> StoredEntities:
        """The stored objects."""
        return StoredEntities(self.engine, self.model, side_by_side_of(self.settings))

    @cached_property
    def people(self) -> People:
        """What keeps the members."""
        return people_of(self.settings)

    @cached_property
    def gate(self) -> Gate:
        """What knows callers."""
        return Gate(self.settings, self.model, self.people, self._passwords, self._clock, self._ids)

    @cached_property
    def office(self) -> "Office":
        """What is done with members."""
        from stratabase.wiring.administration import Office  # noqa: PLC0415 - most functions do none of it

        return Office(
            self.settings,
            self.model,
            self.people,
            self._passwords,
            self._clock,
            self._ids,
            lambda: self.world,
            self.log,
        )

    @cached_property
    def world(self) -> World:
        """What operations on objects work on."""
        settings = self.settings
        allowance = partial(Allowance, settings.read_megabytes * MEGABYTE, settings.read_seconds, monotonic)
        bulk = BulkLimits(settings.bulk_objects, settings.bulk_seconds)
        return World(
            self.model,
            self.entities,
            self._clock,
            self._ids,
            allowance,
            measuring,
            bulk,
            settings.lock_minutes,
        )

    @cached_property
    def executor(self) -> "SchemaExecutor":
        """What answers GraphQL requests."""
        from stratabase.schema.executor import SchemaExecutor  # noqa: PLC0415 - graphql-core takes 90 ms

        return SchemaExecutor(self.world, self._report, self._policy())

    def graphql(self) -> FrontDoor:
        """Return the function `graphql`."""
        return self._door(self._graphql_endpoints())

    def tokens(self) -> FrontDoor:
        """Return the function `tokens`."""
        return self._door(self._token_endpoints())

    def members(self) -> FrontDoor:
        """Return the function `members`."""
        from stratabase.edge.openapi.document import Service  # noqa: PLC0415 - no other function tells
        from stratabase.edge.openapi.endpoint import openapi_endpoint  # noqa: PLC0415

        service = Service(self.model.application, __version__, self.gate.schemes)
        described = openapi_endpoint(service, self._endpoints)
        return self._door((*self.office.endpoints(), described))

    def reachable(self) -> bool:
        """Return whether the store answers."""
        try:
            self.engine.get([keys.REGISTRY])
        except Exception as error:  # noqa: BLE001 - whatever it is, the store does not answer
            self.log.error("The store does not answer", error=error)  # noqa: TRY400 - it is no standard logger
            return False
        return True

    def first_administrator(self) -> NewAdministrator | None:
        """Make the first member when there is none, and return it. Raises BadMember for a poor password."""
        return self._first_administrator(self.settings.admin_password)

    def present_administrator(self) -> PresentAdministrator:
        """Return which administrator can sign in, and whether with the password of the settings."""
        return self._first_administrator.present(self.settings.admin_password)

    @cached_property
    def _first_administrator(self) -> FirstAdministrator:
        members, policy = self.people.members, self.office.policy
        return FirstAdministrator(members, self._passwords, self._ids, self.model, policy)

    def close(self) -> None:
        """Finish what is under way, and let go of the stores."""
        if "engine" in self.__dict__:
            self.engine.close()
        if "people" in self.__dict__:
            self.people.close()

    def _door(self, endpoints: Iterable[Endpoint]) -> FrontDoor:
        return FrontDoor(
            endpoints,
            self.gate.authentication,
            cors=Cors(self.settings.allowed_origins),
            base_url=self.settings.base_url,
            log=self.log,
        )

    def _endpoints(self) -> Iterator[Endpoint]:
        """Yield the endpoints of all functions, for those who only look at them."""
        yield from self._graphql_endpoints()
        yield from self._token_endpoints()
        yield from self.office.endpoints()

    def _graphql_endpoints(self) -> Iterator[Endpoint]:
        application = self.model.application
        yield health_endpoint(__version__, self.reachable)
        yield graphql_endpoint(application, self.executor)
        if self.settings.introspection:
            yield sdl_endpoint(application, lambda: self.executor.sdl)
        if self.settings.graphiql:
            yield from graphiql_endpoints(application)

    def _token_endpoints(self) -> Iterator[Endpoint]:
        from stratabase.edge.tokens import (  # noqa: PLC0415 - the others take tokens, but give none
            get_token_endpoint,
            refresh_token_endpoint,
        )

        yield get_token_endpoint(self.gate.sign_in, self.gate.issuer)
        yield refresh_token_endpoint(self.gate.issuer)

    def _policy(self) -> "Policy":
        from stratabase.schema.limits import Limits  # noqa: PLC0415 - as above
        from stratabase.schema.policy import Policy  # noqa: PLC0415

        settings = self.settings
        limits = Limits(
            settings.query_kilobytes * 1024,
            settings.query_depth,
            settings.query_aliases,
            settings.query_directives,
            settings.query_cost,
        )
        return Policy(settings.introspection, settings.suggestions, limits)

    def _report(self, error: BaseException, trace_id: str) -> None:
        self.log.error("A GraphQL field failed", trace_id=trace_id, error=error)
