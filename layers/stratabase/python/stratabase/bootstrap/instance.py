"""An instance of the service: its model, its stores, and its services."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from stratabase import __version__
from stratabase.bootstrap.auth_services import AuthServices
from stratabase.bootstrap.platform import ClosableBlobs, MemberStores, Platform, open_engine, platform_of
from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.query.read_budget import MEGABYTE, ReadBudget
from stratabase.core.domain.store_mark import StoreRefused
from stratabase.core.domain.write.limits import BulkLimits
from stratabase.core.model.model import Model
from stratabase.core.model.prepared import prepared_file, read_prepared
from stratabase.core.model.users import with_users
from stratabase.core.observe import Log
from stratabase.core.operations.file_ports import FileStores
from stratabase.core.operations.files.sweep import sweep_files
from stratabase.core.operations.services import Services
from stratabase.core.settings import Settings
from stratabase.core.store.engine.metering import record_consumption
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.file_ledger import EngineFileLedger
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.layout import keys
from stratabase.core.store.renamed_repository import RenamedRepository, open_repository
from stratabase.core.store.repository import Repository
from stratabase.core.store.write.cleanup import CleanupSteps
from stratabase.core.unusable_store import UnusableStore
from stratabase.evolution.backfill.served_models import ModelTextTooLarge, ServedModels
from stratabase.members.operations.first_administrator import (
    AdministratorState,
    FirstAdministrator,
    NewAdministrator,
)
from stratabase.members.operations.renamed_profiles import with_present_profiles
from stratabase.members.operations.users import UserRepository
from stratabase.members.sign_in.password_hashes import Argon2Passwords
from stratabase.members.stores.metered_members import MeteredMembers
from stratabase.values.clock import SystemClock
from stratabase.values.formats.preferences import FORMATS_BY_NAME

if TYPE_CHECKING:
    from stratabase.bootstrap.member_services import MemberServices
    from stratabase.core.http.api.openapi.document import ServiceInfo
    from stratabase.core.operations.files.download import FileDownloads
    from stratabase.core.operations.files.resumable import ResumableUploads
    from stratabase.core.operations.files.upload import FileUploads
    from stratabase.core.operations.store_marks import MarkedStore
    from stratabase.core.schema.execution.limits import ExecutionPolicy
    from stratabase.core.schema.executor import SchemaExecutor
    from stratabase.core.schema.prepared_documents import PreparedDocuments


FILE_MEGABYTE = 1_000_000
"""Bytes. The unit of API Gateway's limit for streamed responses."""


class Instance:
    """An instance of the service. Each part is built on first use, which keeps cold starts short."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.log = Log(settings.log_level)
        self._clock = SystemClock()
        self._ids = TimeOrderedIds()
        self._passwords = Argon2Passwords()
        self._has_claimed_stores = False
        self.stopping = Event()
        """Set when the service is about to stop, so that it is not ready for new clients."""
        self.documentation_path: str | None = None
        """The path of the documentation of this version, if this process serves it, as `serve` does."""

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
    def platform(self) -> Platform:
        """Where the instance keeps everything."""
        return platform_of(self.settings)

    @cached_property
    def engine(self) -> Engine:
        """The storage engine of the objects."""
        return open_engine(self.platform)

    @cached_property
    def entities(self) -> Repository | RenamedRepository:
        """The repository of the objects."""
        return open_repository(self.engine, self.model, self.platform.parallel_map, serves=True)

    @cached_property
    def member_stores(self) -> MemberStores:
        """The stores of members and of sign-in attempts."""
        stores = self.platform.members()
        members = with_present_profiles(stores.members, self.model.profiles)
        if self.settings.function:
            # There are many processes, and each would admit its own number of wrong passwords.
            return replace(stores, members=members)
        from stratabase.members.sign_in.attempts_with_fallback import AttemptsWithFallback  # noqa: PLC0415 - see above

        attempts = AttemptsWithFallback(stores.attempts, self._report_fallback)
        return replace(stores, members=members, attempts=attempts)

    def _report_fallback(self, reason: str) -> None:
        self.log.warning(
            "Sign-in attempts are counted in memory, because they can't be stored", reason=reason
        )

    @cached_property
    def auth_services(self) -> AuthServices:
        """The services that authenticate callers and issue tokens."""
        return AuthServices(
            self.settings,
            self.model,
            lambda: self.member_stores,
            self.platform.keyring,
            self._passwords,
            self._clock,
            self._ids,
        )

    @cached_property
    def member_services(self) -> "MemberServices":
        """The operations on members."""
        # Imported only here, because two of the three HTTP functions do not use it.
        from stratabase.bootstrap.member_services import MemberServices  # noqa: PLC0415

        return MemberServices(
            self.settings,
            self.platform,
            self.model,
            self.member_stores,
            self._passwords,
            self._clock,
            self._ids,
            lambda: self.services,
            self.log,
            self.auth_services.sign_in,
        )

    @cached_property
    def blobs(self) -> ClosableBlobs:
        """The store of the bytes of files. Raises UnusableStore, StoreRefused."""
        from stratabase.core.operations.files.blob_mark import BlobMark  # noqa: PLC0415 - not all functions have files

        blobs = self.platform.blobs()
        self.platform.required.files.check(BlobMark(blobs).read_mark(), writes=True)
        return blobs

    @cached_property
    def files(self) -> FileStores:
        """The stores of files: their bytes, and the ledger."""
        return FileStores(lambda: self.blobs, EngineFileLedger(self.engine, self.model))

    @cached_property
    def file_uploads(self) -> "FileUploads":
        """The operations that accept files."""
        from stratabase.core.operations.files.upload import FileLimits, FileUploads  # noqa: PLC0415 - one function needs it

        limits = FileLimits(
            self.settings.file_megabytes * FILE_MEGABYTE,
            self.settings.pending_megabytes * FILE_MEGABYTE,
            self.settings.pending_files,
        )
        return FileUploads(self.services, self.files, limits, self.platform.parallel_map)

    @cached_property
    def resumable_uploads(self) -> "ResumableUploads":
        """The operations that accept files in several requests."""
        from stratabase.core.operations.files.resumable import ResumableUploads  # noqa: PLC0415 - one function needs it

        return ResumableUploads(self.services, self.files, self.file_uploads)

    @cached_property
    def file_downloads(self) -> "FileDownloads":
        """The operations that open files for download."""
        from stratabase.core.operations.files.download import FileDownloads  # noqa: PLC0415 - two functions need it
        from stratabase.core.operations.files.open_downloads import OpenDownloads  # noqa: PLC0415 - as above

        # The role of the function that downloads files lets it read objects, and write nothing.
        reads = self.platform.parallel_map
        entities = open_repository(self.engine, self.model, reads, read_only=True)
        services, limit = self._services_with(entities), self.settings.open_downloads
        open_downloads = OpenDownloads(self.member_stores.attempts, services.clock, limit)
        return FileDownloads(services, self.files, open_downloads)

    @cached_property
    def services(self) -> Services:
        """The services that operations on objects need, such as the repository, the clock and limits."""
        return self._services_with(self.entities)

    def _services_with(self, entities: Repository | RenamedRepository) -> Services:
        settings, model = self.settings, with_users(self.model)
        budget = partial(
            ReadBudget,
            settings.read_megabytes * MEGABYTE,
            settings.read_seconds,
            monotonic,
            waiting.give_way,
        )
        bulk = BulkLimits(settings.bulk_objects, settings.bulk_seconds, settings.require_bulk_condition)
        return Services(
            model,
            UserRepository(entities, lambda: MeteredMembers(self.member_stores.members), model),
            self._clock,
            self._ids,
            budget,
            record_consumption,
            bulk,
            settings.lock_minutes,
            self.files,
        )

    @cached_property
    def executor(self) -> "SchemaExecutor":
        """The executor of GraphQL requests."""
        from stratabase.core.schema.executor import SchemaExecutor  # noqa: PLC0415 - graphql-core takes 90 ms

        return SchemaExecutor(
            self.services,
            self._log_graphql_error,
            self._graphql_policy(),
            prepared=self._prepared_documents(),
        )

    def _prepared_documents(self) -> "PreparedDocuments | None":
        from stratabase.core.schema.prepared_documents import PreparedDocuments, prepared_documents_file  # noqa: PLC0415 - see `executor`

        file = prepared_documents_file(self.settings.model)
        try:
            return PreparedDocuments(file, self.settings.model.read_bytes()) if file.exists() else None
        except OSError:
            return None

    @property
    def service_info(self) -> "ServiceInfo":
        """The facts about the service that the OpenAPI document states."""
        from stratabase.core.http.api.openapi.document import ServiceInfo  # noqa: PLC0415 - only one endpoint needs it

        return ServiceInfo(self.model.application, __version__, self.auth_services.schemes)

    def check_store(self) -> None:
        """Read the mark of the store of objects. Raises StoreRefused, Unavailable, UnusableStore."""
        self.engine.get([keys.REGISTRY])

    def is_store_reachable(self) -> bool:
        """Return whether the store of objects responds."""
        try:
            self.engine.get([keys.REGISTRY])
        except Exception as error:  # noqa: BLE001 - any error means that the store is not usable
            self.log.error("Store not responding", error=error)  # noqa: TRY400 - not a standard logger
            return False
        return True

    def are_keys_readable(self) -> bool:
        """Return whether the keys that sign tokens can be read, if they are in a file.

        A secret of AWS is not read, because the function that reports the health may not do so.
        """
        if self.settings.signing_keys is not None:
            return True
        try:
            self.auth_services.check_keys()
        except (Unavailable, UnusableStore) as error:
            self.log.error("Signing keys not readable", error=error)  # noqa: TRY400 - not a standard logger
            return False
        return True

    def is_stopping(self) -> bool:
        """Return whether the service is about to stop."""
        return self.stopping.is_set()

    def create_first_administrator(self) -> NewAdministrator | None:
        """Create the first member if there are none, and return it. Raises BadMember for a weak password."""
        return self._first_administrator(self.settings.admin_password)

    def check_administrators(self) -> None:
        """Raise NoAdministrator if there are members, but the model makes none of them an administrator."""
        self._first_administrator.check()

    def administrator_state(self) -> AdministratorState:
        """Return which administrator can sign in, and whether the password in the settings is valid."""
        return self._first_administrator.state(self.settings.admin_password)

    @cached_property
    def _first_administrator(self) -> FirstAdministrator:
        members, policy = self.member_stores.members, self.member_services.policy
        formats = FORMATS_BY_NAME[self.settings.formats]
        return FirstAdministrator(members, self._passwords, self._ids, self.model, policy, formats=formats)

    def open_files(self) -> None:
        """Open the store of files now, so that an unusable one is reported at the start.

        Raises UnusableStore.
        """
        _ = self.files.blobs

    def claim_stores(self) -> None:
        """Check that all stores belong to one instance, and give new stores their marks.

        Raises StoreRefused, UnusableStore, Unavailable.
        """
        # Imported only here, because the functions that answer requests only check marks.
        from stratabase.core.operations.store_marks import claim_stores  # noqa: PLC0415

        claim_stores(self.marked_stores())

    def marked_stores(self) -> Sequence["MarkedStore"]:
        """Return the stores with their marks: the objects, the members and the files."""
        from stratabase.core.operations.files.blob_mark import BlobMark  # noqa: PLC0415 - see claim_stores
        from stratabase.core.operations.store_marks import MarkedStore  # noqa: PLC0415
        from stratabase.core.store.marked_engine import EngineMark  # noqa: PLC0415

        required = self.platform.required
        return (
            MarkedStore(EngineMark(self.engine), required.objects),
            MarkedStore(self.member_stores.mark, required.members),
            MarkedStore(BlobMark(self.blobs), required.files),
        )

    def _ensure_claimed(self) -> bool:
        """Check and mark the stores once in this process; return whether it is done. Raises StoreRefused."""
        if not self._has_claimed_stores:
            try:
                self.claim_stores()
            except StoreRefused:
                raise
            except Unavailable as error:
                self.log.warning(
                    "Marks of stores not checked", reason=str(error), cause=repr(error.__cause__)
                )
                return False
            self._has_claimed_stores = True
        return True

    def hand_over_cleanup(self, take: Callable[[CleanupSteps], None]) -> None:
        """Pass the cleanup that a write has no time for to `take`."""
        self.entities.hand_over_cleanup(take)

    def record_served_model(self, replaced: str | None = None) -> None:
        """Keep the text of the model in the store, for `stratabase model diff`. Most calls only read an item.

        `replaced` is the text of the model that this process served before. Raises ModelTextTooLarge,
        Unavailable.
        """
        if self.model_text is not None:
            ServedModels(self.engine).record(self.model_text, self._clock.now(), replaced)

    def sweep_steps(self) -> CleanupSteps:
        """Return the steps of a sweep: of objects that large writes have left, then of files.

        Without the marks of all stores, no files are removed. The next sweep tries again.
        The steps raise Unavailable; StoreRefused if the stores belong to several instances.
        """
        is_claimed = self._ensure_claimed()
        # Functions on AWS have no start of their own, so the sweep notes which model serves.
        with suppress(ModelTextTooLarge):
            self.record_served_model()
        try:
            yield from self.entities.sweep_steps()
        except Exception:
            # Files must be swept even if the cleanup of one object fails each time.
            yield from self._file_steps(is_claimed=is_claimed)
            raise
        yield from self._file_steps(is_claimed=is_claimed)

    def _file_steps(self, *, is_claimed: bool) -> CleanupSteps:
        # They remove bytes that the objects do not refer to, so objects and bytes must belong together.
        return sweep_files(self.files, self._clock) if is_claimed else iter(())

    def close(self) -> None:
        """Finish pending work, and close the stores that were opened."""
        # Look into `__dict__`, because reading a cached property would open the store.
        if "engine" in self.__dict__:
            self.engine.close()
        if "blobs" in self.__dict__:
            self.blobs.close()
        if "member_services" in self.__dict__:
            self.member_services.close()
        if "member_stores" in self.__dict__:
            self.member_stores.close()

    def _graphql_policy(self) -> "ExecutionPolicy":
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
