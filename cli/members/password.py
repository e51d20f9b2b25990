"""A password that is given at the machine: asked for twice at a terminal, or one line from elsewhere."""

import getpass
import sys
from collections.abc import Collection

from cli.fault import Fault
from stratabase.domain.members.password import PasswordPolicy


def asked(policy: PasswordPolicy, names: Collection[str]) -> str:
    """Return a password for a member with these names. Raises Fault; nothing has been changed then."""
    password = _typed() if sys.stdin.isatty() else _read()
    weak = [policy.advice(weakness) for weakness in policy.weaknesses(password, names)]
    if weak:
        raise Fault(f"The password {'; it '.join(weak)}.")
    return password


def _typed() -> str:
    try:
        password, again = getpass.getpass("New password: "), getpass.getpass("Once more: ")
    except (EOFError, KeyboardInterrupt) as error:
        raise Fault("\nNo password was given; nothing was changed.") from error
    if password != again:
        raise Fault("The two are not the same; nothing was changed.")
    return password


def _read() -> str:
    try:
        return sys.stdin.readline().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise Fault(f"The password is no text in {sys.stdin.encoding}; nothing was changed.") from error
