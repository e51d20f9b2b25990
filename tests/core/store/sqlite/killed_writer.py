"""A process that writes until it is killed: run `python -m tests.core.store.sqlite.killed_writer PATH LIFE`.

Several threads commit batches of three items and a counter each. They print the name of each acknowledged
batch.
"""

import os
import sys
from itertools import count
from pathlib import Path
from threading import Thread

from stratabase.core.store.engine.port import NO_EXPECTATION, NOT_EXISTS, IndexKey, Item, Key, Patch, Put
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.engine_calls import HERE, commit

THREADS = 4
PARTS = 3


def parts(name: str) -> list[Item]:
    """Return the items of a batch. Their sizes differ, so that they lie on different pages."""
    return [
        Item(Key(f"part{n}", name), {"n": n}, name * 50 * n, {"index1": IndexKey("all", name)})
        for n in range(PARTS)
    ]


def write(engine: SqliteEngine, life: str, thread: int) -> None:
    """Commit batches without end."""
    for number in count():
        name = f"{life}-{thread}-{number}"
        commit(
            engine,
            Patch(HERE, NO_EXPECTATION, add={"count": 1}),
            *(Put(item, NOT_EXISTS) for item in parts(name)),
        )
        os.write(1, f"{name}\n".encode())


def main(path: str, life: str) -> None:
    """Write in several threads until the process is killed."""
    engine = SqliteEngine(Path(path))
    for thread in range(THREADS):
        Thread(target=write, args=(engine, life, thread)).start()


if __name__ == "__main__":
    main(*sys.argv[1:])
