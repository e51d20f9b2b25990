"""What the grants of who asks refuse of a request before anything is read."""

from collections.abc import Iterable

from stratabase.domain.access.grants import Access
from stratabase.domain.access.visibility import check_class, check_comparison
from stratabase.domain.issue import Issue, Path
from stratabase.domain.refusal import Refused
from stratabase.model.model import Class
from stratabase.schema.context import Answering, Call


def reading(class_: Class, answer: Answering) -> Answering:
    """Return what answers a call for objects of a class, and refuses it to those who may not read them."""

    def answered(call: Call) -> object:
        access = call.context.access
        if access is not None:
            refuse([check_class(access, class_)])
        return answer(call)

    return answered


def check_comparisons(access: Access, class_: Class, names: Iterable[str], path: Path) -> None:
    """Raise Refused for attributes by which who asks can find no objects."""
    refuse(check_comparison(access, class_, name, path) for name in dict.fromkeys(names))


def refuse(issues: Iterable[Issue | None]) -> None:
    """Raise Refused if there is any issue."""
    if found := [issue for issue in issues if issue is not None]:
        raise Refused(found)
