"""GraphQL.js, on which the generators of typed clients build, reads the schema of each profile."""

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


def test_the_schema_of_each_profile_is_valid_and_the_same_in_both_forms() -> None:
    model = read_model_file(SAMPLE_MODEL)
    executor = SchemaExecutor(fake_services(model)[0], lambda *_: None)
    schemas = {profile: _forms(executor, Caller("2", "bob", profile)) for profile in model.profiles}

    with scripts() as folder:
        done = subprocess.run(
            [find_node(), str(folder / "schema.mjs")],
            input=json.dumps(schemas),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=True,
        )

    results = json.loads(done.stdout)
    assert {name: (each["errors"], each["same"]) for name, each in results.items()} == {
        profile: ([], True) for profile in model.profiles
    }
    assert results["Member"]["types"] < results["Administrator"]["types"]


def _forms(executor: SchemaExecutor, caller: Caller) -> dict[str, Any]:
    query = get_introspection_query(schema_description=True, input_value_deprecation=True, one_of=True)
    body = executor.execute(query, None, None, caller, "trace").body
    return {"sdl": executor.sdl(caller), "introspection": json.loads(body)["data"]}
