"""The types that GraphQL Code Generator makes as docs/front-ends.md says fit real answers."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.node_scripts import CLIENTS, NODE, find_node, scripts
from tests.service import PASSWORD, basic, running

RECIPES = CLIENTS / "recipes"
PATIENCE = 120
"""Seconds."""
FILL = """
mutation Fill($salary: Real!, $founded: Year) {
  first: Employee___create(data: {first_name: "Ada", last_name: "Ride", email: "a@example.com"}) { _id }
  hired: Employee___create(
    data: {first_name: "Ada", last_name: "King", email: "b@example.com", hired_on: "2024-02-01",
           salary: $salary, about: "x"}
  ) { _id badge salary about hired_on inIso: hired_on(format: "iso") last_name _versionStart }
  team: Team___create(data: {name: "Blue", founded: $founded}) { founded head_count }
  company: Company___update(data: {opens_at: "08:00"}) { opens_at }
}
"""
STAFF = """
query Staff($options: EmployeePageOptions) {
  Employee___getPage(options: $options) { totalCount hasNext nextCursor items { _id badge } }
}
"""
PROGRAM = """
import {{ FillDocument, StaffDocument, type FillMutation, type StaffQuery }} from "./generated";
import {{ apolloClient }} from "./recipes/apollo-client.mjs";

export const filled: FillMutation = {filled};
export const staff: StaffQuery = {staff};

const client = apolloClient("", "Hr", fetch);
const variables = {{ salary: "12.50", founded: 1950 }};
const {{ data }} = await client.mutate({{ mutation: FillDocument, variables }});
export const salary: string | null | undefined = data?.hired?.salary;
// @ts-expect-error A number would round it.
export const rounded: number = data?.hired?.salary;
// @ts-expect-error The salary is missing.
await client.mutate({{ mutation: FillDocument, variables: {{ founded: 1950 }} }});
const page = (await client.query({{ query: StaffDocument }})).data;
export const badges: (string | null)[] = page?.Employee___getPage?.items.map((each) => each.badge) ?? [];
"""
OPTIONS = ["--noEmit", "--strict", "--skipLibCheck", "--allowJs", "--target", "es2022", "--module", "esnext"]


@pytest.fixture
def project() -> Iterator[Path]:
    """Yield a folder of a front end, with the recipes and the packages of tests/clients."""
    find_node()
    with scripts() as folder:
        (folder / "src").mkdir()
        shutil.move(folder / "recipes", folder / "src")
        shutil.copy(RECIPES / "codegen.json", folder)
        (folder / "src/staff.graphql").write_text(FILL + STAFF)
        yield folder


def test_graphql_code_generator(project: Path, tmp_path: Path) -> None:
    variables = {"salary": "12.50", "founded": 1950}
    with running(tmp_path / "home") as service:
        headers = {"Authorization": basic("admin", PASSWORD)}
        sdl = service.request("GET", "/auth/api/schema/Hr", headers=headers).body
        filled = service.graphql(FILL, variables)
        staff = service.graphql(STAFF, {"options": {"next": 1}})
    (project / "schema.graphql").write_bytes(sdl)
    (project / "src/main.ts").write_text(PROGRAM.format(filled=_literal(filled), staff=_literal(staff)))

    _run(project, "graphql-codegen", "--config", "codegen.json")
    _run(project, "tsc", *OPTIONS, "src/main.ts")

    code = (project / "src/generated.ts").read_text()
    assert not re.search(r": (any|unknown);", code)


def _literal(reply: dict[str, Any]) -> str:
    assert "errors" not in reply, reply
    text = json.dumps(reply["data"])
    assert "null" not in text, text  # null would fit every type
    return text


def _run(folder: Path, command: str, *arguments: str) -> None:
    done = subprocess.run(
        [NODE / "node_modules/.bin" / command, *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
