"""`stratabase serve`: serves the model on this machine."""

import argparse
from pathlib import Path

from cli.server import configuration

HELP = "serve the model on this machine, and reload it when it or the code changes"


def configure(parser: argparse.ArgumentParser) -> None:
    """Say what arguments it takes; all else is set in the environment."""
    parser.add_argument("--no-reload", action="store_true", help="one process, which watches no files")
    parser.add_argument("--template", type=Path, default=Path("template.yaml"), help=argparse.SUPPRESS)


def run(options: argparse.Namespace) -> int:
    """Serve until told to end."""
    settings = configuration.read_settings()
    from cli.server import start  # noqa: PLC0415 - `stratabase --help` needs none of it

    serve = start.alone if options.no_reload else start.supervised
    return serve(settings, options.template)
