"""Collect the issues of many objects: the first ones, and the number of all."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.objects.entity import Reference, describe_object
from stratabase.values.messages import Message, _, and_list, ngettext

MAX_BULK_ISSUES = 100
"""Issues to report in one answer."""
MAX_LISTED_IDS = 10
"""IDs to list in an issue that applies to several objects."""

_BY_ITSELF = frozenset(
    {IssueType.DATA_TYPE, IssueType.ENTITY_NOT_FOUND, IssueType.MALFORMED_REQUEST}
    | {each for each in IssueType if each.name.startswith("ATTRIBUTE_") and "_GRANT_" not in each.name}
)
"""Issues of values that are wrong regardless of the object. An empty required role is none of them."""


class FirstIssues:
    """The issues of many objects that get the same change, collected one object after the other."""

    def __init__(self, given: Collection[str] = ()) -> None:
        """`given` has the names of the attributes and roles that the request sets for all objects alike.

        A value that is wrong for any object is reported once, with the number of objects.
        """
        self._given = frozenset(given)
        self._found: dict[Issue, Issue] = {}
        """The issues to report. The key of an issue is the same for all objects that share it."""
        self._objects: dict[Issue, list[str]] = {}
        """By the same keys: the ids of the objects that have the issue, whether it is reported or not."""

    @property
    def issues(self) -> list[Issue]:
        """The issues to report."""
        return [_of_all(issue, self._objects[key]) for key, issue in self._found.items()]

    @property
    def count(self) -> int:
        """The number of different issues, reported or not."""
        return len(self._objects)

    @property
    def is_cut(self) -> bool:
        """Whether some issues are not reported."""
        return self.count > MAX_BULK_ISSUES

    def add(self, reference: Reference, issues: Sequence[Issue]) -> None:
        """Add the issues of one object, which they then name. Beyond the maximum, they are only counted."""
        for each in issues:
            issue, key = _on(reference, each), replace(each, entity_id=None)
            key = key if self._is_for_all(each) else issue
            self._objects.setdefault(key, []).append(reference.id)
            if len(self._found) < MAX_BULK_ISSUES:
                self._found.setdefault(key, issue)

    def _is_for_all(self, issue: Issue) -> bool:
        """Return whether the issue is about a value of the request that is wrong for any object."""
        names = (*issue.attribute_names, *issue.role_names)
        if issue.type is IssueType.ENTITY_UNIQUE and names:
            return self._given.issuperset(names)  # no value comes from the object
        return issue.type in _BY_ITSELF and not self._given.isdisjoint(issue.path[1:2])

    @property
    def cut_message(self) -> Message:
        """The message about the issues that are not reported."""
        return ngettext(
            "Only {shown} of {total} issues are listed. {count} more issue was found.",
            "Only {shown} of {total} issues are listed. {count} more issues were found.",
            self.count - MAX_BULK_ISSUES,
            shown=MAX_BULK_ISSUES,
            total=self.count,
        )


def _on(reference: Reference, issue: Issue) -> Issue:
    """Return an issue that names the object of the run, if it is about another one, such as a part."""
    if issue.entity_name == reference.class_name and issue.entity_id in (None, reference.id):
        return replace(issue, entity_id=reference.id)
    if reference.id in str(issue.message):
        return issue
    message = _("{object}: {message}", object=describe_object(reference), message=issue.message)
    return replace(issue, message=message)


def _of_all(issue: Issue, ids: Sequence[str]) -> Issue:
    """Return an issue with the objects that it applies to, if there are several."""
    if len(ids) == 1:
        return issue
    if len(ids) <= MAX_LISTED_IDS:
        message = _(
            "{message} This applies to {number} objects: {objects}.",
            message=issue.message,
            number=len(ids),
            objects=and_list(ids),
        )
    else:
        message = _(
            "{message} This applies to {number} objects, such as {objects}.",
            message=issue.message,
            number=len(ids),
            objects=and_list(ids[:MAX_LISTED_IDS]),
        )
    return replace(issue, message=message, entity_id=None)
