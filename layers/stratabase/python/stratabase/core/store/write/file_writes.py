"""The entries of the file ledger that a change deletes and adds, because objects take and release files."""

from collections.abc import Iterator

from stratabase.core.domain.files.stored_file import file_ids
from stratabase.core.domain.objects.change import Change, ObjectEffect, reference_of
from stratabase.core.model.model import Model
from stratabase.core.store.engine.port import DeleteItem, Put
from stratabase.core.store.layout import file_entries


def file_writes(change: Change, model: Model) -> Iterator[Put | DeleteItem]:
    """Yield an action for each upload that the change takes, and for each file that it releases."""
    for pending_id in change.files:
        yield file_entries.take(pending_id, change.time)
    for effect in change.object_effects():
        for file_id in _released_files(effect, model):
            yield file_entries.release(file_id)


def _released_files(effect: ObjectEffect, model: Model) -> Iterator[str]:
    """Yield the files that nothing refers to after an effect."""
    before = effect.before
    # Versions keep their files, also those from before a class stopped being versioned.
    if (
        before is None
        or before.previous is not None
        or model.classes[reference_of(effect).class_name].versioned
    ):
        return
    files = [*file_ids(before.state)]
    kept = frozenset(file_ids(effect.after.state)) if files and effect.after is not None else frozenset()
    yield from (file_id for file_id in files if file_id not in kept)
