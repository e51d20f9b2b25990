"""The recipes of front-ends.md and python-clients.md work, while each first answer to a mutation is lost."""

import json
import re
import shutil
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
from gql import gql
from gql.transport.exceptions import TransportConnectionFailed, TransportQueryError
from graphql import GraphQLError

from tests.client_tools import run_client_tool
from tests.clients.recipes.gql_client import execute, open_client
from tests.clients.recipes.tokens import Tokens
from tests.repository import ROOT
from tests.scenarios.lossy_proxy import LossyProxy, losing_answers
from tests.scenarios.node_scripts import CLIENTS, find_node, run_command, run_script, scripts
from tests.service import PASSWORD, RunningService, basic, running
from tests.soak import FULL

pytestmark = pytest.mark.built

PAGES = tuple(
    ROOT / f"docs/{name}.md" for name in ("front-ends", "python-clients", "sign-in-with-your-provider")
)
RECIPES = CLIENTS / "recipes"
EXAMPLE = re.compile(r"^```graphql\n(.*?)^```\n\n```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""The example for the generated client: its operations, and the program."""
SHOWN = re.compile(r"^<!-- recipe: (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mMwSJgAAAHkASH0kQGeAAAAAElFTkSuQmCC"
CREATE = "mutation Create($name: String!) { Team___create(data: {name: $name}) { _id name } }"
QUERIES = """query AllStaff($options: EmployeePageOptions) {
  Employee___getPage(options: $options) { totalCount nextCursor items { _id badge salary hired_on about } }
}
mutation HireFully($data: EmployeeCreate!) { Employee___create(data: $data) { _id badge salary } }
"""


def test_the_pages_show_the_recipes_that_are_tested() -> None:
    shown = dict(SHOWN.findall("".join(page.read_text(encoding="utf-8") for page in PAGES)))
    assert shown == {
        file.name: file.read_text(encoding="utf-8") for file in RECIPES.iterdir() if file.is_file()
    }


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running(tmp_path_factory.mktemp("front") / "home") as started:
        yield started


@pytest.fixture
def proxy(service: RunningService) -> Iterator[tuple[LossyProxy, str]]:
    with losing_answers(service) as each:
        yield each


@pytest.fixture(scope="module")
def built() -> Iterator[Path]:
    """Yield a folder with the scripts, and with the recipes in JavaScript."""
    find_node()
    with scripts() as folder:
        run_command(folder, "tsc", "--project", ".")
        yield folder


def test_apollo_and_urql(built: Path, proxy: tuple[LossyProxy, str]) -> None:
    lossy, base_url = proxy
    lossy.expired = 2  # the token, and its renewal
    environment = {"BASE_URL": base_url, "USERNAME": "admin", "PASSWORD": PASSWORD, "PICTURE": PICTURE}
    results = json.loads(run_script(built, "front-ends.mjs", environment))

    for name in ("apollo", "urql"):
        assert (results[name]["created"], results[name]["count"]) == (name, 1)
        (issue,) = results[name]["refused"]
        shown = (issue["level"], issue["type"], issue["input"])
        assert shown == ("ERROR", "ENTITY_UNIQUE", "Team___create.data.name")
        assert results[name]["wrong"] == [{"message": "The username or password is incorrect."}]
    checked = [(issue["level"], issue["type"], issue["input"]) for issue in results["apollo"]["checked"]]
    assert checked == [
        ("ERROR", "ATTRIBUTE_REQUIRED", "Employee___validateCreate.data.last_name"),
        ("ERROR", "ATTRIBUTE_EMAIL", "Employee___validateCreate.data.email"),
    ]
    assert results["apollo"]["checked"][1]["message"].startswith('Employee.email: "ada" is not')
    assert results["apollo"]["checked"][1]["attributes"] == ["email"]
    assert results["apollo"]["photo"]["name"] == "ada.png"
    assert results["apollo"]["tooLarge"].startswith("The file is too large for one request.")
    assert lossy.paths.count("/auth/file/employee/photo") == 1
    assert results["apollo"]["wrongFile"] == 'The class Employee has no file attribute "none".'
    assert results["apollo"]["locked"] is True
    assert results["apollo"]["saved"] == "Byron"
    (conflict,) = results["apollo"]["conflict"]
    assert (conflict["type"], conflict["input"]) == ("ENTITY_LOCK_PERSIST", "Employee___update.ifVersion")
    assert lossy.lost == 8  # each mutation arrived twice, or more often
    assert lossy.paths.count("/public/token/getJwtToken") == 5  # two with wrong passwords
    assert lossy.paths.count("/auth/token/refreshJwtToken") == 3


def test_caches_show_what_is_stored(built: Path, service: RunningService) -> None:
    base_url = f"http://127.0.0.1:{service.port}"
    environment = {"BASE_URL": base_url, "USERNAME": "admin", "PASSWORD": PASSWORD}
    results = json.loads(run_script(built, "caches.mjs", environment))

    states = {"past": ["King", "Byron"], "then": ["King", "King"], "now": "Byron", "draft": "Unsaved"}
    for name in ("apollo", "urql"):
        shown = results[name]
        assert (shown["empty"], shown["created"], shown["renamed"]) == ([], ["King"], ["Byron"]), name
        assert (shown["first"], shown["again"], shown["after"]) == (states, states, "Byron"), name
        assert shown["sameKey"], name
        assert (shown["lockedBy"], shown["deleted"], shown["gone"]) == ("admin", [], None), name
    assert results["apollo"]["requests"] <= 2  # each query asks once at most
    assert results["pages"] == {"different": 3, "first": "Quiet", "hasNext": False}
    assert results["quiet"] == 1  # the mutation


def test_a_session_while_the_service_fails(built: Path, proxy: tuple[LossyProxy, str]) -> None:
    lossy, base_url = proxy
    lossy.failures = {
        "/public/token/getJwtToken": [0, 502, 502, 502, 502, 502],
        "/auth/token/refreshJwtToken": [0, 503, 503, 503, 503, 0, 401],
    }
    environment = {"BASE_URL": base_url, "USERNAME": "admin", "PASSWORD": PASSWORD}
    results = json.loads(run_script(built, "session.mjs", environment))

    first, second = results.pop("sameKey")
    assert first == second
    assert results == {
        "before": "Sign in first.",
        "wrong": "The username or password is incorrect.",
        "html": "The service can't be reached (status 502). Try again later.",
        "member": "admin",
        "renewalFails": "admin",
        "late": "Signed out.",
        "after": "Sign in first.",
        "asking": ["admin", "admin"],
        "again": "admin",
        "asked": 2,
        "credentials": ["omit"],
        "change": "The current password is incorrect.",
    }
    # Each wrong password counts as a failed sign-in.
    of_members = [path for path in lossy.paths if path.startswith("/auth/administration/members/")]
    assert [("/sessions/" in path) for path in of_members] == [True, False]


HIRE_BY_GQL = """
mutation Hire($salary: Real, $day: Date) {
  Employee___create(
    data: {first_name: "Ada", last_name: "Gql", email: "gql@example.com", salary: $salary, hired_on: $day}
  ) { _id salary(format: "0.00") hired_on(format: "iso") }
}
"""


def test_values_of_python_in_gql(service: RunningService) -> None:
    base_url = f"http://127.0.0.1:{service.port}"
    variables = {"salary": Decimal("12.50"), "day": date(2024, 2, 1)}
    headers = {"Authorization": basic("admin", PASSWORD)}
    schema = service.request("GET", "/auth/api/schema/Hr", headers=headers).body.decode()
    with open_client(base_url, "Hr", Tokens(base_url, "admin", PASSWORD), schema) as session:
        hired = [execute(session, gql(HIRE_BY_GQL), idempotency_key="hire", **variables) for _ in range(2)]

        with pytest.raises(GraphQLError, match="Cannot query field 'none'"):  # by the client
            execute(session, gql("{ none }"))

    assert hired[0] == hired[1]
    assert hired[0]["Employee___create"]["salary"] == "12.50"
    assert hired[0]["Employee___create"]["hired_on"] == "2024-02-01"


def test_tokens_in_python_while_the_service_fails(proxy: tuple[LossyProxy, str]) -> None:
    lossy, base_url = proxy
    lossy.failures = {
        "/public/token/getJwtToken": [502, 502, 502, 502, 502],
        "/auth/token/refreshJwtToken": [503, 503, 503, 503],
    }
    tokens = Tokens(base_url, "admin", PASSWORD, renew_after=0, sleep=lambda _: None)

    def token() -> str:
        return str(tokens(SimpleNamespace(headers={})).headers["Authorization"])

    with pytest.raises(ConnectionError, match="can't be reached: HTTP Error 502"):
        token()
    first = token()  # after one failure
    assert token() == first  # the renewal fails, but the token is still good
    assert lossy.paths.count("/auth/token/refreshJwtToken") == 4


def test_gql(proxy: tuple[LossyProxy, str]) -> None:
    lossy, base_url = proxy
    with open_client(base_url, "Hr", Tokens(base_url, "admin", PASSWORD, renew_after=0)) as session:
        created = execute(session, gql(CREATE), name="gql")
        with pytest.raises(TransportQueryError) as refused:
            execute(session, gql(CREATE), name="gql")

    assert created["Team___create"]["name"] == "gql"
    assert [each["extensions"]["issueType"] for each in refused.value.errors or []] == ["ENTITY_UNIQUE"]
    assert len(lossy.keys) == 4
    assert lossy.lost == 2
    assert lossy.paths.count("/public/token/getJwtToken") == 1
    assert lossy.paths.count("/auth/token/refreshJwtToken") == 2  # each request renews the token


def test_a_wrong_password_in_python(service: RunningService) -> None:
    base_url = f"http://127.0.0.1:{service.port}"
    client = open_client(base_url, "Hr", Tokens(base_url, "admin", "wrong"))
    with pytest.raises(TransportConnectionFailed, match="The username or password is incorrect"), client:
        pass


CALL = """
import json, sys, time
from decimal import Decimal

from ariadne_client import open_client
from graphql_client import EmployeeCreate, EmployeeFilter, EmployeePageOptions
from graphql_client.exceptions import GraphQLClientGraphQLMultiError
from tokens import Tokens

setattr(time, "sleep", lambda _: None)
client = open_client(sys.argv[1], "Hr", Tokens(sys.argv[1], "admin", sys.argv[2]))
data = EmployeeCreate(
    first_name="Ada",
    last_name="Codegen",
    email="codegen@example.com",
    salary=Decimal("12.50"),
    hired_on="2024-02-01",
)
hired = client.hire_fully(data, headers={"Idempotency-Key": "own"}).employee_create
again = client.hire_fully(data, headers={"Idempotency-Key": "own"}).employee_create
assert hired and again and hired.id == again.id
issues: list[object] = []
try:
    client.hire_fully(data)
except GraphQLClientGraphQLMultiError as refused:
    for each in refused.errors:
        issue = each.extensions or {}
        issues.append([issue["issueType"], issue["sourceRequestReference"]])
options = EmployeePageOptions(filter_=EmployeeFilter(email_in=["codegen@example.com"]), next=1)
page = client.all_staff(options).employee_get_page
assert page
hired_on: str | None = page.items[0].hired_on
cursor: str | None = page.next_cursor
wrong = open_client(sys.argv[1], "Hr", Tokens(sys.argv[1], "admin", "wrong"))
try:
    wrong.all_staff()
except PermissionError as refused_password:
    issues.append(str(refused_password))
print(json.dumps([repr(hired.salary), type(hired.badge).__name__, page.total_count, hired_on, issues]))
"""


@pytest.mark.soak
def test_ariadne_codegen(service: RunningService, proxy: tuple[LossyProxy, str], tmp_path: Path) -> None:
    lossy, base_url = proxy
    headers = {"Authorization": basic("admin", PASSWORD)}
    (tmp_path / "schema.graphql").write_bytes(
        service.request("GET", "/auth/api/schema/Hr", headers=headers).body
    )
    (shown,) = EXAMPLE.findall(PAGES[1].read_text(encoding="utf-8"))
    (tmp_path / "queries.graphql").write_text(QUERIES + shown[0])
    (tmp_path / "page.py").write_text(shown[1])
    shutil.copy(RECIPES / "ariadne-codegen.toml", tmp_path / "pyproject.toml")
    for recipe in ("ariadne_client.py", "tokens.py"):
        shutil.copy(RECIPES / recipe, tmp_path)
    (tmp_path / "call.py").write_text(CALL)
    run_client_tool(tmp_path, "ariadne-codegen")

    told = json.loads(run_client_tool(tmp_path, "python", "call.py", base_url, PASSWORD))

    issues = [["ENTITY_UNIQUE", "Employee___create.data.email"], "The username or password is incorrect."]
    assert told == ["Decimal('12.5')", "int", 1, "01/02/2024", issues]
    assert (len(lossy.keys), lossy.lost) == (5, 2)
    if FULL:  # mypy takes longer than all of the above
        run_client_tool(tmp_path, "mypy", "--strict", "call.py", "page.py")
