"""`stratabase serve`: serves the model on this machine.

Worker processes serve. A supervisor, which is this process, replaces the workers when the model or the code
changes. With `--no-reload` and without `--workers` and `--metrics`, this process serves.
"""

import argparse
import os
import socket
from contextlib import suppress

from stratabase.core.setting_values import parse_port
from stratabase.server.process.access_log import JSON
from stratabase.server.process.background_output import background_output
from stratabase.server.process.console import Console, explain_error
from stratabase.server.process.listener import listen, listener_url
from stratabase.server.process.messages import ReportKind, WorkerReport, WorkerTask
from stratabase.server.process.metrics import MetricsServer
from stratabase.server.process.supervisor import Supervisor
from stratabase.server.repository import REPOSITORY
from stratabase.server.settings import ServerSettings
from stratabase.terminal.arguments import add_examples
from stratabase.terminal.command_error import FAILED
from stratabase.terminal.processes import allow_many_files
from stratabase.terminal.settings import (
    make_data_folder,
    misspelled_settings,
    read_settings,
    require_model,
)

CODE = None if REPOSITORY is None else REPOSITORY / "layers"
"""The code that developers of Stratabase change while it serves."""
MAX_WORKERS = 64
ADOPT, KEEP = "adopt", "keep"
"""What to do with a model that needs a decision."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments. Environment variables have all other settings."""
    parser.add_argument(
        "--workers",
        type=_parse_workers,
        metavar="N",
        help="the number of processes that answer requests (1)",
    )
    parser.add_argument(
        "--no-reload",
        action="store_true",
        help="do not watch files; without --workers and --metrics, run a single process",
    )
    parser.add_argument(
        "--decide",
        choices=(ADOPT, KEEP),
        default=ADOPT,
        help="what to do with a model whose changes need a decision: serve it and say so, or keep the model "
        "that serves until you have decided (see `stratabase model diff --accept`)",
    )
    parser.add_argument(
        "--metrics",
        type=_parse_address,
        metavar="HOST:PORT",
        help="serve metrics for Prometheus at this address, such as 127.0.0.1:9464",
    )
    add_examples(
        parser,
        "stratabase serve",
        "PORT=8080 STRATABASE_MODEL=hr.graphql stratabase serve",
        "stratabase serve --workers 4 --no-reload --decide keep --metrics 127.0.0.1:9464",
    )


def run(options: argparse.Namespace) -> int:
    """Serve until a signal stops the process."""
    settings = read_settings()
    own = settings.of(ServerSettings)
    console = Console(only_errors=own.access_log == JSON)
    for line in misspelled_settings(os.environ):
        console.warn(line)
    require_model(settings)
    make_data_folder(settings.home)
    allow_many_files()
    with listen(settings.host, settings.port) as listener:
        address = listener_url(listener)
        if options.no_reload and options.workers is None and options.metrics is None:
            return _serve_here(WorkerTask(address, keeps_model=options.decide == KEEP), listener, console)
        job = WorkerTask(address, keeps_model=options.decide == KEEP)
        model, limit = settings.model.absolute(), own.worker_timeout_seconds
        supervisor = Supervisor(
            job,
            model,
            listener,
            console,
            limit,
            size=options.workers or 1,
            watches=not options.no_reload,
            code=CODE,
        )
        if options.metrics is None:
            return supervisor.run()
        with MetricsServer(options.metrics, supervisor.count_workers) as metrics:
            console.say(f"Metrics: {metrics.url}")
            return supervisor.run(metrics.folder)


def _parse_workers(text: str) -> int:
    """Return a number of workers. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and 1 <= int(text) <= MAX_WORKERS):
        raise argparse.ArgumentTypeError(
            f'"{text}" is not valid. Use a whole number from 1 to {MAX_WORKERS}.'
        )
    return int(text)


def _parse_address(text: str) -> tuple[str, int]:
    """Return a host and a port. Raises ArgumentTypeError."""
    host, _colon, port = text.rpartition(":")
    is_host = bool(host) and (":" not in host or (host.startswith("[") and host.endswith("]")))
    with suppress(ValueError):
        if is_host:
            return host.strip("[]"), parse_port(port)
    raise argparse.ArgumentTypeError(f'"{text}" is not valid. Use a host and a port, such as 127.0.0.1:9464.')


def _serve_here(job: WorkerTask, listener: socket.socket, console: Console) -> int:
    """Serve in this process until a signal stops it."""
    try:
        # Import inside of the `try`, so that errors of the import are explained too.
        from stratabase.server.process import service  # noqa: PLC0415

        with background_output():
            service.serve(job, listener, console.show)
    except Exception as error:  # noqa: BLE001 - every error is shown to the user
        console.show(WorkerReport(ReportKind.FAILED, explain_error(error)))
        return FAILED
    return 0
