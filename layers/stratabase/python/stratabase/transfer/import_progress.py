"""How far the import of an export has come, which the store keeps."""

from typing import NamedTuple

import orjson

from stratabase.core.store.engine.port import Engine, Item, Put
from stratabase.core.store.layout import keys

_WORK = "import"
"""The name of the checkpoint of an import."""
DONE = "done."
"""The step of an import that is finished. Names of classes have no dot."""


class ImportProgress(NamedTuple):
    """How far an import has come."""

    export: str
    """The digest of the export."""
    step: str = ""
    """The class whose objects are being written, or the file whose lines are. Empty: none yet. Or DONE."""
    after: str = ""
    """The id of the last object that is written, or the number of the last line."""

    def put(self) -> Put:
        """Return the write that stores the progress."""
        return Put(Item(keys.checkpoint(_WORK), state=orjson.dumps(self._asdict()).decode()))


def read_progress(engine: Engine) -> ImportProgress | None:
    """Return the progress of the last import into a store, None if there was none. Raises Unavailable."""
    (found,) = engine.get([keys.checkpoint(_WORK)])
    return None if found is None else ImportProgress(**orjson.loads(found.state or "{}"))


def has_unfinished_import(engine: Engine) -> bool:
    """Return whether an import into a store has begun and is not finished. Raises Unavailable."""
    progress = read_progress(engine)
    return progress is not None and progress.step != DONE
