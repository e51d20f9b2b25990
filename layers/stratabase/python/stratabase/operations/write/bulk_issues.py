"""The first of many issues: so many as a client can go through, and how many others there were."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from stratabase.domain.issues.issue import Issue, IssueType
from stratabase.messages import Message, _, ngettext

MOST = 100


_BY_ITSELF = frozenset(
    {IssueType.DATA_TYPE, IssueType.ENTITY_NOT_FOUND, IssueType.MALFORMED_REQUEST}
    | {each for each in IssueType if each.name.startswith("ATTRIBUTE_") and "_GRANT_" not in each.name}
)
"""Why a value is wrong by itself. Whether a role is left empty depends on the object."""


class FirstIssues:
    """Issues of many objects to which the same is done, found one object after the other."""

    def __init__(self, given: Collection[str] = ()) -> None:
        """`given`: the attributes and roles that the request gives, in the same way for each object.

        A value that is wrong for whichever object is told once, with the number of the objects.
        """
        self._given = frozenset(given)
        self._found: dict[Issue, Issue] = {}
        """Those that are told, by what they have in common with the same of another object."""
        self._times: dict[Issue, int] = {}
        """How often each was found, also of those for which there is no room."""

    @property
    def issues(self) -> list[Issue]:
        """The issues for which there is room."""
        return [_of_all(issue, self._times[key]) for key, issue in self._found.items()]

    @property
    def count(self) -> int:
        """How many there are, told or not."""
        return len(self._times)

    @property
    def is_cut(self) -> bool:
        """Whether some are not told."""
        return self.count > MOST

    def add(self, issues: Sequence[Issue]) -> None:
        """Note issues of one object; those for which there is no room are counted only."""
        for issue in issues:
            key = replace(issue, entity_id=None) if self._is_for_all(issue) else issue
            self._times[key] = self._times.get(key, 0) + 1
            if len(self._found) < MOST:
                self._found.setdefault(key, issue)

    def _is_for_all(self, issue: Issue) -> bool:
        """Return whether what the request gives is wrong by itself, whatever the object is like."""
        if issue.type is IssueType.ENTITY_UNIQUE and issue.attribute_names:
            return self._given.issuperset(issue.attribute_names)  # no value comes from the object
        return issue.type in _BY_ITSELF and not self._given.isdisjoint(issue.path[1:2])

    @property
    def cut_message(self) -> Message:
        """What is said of issues that are not told."""
        return ngettext(
            "Only {shown} of {total} issues are listed. {count} more issue was found.",
            "Only {shown} of {total} issues are listed. {count} more issues were found.",
            self.count - MOST,
            shown=MOST,
            total=self.count,
        )


def _of_all(issue: Issue, times: int) -> Issue:
    """Return an issue that was found so often, of one object or of several."""
    if times == 1:
        return issue
    message = _("{message} This applies to {number} objects.", message=issue.message, number=times)
    return replace(issue, message=message, entity_id=None)
