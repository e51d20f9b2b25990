"""The requests that are compared, in the words of Stratabase and of PostGraphile."""

from collections.abc import Iterator, Sequence
from itertools import count, cycle
from typing import Any, NamedTuple

from benchmarks import staff

Bodies = Iterator[tuple[str, dict[str, Any]]]
"""The text and the variables of each request, without end."""


class Words(NamedTuple):
    """The texts of one of the two. The words in capitals stand for values, and for what more to select."""

    get: str
    get_variables: str
    page: str
    page_variables: str
    id: str
    """The name of the field of an object's id."""


OWN = Words(
    "Employee___get(_id: ID_) { _id first_name last_name email salary MORE }",
    "query($id: ID!)",
    """Employee___getPage(options: {next: SIZE, filter: {salary___gte: SALARY},
    orderBy: [last_name___ASC, first_name___ASC]})
    { items { _id first_name last_name email badge salary date_of_birth hired_on MORE } }""",
    "query($size: Int!, $salary: Real!)",
    "_id",
)
THEIRS = Words(
    "employeeByRowId(rowId: ID_) { rowId firstName lastName email salary MORE }",
    "query($id: String!)",
    """allEmployees(first: SIZE, filter: {salary: {greaterThanOrEqualTo: SALARY}},
    orderBy: [LAST_NAME_ASC, FIRST_NAME_ASC])
    { nodes { rowId firstName lastName email badge salary dateOfBirth hiredOn MORE } }""",
    "query($size: Int!, $salary: BigFloat!)",
    "rowId",
)


def rows(words: Words, ids: Sequence[str]) -> dict[str, Bodies]:
    """Return the requests of each row, for the employees with these ids."""
    return {
        "get, variables": _gets(words, ids),
        "get, id in the text": _written_gets(words, ids),
        "get, id in the text, new selection": _written_gets(words, ids, new=True),
        "page of 50, variables": _pages(words),
        "page of 50, values in the text": _written_pages(words),
        "page of 50, values in the text, new selection": _written_pages(words, new=True),
    }


def _gets(words: Words, ids: Sequence[str]) -> Bodies:
    text = f"{words.get_variables} {{ {words.get} }}"
    text = text.replace("ID_", "$id").replace("MORE", "")
    return ((text, {"id": id_}) for id_ in cycle(ids))


def _written_gets(words: Words, ids: Sequence[str], *, new: bool = False) -> Bodies:
    for id_, more in zip(cycle(ids), _selections(words, new=new), strict=False):
        text = words.get.replace("ID_", f'"{id_}"').replace("MORE", more)
        yield f"{{ {text} }}", {}


def _pages(words: Words) -> Bodies:
    page = words.page.replace("SIZE", "$size").replace("SALARY", "$salary").replace("MORE", "")
    text = f"{words.page_variables} {{ {page} }}"
    return ((text, {"size": 50, "salary": salary}) for salary in _salaries())


def _written_pages(words: Words, *, new: bool = False) -> Bodies:
    for salary, more in zip(_salaries(), _selections(words, new=new), strict=False):
        page = words.page.replace("SIZE", "50").replace("SALARY", f'"{salary}"').replace("MORE", more)
        yield f"{{ {page} }}", {}


def _selections(words: Words, *, new: bool) -> Iterator[str]:
    """Yield what more to select: nothing, or a field under a response name that no text had before."""
    return (f"new{number}: {words.id}" if new else "" for number in count())


def _salaries() -> Iterator[str]:
    """Yield so many salaries that no text repeats soon. Three in five employees earn more."""
    return (f"{staff.LEAST_SALARY - 50 + number % 100}.{number // 100 % 100:02}" for number in count())
