"""The rules that an object's new state must keep, one file each."""

from collections.abc import Iterator

from stratabase.domain.checks.domains import values_within_domains
from stratabase.domain.checks.draft import Draft
from stratabase.domain.checks.files import files_that_exist
from stratabase.domain.checks.required import required_values_present, values_still_missing
from stratabase.domain.issue import Issue

CHECKS = (
    required_values_present,
    values_within_domains,
    files_that_exist,
)


def issues_of(draft: Draft) -> Iterator[Issue]:
    """Yield everything that is wrong with a draft."""
    yield from draft.malformed
    for check in CHECKS:
        yield from check(draft)


__all__ = ["CHECKS", "Draft", "issues_of", "values_still_missing"]
