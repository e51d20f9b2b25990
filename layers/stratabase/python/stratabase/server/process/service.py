"""The service in a worker: builds the endpoints, prepares the store, serves, and reports its progress."""

import gc
import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event

from stratabase.core.app.app import App
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.store_mark import StoreKind
from stratabase.core.http.base.cors import Cors
from stratabase.core.model.reading import InvalidModel, lint_model_file
from stratabase.core.operations.store_marks import describe_older_stores
from stratabase.core.schema.generate import NothingServed
from stratabase.core.settings import Settings
from stratabase.core.store.catalog.catalog_store import ServedNames
from stratabase.core.unusable_store import UnusableStore
from stratabase.core.waiting import system_now
from stratabase.evolution.commands.backfill.build import build_before_serving
from stratabase.evolution.difference import ModelChange
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.app.member_services import MemberServices
from stratabase.members.app.provider_services import ProviderServices
from stratabase.members.commands.owners import resolve_owners
from stratabase.members.operations.first_administrator import NoAdministrator
from stratabase.members.refusals import BadMember
from stratabase.server.documentation.endpoints import DOCUMENTATION_PATH, documentation_endpoints
from stratabase.server.documentation.pages import documentation
from stratabase.server.http.dispatcher import ServerOptions
from stratabase.server.http.forwarded import TrustedProxies
from stratabase.server.http.observer import RequestObserver, WriteRecord
from stratabase.server.http.server import ServerCallbacks, run_server
from stratabase.server.process.access_log import AccessLog
from stratabase.server.process.job_threads import JobThreads
from stratabase.server.process.messages import ReportKind, WorkerReport, WorkerTask
from stratabase.server.process.metrics import RequestMetrics
from stratabase.server.process.model_changes import (
    ChangeCounts,
    changes_since,
    record_served,
    refusal_lines,
    short_lines,
    undecided_changes,
)
from stratabase.server.process.welcome import describe_unbuilt, new_password_lines, welcome_lines
from stratabase.server.settings import ServerSettings
from stratabase.terminal.command_error import CommandError, text_with_cause
from stratabase.terminal.data_folder import use_data_folder
from stratabase.terminal.progress import PrintLines
from stratabase.transfer.store_state import require_whole
from stratabase.values.first_use import import_all

_KEPT_MODEL = "kept-model.graphql"
"""The file in the data folder with the model that serves while the file of the settings has another one."""
SendReport = Callable[[WorkerReport], None]
"""Sends a report to the supervisor, or to the terminal if there is no supervisor."""


def serve(
    task: WorkerTask,
    listener: socket.socket,
    send: SendReport,
    *,
    begin: Callable[[], object] = lambda: None,
    stopping: Event | None = None,
) -> None:
    """Serve until a signal stops the process. Sends READY from the event loop. Raises errors before that.

    `begin` waits until the process may accept requests. `stopping` is set when the whole service is about to
    stop. By default, the service consists of this process.
    """
    # 1. Read the model.
    _set_base_url(task.address)
    _keep_model(task)
    instance = App(Settings.from_environment(os.environ))
    use_data_folder(instance.settings.home)  # as the supervisor does, which can be killed first
    instance.documentation_path = DOCUMENTATION_PATH
    changes = _report_changes(instance, task, send)
    _report_warnings(task, instance.settings.model, send)
    # 2. Build the endpoints, and prepare the stores. Build before creating the administrator: if the process
    #    is stopped while it builds, no generated password is lost.
    try:
        endpoints = {**instance.all_endpoints(), **documentation_endpoints(documentation())}
        handler = instance.http_handler(endpoints)
        with instance.marked_stores() as stores:
            older = tuple(describe_older_stores(stores))
        instance.mark_stores()
        require_whole(instance.engine)
        build_before_serving(instance.settings, instance.engine, instance.model, _progress(send))
        ServedNames(instance.engine, instance.model, system_now).begin()
        _check_instance(instance)
        administrator = (
            instance.part(MemberServices).create_first_administrator()
            or instance.part(MemberServices).administrator_state()
        )
        unbuilt = _unbuilt(instance)
        owners = _resolve_owners(instance, send)
        not_kept = record_served(instance, task.previous_model)
    except Unavailable as error:
        raise CommandError(text_with_cause(error)) from error
    except (BadMember, NoAdministrator, NothingServed, UnusableStore) as error:
        raise CommandError(str(error)) from error
    ready = WorkerReport(
        ReportKind.READY,
        tuple(welcome_lines(task.address, instance.settings, instance.model, administrator)),
        tuple(new_password_lines(administrator)),
        (
            *older,
            *describe_unbuilt(unbuilt, refuses_writes=not instance.platform.is_local(StoreKind.OBJECTS)),
            *owners,
            *not_kept,
        ),
    )
    # 3. Serve. The first report is ready before, but sent only when the server accepts requests.
    is_alone = stopping is None
    instance.stopping = stopping or instance.stopping
    try:
        counts = ChangeCounts(
            instance, changes, lambda lines: send(WorkerReport(ReportKind.COUNTED, tuple(lines)))
        )

        def on_start(_end: object) -> None:
            send(ready)
            counts.start()

        def on_end() -> bool:
            if is_alone:
                instance.stopping.set()
            return not instance.is_stopping()

        instance.log.prepare()
        import_all()  # also so that the first write takes no longer than others
        gc.freeze()  # what exists now lives until the end, so collections need not search it
        send(WorkerReport(ReportKind.PREPARED))
        begin()
        callbacks = ServerCallbacks(
            on_start,
            ending=on_end,
            drained=lambda: send(WorkerReport(ReportKind.DRAINING)),
        )
        kinds = [*instance.job_kinds(), *instance.local_job_kinds()]
        with JobThreads(kinds, instance.clock.now, instance.log, looks=task.number == 0), counts:
            run_server(listener, handler, callbacks, _server_options(task, instance))
    finally:
        instance.close()


def _keep_model(task: WorkerTask) -> None:
    """Make the process read the model that its version serves, if the file has another one by now.

    So a worker of this version can be replaced while the new model waits for a decision.
    """
    if task.kept_model is None:
        return
    settings = Settings.from_environment(os.environ)
    with suppress(OSError, UnicodeError):
        if settings.model.read_text("utf-8") == task.kept_model:
            return
    kept = settings.home.absolute() / _KEPT_MODEL
    unfinished = kept.with_name(f"{_KEPT_MODEL}.{os.getpid()}")
    unfinished.write_text(task.kept_model, "utf-8")
    unfinished.replace(kept)
    os.environ["STRATABASE_MODEL"] = str(kept)


def _report_changes(instance: App, task: WorkerTask, send: SendReport) -> Sequence[ModelChange]:
    """Report the changes of the model, and return them.

    Raises CommandError if the model is not served, because somebody must decide about a change first.
    """
    changes = changes_since(instance, task.previous_model)
    undecided: Sequence[ModelChange] = ()
    if task.keeps_model:
        try:
            undecided = undecided_changes(instance, task.previous_model, changes)
        except Unavailable as error:
            raise CommandError(text_with_cause(error)) from error
    if changes:
        lines = short_lines(changes, is_served=not undecided)
        send(WorkerReport(ReportKind.MODEL_CHANGED, tuple(lines)))
    if undecided:
        instance.close()
        raise CommandError("\n".join(refusal_lines(undecided)))
    return changes


def _check_instance(instance: App) -> None:
    """Raise an error about what would fail in requests: NoAdministrator, UnusableStore, Unavailable."""
    instance.part(MemberServices).check_administrators()
    instance.part(AuthServices).check_keys()
    instance.part(ProviderServices).check()
    instance.part(MemberServices).check_mail()


def _server_options(task: WorkerTask, instance: App) -> ServerOptions:
    """Return what the settings and the task change about the server."""
    settings, own = instance.settings, instance.settings.of(ServerSettings)
    writers: list[WriteRecord] = []
    if own.access_log != "off":
        writers.append(AccessLog(own.access_log).write)
    if task.metrics is not None:
        writers.append(RequestMetrics(task.metrics, task.metrics_process).write)
    slow = own.slow_request_milliseconds
    return ServerOptions(
        TrustedProxies(own.trusted_proxies) if own.trusted_proxies else None,
        RequestObserver(writers, instance.log, slow) if writers or slow else None,
        Cors(settings.allowed_origins),
        body_memory=own.body_megabytes * 1024 * 1024,
        address_connections=own.address_connections,
    )


def _set_base_url(address: str) -> None:
    """Make links use this address unless the environment defines a base URL.

    The default, API Gateway's URL, would have https and a stage, which this address does not.
    """
    if not os.environ.get("STRATABASE_BASE_URL"):
        os.environ["STRATABASE_BASE_URL"] = address


def _progress(send: SendReport) -> PrintLines:
    """Return a function that sends lines as a progress report."""
    return lambda *lines: send(WorkerReport(ReportKind.PROGRESS, lines))


def _resolve_owners(instance: App, send: SendReport) -> tuple[str, ...]:
    """Replace usernames that an older version stored as owners, in an embedded store; return the outcome.

    Other stores can be large, and other processes can serve them, so there a person runs the command.
    """
    if not instance.platform.is_local(StoreKind.OBJECTS):
        return ()
    return tuple(resolve_owners(instance, print_lines=_progress(send)))


def _unbuilt(instance: App) -> tuple[str, ...]:
    """Return the names of what `reindex` has to build, or nothing if the store does not respond."""
    try:
        return instance.entities.unbuilt()
    except Unavailable:
        return ()


def _report_warnings(task: WorkerTask, file: Path, send: SendReport) -> None:
    """Send a report with the warnings about the model, unless the previous worker serves the same text."""
    try:
        if task.previous_model is not None and file.read_text("utf-8") == task.previous_model:
            return
        lines = tuple(f"Warning: {warning}" for warning in lint_model_file(file))
    except (InvalidModel, OSError, UnicodeDecodeError):
        return  # the file was changed or removed after it was loaded: a change starts another worker
    if lines:
        send(WorkerReport(ReportKind.PROGRESS, lines))
