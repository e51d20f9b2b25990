"""Checks before a service reads anything, and `run_all`, which collects the refusals of several steps."""

from collections.abc import Callable, Iterable
from typing import Any

from stratabase.domain.access.grants import Access
from stratabase.domain.access.visibility import check_class, check_comparison
from stratabase.domain.issues.issue import Issue, Path
from stratabase.domain.issues.refusals import Refused
from stratabase.model.model import Class
from stratabase.schema.request.context import Call, ServiceResolver


def run_all(*steps: Callable[[], Any]) -> list[Any]:
    """Return the result of each step. Raises Refused with the issues of all steps that refuse."""
    results: list[Any] = []
    issues: list[Issue] = []
    for step in steps:
        try:
            results.append(step())
        except Refused as refusal:
            issues += refusal.issues
    if issues:
        raise Refused(issues)
    return results


def require_class_access(class_: Class, resolver: ServiceResolver) -> ServiceResolver:
    """Return a resolver that first refuses callers who may not read objects of the class."""

    def resolve(call: Call) -> object:
        access = call.context.access
        if access is not None:
            raise_issues([check_class(access, class_)])
        return resolver(call)

    return resolve


def require_comparable(access: Access, class_: Class, names: Iterable[str], path: Path) -> None:
    """Raise Refused for attributes that the caller may not use to find objects."""
    raise_issues(check_comparison(access, class_, name, path) for name in dict.fromkeys(names))


def raise_issues(issues: Iterable[Issue | None]) -> None:
    """Raise Refused if there are any issues. None stands for no issue."""
    if found := [issue for issue in issues if issue is not None]:
        raise Refused(found)
