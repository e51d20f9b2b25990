"""A request for a link to set a forgotten password, as it waits in a queue."""

from typing import NamedTuple


class ForgottenPassword(NamedTuple):
    """What somebody sent who forgot a password. Nobody knows yet whether a member has the name."""

    name: str
    """A username or an email address, as it was typed."""
    base_url: str
    """The root URL of the link."""


def forgotten_password(name: str, base_url: str) -> ForgottenPassword:
    """Return the request for a name. Every queue can store it.

    Characters that no name contains, and that cannot be encoded, are replaced.
    """
    return ForgottenPassword(name.encode("utf-8", "replace").decode(), base_url)
