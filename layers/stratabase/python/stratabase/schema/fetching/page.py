"""What is answered of a page: no more than is selected of it."""

from collections.abc import Sequence
from typing import Any

from stratabase.domain.query import cursor
from stratabase.domain.query.fetch import View
from stratabase.domain.query.order import Order, position_of
from stratabase.domain.query.page import Page, PageFields
from stratabase.model.model import Class

_CURSORS = {"nextCursor": -1, "prevCursor": 0}
"""The cursors of a page, each with the item whose position it is."""


def wanted(selected: frozenset[str], *, version_start: bool = True) -> PageFields:
    """Return what must be found out for the fields of a page that are selected.

    `version_start`: of its objects, also `_versionStart`.
    """
    return PageFields(
        items="items" in selected or not selected.isdisjoint(_CURSORS),
        total_count="totalCount" in selected,
        has_next="hasNext" in selected,
        has_prev="hasPrev" in selected,
        version_start=version_start,
    )


class PageAnswer:
    """Makes the source of a page: a dict of its fields."""

    def __init__(self, class_: Class, order: Order, selected: frozenset[str]) -> None:
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
        }

    def _shown_cursors(self, page: Page) -> dict[str, str]:
        return {
            name: cursor.encode(position_of(page.items[item].state, self._order), self._order, self._class)
            for name, item in self._cursors
        }
