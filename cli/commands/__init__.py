"""What `stratabase` can do. Each command is a file that says HELP, and defines `configure` and `run`."""

import argparse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from cli.commands import keys, members, model, reindex, serve


class Command(Protocol):
    """A command. Its file imports little: what a run needs is imported by the run."""

    HELP: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Say what arguments it takes."""

    def run(self, options: argparse.Namespace) -> int:
        """Do it, and return the exit code. Raises Fault for what the person can mend."""


COMMANDS: Mapping[str, Command] = MappingProxyType(
    {"serve": serve, "model": model, "reindex": reindex, "keys": keys, "members": members}
)
