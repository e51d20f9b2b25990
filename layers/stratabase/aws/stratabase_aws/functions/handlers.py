"""The handlers of the Lambda functions. All handlers of a process share one app.

The modules of an app are imported while it is built, without collections of garbage in between.
"""

import gc
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from stratabase.core.app.app import App
    from stratabase.core.jobs.job import JobKind
    from stratabase_aws.functions.handler import LambdaHandler

SWEEP_STEP_MILLISECONDS = 20_000
"""The maximum duration of a sweep step, including retries. With less time left, the sweep stops."""


class LambdaContext(Protocol):
    """The part of Lambda's context object that the sweep uses."""

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until Lambda stops the invocation."""


@cache
def app() -> "App":
    """Return the app of this process, built from its environment. Raises BadSettings."""
    with _without_collections():
        from stratabase.core.app.app import App  # noqa: PLC0415 - see the module
        from stratabase.core.settings import Settings  # noqa: PLC0415

        return App(Settings.from_environment(os.environ))


@contextmanager
def _without_collections() -> Iterator[None]:
    """Collect no garbage in the `with` block, and later only what is made after it.

    Most of what a start makes stays, such as modules and classes, so collections would find next to nothing.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was_enabled:
            gc.enable()


def http_handler(function: str, service: "App | None" = None) -> "LambdaHandler":
    """Return the handler of a function that API Gateway calls, by its name (see `core.features`).

    `service` is the app to serve. The default is the app of this process.
    """
    if service is not None:
        return _http_handler(function, service)
    with _without_collections():
        return _http_handler(function, app())


def _http_handler(function: str, service: "App") -> "LambdaHandler":
    from stratabase_aws.functions.handler import LambdaHandler  # noqa: PLC0415 - see the module
    from stratabase_aws.functions.request_log import RequestLog  # noqa: PLC0415

    handler = service.http_handler(service.endpoints(function))
    request_log = RequestLog(function, service.settings.stack) if service.settings.function else None
    return LambdaHandler(handler, request_log)


def rotate_handler() -> Callable[[object, object], None]:
    """Return the handler of the scheduled function `rotate`, which rotates the keys that sign tokens."""

    def rotate(_event: object, _context: object = None) -> None:
        from stratabase.members.app.auth_services import AuthServices  # noqa: PLC0415 - see the module

        rotation = app().part(AuthServices).rotate()
        app().log.info(
            "Token signing keys rotated",
            key=rotation.key.id,
            made=rotation.created,
            dropped=list(rotation.dropped),
        )

    return rotate


def mail_handler() -> Callable[[Mapping[str, str], object], None]:
    """Return the handler of the function `mail`, whose event is a `ForgottenPassword` as a JSON object.

    If it fails, AWS invokes it again.
    """

    def mail(event: Mapping[str, str], _context: object = None) -> None:
        from stratabase.members.app.member_services import MemberServices  # noqa: PLC0415 - see the module
        from stratabase.members.mail import ForgottenPassword  # noqa: PLC0415

        app().part(MemberServices).mail_forgotten_password(ForgottenPassword(**event))

    return mail


def sweep_handler() -> Callable[[object, LambdaContext], None]:
    """Return the handler of the scheduled function `sweep`, which runs one round of all jobs.

    If an invocation runs out of time, the next one continues.
    """

    def sweep(_event: object, context: LambdaContext) -> None:
        def has_time(_step: None) -> bool:
            return context.get_remaining_time_in_millis() >= SWEEP_STEP_MILLISECONDS

        from stratabase.core.jobs.runner import Runner  # noqa: PLC0415 - only this function runs jobs

        service = app()
        _mark_stores(service)
        kinds, steps = service.job_kinds(), 0
        try:
            with closing(Runner(service.clock.now, service.log).steps(kinds)) as round_:
                for _ in takewhile(has_time, round_):
                    steps += 1
        finally:
            if steps:
                service.log.info("Sweep finished", steps=steps)
            _publish(service, kinds)

    return sweep


def _mark_stores(service: "App") -> None:
    """Check and mark the stores once in this process. Until that is done, no files are removed.

    Raises StoreRefused.
    """
    from stratabase.core.domain.issues.refusals import Unavailable  # noqa: PLC0415 - see the module
    from stratabase.core.domain.store_mark import StoreRefused  # noqa: PLC0415

    if service.has_marked_stores:
        return
    try:
        service.mark_stores()
    except StoreRefused:
        raise
    except Unavailable as error:
        service.log.warning("Marks of stores not checked", reason=str(error), cause=repr(error.__cause__))


def _publish(service: "App", kinds: "Sequence[JobKind[Any]]") -> None:
    """Publish the metrics of what is left."""
    from stratabase.core.jobs.runner import count_set_aside  # noqa: PLC0415 - see `sweep`
    from stratabase_aws.functions.request_log import (  # noqa: PLC0415
        OLDEST_PURGE_METRIC,
        SET_ASIDE_METRIC,
        publish_metric,
    )

    stack = service.settings.stack
    oldest = service.entities.oldest_purge()
    if oldest is not None:
        age = max(0.0, service.clock.now() - oldest) / 1000
        publish_metric("sweep", OLDEST_PURGE_METRIC, age, stack)
    publish_metric("sweep", SET_ASIDE_METRIC, count_set_aside(kinds), stack)
