"""Asks a person before a command changes something that cannot be undone."""

import sys
from collections.abc import Mapping
from typing import Any

from stratabase.terminal.command_error import MISUSED, CommandError

YES: tuple[str, Mapping[str, Any]] = ("--yes", {"action": "store_true", "help": "begin without a question"})
"""The argument that answers the question."""


def confirm(question: str, *, yes: bool) -> None:
    """Ask the user whether to begin, unless `yes`. Raises CommandError if the answer is not yes."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise CommandError(
            "Standard input is not a terminal, so Stratabase cannot ask whether to begin. "
            "To begin without a question, add --yes.",
            MISUSED,
        )
    try:
        answer = input(f"{question} [y/N] ")
    except (EOFError, KeyboardInterrupt) as error:
        raise CommandError("\nNothing was changed.") from error
    if answer.strip().lower() not in {"y", "yes"}:
        raise CommandError("Nothing was changed.")
