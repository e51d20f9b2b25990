"""An app: a model and settings, the stores on a platform, and the services that its features need.

Read `core.features` first, the table of all features, then `routes`, and `platform`.

Parts import their modules when they are built, because most Lambda functions need only some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property, partial
from sys import maxsize
from threading import Event, RLock
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

from stratabase import __version__
from stratabase.core import waiting
from stratabase.core.app.platform import open_engine, platform_of
from stratabase.core.features import FEATURES, Feature, load
from stratabase.core.model.prepared import prepared_file, read_prepared
from stratabase.core.observe import Log
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.waiting import SystemClock

if TYPE_CHECKING:
    from pathlib import Path

    from stratabase.core.app.platform import ClosableBlobs, Platform
    from stratabase.core.domain.caller import Caller
    from stratabase.core.domain.query.read_budget import ReadBudget
    from stratabase.core.http.api.openapi.document import ServiceInfo
    from stratabase.core.http.base.authentication import Authentication
    from stratabase.core.http.base.endpoint import Endpoint
    from stratabase.core.http.handler import HttpHandler
    from stratabase.core.jobs.job import JobKind
    from stratabase.core.model.model import Model
    from stratabase.core.operations.context import Services
    from stratabase.core.operations.file_ports import FileStores
    from stratabase.core.operations.files.download import FileDownloads
    from stratabase.core.operations.files.resumable import ResumableUploads
    from stratabase.core.operations.files.upload import FileUploads
    from stratabase.core.operations.ports import Attempts, EntityRepository
    from stratabase.core.operations.store_marks import MarkedStore
    from stratabase.core.schema.execution.limits import ExecutionPolicy
    from stratabase.core.schema.executor import SchemaExecutor
    from stratabase.core.schema.prepared_documents import PreparedDocuments
    from stratabase.core.settings import Settings
    from stratabase.core.store.engine.port import Engine
    from stratabase.core.store.renamed_repository import RenamedRepository
    from stratabase.core.store.repository import Repository
    from stratabase.core.store.sources import Sources


T = TypeVar("T")

FILE_MEGABYTE = 1_000_000
"""Bytes. The unit of API Gateway's limit for streamed responses."""


class App:
    """An app. Each part is built on first use, which keeps cold starts short."""

    def __init__(
        self,
        settings: Settings,
        platform: Platform | None = None,
        features: Sequence[Feature] = FEATURES,
    ) -> None:
        """`platform`: the default is the one that the settings select."""
        self.settings = settings
        self.log = Log(settings.log_level)
        self.clock = SystemClock()
        self.ids = TimeOrderedIds()
        self.platform = platform or platform_of(settings)
        self.stopping = Event()
        """Set when the service is about to stop, so that it is not ready for new clients."""
        self.documentation_path: str | None = None
        """The path of the documentation of this version, if this process serves it, as `serve` does."""
        self._features = features
        self._parts: dict[Callable[[App], object], object] = {}
        self._building = RLock()
        self._opened = ExitStack()
        self.has_marked_stores = False
        """Whether this process knows that all stores belong to one instance (see `mark_stores`)."""

    def part(self, build: Callable[[App], T]) -> T:
        """Return what `build` returns for this app. It is called once, when the part is used first.

        So a package adds parts of its own to an app, such as `app.part(MemberServices)`.
        """
        with self._building:
            if build not in self._parts:
                self._parts[build] = build(self)
            return cast("T", self._parts[build])

    def on_close(self, close: Callable[[], None]) -> None:
        """Call `close` when the app is closed. What was opened last is closed first."""
        self._opened.callback(close)

    @cached_property
    def model(self) -> Model:
        """The model. Raises InvalidModel, OSError."""
        return load_model(self.settings.model)

    @cached_property
    def model_text(self) -> str | None:
        """The text of the model, None if the file can't be read any more."""
        try:
            return self.settings.model.read_text("utf-8")
        except (OSError, UnicodeError):
            return None

    @cached_property
    def engine(self) -> Engine:
        """The storage engine of the objects."""
        engine = open_engine(self.platform)
        self.on_close(engine.close)
        return engine

    @cached_property
    def entities(self) -> Repository | RenamedRepository:
        """The repository of the objects."""
        from stratabase.core.store.renamed_repository import open_repository  # noqa: PLC0415 - see the module

        reads, sources = self.platform.parallel_map, self._sources()
        return open_repository(self.engine, self.model, reads, sources=sources, serves=True)

    def _sources(self) -> Sources:
        """Return the sources of the objects that the store does not have."""
        return self._entries_of(lambda feature: feature.sources)

    @cached_property
    def attempts(self) -> Attempts:
        """The attempts that limits count, such as failed sign-ins."""
        attempts = self.platform.attempts()
        if self.settings.function:
            # There are many processes, and each would admit its own number of attempts.
            return attempts
        from stratabase.core.operations.attempts_with_fallback import AttemptsWithFallback  # noqa: PLC0415 - as above

        return AttemptsWithFallback(attempts, self._report_fallback)

    def _report_fallback(self, reason: str) -> None:
        self.log.warning(
            "Sign-in attempts are counted in memory, because they can't be stored", reason=reason
        )

    @cached_property
    def blobs(self) -> ClosableBlobs:
        """The store of the bytes of files. Raises UnusableStore, StoreRefused."""
        from stratabase.core.operations.files.blob_mark import BlobMark  # noqa: PLC0415 - not all functions have files

        blobs = self.platform.blobs()
        self.on_close(blobs.close)
        self.platform.required.files.check(BlobMark(blobs).read_mark(), writes=True)
        return blobs

    @cached_property
    def files(self) -> FileStores:
        """The stores of files: their bytes, and the ledger."""
        from stratabase.core.operations.file_ports import FileStores  # noqa: PLC0415 - see the module
        from stratabase.core.store.file_ledger import EngineFileLedger  # noqa: PLC0415

        return FileStores(lambda: self.blobs, EngineFileLedger(self.engine, self.model))

    @cached_property
    def file_uploads(self) -> FileUploads:
        """The operations that accept files."""
        from stratabase.core.operations.files.upload import FileLimits, FileUploads  # noqa: PLC0415 - one function needs it

        limits = FileLimits(
            self.settings.file_megabytes * FILE_MEGABYTE,
            self.settings.pending_megabytes * FILE_MEGABYTE,
            self.settings.pending_files,
        )
        return FileUploads(self.services, self.files, limits, self.platform.parallel_map)

    @cached_property
    def resumable_uploads(self) -> ResumableUploads:
        """The operations that accept files in several requests."""
        from stratabase.core.operations.files.resumable import ResumableUploads  # noqa: PLC0415 - one function needs it

        return ResumableUploads(self.services, self.files, self.file_uploads)

    @cached_property
    def file_downloads(self) -> FileDownloads:
        """The operations that open files for download."""
        from stratabase.core.operations.files.download import FileDownloads  # noqa: PLC0415 - two functions need it
        from stratabase.core.operations.files.open_downloads import OpenDownloads  # noqa: PLC0415 - as above
        from stratabase.core.store.renamed_repository import open_repository  # noqa: PLC0415

        # The role of the function that downloads files lets it read objects, and write nothing.
        reads, sources = self.platform.parallel_map, self._sources()
        entities = open_repository(self.engine, self.model, reads, sources=sources, read_only=True)
        services, limit = self._services_with(entities), self.settings.open_downloads
        open_downloads = OpenDownloads(self.attempts, services.clock, limit)
        return FileDownloads(services, self.files, open_downloads)

    @cached_property
    def services(self) -> Services:
        """The services that operations on objects need, such as the repository, the clock and limits."""
        return self._services_with(self.entities)

    def _services_with(self, entities: EntityRepository) -> Services:
        from stratabase.core.domain.query.read_budget import MEGABYTE, ReadBudget  # noqa: PLC0415 - see the module
        from stratabase.core.domain.write.limits import BulkLimits  # noqa: PLC0415
        from stratabase.core.model.users import with_users  # noqa: PLC0415
        from stratabase.core.operations.context import Services  # noqa: PLC0415
        from stratabase.core.store.engine.wrappers import record_consumption  # noqa: PLC0415
        from stratabase.core.store.query.named_plans import record_named_plans  # noqa: PLC0415

        settings = self.settings
        budget = partial(
            ReadBudget,
            settings.read_megabytes * MEGABYTE,
            settings.read_seconds,
            monotonic,
            waiting.give_way,
        )
        bulk = BulkLimits(settings.bulk_objects, settings.bulk_seconds, settings.require_bulk_condition)
        return Services(
            with_users(self.model),
            entities,
            self.clock,
            self.ids,
            budget,
            record_consumption,
            bulk,
            settings.lock_minutes,
            self.files,
            new_totals_budget=self._totals_budget if self.engine.is_embedded else None,
            recording_plans=partial(record_named_plans, self.model),
        )

    def _totals_budget(self) -> ReadBudget:
        """Return the budget for the totals of a request, if the store is on this machine: reads are free."""
        from stratabase.core.domain.query.read_budget import ReadBudget  # noqa: PLC0415 - see the module

        seconds, objects = self.settings.totals_seconds, self.settings.totals_objects
        return ReadBudget(maxsize, seconds, monotonic, waiting.give_way, objects)

    @cached_property
    def executor(self) -> SchemaExecutor:
        """The executor of GraphQL requests."""
        from stratabase.core.schema.executor import SchemaExecutor  # noqa: PLC0415 - graphql-core takes 90 ms

        return SchemaExecutor(
            self.services,
            self._log_graphql_error,
            self._graphql_policy(),
            prepared=self._prepared_documents(),
        )

    def _prepared_documents(self) -> PreparedDocuments | None:
        from stratabase.core.schema.prepared_documents import PreparedDocuments, prepared_documents_file  # noqa: PLC0415 - see `executor`

        file = prepared_documents_file(self.settings.model)
        try:
            return PreparedDocuments(file, self.settings.model.read_bytes()) if file.exists() else None
        except OSError:
            return None

    @property
    def service_info(self) -> ServiceInfo:
        """The facts about the service that the OpenAPI document states."""
        from stratabase.core.http.api.openapi.document import ServiceInfo  # noqa: PLC0415 - only one endpoint needs it

        return ServiceInfo(self.model.application, __version__, self.authentication.schemes)

    @cached_property
    def authentication(self) -> Authentication:
        """The authentication of requests by the Authorization header."""
        from stratabase.core.http.base.authentication import Authentication  # noqa: PLC0415 - commands need no HTTP

        return Authentication(self._entries_of(lambda feature: feature.authenticators))

    @property
    def token_issuers(self) -> Mapping[str, Callable[[str], Caller]]:
        """What returns the caller with a Bearer token that another service has issued, by the issuer."""
        return self._entries_of(lambda feature: feature.token_issuers)

    @property
    def functions(self) -> Sequence[str]:
        """The names of the Lambda functions that answer requests."""
        return tuple(dict.fromkeys(name for feature in self._features for name in feature.routes))

    def endpoints(self, function: str) -> Mapping[str, Endpoint]:
        """Return the endpoints that a Lambda function serves, by address."""
        routes = (load(each.routes[function])() for each in self._features if function in each.routes)
        return {
            route.address: route.build(self)
            for some in routes
            for route in some
            if route.is_enabled(self.settings)
        }

    def all_endpoints(self) -> Mapping[str, Endpoint]:
        """Return the endpoints of all Lambda functions, by address."""
        return {
            address: endpoint
            for function in self.functions
            for address, endpoint in self.endpoints(function).items()
        }

    def http_handler(self, endpoints: Mapping[str, Endpoint]) -> HttpHandler:
        """Return the handler of the requests to some endpoints, by address."""
        from stratabase.core.http.base.authentication import Authentication  # noqa: PLC0415 - commands need no HTTP
        from stratabase.core.http.base.cors import Cors  # noqa: PLC0415 - as above
        from stratabase.core.http.base.endpoint import is_protected  # noqa: PLC0415
        from stratabase.core.http.handler import HttpHandler  # noqa: PLC0415

        # What authenticates takes long to import, and the function `console` has no use for it.
        needs_caller = any(map(is_protected, endpoints))
        return HttpHandler(
            endpoints,
            self.authentication if needs_caller else Authentication({}),
            cors=Cors(self.settings.allowed_origins),
            base_url=self.settings.base_url,
            log=self.log,
            request_seconds=self.settings.request_seconds,
            find_application=lambda: self.model.application,
        )

    def check_store(self) -> None:
        """Read the mark of the store of objects. Raises StoreRefused, Unavailable, UnusableStore."""
        from stratabase.core.store.layout import keys  # noqa: PLC0415 - see the module

        self.engine.get([keys.REGISTRY])

    def is_store_reachable(self) -> bool:
        """Return whether the store of objects responds."""
        try:
            self.check_store()
        except Exception as error:  # noqa: BLE001 - any error means that the store is not usable
            self.log.error("Store not responding", error=error)  # noqa: TRY400 - not a standard logger
            return False
        return True

    def health_problems(self) -> Mapping[str, str]:
        """Return what keeps the features from serving, by the field of the health response that says so."""
        return self._entries_of(lambda feature: feature.health)

    def is_stopping(self) -> bool:
        """Return whether the service is about to stop."""
        return self.stopping.is_set()

    def mark_stores(self) -> None:
        """Check that all stores belong to one instance, and give new stores their marks.

        Raises StoreRefused, UnusableStore, Unavailable.
        """
        # Imported only here, because the functions that answer requests only check marks.
        from stratabase.core.operations.store_marks import mark_stores  # noqa: PLC0415

        with self.marked_stores() as stores:
            mark_stores(stores)
        self.has_marked_stores = True

    @contextmanager
    def marked_stores(self) -> Iterator[Sequence[MarkedStore]]:
        """Yield the stores with their marks: the objects, the members and the files."""
        from stratabase.core.operations.files.blob_mark import BlobMark  # noqa: PLC0415 - see mark_stores
        from stratabase.core.operations.store_marks import MarkedStore  # noqa: PLC0415
        from stratabase.core.store.marked_engine import EngineMark  # noqa: PLC0415

        required = self.platform.required
        with self.platform.member_mark() as members:
            yield (
                MarkedStore(EngineMark(self.engine), required.objects),
                MarkedStore(members, required.members),
                MarkedStore(BlobMark(self.blobs), required.files),
            )

    def job_kinds(self) -> Sequence[JobKind[Any]]:
        """Return the kinds of job in the store of objects, in the order in which a round runs them."""
        return [kind for feature in self._features for make in feature.jobs for kind in load(make)(self)]

    def local_job_kinds(self) -> Sequence[JobKind[Any]]:
        """Return the kinds of job in files of this machine. Raises UnusableStore."""
        makers = self._functions_of(lambda feature: feature.local_jobs)
        return [kind for make in makers for kind in make(self)]

    def _functions_of(self, column: Callable[[Feature], str | None]) -> Iterator[Callable[..., Any]]:
        """Yield the functions that the features name in a column."""
        return (load(reference) for reference in map(column, self._features) if reference is not None)

    def _entries_of(self, column: Callable[[Feature], str | None]) -> dict[str, Any]:
        """Return the entries of all mappings that the functions in a column return."""
        entries: dict[str, Any] = {}
        for find in self._functions_of(column):
            entries |= find(self)
        return entries

    def close(self) -> None:
        """Finish pending work, and close the stores that were opened."""
        self._opened.close()
        self.platform.close()

    def _graphql_policy(self) -> ExecutionPolicy:
        from stratabase.core.schema.execution.limits import ExecutionPolicy, Limits  # noqa: PLC0415 - see `executor`

        settings = self.settings
        limits = Limits(
            settings.query_kilobytes * 1024,
            settings.query_depth,
            settings.query_aliases,
            settings.query_directives,
            settings.query_cost,
        )
        return ExecutionPolicy(settings.introspection, settings.suggestions, limits)

    def _log_graphql_error(self, error: BaseException, trace_id: str) -> None:
        self.log.error("GraphQL field failed", trace_id=trace_id, error=error)


def load_model(file: Path) -> Model:
    """Return the model in a file, from its prepared model if there is a valid one, otherwise from its text.

    Raises InvalidModel, also if the file cannot be read.
    """
    try:
        prepared = read_prepared(prepared_file(file).read_bytes(), file.read_bytes())
    except OSError:
        prepared = None
    if prepared is not None:
        return prepared
    from stratabase.core.model.reading import read_model_file  # noqa: PLC0415 - importing the rules takes a long time

    return read_model_file(file)
