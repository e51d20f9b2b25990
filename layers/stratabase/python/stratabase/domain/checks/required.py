"""A required attribute has a value, but for those that the service numbers itself."""

from collections.abc import Iterator

from stratabase.domain.checks.draft import Draft
from stratabase.domain.issue import Issue, IssueType


def required_values_present(draft: Draft) -> Iterator[Issue]:
    """Yield an issue for each required attribute without a value."""
    for name, attribute in draft.subject.class_.attributes.items():
        missing = attribute.required and draft.state.get(name) is None and attribute.type.name != "Serial"
        if missing and not draft.unreadable(name):
            yield draft.issue(IssueType.ATTRIBUTE_REQUIRED, name, "a value is required")
