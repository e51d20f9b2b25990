"""Serves the stack with the settings of the environment, until it is stopped: `python -m tests.lambda_stack`.

The sweep function runs all the time, not every five minutes.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from benchmarks.runtime_api import FunctionFailed
from stratabase.core import waiting
from stratabase.server.http.server import ServerCallbacks, run_server
from stratabase.server.process.listener import listen
from tests.lambda_stack.functions import Event
from tests.lambda_stack.gateway import FunctionRoutes, FunctionsHandler
from tests.lambda_stack.pool import FunctionPool
from tests.lambda_stack.stack import TEMPLATE, Pools, function_pools
from tests.lambda_stack.template import read_template

SWEEP = "SweepFunction"
SWEEP_PAUSE = 0.5
"""Seconds between two runs of the sweep function."""


def main() -> None:
    """Serve until a signal."""
    logging.basicConfig(level=logging.INFO)
    template = read_template(TEMPLATE)
    with function_pools(os.environ, template.functions) as pools, _sweeping(pools[SWEEP]):
        handler = FunctionsHandler(FunctionRoutes(template.routes), _invocation(pools))
        with listen("127.0.0.1", int(os.environ["PORT"])) as listener:
            run_server(listener, handler, ServerCallbacks(lambda _end: None))


def _invocation(pools: Pools) -> Callable[[str, Event], Any]:
    """Return what calls a function. It waits for its process without blocking the server."""
    return lambda name, event: waiting.offload(pools[name].invoke, event)


@contextmanager
def _sweeping(pool: FunctionPool) -> Iterator[None]:
    """Run the sweep function again and again."""
    over = threading.Event()

    def sweep() -> None:
        while not over.wait(SWEEP_PAUSE):
            with suppress(FunctionFailed, TimeoutError):
                pool.invoke({"source": "aws.events"})

    thread = threading.Thread(target=sweep, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()


if __name__ == "__main__":
    main()
