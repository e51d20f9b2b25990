"""What keeps the objects."""

from collections.abc import Callable, Mapping

from stratabase.settings import Settings
from stratabase.store.aside import Aside
from stratabase.store.dynamodb.endpoint import Endpoint
from stratabase.store.engine import Engine
from stratabase.store.metered import MeteredEngine
from stratabase.store.side_by_side import SideBySide, Threads, one_by_one

_RANGES_AT_ONCE = 16
"""How many a process reads side by side, where each waits for a network."""


def _sqlite(settings: Settings) -> Engine:
    from stratabase.store.sqlite.engine import SqliteEngine  # noqa: PLC0415 - only where it is used

    return SqliteEngine(settings.home / "objects.db")


def _dynamodb(settings: Settings) -> Engine:
    from stratabase.store.dynamodb.creation import ensure_table  # noqa: PLC0415 - as above
    from stratabase.store.dynamodb.engine import DynamoDBEngine  # noqa: PLC0415
    from stratabase.store.dynamodb.signed import SignedClient  # noqa: PLC0415

    client = SignedClient(Endpoint(settings.region, settings.endpoint))
    if settings.endpoint is not None:
        ensure_table(client, settings.table)
    return Aside(DynamoDBEngine(client, settings.table))


_ENGINES: Mapping[str, Callable[[Settings], Engine]] = {"sqlite": _sqlite, "dynamodb": _dynamodb}
"""By the setting `store`."""


def engine_of(settings: Settings) -> Engine:
    """Return the engine that the settings choose. Raises UnusableStore."""
    return MeteredEngine(_ENGINES[settings.store](settings))


_TOGETHER: Mapping[str, Callable[[], SideBySide]] = {
    "sqlite": lambda: one_by_one,
    "dynamodb": lambda: Threads(_RANGES_AT_ONCE),
}
"""By the setting `store`."""


def side_by_side_of(settings: Settings) -> SideBySide:
    """Return how several ranges of the engine are read that the settings choose."""
    return _TOGETHER[settings.store]()
