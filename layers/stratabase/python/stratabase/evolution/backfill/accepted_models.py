"""Whether somebody has accepted what a new model changes, although it needs a decision.

`stratabase model diff --accept` records it. `stratabase serve --decide keep` serves no other model that needs
a decision. The record is about one step: from the models that serve to one new text.
"""

import secrets
from collections.abc import Iterable

import orjson

from stratabase.core.store.engine.port import Batch, Engine, Item, Put
from stratabase.core.store.layout import keys
from stratabase.evolution.backfill.served_models import text_digest

_KEY = keys.checkpoint("accepted model")


class AcceptedModels:
    """The last step that was accepted in a store."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def accept(self, old: Iterable[str], new: str) -> None:
        """Record that a model may be served in place of others. Raises Unavailable.

        `old`: the digests of these. `new`: the text of the model.
        """
        state = orjson.dumps({"old": sorted(old), "new": text_digest(new)}).decode()
        self._engine.commit(Batch(f"accept{secrets.token_hex(12)}", (Put(Item(_KEY, state=state)),)))

    def is_accepted(self, old: str, new: str) -> bool:
        """Return whether a model may be served in place of another one. Raises Unavailable.

        `old`: the digest of that one. `new`: the text of the model.
        """
        (item,) = self._engine.get([_KEY])
        if item is None:
            return False
        accepted = orjson.loads(item.state or "{}")
        return old in accepted["old"] and accepted["new"] == text_digest(new)
