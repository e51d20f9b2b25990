"""Commits that are planned again from the start if somebody else has written meanwhile."""

import secrets
from collections.abc import Callable, Sequence
from typing import TypeVar

from stratabase.core.store.engine.port import Action, Batch, Engine, ExpectationFailed, OutcomeUnknown

T = TypeVar("T")


def new_commit_id(work: str) -> str:
    """Return a new commit id. `work` names what commits, for those who look into a store."""
    return f"{work}{secrets.token_hex(12)}"


def is_committed(engine: Engine, batch: Batch) -> bool:
    """Commit a batch. Return False if an item is not as expected. Raises Unavailable.

    After a lost response, it is also False, although the batch may have been committed. Read again to know.
    """
    try:
        engine.commit(batch)
    except (ExpectationFailed, OutcomeUnknown):
        return False
    return True


def update_items(engine: Engine, work: str, plan: Callable[[], tuple[T, Sequence[Action]]]) -> T:
    """Commit the actions that `plan` returns beside a result, and return that result. Raises Unavailable.

    `plan` reads items, and its actions expect them as they were read. If one of them has changed, or if a
    response was lost, it is called again. Nothing is committed if it returns no actions.
    """
    while True:
        result, actions = plan()
        if not actions or is_committed(engine, Batch(new_commit_id(work), tuple(actions))):
            return result
