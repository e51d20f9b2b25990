"""With `STRATABASE_FORMATS=iso`, a value that a client reads and writes back stays the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.service import PASSWORD, basic, running

MODEL = """\
extend schema @application(name: "Diary") @profile(name: "Administrator", administrator: true)

type Entry @class(versioned: true, platform: [LAST_MODIFIED_ON]) {
  at: Datetime  day: Date  time: Time  weight: Real
}
"""
MEMBERS = "/auth/administration/members"
FIELDS = "_id at day time weight _versionStart"
MOMENTS = ["2026-12-31T18:30:07.125Z", "2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"]


@pytest.mark.parametrize("zone", ["UTC", "Europe/Rome"])
def test_what_a_client_reads_can_be_written_back(tmp_path: Path, zone: str) -> None:
    (tmp_path / "model.graphql").write_text(MODEL)
    options = {"model": tmp_path / "model.graphql", "settings": {"STRATABASE_FORMATS": "iso"}}
    with running(tmp_path / "home", application="Diary", **options) as service:
        headers = {"Authorization": basic("admin", PASSWORD), "Content-Type": "application/json"}
        body = json.dumps({"timeZone": zone})
        (member,) = service.request("GET", MEMBERS, headers=headers).json()
        path = member["url"].partition(MEMBERS)[2]
        assert service.request("PUT", f"{MEMBERS}{path}", headers=headers, body=body).status == 200
        shown = service.request("GET", "/auth/administration/member", headers=headers).json()
        assert (shown["dateFormat"], shown["timeFormat"]) == ("iso", "iso")

        def ask(query: str, **variables: Any) -> Any:
            answer = service.graphql(query, variables)
            assert not answer.get("errors"), answer
            return next(iter(answer["data"].values()))

        for moment in MOMENTS:
            data = {"at": moment, "day": "2026-02-01", "time": "10:20:30.004", "weight": "2.5"}
            create = f"mutation($d: EntryCreate!) {{ Entry___create(data: $d) {{ {FIELDS} }} }}"
            read = ask(create, d=data)
            update = f"mutation($d: EntryUpdate!) {{ Entry___update(data: $d) {{ {FIELDS} }} }}"
            values = {name: read[name] for name in ("_id", "at", "day", "time", "weight")}
            assert ask(update, d=values) == read, "no new version"
            version = f"Entry___getVersion(_id: $id, atVersion: $at) {{ {FIELDS} }}"
            at = f"query($id: ID!, $at: Datetime!) {{ {version} }}"
            assert ask(at, id=read["_id"], at=read["_versionStart"]) == read
            page = (
                "query($at: Datetime!) { Entry___getPage(options: {filter: {at___eq: $at}}) { totalCount } }"
            )
            assert ask(page, at=read["at"]) == {"totalCount": 1}
        refused = service.graphql(create, {"d": {"day": "01/02/2026"}})
        (error,) = refused["errors"]
        assert error["message"].endswith(
            '"01/02/2026" is not a valid Date. Use ISO 8601 (for example, 2020-12-31).'
        )
