"""The handlers of the Lambda functions. All handlers of a process share one instance of the service."""

import os
from collections.abc import Callable, Mapping
from functools import cache
from itertools import takewhile
from typing import Protocol

from stratabase.aws.functions.handler import LambdaHandler
from stratabase.aws.functions.request_log import OLDEST_PURGE_METRIC, RequestLog, publish_metric
from stratabase.bootstrap.instance import Instance
from stratabase.bootstrap.routes import build_endpoints
from stratabase.core.http.base.cors import Cors
from stratabase.core.http.handler import HttpHandler
from stratabase.core.settings import Settings
from stratabase.members.forgotten_password import ForgottenPassword
from stratabase.values.clock import SystemClock

SWEEP_STEP_MILLISECONDS = 20_000
"""The maximum duration of a sweep step, including retries. With less time left, the sweep stops."""


class LambdaContext(Protocol):
    """The part of Lambda's context object that the sweep uses."""

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until Lambda stops the invocation."""


@cache
def instance() -> Instance:
    """Return the instance of this process, built from its environment. Raises BadSettings."""
    return Instance(Settings.from_environment(os.environ))


def http_handler(function: str, service: Instance | None = None) -> LambdaHandler:
    """Return the handler of a function that API Gateway calls, by its name (see `routes.FUNCTIONS`).

    `service` is the instance to serve. The default is the instance of this process.
    """
    service = service or instance()
    handler = HttpHandler(
        build_endpoints(function, service),
        service.auth_services.authentication,
        cors=Cors(service.settings.allowed_origins),
        base_url=service.settings.base_url,
        log=service.log,
        request_seconds=service.settings.request_seconds,
        find_application=lambda: service.model.application,
    )
    request_log = RequestLog(function, service.settings.stack) if service.settings.function else None
    return LambdaHandler(handler, request_log)


def rotate_handler() -> Callable[[object, object], None]:
    """Return the handler of the scheduled function `rotate`, which rotates the keys that sign tokens."""

    def rotate(_event: object, _context: object = None) -> None:
        rotation = instance().auth_services.rotate()
        instance().log.info(
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
        instance().member_services.mail_forgotten_password(ForgottenPassword(**event))

    return mail


def sweep_handler() -> Callable[[object, LambdaContext], None]:
    """Return the handler of the scheduled function `sweep`.

    It deletes what large deletions have left, expired uploads, and files that no object refers to.

    If an invocation runs out of time, the next one continues.
    """

    def sweep(_event: object, context: LambdaContext) -> None:
        def has_time(_step: None) -> bool:
            return context.get_remaining_time_in_millis() >= SWEEP_STEP_MILLISECONDS

        steps = sum(1 for _ in takewhile(has_time, instance().sweep_steps()))
        if steps:
            instance().log.info("Sweep finished", steps=steps)
        oldest = instance().entities.oldest_purge()
        if oldest is not None:
            age = max(0.0, SystemClock().now() - oldest) / 1000
            publish_metric("sweep", OLDEST_PURGE_METRIC, age, instance().settings.stack)

    return sweep
