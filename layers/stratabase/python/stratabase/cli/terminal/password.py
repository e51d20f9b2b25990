"""Asks for a new password: twice at a terminal, or as one line of the standard input from elsewhere."""

import getpass
import sys
from collections.abc import Collection

from stratabase.cli.terminal.command_error import CommandError
from stratabase.domain.members.password import PasswordPolicy


def ask_password(policy: PasswordPolicy, names: Collection[str]) -> str:
    """Return a new password for a member with these names.

    Raises CommandError if the policy finds it weak, or if there is none.
    """
    password = _prompt() if sys.stdin.isatty() else _read_line()
    weak = [policy.advice(weakness) for weakness in policy.weaknesses(password, names)]
    if weak:
        raise CommandError(" ".join(weak))
    return password


def _prompt() -> str:
    try:
        password, again = getpass.getpass("New password: "), getpass.getpass("Once more: ")
    except (EOFError, KeyboardInterrupt) as error:
        raise CommandError("\nNo password was given; nothing was changed.") from error
    if password != again:
        raise CommandError("The two are not the same; nothing was changed.")
    return password


def _read_line() -> str:
    try:
        return sys.stdin.readline().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise CommandError(
            f"The password is no text in {sys.stdin.encoding}; nothing was changed."
        ) from error
