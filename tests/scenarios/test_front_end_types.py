"""The types that GraphQL Code Generator makes as docs/front-ends.md says fit real answers."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.repository import ROOT
from tests.scenarios.node_scripts import CLIENTS, find_node, run_command, scripts
from tests.service import PASSWORD, basic, running

pytestmark = pytest.mark.built

RECIPES = CLIENTS / "recipes"
PAGE = ROOT / "docs/front-ends.md"
SHOWN = re.compile(r"^(<!-- recipe: \S+ -->\n)?```(graphql|tsx?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DECLARED = """
import { upload } from "../recipes/upload";
import { checkForm } from "../recipes/check-form";
import { apolloClient } from "../recipes/apollo-client";
import { openSession } from "../recipes/session";
declare const username: string, password: string, file: File;
"""
"""What the examples of the page take for granted."""
FILL = """
mutation Fill($salary: Real!, $founded: Year) {
  first: Employee___create(data: {first_name: "Ada", last_name: "Ride", email: "a@example.com"}) { _id }
  hired: Employee___create(
    data: {first_name: "Ada", last_name: "King", email: "b@example.com", hired_on: "2024-02-01",
           salary: $salary, about: "x"}
  ) { _id badge salary about hired_on inIso: hired_on(format: "iso") last_name _versionStart
    since: _versionStart(format: "iso")
  }
  team: Team___create(data: {name: "Blue", founded: $founded}) { founded head_count }
  company: Company___update(data: {opens_at: "08:00"}) { opens_at }
}
"""
BADGES = """
query Badges($options: EmployeePageOptions) {
  Employee___getPage(options: $options) { totalCount hasNext nextCursor items { _id badge } }
}
"""
PAST = """
query Past($at: Datetime!, $options: EmployeePageOptions) {
  Employee___getPage(atVersion: $at, options: $options) {
    totalCount nextCursor aggregates { _count } items { _id badge _versionStart(format: "iso") }
  }
}
"""
PROGRAM = """
import {{ BadgesDocument, FillDocument, PastDocument }} from "./generated";
import type {{ BadgesQuery, FillMutation, PastQuery }} from "./generated";
import {{ apolloClient }} from "../recipes/apollo-client";

export const filled: FillMutation = {filled};
export const staff: BadgesQuery = {staff};
export const past: PastQuery = {past};

const client = apolloClient("", "Hr", fetch);
const variables = {{ salary: "12.50", founded: 1950 }};
const {{ data }} = await client.mutate({{ mutation: FillDocument, variables }});
export const salary: string | null | undefined = data?.hired?.salary;
// @ts-expect-error A number would round it.
export const rounded: number = data?.hired?.salary;
// @ts-expect-error The salary is missing.
await client.mutate({{ mutation: FillDocument, variables: {{ founded: 1950 }} }});
const page = (await client.query({{ query: BadgesDocument }})).data;
export const badges: (string | null)[] = page?.Employee___getPage?.items.map((each) => each.badge) ?? [];
const at = data?.hired?.since ?? "";
const then = (await client.query({{ query: PastDocument, variables: {{ at }} }})).data?.Employee___getPage;
export const since: string | null | undefined = then?.items[0]?._versionStart;
// @ts-expect-error The instant is missing.
await client.query({{ query: PastDocument, variables: {{}} }});
"""


@pytest.fixture
def project() -> Iterator[Path]:
    """Yield a folder of a front end, with the recipes and the packages of tests/clients."""
    find_node()
    with scripts() as folder:
        (folder / "src").mkdir()
        shutil.copy(RECIPES / "codegen.json", folder)
        shown = {"graphql": "", "ts": DECLARED, "tsx": ""}
        for recipe, language, text in SHOWN.findall(PAGE.read_text(encoding="utf-8")):
            shown[language] += "" if recipe else text
        (folder / "src/page.graphql").write_text(FILL + BADGES + PAST + shown["graphql"])
        (folder / "src/page.ts").write_text(re.sub("(?m)^const ", "export const ", shown["ts"]))
        (folder / "recipes/staff.tsx").write_text(shown["tsx"].replace('"./generated"', '"../src/generated"'))
        yield folder


def test_graphql_code_generator(project: Path, tmp_path: Path) -> None:
    variables = {"salary": "12.50", "founded": 1950}
    with running(tmp_path / "home") as service:
        headers = {"Authorization": basic("admin", PASSWORD)}
        sdl = service.request("GET", "/auth/api/schema/Hr", headers=headers).body
        filled = service.graphql(FILL, variables)
        staff = service.graphql(BADGES, {"options": {"next": 1}})
        at = filled["data"]["hired"]["since"]
        past = service.graphql(PAST, {"at": at, "options": {"next": 1}})
    (project / "schema.graphql").write_bytes(sdl)
    answers = {"filled": filled, "staff": staff, "past": past}
    program = PROGRAM.format(**{name: _literal(answer) for name, answer in answers.items()})
    (project / "src/main.ts").write_text(program)

    run_command(project, "graphql-codegen", "--config", "codegen.json")
    run_command(project, "tsc", "--project", ".", "--noEmit")

    code = (project / "src/generated.ts").read_text()
    assert not re.search(r": (any|unknown);", code)


def _literal(reply: dict[str, Any]) -> str:
    assert "errors" not in reply, reply
    text = json.dumps(reply["data"])
    assert "null" not in text, text  # null would fit every type
    return text
