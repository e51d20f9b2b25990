"""What would make a costly query cheap: the index that is missing, or leaving out what costs."""

from collections.abc import Iterable, Iterator

from stratabase.domain.attributes import is_derived
from stratabase.domain.derived_query import derived_by
from stratabase.domain.page import Query
from stratabase.domain.refusal import TooMuchRead
from stratabase.domain.remedy import Remedy
from stratabase.model.class_ import Class
from stratabase.store.access_path import AccessPath
from stratabase.store.budget import Budget
from stratabase.store.plans.constraints import Constraint, constraints
from stratabase.store.plans.named import named


def refusal_of(class_: Class, query: Query, paths: Iterable[AccessPath], budget: Budget) -> TooMuchRead:
    """Return the refusal of a query that has read too much."""
    missing = missing_index(class_, query)
    if any(_begins(_names(path), missing) for path in paths if path.serves(class_)):
        missing = ()
    declared = bool(missing) and any(_begins(index.attributes, missing) for index in class_.indexes)
    derived = derived_by(query, class_)
    remedy = Remedy(missing, declared, tuple(_costly(query)), derived, budget.shared)
    return TooMuchRead(class_.name, budget.items, remedy)


def missing_index(class_: Class, query: Query) -> tuple[str, ...]:
    """Return the attributes of the index that would serve a query: first those equal, then the order.

    None where the filter names the objects: then no index is read.
    """
    if named(query.filter) is not None:
        return ()
    found = constraints(query.filter, class_)
    equal = [name for name, one in found.items() if _is_single(one)]
    ordered = [term.attribute for term in query.order.terms if term.attribute not in {"_id", *equal}]
    if any(is_derived(class_, name) for name in ordered):
        ordered = []
    ranged = [name for name in found if name not in equal][:1]
    return (*equal, *(ordered or ranged))


def _begins(attributes: tuple[str, ...], first: tuple[str, ...]) -> bool:
    return attributes[: len(first)] == first


def _is_single(one: Constraint) -> bool:
    return all(slice_.single for slice_ in one.slices)


def _names(path: AccessPath) -> tuple[str, ...]:
    return tuple(column.attribute for column in path.columns)


def _costly(query: Query) -> Iterator[str]:
    if query.wanted.total_count:
        yield "totalCount"
    if query.window.offset:
        yield "offset"
