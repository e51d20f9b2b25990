"""Answers roles whose links or guards are not built yet, from where their associations are kept.

A key is found by a scan of the objects that hold it, and a link without its far end by a scan of the other
class. Both count towards the read budget. If the budget is not enough, or the answer cannot be known, the
role is refused with the advice to run `stratabase reindex`: an answer never has too few objects.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.commit_refusals import RoleUnavailable
from stratabase.core.domain.objects.entity import Reference, RoleName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.page import IdRange
from stratabase.core.domain.query.read_budget import MEGABYTE, ReadBudget
from stratabase.core.store.engine.parallel import sequential_map
from stratabase.core.store.engine.port import Item
from stratabase.core.store.engine.read_limiter import ReadLimiter
from stratabase.core.store.engine.sharded_range import ShardedRange
from stratabase.core.store.indexes.role_changes import link_sources
from stratabase.core.store.layout import codec, keys
from stratabase.core.store.layout.associations import ForeignKey
from stratabase.core.store.read.context import StoreContext
from stratabase.values.messages import Message, _

_BATCH = 100
_MAX_BYTES, _MAX_SECONDS = 16 * MEGABYTE, 10.0
"""The budget of a scan for a write, which has no read budget of its own."""


def refuse_if_stored_elsewhere(store: StoreContext, role: RoleName) -> None:
    """Raise RoleUnavailable if the associations of a role are not yet where the model expects them."""
    if role in store.write_schema().changed_roles:
        raise RoleUnavailable(
            role,
            lambda role: _(
                "The model stores {role} differently than before. Its associations haven't been moved yet. "
                "Run `stratabase reindex`. If you have just done so, try again in a few seconds.",
                role=str(role),
            ),
        )


def check_past(store: StoreContext, role: RoleName, instants: Iterable[Instant]) -> None:
    """Raise RoleUnavailable if it is not known what a role led to at one of these instants."""
    schema = store.write_schema()
    since = None if role in schema.unbuilt_roles else schema.past_from(role)
    if since is None:
        raise RoleUnavailable(role, _unbuilt_message)
    if any(at < since for at in instants):
        raise RoleUnavailable(
            role,
            lambda role: _(
                "What {role} led to is known only for later versions, "
                "because the role was added to the model or changed since.",
                role=str(role),
            ),
        )


def _unbuilt_message(role: RoleName) -> Message:
    return _(
        "{role} can't be answered until it is built for existing objects. Run `stratabase reindex`. "
        "If you have just done so, try again in a few seconds.",
        role=str(role),
    )


def linked_by_scan(  # noqa: PLR0913, PLR0917 - the arguments of `linked`
    store: StoreContext,
    role: RoleName,
    ids: Sequence[str],
    range_: IdRange,
    budget: ReadBudget | None,
    known: Sequence[Iterable[str]],
) -> list[tuple[str, ...]]:
    """Return for each owner the ids of the objects that a role leads to.

    `known`: the ids that links or guards give for each owner. The scan may lag behind new objects, but those
    have their links. Raises RoleUnavailable.
    """
    limiter = ReadLimiter(budget or ReadBudget(_MAX_BYTES, _MAX_SECONDS, time.monotonic), role.class_name)
    candidates = {id_: set(found) for id_, found in zip(ids, known, strict=True)}
    try:
        key = store.associations.inverse_key(role)
        if key is None:
            found = _by_far_links(store, role, candidates, limiter)
        else:
            found = _by_keys(store, key, candidates, limiter)
    except ReadBudgetExceeded as exceeded:
        raise RoleUnavailable(role, _unbuilt_message) from exceeded
    if key is not None and key.exclusive and any(len(each) > 1 for each in found.values()):
        raise RoleUnavailable(
            role,
            lambda role: _(
                "{role} leads to more than one object, but the model allows only one. "
                "Run `stratabase reindex` to list them.",
                role=str(role),
            ),
        )
    return [range_.select(found[id_]) for id_ in ids]


def _by_keys(
    store: StoreContext, key: ForeignKey, candidates: dict[str, set[str]], limiter: ReadLimiter
) -> dict[str, set[str]]:
    """Return by owner the ids of the objects whose key refers to it."""
    for item in _listed(store, key.role.class_name, limiter):
        target = key.target_of(codec.entity_of(item))
        if target in candidates:
            candidates[target].add(keys.id_of(item.key))
    # The listing may lag, so the objects themselves decide.
    wanted = sorted(set(chain.from_iterable(candidates.values())))
    references = [Reference(key.role.class_name, id_) for id_ in wanted]
    heads = store.get([*map(keys.head, references)], limiter)
    found: dict[str, set[str]] = defaultdict(set)
    for reference, head in zip(references, heads, strict=True):
        if (target := key.target_of(store.entity_of(reference, head))) is not None:
            found[target].add(reference.id)
    return found


def _by_far_links(
    store: StoreContext, role: RoleName, candidates: dict[str, set[str]], limiter: ReadLimiter
) -> dict[str, set[str]]:
    """Return by owner the ids of the objects that are linked with it at a complete end."""
    ends = store.associations.by_role[role]
    sources = link_sources(store.write_schema().registry.roles, store.associations.by_name[role])
    if ends.far.role not in sources:
        return candidates
    far = ends.far.role
    listed = (keys.id_of(item.key) for item in _listed(store, far.class_name, limiter))
    found = {id_: known if role in sources else set[str]() for id_, known in candidates.items()}
    near = sorted(set(chain.from_iterable(candidates.values())))
    all_others = list(dict.fromkeys(chain(listed, near)))
    for first in range(0, len(all_others), _BATCH):
        others = all_others[first : first + _BATCH]
        pairs = [(owner, other) for owner in candidates for other in others]
        links = store.get(
            [keys.link(Reference(far.class_name, other), far.role_name, owner) for owner, other in pairs],
            limiter,
        )
        for (owner, other), link in zip(pairs, links, strict=True):
            if link is not None:
                found[owner].add(other)
    return found


def are_linked_by_scan(store: StoreContext, role: RoleName, pairs: Sequence[tuple[str, str]]) -> list[bool]:
    """Return for each pair (owner, target) whether it is linked at a complete end."""
    stored = store.associations.by_name[role]
    sources = link_sources(store.write_schema().registry.roles, stored)
    ends = store.associations.by_role[role]
    near = [keys.link(Reference(role.class_name, owner), role.role_name, other) for owner, other in pairs]
    far = [
        keys.link(Reference(ends.far.role.class_name, other), ends.far.role.role_name, owner)
        for owner, other in pairs
    ]
    there = [False] * len(pairs)
    for name, wanted in ((role, near), (ends.far.role, far)):
        if name in sources:
            there = [was or item is not None for was, item in zip(there, store.get(wanted), strict=True)]
    return there


def _listed(store: StoreContext, class_name: str, limiter: ReadLimiter) -> Iterator[Item]:
    listing = store.write_schema().listing(class_name)
    listed = ShardedRange(
        store.engine, sequential_map, listing.index_name, listing.partitions, spend=limiter.spend
    )
    yield from chain.from_iterable(listed.pages())
