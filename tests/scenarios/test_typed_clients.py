"""GraphQL Code Generator makes a typed client for each profile, of what the profile may use."""

import json
import subprocess
from typing import Any

from graphql import get_introspection_query

from stratabase.domain.members.member import Caller
from stratabase.model.reading import read_model_file
from stratabase.schema.executor import SchemaExecutor
from tests.fakes import fake_services
from tests.scenarios.node_scripts import find_node, scripts
from tests.service import SAMPLE_MODEL

PATIENCE = 120
"""Seconds."""


DOCUMENT = """query People($options: EmployeePageOptions) {
  Employee___getPage(options: $options) { totalCount items { _id last_name hired_on team { name } } }
}"""


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
        assert "export type EmployeeCreate = {" in each["code"]
        for hidden in ("salary", "CustomerCreate", "Customer___Get"):
            assert (hidden in each["code"]) == (profile != "Member"), hidden


def _forms(executor: SchemaExecutor, caller: Caller) -> dict[str, Any]:
    query = get_introspection_query(schema_description=True, input_value_deprecation=True, one_of=True)
    body = executor.execute(query, None, None, caller, "trace").body
    return {"sdl": executor.sdl(caller), "introspection": json.loads(body)["data"], "document": DOCUMENT}
