"""The requests of `benchmarks.http_rows` in the words of PostGraphile, by the names of the cases."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, cycle, repeat
from typing import Any

from benchmarks import http_rows, staff

Bodies = Iterator[tuple[str, Mapping[str, Any]]]
"""The text and the variables of each request, without end."""

FIELDS = "rowId firstName lastName email badge salary dateOfBirth hiredOn"
GET = "query($id: String!) { employeeByRowId(rowId: $id) { rowId firstName lastName email salary } }"
PAGE = """query($size: Int!, $salary: BigFloat!) { allEmployees(first: $size,
  filter: {salary: {greaterThanOrEqualTo: $salary}}, orderBy: [LAST_NAME_ASC, FIRST_NAME_ASC])
  { nodes { FIELDS } } }"""
COUNTED = """query($date: Date!) { allEmployees(first: 50, filter: {hiredOn: {greaterThanOrEqualTo: $date}},
  orderBy: [HIRED_ON_ASC]) { totalCount nodes { FIELDS } } }"""
SUMS = """{ allEmployees { groupedAggregates(groupBy: [TEAM, HIRED_ON_TRUNCATED_TO_MONTH])
  { keys sum { salary } } } }"""
MONTHS = "{ allEmployees { groupedAggregates(groupBy: [HIRED_ON_TRUNCATED_TO_MONTH]) { keys } } }"
"""Without the number of employees: to count, the plug-in has `distinctCount` only, which takes long."""
CREATE = "mutation($data: EmployeeInput!) { createEmployee(input: {employee: $data}) { employee { rowId } } }"
UPDATE = """mutation($id: String!, $salary: BigFloat!) { updateEmployeeByRowId(
  input: {rowId: $id, employeePatch: {salary: $salary}}) { employee { rowId salary } } }"""
_NAMES = {
    name: name.split("_")[0] + "".join(word.capitalize() for word in name.split("_")[1:])
    for name in next(staff.employees(""))
}
"""The names of PostGraphile for the attributes of an employee."""


def bodies(ids: Sequence[str]) -> Mapping[str, Bodies]:
    """Return the requests of each case that both servers can do, for the employees with these ids."""
    return {
        http_rows.GET_CASE: ((GET, {"id": id_}) for id_ in cycle(ids)),
        http_rows.PAGE_CASE: _pages(PAGE),
        http_rows.TEAM_CASE: _pages(PAGE.replace("FIELDS", "FIELDS teamByTeam { name }")),
        http_rows.LONG_PAGE_CASE: _pages(PAGE, 1_000),
        http_rows.CREATE_CASE: ((CREATE, {"data": data}) for data in _inputs("c")),
        http_rows.UPDATE_CASE: _updates(ids),
        http_rows.NEW_GET_CASE: _new_gets(ids),
        http_rows.NEW_PAGE_CASE: _new_pages(),
        http_rows.NEW_CREATE_CASE: _new_creates(),
    }


def counts() -> Mapping[str, Bodies]:
    """Return the requests for pages with `totalCount`."""
    query = COUNTED.replace("FIELDS", FIELDS)
    days = ("-".join(reversed(day.split("/"))) for day in http_rows.different_days())
    return {http_rows.COUNT_CASE: ((query, {"date": day}) for day in days)}


def groups() -> Mapping[str, Bodies]:
    """Return the requests for groups of all objects."""
    return {http_rows.SUMS_CASE: repeat((SUMS, {})), http_rows.MONTHS_CASE: repeat((MONTHS, {}))}


def _pages(query: str, size: int = 50) -> Bodies:
    query = query.replace("FIELDS", FIELDS)
    return ((query, {"size": size, "salary": str(salary)}) for salary in http_rows.least_salaries())


def _updates(ids: Sequence[str]) -> Bodies:
    return (
        (UPDATE, {"id": id_, "salary": str(number)})
        for number, id_ in zip(count(1_000), cycle(ids), strict=False)
    )


def _new_gets(ids: Sequence[str]) -> Bodies:
    text = '{ employeeByRowId(rowId: "%s") { rowId firstName lastName email salary new%d: rowId } }'
    return ((text % (id_, number), {}) for number, id_ in zip(count(), cycle(ids), strict=False))


def _new_pages() -> Bodies:
    text = PAGE.split(")", 1)[1].replace("$size", "50").replace("FIELDS", f"{FIELDS} new%d: rowId")
    for number, salary in zip(count(), http_rows.least_salaries(), strict=False):
        yield text.replace("$salary", f'"{salary}"') % number, {}


def _new_creates() -> Bodies:
    for data in _inputs("t"):
        values = ", ".join(f"{name}: {json.dumps(value)}" for name, value in data.items())
        text = f"mutation {{ createEmployee(input: {{employee: {{{values}}}}}) {{ employee {{ rowId }} }} }}"
        yield text, {}


def _inputs(name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the attributes of new employees."""
    for number, state in enumerate(staff.employees(name)):
        values = {_NAMES[attribute]: value for attribute, value in state.items()}
        yield {**values, "email": f"{name}.{number}@example.com"}
