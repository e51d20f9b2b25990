"""The functions of Lambda, each over the one instance of its process."""

import os
from collections.abc import Callable
from functools import cache
from itertools import takewhile
from typing import Protocol

from stratabase.bootstrap.instance import Instance
from stratabase.http_api.handler import HttpHandler
from stratabase.settings import Settings

SWEEP_STEP_MILLISECONDS = 20_000
"""Milliseconds that a step of a sweep may take, retries included: with less than that none is begun."""


class Context(Protocol):
    """What Lambda tells a function of its invocation."""

    def get_remaining_time_in_millis(self) -> int:
        """Return how long the function may still take."""


@cache
def instance() -> Instance:
    """Return the instance of this process, built from its environment. Raises BadSettings."""
    return Instance(Settings.from_environment(os.environ))


def graphql_function() -> HttpHandler:
    """Return the function `graphql`."""
    return instance().graphql_handler()


def tokens_function() -> HttpHandler:
    """Return the function `tokens`."""
    return instance().tokens_handler()


def members_function() -> HttpHandler:
    """Return the function `members`."""
    return instance().members_handler()


def rotate_function() -> Callable[[object, object], None]:
    """Return the function `rotate`, which a schedule calls."""

    def rotate(_event: object, _context: object = None) -> None:
        rotation = instance().auth_services.rotate()
        instance().log.info(
            "The keys of tokens were rotated",
            key=rotation.key.id,
            made=rotation.made,
            dropped=list(rotation.dropped),
        )

    return rotate


def sweep_function() -> Callable[[object, Context], None]:
    """Return the function `sweep`, which a schedule calls; what it has no time for is left to the next."""

    def sweep(_event: object, context: Context) -> None:
        def is_time(_step: None) -> bool:
            return context.get_remaining_time_in_millis() >= SWEEP_STEP_MILLISECONDS

        steps = sum(1 for _ in takewhile(is_time, instance().entities.sweep_steps()))
        if steps:
            instance().log.info("What deletions had left was ended", steps=steps)

    return sweep
