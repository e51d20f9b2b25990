"""Generators make a typed client for each profile, of what the profile may use, and the client works."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from graphql import get_introspection_query

from stratabase.core.domain.caller import Caller
from stratabase.core.model.reading import read_model_file
from stratabase.core.schema.executor import SchemaExecutor
from tests.client_tools import run_client_tool
from tests.fakes import fake_services
from tests.scenarios.node_scripts import find_node, scripts
from tests.service import PASSWORD, SAMPLE_MODEL, basic, running
from tests.soak import mostly

pytestmark = pytest.mark.built

PATIENCE = 120
"""Seconds."""
READERS = ("Reporter",)
"""The profiles that may change nothing."""
READING = """query People($options: EmployeePageOptions) {
  Employee___getPage(options: $options) { totalCount items { _id last_name hired_on team { name } } }
}
query Months($having: Employee___GroupFilter, $by: [Employee___GroupKey!] = [hired_on___MONTH, team]) {
  Employee___getPage {
    totalCountUpTo(limit: 2) { count more }
    aggregates { _count hired_on { min(format: "iso") countDistinct } }
    groups(by: $by, having: $having, orderBy: [_count___DESC, hired_on___MAX___ASC]) {
      totalCount
      hasNext
      items { _keys { hired_on___MONTH team { _id _label } } _count hired_on { max(format: "iso") } }
    }
    items { _id _label _revision }
  }
}
query Deleted($options: Employee___DeletedPageOptions) {
  Employee___getDeletedPage(options: $options) {
    items { object { last_name } deletedOn(format: "iso") deletedBy restorable }
    hasNext
  }
}
query Past($at: Datetime!) {
  Employee___getPage(atVersion: $at) { totalCount aggregates { _count } items { last_name } }
}
"""
WRITING = """mutation Rename($data: EmployeeUpdate!, $seen: ID) {
  Employee___update(data: $data, ifRevision: $seen) { last_name _revision }
}
mutation Hire($data: EmployeeCreate!) {
  Employee___create(data: $data) { _id last_name _versionStart(format: "iso") }
}
"""


def test_a_typed_client_is_generated_for_each_profile() -> None:
    model = read_model_file(SAMPLE_MODEL)
    executor = SchemaExecutor(fake_services(model)[0], lambda *_: None)
    schemas = {profile: _forms(executor, Caller("2", "bob", profile)) for profile in model.profiles}

    with scripts() as folder:
        done = subprocess.run(
            [find_node(), str(folder / "codegen.mjs")],
            input=json.dumps(schemas),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == 0, done.stderr

    results = json.loads(done.stdout)
    assert {name: (each["errors"], each["same"]) for name, each in results.items()} == {
        profile: ([], True) for profile in model.profiles
    }
    for profile, each in results.items():
        assert "export type PeopleQuery = " in each["code"]
        assert ("salary" in each["code"]) == (profile != "Member")
        assert ("Customer___Get" in each["code"]) == (profile != "Member")
        assert ("export type EmployeeCreate = {" in each["code"]) == (profile not in READERS)
        assert ("CustomerCreate" in each["code"]) == (profile not in {"Member", *READERS})


def _document(profile: str) -> str:
    return READING if profile in READERS else READING + WRITING


CONFIGURATION = """[tool.ariadne-codegen]
schema_path = "schema.graphql"
queries_path = "queries.graphql"
async_client = false
"""
CALL = """
import json, sys
from graphql_client import Client, Employee___GroupFilter, EmployeeCreate, EmployeePageOptions, EmployeeUpdate
from graphql_client import GraphQLClientGraphQLMultiError
client = Client(sys.argv[1], headers={"Authorization": sys.argv[2]})
hired = client.hire(EmployeeCreate(first_name="Ada", last_name="Lovelace", email="ada@example.com"))
found = client.people(EmployeePageOptions(next=5))
page = found.employee_get_page
names = [each.last_name for each in page.items]
months = client.months(having=Employee___GroupFilter(count_gte=1)).employee_get_page
group, person = months.groups.items[0], months.items[0]
totals = [months.total_count_up_to.count, months.aggregates.count, months.groups.total_count, group.count]
keys = [group.keys.hired_on_month, group.keys.team]
renamed = client.rename(EmployeeUpdate(id=person.id, last_name="King"), seen=person.revision).employee_update
try:
    client.rename(EmployeeUpdate(id=person.id, last_name="Byron"), seen=person.revision)
except GraphQLClientGraphQLMultiError as refused:
    current = refused.errors[0].extensions["current"]["last_name"]
print(json.dumps([hired.employee_create.last_name, page.total_count, names, totals, keys]))
client.execute('mutation { Employee___delete(_id: "%s") { deleted } }' % person.id)
(gone,) = client.deleted().employee_get_deleted_page.items
print(json.dumps([renamed.last_name, current, gone.object_.last_name, gone.deleted_by, gone.restorable]))
past = client.past(at=hired.employee_create.version_start).employee_get_page
(then,) = past.items
now = client.people().employee_get_page.items
print(json.dumps([past.total_count, past.aggregates.count, then.last_name, now]))
"""


def test_a_generated_python_client_calls_the_service(tmp_path: Path) -> None:
    with running(tmp_path / "home") as service:
        headers = {"Authorization": basic("admin", PASSWORD)}
        sdl = service.request("GET", "/auth/api/schema/Hr", headers=headers).body
        _generate(tmp_path, sdl.decode(), "Administrator")
        address = f"http://127.0.0.1:{service.port}/auth/api/graphql/Hr"
        done = run_client_tool(tmp_path, "python", "-c", CALL, address, headers["Authorization"])

    read, changed, past = map(json.loads, done.splitlines())
    assert read == ["Lovelace", 1, ["Lovelace"], [1, 1, 1, 1], [None, None]]
    assert changed == ["King", "King", "King", "admin", True]
    assert past == [1, 1, "Lovelace", []]


# The test above generates the client of an administrator.
@pytest.mark.parametrize(
    "profile", mostly(read_model_file(SAMPLE_MODEL).profiles, "Administrator", "Manager")
)
def test_a_python_client_is_generated_for_each_profile(tmp_path: Path, profile: str) -> None:
    executor = SchemaExecutor(fake_services(read_model_file(SAMPLE_MODEL))[0], lambda *_: None)
    _generate(tmp_path, executor.sdl(Caller("2", "bob", profile)), profile)
    inputs = (tmp_path / "graphql_client" / "input_types.py").read_text()

    assert ("class EmployeeCreate(BaseModel)" in inputs) == (profile not in READERS)
    assert ("salary" in inputs) == (profile != "Member")
    assert ("class CustomerCreate(" in inputs) == (profile not in {"Member", *READERS})


def _generate(folder: Path, sdl: str, profile: str) -> None:
    (folder / "schema.graphql").write_text(sdl)
    (folder / "queries.graphql").write_text(_document(profile))
    (folder / "pyproject.toml").write_text(CONFIGURATION)
    run_client_tool(folder, "ariadne-codegen")


def _forms(executor: SchemaExecutor, caller: Caller) -> dict[str, Any]:
    query = get_introspection_query(schema_description=True, input_value_deprecation=True, one_of=True)
    body = executor.execute(query, None, None, caller, "trace").body
    introspection, document = json.loads(body)["data"], _document(caller.profile)
    return {"sdl": executor.sdl(caller), "introspection": introspection, "document": document}
