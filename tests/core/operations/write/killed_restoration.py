"""A process that restores an order and is killed.

Run as `python -m tests.core.operations.write.killed_restoration`.
Its arguments are the path of a store, the id of the order, the instant of the version, what the clock says,
and the number of the commit, from 1, before which it is killed.
"""

import os
import signal
import sys
from pathlib import Path

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.core.operations.write.interfering_engine import InterferingEngine
from tests.core.operations.write.large_orders import Shop
from tests.fakes import FrozenClock


def main(path: str, order: str, at: str, now: str, call: str) -> None:
    """Restore the order, and be killed on the way."""
    engine = InterferingEngine(SqliteEngine(Path(path)))
    shop = Shop(engine, FrozenClock(int(now)))
    shop.entities.unbuilt()
    engine.commits = 0

    def die(number: int) -> None:
        if number == int(call):
            os.kill(os.getpid(), signal.SIGKILL)

    engine.before = die
    shop.restore(Reference("Order", order), int(at))
    engine.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
