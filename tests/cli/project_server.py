"""`stratabase serve` with an endpoint of a test: `python -m tests.cli.project_server serve …`.

The code of the endpoint is in the folder of the project. It stands for the code of the service: `serve`
watches it, loads it with each version, and shows its errors.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VARIABLE = "TEST_ENDPOINT"
"""The environment variable with the file of the endpoint."""


def add_endpoint() -> None:
    """Serve the endpoint in this process, at `/` and each unknown address."""
    # The supervisor needs none of them.
    from stratabase.core.app.app import App  # noqa: PLC0415
    from stratabase.core.http.base.endpoint import Endpoint, Operation  # noqa: PLC0415
    from stratabase.core.http.handler import CATCH_ALL  # noqa: PLC0415

    file, built_in = Path(os.environ[VARIABLE]), App.all_endpoints

    def all_endpoints(app: App) -> Mapping[str, Endpoint]:
        names: dict[str, Any] = {}
        exec(compile(file.read_text(), file, "exec"), names)
        own = Endpoint({"GET": Operation(lambda request, _: names["respond"](request), "code", "Code.")})
        return {**built_in(app), "/": own, CATCH_ALL: own}

    App.all_endpoints = all_endpoints  # type: ignore[method-assign, assignment]


def run_worker() -> int:
    """Run the worker of a supervisor."""
    from stratabase.server.process import worker  # noqa: PLC0415 - it needs no command

    add_endpoint()
    return worker.main()


def run_command() -> int:
    """Run `stratabase`, whose workers serve the endpoint."""
    from stratabase.cli.__main__ import run  # noqa: PLC0415 - a worker needs no command
    from stratabase.server.commands import serve  # noqa: PLC0415
    from stratabase.server.process import worker_process  # noqa: PLC0415

    vars(serve)["CODE"] = Path(os.environ[VARIABLE]).parent
    worker_process.WORKER_MODULE = __spec__.name
    if "--no-reload" in sys.argv:
        add_endpoint()
    return run()


if __name__ == "__main__":
    sys.exit(run_worker() if sys.argv[1:2] and sys.argv[1].isdigit() else run_command())
