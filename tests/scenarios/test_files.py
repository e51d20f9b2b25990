"""The life of a file over HTTP: uploaded, bound, downloaded, replaced, restored, cleared."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.core.http.files.forms import CONTENT_TYPE, form, part
from tests.service import PASSWORD, Reply, RunningService, basic, running

MODEL = """
extend schema
  @application(name: "Archive")
  @profile(name: "Administrator", administrator: true)
  @profile(name: "Clerk")

type Letter @class(versioned: true) @grant(profile: "Clerk", allow: [READ, CREATE, EDIT]) {
  title: String
  scan: File @file(extensions: ["pdf"], maxSize: 200)
  pages: [Sheet!] @composition(whole: "letter")
}

type Sheet { picture: File }

type Secret @grant(profile: "Clerk", allow: [CREATE]) { paper: File }
"""
SHOWN = "_id scan { fileId name size mimeType link } _versionStart"


class Client(NamedTuple):
    """A member of the service."""

    service: RunningService
    name: str = "admin"

    def request(self, method: str, address: str, **options: Any) -> Reply:
        headers = {"Authorization": basic(self.name, PASSWORD), **options.pop("headers", {})}
        path = "/" + address.split("/", 3)[3] if address.startswith("http") else address
        return self.service.request(method, path, headers=headers, **options)

    def upload(self, content: bytes, address: str = "letter/scan") -> Any:
        sent = part('form-data; name="file"; filename="a.pdf"', content, [b"Content-Type: application/pdf"])
        headers = {"Content-Type": CONTENT_TYPE}
        reply = self.request("POST", f"/auth/file/{address}", headers=headers, body=form(sent))
        assert reply.status == 201, reply.body
        return reply.json()

    def graphql(self, query: str, **variables: Any) -> Any:
        body = json.dumps({"query": query, "variables": variables})
        headers = {"Content-Type": "application/json"}
        return self.request("POST", "/auth/api/graphql/Archive", headers=headers, body=body).json()

    def save(self, class_name: str = "Letter", shown: str = SHOWN, **data: Any) -> Any:
        query = f"mutation($data: {class_name}Draft!) {{ {class_name}___save(data: $data) {{ {shown} }} }}"
        answer = self.graphql(query, data=data)
        assert "errors" not in answer, answer
        return answer["data"][f"{class_name}___save"]

    def issues(self, **data: Any) -> list[tuple[str, list[str]]]:
        query = "mutation($data: LetterDraft!) { Letter___save(data: $data) { _id } }"
        answer = self.graphql(query, data=data)
        found = [error["extensions"] for error in answer["errors"]]
        return [(each["issueType"], each["attributeNames"]) for each in found]


@pytest.fixture(scope="module")
def admin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder: Path = tmp_path_factory.mktemp("files")
    model = folder / "archive.graphql"
    model.write_text(MODEL)
    with running(folder / "home", model=model, application="Archive") as service:
        yield Client(service)


@pytest.fixture(scope="module")
def clerk(admin: Client) -> Client:
    """Another member, who is not an administrator."""
    admin.service.join("cleo", "Clerk")
    return Client(admin.service, "cleo")


def test_a_file_is_replaced_restored_and_cleared(admin: Client) -> None:
    first = admin.save(title="one", scan=admin.upload(b"%PDF one"))
    second = admin.save(_id=first["_id"], scan=admin.upload(b"%PDF two"))
    assert first["scan"]["link"] == second["scan"]["link"]
    assert admin.request("GET", second["scan"]["link"]).body == b"%PDF two"

    query = """query($id: ID!) {
      Letter___getVersionPage(_id: $id, options: {orderBy: [_versionStart___ASC]}) {
        items { scan { link } _versionStart(format: "dd-MM-yyyy HH:mm:ss.SSS") }
      }
    }"""
    versions = admin.graphql(query, id=first["_id"])["data"]["Letter___getVersionPage"]["items"]
    old, new = (version["scan"]["link"] for version in versions)
    assert (admin.request("GET", old).body, admin.request("GET", new).body) == (b"%PDF one", b"%PDF two")

    restored = admin.graphql(
        f'mutation {{ Letter___restoreVersion(_id: "{first["_id"]}", '
        f'atVersion: "{versions[0]["_versionStart"]}") {{ scan {{ fileId link }} }} }}'
    )["data"]["Letter___restoreVersion"]
    assert restored["scan"]["fileId"] == first["scan"]["fileId"]
    assert admin.request("GET", restored["scan"]["link"]).body == b"%PDF one"

    assert admin.save(_id=first["_id"], scan=None)["scan"] is None
    # The link without a version is that of the current version, which has no file.
    assert admin.request("GET", new).status == 404
    former = admin.graphql(query, id=first["_id"])["data"]["Letter___getVersionPage"]["items"]
    bodies = [admin.request("GET", each["scan"]["link"]).body for each in former if each["scan"]]
    assert bodies == [b"%PDF one", b"%PDF two", b"%PDF one"]


@pytest.mark.parametrize("class_name", ["Letter", "Sheet"], ids=["versioned", "unversioned"])
def test_a_date_identifies_the_file_that_the_object_had_then(admin: Client, class_name: str) -> None:
    attribute = {"Letter": "scan", "Sheet": "picture"}[class_name]
    address = f"{class_name}/{attribute}"
    whole = admin.save(title="dated", pages={"save": [{}]}, shown="_id pages { items { _id } }")
    id_ = whole["_id"] if class_name == "Letter" else whole["pages"]["items"][0]["_id"]

    def bind(reference: Any) -> str:
        sheet = {"_id": id_, attribute: reference}
        sent = sheet if class_name == "Letter" else {"_id": whole["_id"], "pages": {"save": [sheet]}}
        admin.save(shown="_id", **sent)
        reply = admin.request("GET", link)
        return str(reply.headers["last-modified"])

    def status(method: str = "GET", **headers: str) -> int:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return admin.request(method, link, headers=named).status

    # All of it happens within a few seconds, and the second file was uploaded before the first one.
    link = f"/auth/file/{class_name}/{id_}/{attribute}"
    older, newer = admin.upload(b"%PDF older", address), admin.upload(b"%PDF newer", address)
    first = bind(newer)
    assert status(If_Modified_Since=first) == 304
    second = bind(older)
    assert status(If_Modified_Since=first) == 200
    assert status(If_Unmodified_Since=first) == 412
    assert status(If_Range=first, Range="bytes=0-1") == 200
    assert (status(If_Modified_Since=second), status("HEAD", If_Modified_Since=second)) == (304, 304)
    assert status(If_Unmodified_Since=second) == 200
    assert status(If_Range=second, Range="bytes=0-1") == 206
    assert status(If_Modified_Since="Fri, 01 Jan 2100 00:00:00 GMT") == 200


def test_head_of_a_pending_file_has_the_headers_of_get(admin: Client) -> None:
    pending = admin.upload(b"%PDF pending")
    address = f"/auth/file/letter/scan/pending/{pending['pendingFileId']}"

    found = [admin.request(method, address) for method in ("HEAD", "GET")]

    assert [reply.headers["content-length"] for reply in found] == ["12", "12"]
    assert found[0].body == b""


def test_a_file_that_the_profile_cannot_read_looks_missing(admin: Client, clerk: Client) -> None:
    sheet = clerk.upload(b"secret", "secret/paper")
    link = admin.save("Secret", "paper { link }", paper=sheet)["paper"]["link"]
    assert admin.request("GET", link).body == b"secret"

    hidden, missing = clerk.request("GET", link), clerk.request("GET", link.replace("/paper", "/paper"))
    assert hidden.status == missing.status == 404


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("letter/scan/pending/..%2f..%2fetc%2fpasswd", 404),
        ("letter/scan/pending/06h0au18u7pc2qrm3nms808efk", 410),
        ("letter/%2e%2e%2f%2e%2e/scan", 404),
        ("letter/06h0au18u7pc2qrm3nms808efk/scan", 404),
        ("letter/06h0au18u7pc2qrm3nms808efk/scan?version=1", 404),
        ("letter/06h0au18u7pc2qrm3nms808efk/scan?version=x", 404),
        ("letter/06h0au18u7pc2qrm3nms808efk/title", 404),
        ("nothing/06h0au18u7pc2qrm3nms808efk/scan", 404),
        ("letter/%00/scan", 404),
        ("letter/%ff%fe/scan", 404),
        ("letter/" + "x" * 3000 + "/scan", 404),
    ],
)
def test_an_address_without_a_file_is_refused(admin: Client, address: str, status: int) -> None:
    assert admin.request("GET", f"/auth/file/{address}").status == status
