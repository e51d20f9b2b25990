"""Sessions of botocore, which is loaded when the first is needed, because that takes long."""

from typing import Any

_LOADER = "data_loader"
_shared: dict[str, Any] = {}


def new_session() -> Any:
    """Return a session with credentials of its own."""
    from botocore.session import Session  # noqa: PLC0415 - only now

    return sharing(Session())


def sharing(session: Any) -> Any:
    """Return a session, which from now on shares with others what it reads of botocore's descriptions.

    These are of services and their endpoints; to read them takes longer than to make a client of them.
    """
    loader = _shared.get(_LOADER) or _shared.setdefault(_LOADER, session.get_component(_LOADER))
    session.register_component(_LOADER, loader)
    return session
