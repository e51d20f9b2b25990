"""Merge equal issues of many elements of a request, such as a hundred parts with the same mistake."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from stratabase.core.domain.issues.issue import Issue, Path
from stratabase.values.messages import Message, _, and_list

MAX_EQUAL_ISSUES = 10
"""Issues that are equal except for the element, and that are reported one by one. More become one issue."""
_MAX_LISTED_PLACES = 5
"""Places to list in an issue that stands for several."""


def merge_equal(issues: Iterable[Issue]) -> list[Issue]:
    """Return issues in their order, with one for more than MAX_EQUAL_ISSUES that differ only in the element.

    That one is at the first place, and its message has the number of the places and the first ones. It has
    the id of an object only if all issues have the same. Issues at the same place stay apart: the ids of
    their objects tell them apart.
    """
    found = list(issues)
    if len(found) <= MAX_EQUAL_ISSUES:
        return found
    groups: dict[Issue, list[Issue]] = {}
    for each in found:
        groups.setdefault(_without_element(each), []).append(each)
    large = {shared: group for shared, group in groups.items() if _has_many_places(group)}
    merged: list[Issue] = []
    for each in found:
        group = large.get(_without_element(each))
        if group is None:
            merged.append(each)
        elif each is group[0]:
            merged.append(_merged(group))
    return merged


def _without_element(issue: Issue) -> Issue:
    """Return what equal issues share: everything but the object and its positions in lists."""
    return replace(issue, entity_id=None, client_id=None, path=_shape(issue.path))


def _shape(path: Path) -> Path:
    return tuple(0 if isinstance(step, int) else step for step in path)


def _has_many_places(group: Sequence[Issue]) -> bool:
    return len({each.path for each in group}) > MAX_EQUAL_ISSUES


def with_places(message: str, places: Sequence[str]) -> Message:
    """Return a message with the number of the places that it applies to, and the first ones."""
    return _(
        "{message} This applies to {number} places in the request, such as {places}.",
        message=message,
        number=len(places),
        places=and_list(places[:_MAX_LISTED_PLACES]),
    )


def _merged(group: Sequence[Issue]) -> Issue:
    """Return the issue that stands for equal ones."""
    first = group[0]
    places = dict.fromkeys(".".join(map(str, each.path)) for each in group)
    return replace(
        first,
        message=with_places(first.message, list(places)),
        entity_id=first.entity_id if len({each.entity_id for each in group}) == 1 else None,
        client_id=first.client_id if len({each.client_id for each in group}) == 1 else None,
    )
