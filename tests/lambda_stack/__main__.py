"""Serves the stack with the settings of the environment, until it is stopped: `python -m tests.lambda_stack`.

The sweep function runs all the time, not every five minutes.
"""

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from benchmarks.runtime_api import FunctionFailed
from stratabase.core import waiting
from stratabase.server.http.lambda_functions import LambdaFunction
from stratabase.server.http.server import ServerCallbacks, run_server
from stratabase.server.http.template import read_template
from stratabase.server.process.listener import listen
from tests.lambda_stack.pool import FunctionPool
from tests.lambda_stack.stack import TEMPLATE, function_pools

SWEEP = "SweepFunction"
SWEEP_PAUSE = 0.5
"""Seconds between two runs of the sweep function."""


def main() -> None:
    """Serve until a signal."""
    logging.basicConfig(level=logging.INFO)
    template = read_template(TEMPLATE)
    with function_pools(os.environ, template.functions) as pools, _sweeping(pools[SWEEP]):
        functions = {name: LambdaFunction(pool.function, _handler(pool)) for name, pool in pools.items()}
        with listen("127.0.0.1", int(os.environ["PORT"])) as listener:
            run_server(listener, template, functions, ServerCallbacks(lambda _end: None))


def _handler(pool: FunctionPool) -> Any:
    """Return what the gateway calls for a function. It waits for the process without blocking the gateway."""
    return lambda event, _context: waiting.offload(pool.invoke, event)


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
