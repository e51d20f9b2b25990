"""A value lies within its attribute's domain."""

from collections.abc import Iterator

from stratabase.domain.checks.draft import Draft
from stratabase.domain.issue import Issue, IssueType


def values_within_domains(draft: Draft) -> Iterator[Issue]:
    """Yield an issue for each rule of a domain that a changed value breaks."""
    for name, value in draft.changed.items():
        if value is None:
            continue
        attribute = draft.subject.class_.attributes[name]
        for mistake in attribute.type.domain_mistakes(value, attribute.domain, draft.formats):
            yield draft.issue(IssueType[f"ATTRIBUTE_{mistake.breach.value}"], name, mistake.text)
