"""Checks before a service reads anything, and `run_all`, which collects the refusals of several steps."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.access.visibility import check_class, check_comparable, check_role_comparable
from stratabase.core.domain.issues.issue import Issue, Path
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.query.derived import filtered_attributes, role_filters
from stratabase.core.domain.query.filter import Filter
from stratabase.core.model.model import Class, Model
from stratabase.core.schema.request.context import ServiceCall, ServiceResolver


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

    def resolve(call: ServiceCall) -> object:
        access = call.context.access
        if access is not None:
            raise_issues([check_class(access, class_)])
        return resolver(call)

    return resolve


def require_comparable(access: Access, class_: Class, names: Iterable[str], path: Path) -> None:
    """Raise Refused for attributes that the caller may not use to find objects."""
    raise_issues(check_comparable(access, class_, name, path) for name in dict.fromkeys(names))


def require_filter(access: Access, model: Model, class_: Class, filter_: Filter, path: Path) -> None:
    """Raise Refused for attributes and roles in a filter that the caller may not use to find objects."""
    raise_issues(_filter_issues(access, model, class_, filter_, path))


def _filter_issues(
    access: Access, model: Model, class_: Class, filter_: Filter, path: Path
) -> Iterator[Issue | None]:
    """Yield the issues of each class along the roles of a filter, each once."""
    waiting, seen = [(class_, filter_)], set[tuple[str, str]]()
    while waiting:
        class_, filter_ = waiting.pop()
        for name in filtered_attributes(filter_):
            if (class_.name, name) not in seen:
                seen.add((class_.name, name))
                yield check_comparable(access, class_, name, path)
        for condition in role_filters(filter_):
            role = class_.roles[condition.role.role_name]
            if condition.role not in seen:
                seen.add(condition.role)
                yield check_role_comparable(access, class_, role, path)
            waiting.append((model.classes[role.target], condition.part))


def raise_issues(issues: Iterable[Issue | None]) -> None:
    """Raise Refused if there are any issues. None stands for no issue."""
    if found := [issue for issue in issues if issue is not None]:
        raise Refused(found)
