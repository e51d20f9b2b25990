"""Fetch the views of objects for a call, and render pages."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from types import MappingProxyType
from typing import Any

from stratabase.core.domain.access.visibility import readable_refusal
from stratabase.core.domain.issues.issue import Issue, IssueType, ReferenceType
from stratabase.core.domain.issues.refusals import (
    ReadBudgetExceeded,
    Refusal,
    Refused,
    Unavailable,
)
from stratabase.core.domain.objects.change import Creation, EffectIndex
from stratabase.core.domain.objects.commit_refusals import RoleUnavailable
from stratabase.core.domain.objects.entity import Entity, Reference, states_of
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query import cursor
from stratabase.core.domain.query.fetch import Fetch, Render, View
from stratabase.core.domain.query.order import Order, position_of
from stratabase.core.domain.query.page import Page, PageFields
from stratabase.core.domain.write.commands import ClientIds
from stratabase.core.model.api_names import CLIENT_ID, ID
from stratabase.core.model.model import Class
from stratabase.core.model.types.file import PENDING_ID
from stratabase.core.operations.read.batched_reads import BatchedRead, run
from stratabase.core.operations.read.pending import PendingWrite
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.versions import VersionReader
from stratabase.core.operations.read.views import load_views, read_views
from stratabase.core.operations.write.options import WriteResult
from stratabase.core.schema.request.context import ServiceCall
from stratabase.values.messages import _


def view_of(call: ServiceCall, reader: Reader, entity: Entity | None) -> View | None:
    """Return the view of an object that was read by key, or None if there is none.

    Raises ReadBudgetExceeded.
    """
    if entity is None:
        return None
    if call.fetch.has_only_values and reader.shows_stored_states(entity.reference.class_name):
        return entity.state
    return next(iter(read_views(reader, call.fetch, [entity])), None)


def version_views(
    call: ServiceCall, versions: Sequence[Entity], reader: VersionReader | None = None
) -> list[View]:
    """Return the views of versions. Roles show what they led to at the start of each version.

    `reader`: shows them as of other instants. Raises ReadBudgetExceeded, Unavailable.
    """
    if _shows_only_own_values(call, versions):
        return [version.state for version in versions]
    reader = reader or VersionReader(call.context.read_context)
    views = reader.each(versions, partial(_load_version_views, call))
    return list(chain.from_iterable(views))


def version_view(call: ServiceCall, version: Entity, instant: Instant) -> View | None:
    """Return the view of a version as of an instant, None if it is hidden. Raises as `version_views`."""
    reader = VersionReader(call.context.read_context).at(instant)
    return next(iter(run(_load_version_views(call, reader, version))), None)


def _load_version_views(call: ServiceCall, reader: Reader, version: Entity) -> BatchedRead[list[View]]:
    """Return the view of a version in a list, which is empty if the version is hidden."""
    visible = [entity for entity in (yield from reader.add_visible([version])) if entity is not None]
    return (yield from load_views(reader, call.fetch, visible))


def written_views(call: ServiceCall, done: Sequence[WriteResult]) -> list[View]:
    """Return the views of written objects as they are now, with their client ids.

    Raises Refused if what they lead to cannot be read. The issue says that the objects were written.
    """
    try:
        return _views(call, done, _WrittenState(call.context.client_ids))
    except (ReadBudgetExceeded, RoleUnavailable, Unavailable) as trouble:
        shown = trouble
        if isinstance(trouble, ReadBudgetExceeded):
            shown = readable_refusal(call.context.access, trouble)
        raise Refused([_unshown_issue(one, shown) for one in done], has_written=True) from trouble


def previewed_view(call: ServiceCall, done: WriteResult) -> View:
    """Return the view of an object as a write would leave it. A new one has no id yet.

    Raises ReadBudgetExceeded.
    """
    made = (effect.after.reference for effect in done.effects if isinstance(effect, Creation))
    (view,) = _views(call, [done], _WrittenState(done.client_ids, frozenset(made), done.uploads))
    return view


def _views(call: ServiceCall, done: Sequence[WriteResult], render: Render) -> list[View]:
    if _shows_only_own_values(call, done):
        return [render(one.entity) for one in done]
    read_context = call.context.read_context
    # The indexes of the store may lag behind the write, so show its effects as a layer.
    pending = PendingWrite(
        EffectIndex((effect for one in done for effect in one.effects), read_context.model)
    )
    reader = Reader(read_context, pending=pending, render=render)
    visible = run(reader.add_visible(one.entity for one in done))
    views = iter(read_views(reader, call.fetch, [entity for entity in visible if entity is not None]))
    pairs = zip(done, visible, strict=True)
    return [_hidden_view(call.fetch, render, one) if entity is None else next(views) for one, entity in pairs]


def _shows_only_own_values(call: ServiceCall, shown: Iterable[Entity | WriteResult]) -> bool:
    """Return whether the views show only stored values, so that nothing needs to be read or hidden.

    The view of a part needs its whole: a part that its whole does not list is not shown.
    """
    fetch, context = call.fetch, call.context
    classes = context.services.model.classes
    return (
        fetch.has_only_values
        and context.access is None
        and not any(classes[one.reference.class_name].part for one in shown)
    )


def _hidden_view(fetch: Fetch, render: Render, done: WriteResult) -> View:
    """Return the view of a written object that its writer may not see: only its ids."""
    shown = render(Entity(done.reference, {ID: done.reference.id}))
    return {**dict.fromkeys(fetch.roles), **shown}


def _unshown_issue(done: WriteResult, trouble: Refusal) -> Issue:
    class_name, id_ = done.reference
    message = _(
        '{class_name} "{id}" was saved, but the selected fields can\'t be shown. {reason}',
        class_name=class_name,
        id=id_,
        reason=trouble.message,
    )
    return Issue(
        IssueType.SERVICE_HANDLER_ERROR,
        message,
        reference_type=ReferenceType.ENTITY,
        entity_name=class_name,
        entity_id=id_,
    )


class _WrittenState:
    """Renders the state of written objects with their client ids, and without ids that are not stored."""

    def __init__(
        self,
        called: ClientIds,
        unkept: frozenset[Reference] = frozenset(),
        uploads: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Prepare for objects. `uploads` has the IDs of the pending files that previews take, by file ID."""
        self._called = called
        self._unkept = unkept
        self._uploads = uploads

    def __call__(self, entity: Entity) -> Mapping[str, Any]:
        reference, state = entity.reference, entity.state
        if self._uploads:
            state = {name: self._with_pending_id(value) for name, value in state.items()}
        if reference not in self._called and reference not in self._unkept:
            return state
        id_ = None if reference in self._unkept else reference.id
        return {**state, ID: id_, CLIENT_ID: self._called.get(reference)}

    def _with_pending_id(self, value: Any) -> Any:
        """Return a value of a state. A file that is still pending gets its pending ID, for its link."""
        is_pending = isinstance(value, Mapping) and value.get("fileId") in self._uploads
        return {**value, PENDING_ID: self._uploads[value["fileId"]]} if is_pending else value


_CURSORS = {"nextCursor": -1, "prevCursor": 0}
"""By field of a page: the index of the item whose position the cursor is."""


@lru_cache(maxsize=512)  # Clients repeat their selections.
def page_fields(
    selected: frozenset[str],
    *,
    version_start: bool = True,
    revision: bool = False,
    attributes: frozenset[str] | None = None,
) -> PageFields:
    """Return what to find out for the selected fields of a page.

    `version_start` and `revision` say whether its objects show `_versionStart` and `_revision`. `attributes`:
    those that they show; None for all.
    """
    return PageFields(
        items="items" in selected or not selected.isdisjoint(_CURSORS),
        total_count="totalCount" in selected,
        has_next="hasNext" in selected,
        has_prev="hasPrev" in selected,
        version_start=version_start,
        revision=revision,
        attributes=attributes,
    )


class PageRenderer:
    """Makes the source of a page: a dict of its fields."""

    def __init__(
        self, class_: Class, order: Order, selected: frozenset[str], at: Instant | None = None
    ) -> None:
        """`at`: the instant that the page shows, None for the present."""
        self._at = at
        self._class = class_
        self._order = order
        self._cursors = [(name, item) for name, item in _CURSORS.items() if name in selected]

    def __call__(self, page: Page, views: Sequence[View]) -> dict[str, Any]:
        """Return the source of a page whose objects have these views."""
        return {
            "items": views,
            "totalCount": page.total_count,
            "hasNext": page.has_next,
            "hasPrev": page.has_prev,
            **(self._shown_cursors(page) if self._cursors and page.items else {}),
            **page.totals,
        }

    def _shown_cursors(self, page: Page) -> dict[str, str]:
        states = states_of(page.items)
        return {
            name: cursor.encode_cursor(
                position_of(states[item], self._order), self._order, self._class, self._at
            )
            for name, item in self._cursors
        }
