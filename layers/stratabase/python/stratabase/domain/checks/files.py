"""A file that is to be bound has been uploaded."""

from collections.abc import Iterator, Mapping

from stratabase.domain.checks.draft import Draft
from stratabase.domain.issue import Issue, IssueType
from stratabase.model.malformed import shown


def files_that_exist(draft: Draft) -> Iterator[Issue]:
    """Yield an issue for each reference to a pending file that there is none of."""
    for name, value in draft.changed.items():
        if isinstance(value, Mapping):
            message = (
                f"there is no pending file {shown(value.get('pendingFileId'))}: "
                "upload the file first, and give the reference that the upload answers"
            )
            yield draft.issue(IssueType.ENTITY_NOT_FOUND, name, message)
