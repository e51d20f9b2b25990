"""`stratabase serve`: serves the model on this machine.

It does so in a process of its own, which a supervisor replaces when the model or the code changes; or, with
`--no-reload`, in this process.
"""

import argparse
import socket
from pathlib import Path

from stratabase.cli.server.console import Console, explain_error
from stratabase.cli.server.listener import listen, listener_url
from stratabase.cli.server.messages import Job, ReportKind, WorkerReport
from stratabase.cli.server.supervisor import Supervisor
from stratabase.cli.terminal.command_error import FAILED
from stratabase.cli.terminal.settings import make_data_folder, read_settings


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments; all else is set in the environment."""
    parser.add_argument(
        "--no-reload", action="store_true", help="run a single process that does not watch files"
    )
    parser.add_argument("--template", type=Path, default=Path("template.yaml"), help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Serve until told to end."""
    settings = read_settings()
    make_data_folder(settings.home)
    with listen(settings.host, settings.port) as listener:
        address = listener_url(listener)
        if options.no_reload:
            return _serve_here(Job(options.template, address), listener)
        job = Job(options.template.absolute(), address)
        model, limit = settings.model.absolute(), settings.worker_timeout_seconds
        return Supervisor(job, model, listener, Console(), limit).run()


def _serve_here(job: Job, listener: socket.socket) -> int:
    """Serve in this process, until it is told to end."""
    console = Console()
    try:
        # What goes wrong with the import is explained too.
        from stratabase.cli.server import service  # noqa: PLC0415

        service.serve(job, listener, console.show)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is explained
        console.show(WorkerReport(ReportKind.FAILED, explain_error(error)))
        return FAILED
    return 0
