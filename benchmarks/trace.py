"""Traces of the files and functions that a request passes, in the order in which it reaches them.

`python -m benchmarks.trace [get] [page] [create] [nested]` prints the path of each request through the
`graphql` function with the embedded store, and the numbers of files, of changes of package, and of functions.
It traces the third run of a request, to exclude what a process does only once. It requires Python 3.12 or
later.
"""

import base64
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from benchmarks.function_process import FUNCTIONS, proxy_event
from benchmarks.function_rows import ADMINISTRATOR

PACKAGES = ("/python/stratabase/", "/aws/stratabase_aws/")
PASSWORD = "correct horse battery staple"
CREATE = "mutation($data: EmployeeCreate!) { Employee___create(data: $data) { _id last_name } }"
FIELDS = "_id first_name last_name email"

Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]


class Call(NamedTuple):
    """A function that a request calls."""

    file: str
    """The path of the file in the package."""
    function: str
    """The qualified name of the function."""


class Service:
    """The `graphql` function in this process, with an administrator as the caller."""

    def __init__(self, home: Path) -> None:
        os.environ |= {
            "STRATABASE_HOME": str(home),
            "STRATABASE_ADMIN_PASSWORD": PASSWORD,
            "STRATABASE_LOG_LEVEL": "ERROR",
        }
        subprocess.run([sys.executable, "-c", ADMINISTRATOR], check=True)
        self._handler = load_handler(FUNCTIONS / "graphql" / "app.py")
        self._authorization = "Basic " + base64.b64encode(f"admin:{PASSWORD}".encode()).decode()
        self._count = 0

    def query(self, query: str, variables: Mapping[str, object]) -> Any:
        """Send a GraphQL request and return the value of its one field. Raises RuntimeError on errors."""
        body = {"query": query, "variables": variables}
        path = "/auth/api/graphql/Hr"
        event = proxy_event("POST", path, "/auth/api/graphql/{application}", None, body)
        event["headers"]["Authorization"] = self._authorization
        event["multiValueHeaders"]["Authorization"] = [self._authorization]
        response = json.loads(self._handler(event, None)["body"])
        if response.get("errors"):
            raise RuntimeError(response["errors"])
        (value,) = response["data"].values()
        return value

    def employee(self, **roles: object) -> dict[str, object]:
        """Return the input of a new employee with a unique name and email address."""
        self._count += 1
        name = f"Lovelace {self._count}"
        email = f"ada.{self._count}@example.com"
        return {"first_name": "Ada", "last_name": name, "email": email, **roles}


def get(service: Service) -> Callable[[], object]:
    """Return a request that gets one object by its id."""
    id_ = service.query(CREATE, {"data": service.employee()})["_id"]
    query = f"query($id: ID!) {{ Employee___get(_id: $id) {{ {FIELDS} }} }}"
    return lambda: service.query(query, {"id": id_})


def page(service: Service) -> Callable[[], object]:
    """Return a request for a page of 50 objects with a to-one role each."""
    team = service.query('mutation { Team___create(data: {name: "Engines"}) { _id } }', {})["_id"]
    for _ in range(60):
        service.query(CREATE, {"data": service.employee(team=team)})
    query = f"{{ Employee___getPage(options: {{prev: 50}}) {{ items {{ {FIELDS} team {{ name }} }} }} }}"
    return lambda: service.query(query, {})


def create(service: Service) -> Callable[[], object]:
    """Return a request that creates an object without roles."""
    return lambda: service.query(CREATE, {"data": service.employee()})


def nested(service: Service) -> Callable[[], object]:
    """Return a request that creates an object with a reference, a part and a list of parts."""
    team = service.query('mutation { Team___create(data: {name: "Looms"}) { _id } }', {})["_id"]
    roles = {
        "team": team,
        "contract": {"kind": "PERMANENT", "starts_on": "2020-01-31"},
        "addresses": [{"street": f"Via Roma {number}", "city": "Milano"} for number in (1, 2)],
    }
    return lambda: service.query(CREATE, {"data": service.employee(**roles)})


REQUESTS = {"get": get, "page": page, "create": create, "nested": nested}


def trace(request: Callable[[], object]) -> list[Call]:
    """Run a request three times; return the functions that the third run calls, by their first call."""
    request()
    request()
    calls: dict[Call, None] = {}
    with _watch_calls(lambda code: _record(code, calls)):
        request()
    return list(calls)


def changes_of_package(files: Iterable[str]) -> int:
    """Return how often somebody who reads files in this order goes on in another folder."""
    return sum(one.rpartition("/")[0] != other.rpartition("/")[0] for one, other in pairwise(files))


def main() -> None:
    """Print the paths of the requests that the command line names, or of all requests."""
    with tempfile.TemporaryDirectory() as home:
        service = Service(Path(home))
        for name in sys.argv[1:] or REQUESTS:
            calls = trace(REQUESTS[name](service))
            files = list(dict.fromkeys(call.file for call in calls))
            changes = changes_of_package(files)
            print(f"{name}: {len(files)} files, {changes} changes of package, {len(calls)} functions")
            for file in files:
                print(f"  {file}: {', '.join(call.function for call in calls if call.file == file)}")


def _record(code: CodeType, calls: dict[Call, None]) -> None:
    for package in PACKAGES:
        _, found, file = code.co_filename.partition(package)
        if found and not code.co_name.startswith("<"):
            calls.setdefault(Call(file, code.co_qualname))


@contextmanager
def _watch_calls(on_call: Callable[[CodeType], None]) -> Iterator[None]:
    """Call `on_call` with the code of each function that starts, in any thread and greenlet."""
    monitoring = sys.monitoring  # type: ignore[attr-defined]  # mypy checks for 3.11, which lacks it
    tool, event = monitoring.PROFILER_ID, monitoring.events.PY_START
    monitoring.use_tool_id(tool, "trace")
    monitoring.register_callback(tool, event, lambda code, _offset: on_call(code))
    monitoring.set_events(tool, event)
    try:
        yield
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)


def load_handler(file: Path) -> Handler:
    """Return the handler of a function. The environment has its settings."""
    spec = importlib.util.spec_from_file_location("graphql_function", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    handler: Handler = module.handler
    return handler


if __name__ == "__main__":
    main()
