"""Applies a patch to the attributes of an item, as every engine must."""

from collections.abc import Mapping
from typing import Any

from stratabase.core.store.engine.port import Item, Patch


def patched_attributes(patch: Patch, found: Item | None) -> Mapping[str, Any]:
    """Return the attributes of a patched item. `found`: the stored item, None if there is none."""
    kept = {} if found is None else {**found.attributes}
    for name in patch.remove:
        kept.pop(name, None)
    sums = {name: _sum(patch, name, kept.get(name, 0)) for name in patch.add}
    return {**kept, **patch.set, **sums}


def _sum(patch: Patch, name: str, found: Any) -> int:
    if not isinstance(found, int) or isinstance(found, bool):
        raise ValueError(  # noqa: TRY004 - the port requires ValueError
            f"A patch adds to {name!r} of {patch.key}, which is {found!r}: it must be a whole number."
        )
    return found + patch.add[name]
