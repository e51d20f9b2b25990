"""What an item is after a patch."""

from collections.abc import Mapping
from typing import Any

from stratabase.store.engine import Item, Patch


def patched(patch: Patch, found: Item | None) -> Item:
    """Return the item as the patch makes it, out of the one that was found or of nothing."""
    before = found or Item(patch.key)
    return Item(
        patch.key,
        _attributes(patch, before),
        before.state if patch.state is None else patch.state,
        {name: place for name, place in {**before.places, **patch.places}.items() if place is not None},
    )


def _attributes(patch: Patch, before: Item) -> Mapping[str, Any]:
    kept = {name: value for name, value in before.attributes.items() if name not in patch.remove}
    sums = {name: _sum(patch, name, kept.get(name, 0)) for name in patch.add}
    return {**kept, **patch.set, **sums}


def _sum(patch: Patch, name: str, found: Any) -> int:
    if not isinstance(found, int) or isinstance(found, bool):
        raise ValueError(  # noqa: TRY004 - as the port has it
            f"A patch adds to {name!r} of {patch.key}, which is {found!r}: it must be a whole number."
        )
    return found + patch.add[name]
