"""Several steps of reading a request, so that all that is wrong is told at once."""

from collections.abc import Callable, Iterable
from typing import Any

from stratabase.domain.access.grants import Access
from stratabase.domain.access.visibility import check_class, check_comparison
from stratabase.domain.issues.issue import Issue, Path
from stratabase.domain.issues.refusals import Refused
from stratabase.model.model import Class
from stratabase.schema.request.context import Answer, Call


def run_all(*steps: Callable[[], Any]) -> list[Any]:
    """Return what each step returns. Raises Refused with all that any of them refuses."""
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


def require_class_access(class_: Class, answer: Answer) -> Answer:
    """Return what answers a call for objects of a class, and refuses it to those who may not read them."""

    def answered(call: Call) -> object:
        access = call.context.access
        if access is not None:
            raise_issues([check_class(access, class_)])
        return answer(call)

    return answered


def require_comparable(access: Access, class_: Class, names: Iterable[str], path: Path) -> None:
    """Raise Refused for attributes by which who asks can find no objects."""
    raise_issues(check_comparison(access, class_, name, path) for name in dict.fromkeys(names))


def raise_issues(issues: Iterable[Issue | None]) -> None:
    """Raise Refused if there is any issue."""
    if found := [issue for issue in issues if issue is not None]:
        raise Refused(found)
