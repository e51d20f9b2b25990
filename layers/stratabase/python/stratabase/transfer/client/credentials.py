"""The credentials for an instance. They come from a prompt or the environment, never from an argument."""

import getpass
import os
import sys
from dataclasses import dataclass, field

from stratabase.terminal.command_error import MISUSED, CommandError

PASSWORD_VARIABLE = "STRATABASE_PASSWORD"  # noqa: S105 - the name of a variable
TOKEN_VARIABLE = "STRATABASE_TOKEN"  # noqa: S105 - the name of a variable


@dataclass(frozen=True)
class PasswordCredentials:
    """A member's name and password, which get a new token whenever one expires."""

    username: str
    password: str = field(repr=False)


@dataclass(frozen=True)
class TokenCredentials:
    """A token that the user got in another way. The command can't replace it when it expires."""

    token: str = field(repr=False)


MemberCredentials = PasswordCredentials | TokenCredentials


def read_credentials(username: str | None) -> MemberCredentials:
    """Return the credentials of a member, or the token in the environment if `username` is None.

    The password comes from STRATABASE_PASSWORD, a prompt, or a line of standard input. Raises CommandError.
    """
    if username is not None:
        password = os.environ.get(PASSWORD_VARIABLE) or _ask_password(username)
        return PasswordCredentials(username, password)
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        raise CommandError(
            f"Credentials are required. Name a member with --user, or set {TOKEN_VARIABLE} to a token.",
            MISUSED,
        )
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise CommandError(f"{TOKEN_VARIABLE} is not a token. Set it to the token alone.", MISUSED)
    return TokenCredentials(token)


def _ask_password(username: str) -> str:
    try:
        if sys.stdin.isatty():
            password = getpass.getpass(f"Password of {username}: ")
        else:
            password = sys.stdin.readline().rstrip("\r\n")
    except (EOFError, KeyboardInterrupt, UnicodeDecodeError) as error:
        raise CommandError("\nNo password entered.") from error
    if not password:
        raise CommandError(f"No password entered. Enter it at the prompt, or set {PASSWORD_VARIABLE}.")
    return password
