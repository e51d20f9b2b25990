"""Collect the issues of many objects: the first ones, and the number of all."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from stratabase.domain.issues.issue import Issue, IssueType
from stratabase.messages import Message, _, ngettext

MAX_BULK_ISSUES = 100
"""Issues to report in one answer."""

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
        self._times: dict[Issue, int] = {}
        """By the same keys: how often the issue was found, whether it is reported or not."""

    @property
    def issues(self) -> list[Issue]:
        """The issues to report."""
        return [_of_all(issue, self._times[key]) for key, issue in self._found.items()]

    @property
    def count(self) -> int:
        """The number of different issues, reported or not."""
        return len(self._times)

    @property
    def is_cut(self) -> bool:
        """Whether some issues are not reported."""
        return self.count > MAX_BULK_ISSUES

    def add(self, issues: Sequence[Issue]) -> None:
        """Add the issues of one object. Beyond the maximum, they are only counted."""
        for issue in issues:
            key = replace(issue, entity_id=None) if self._is_for_all(issue) else issue
            self._times[key] = self._times.get(key, 0) + 1
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


def _of_all(issue: Issue, times: int) -> Issue:
    """Return an issue with the number of objects that it applies to, if there are several."""
    if times == 1:
        return issue
    message = _("{message} This applies to {number} objects.", message=issue.message, number=times)
    return replace(issue, message=message, entity_id=None)
