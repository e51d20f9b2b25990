"""What keeps the members, and the notes of attempts to sign in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stratabase.operations.ports import Attempts, Members
from stratabase.settings import Settings
from stratabase.store.dynamodb.endpoint import Endpoint


@dataclass(frozen=True, slots=True)
class People:
    """The stored members and attempts; `close` lets go of both."""

    members: Members
    attempts: Attempts
    close: Callable[[], None]


def _sqlite(settings: Settings) -> People:
    from stratabase.store.sqlite.attempts import SqliteAttempts  # noqa: PLC0415 - only where it is used
    from stratabase.store.sqlite.members import SqliteMembers  # noqa: PLC0415

    members = SqliteMembers(settings.home / "members.db")
    attempts = SqliteAttempts(settings.home / "attempts.db")

    def close() -> None:
        members.close()
        attempts.close()

    return People(members, attempts, close)


def _dynamodb(settings: Settings) -> People:
    from stratabase.store.pynamodb.attempts import PynamoAttempts  # noqa: PLC0415 - as above
    from stratabase.store.pynamodb.members import PynamoMembers  # noqa: PLC0415
    from stratabase.store.pynamodb.table import Table  # noqa: PLC0415

    table = Table(Endpoint(settings.region, settings.endpoint), settings.members_table)
    if settings.endpoint is not None:
        table.ensure()
    return People(PynamoMembers(table), PynamoAttempts(table), table.close)


_PEOPLE: Mapping[str, Callable[[Settings], People]] = {"sqlite": _sqlite, "dynamodb": _dynamodb}
"""By the setting `store`."""


def people_of(settings: Settings) -> People:
    """Return what keeps the members where the settings choose. Raises UnusableStore."""
    return _PEOPLE[settings.store](settings)
