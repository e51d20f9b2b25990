"""What clients and schedules do with the functions: the events, and all kinds of operations.

The policies of the functions are tested with these calls. A new kind of call to AWS needs an operation here.
"""

import base64
import json
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch
from urllib.parse import quote, urlencode, urlsplit

from stratabase.core.store.write import cleanup
from stratabase.core.waiting import SystemClock
from stratabase.members.audit import recorder
from stratabase.members.operations.forgotten_password import MAX_REQUESTS_FROM_ADDRESS
from stratabase.members.operations.password_reset import FORGOT_PASSWORD_PATH
from tests.lambda_stack.local_functions import GRAPHQL, HOUR, Stack
from tests.lambda_stack.provider_workload import sign_in_with_a_provider
from tests.members.providers.hostile_provider import HostileProvider
from tests.repository import ROOT
from tests.service import PASSWORD, basic

MORE_CLASSES = """
"A file that a member may read if an object far away says so."
type Dossier @class(versioned: true, platform: [OWNED_BY, OWNED_ON])
  @grant(profile: "Member", allow: [READ], where: "shelf.email == caller.email && reader_count > 1") {
  scan: File
  reader_count: Int @derived(path: "readers", aggregate: COUNT)
  shelf: Shelf @association(opposite: "dossiers")
  pages: [Leaf!] @composition(whole: "dossier")
  readers: [Reader!]! @association(opposite: "reads")
}
type Leaf @class(versioned: true) @unique(attributes: ["text"]) {
  text: String
  author: Reader! @association(opposite: "wrote")
}
type Shelf { email: String  dossiers: [Dossier!] @association(opposite: "shelf") }
type Reader @class(platform: [OWNED_BY, OWNED_ON]) {
  name: String
  reads: [Dossier!] @association(opposite: "readers")
  wrote: [Leaf!] @association(opposite: "author")
}
"""
"""What the sample model needs so that each function makes all of its calls."""
CHANGES = {
    "type Shelf {": 'type Shelf @index(attributes: ["email"]) @unique(attributes: ["email"]) {',
    ' @unique(attributes: ["text"])': "",
    ' @association(opposite: "wrote")': "",
    '  wrote: [Leaf!] @association(opposite: "author")\n': "",
    '@association(opposite: "leads", holds: true)': '@association(opposite: "leads")',
    '@association(opposite: "lead")': '@association(opposite: "lead", holds: true)',
}
"""Changes of the model that need a reindex: texts, and what replaces them."""
EVENTS = [
    json.loads(file.read_text()) for file in sorted((ROOT / "events").glob("*.json")) if file.stem != "env"
]
ADDRESS = "https://api.example.com"
MEMBERS = "/auth/administration/members"
MEBIBYTE = 1024 * 1024
ATTEMPTS = 11
"""One more than a client may fail to sign in."""
TUS = {"Tus-Resumable": "1.0.0"}


def change_model(text: str) -> str:
    """Return a model after the changes that need a reindex."""
    for old, new in CHANGES.items():
        assert old in text
        text = text.replace(old, new)
    return text


def run_everything(stack: Stack, provider: HostileProvider) -> None:
    """Do everything once. `provider`: an identity provider of the stack."""
    for event in EVENTS:
        stack.replay(event)
    for part in (
        write_objects,
        read_objects,
        write_large_objects,
        handle_files,
        manage_members,
        use_keys,
        sign_in,
    ):
        part(stack)
    sign_in_with_a_provider(stack, provider)
    reader = stack.create("Reader")["_id"]
    stack.create("Dossier", readers=[reader], pages=[{"text": "kept", "author": reader}])
    stack.invoke("ReindexFunction", {})
    stack.restart()
    upload(stack, b"%PDF-1.4\n")  # as the first request
    stack.invoke("RotateFunction", {"source": "aws.events"})
    stack.wait(40 * 24 * HOUR)
    stack.invoke("RotateFunction", {"source": "aws.events"})
    stack.sweep()


def bearer(stack: Stack, username: str = "admin") -> str:
    """Return the value of an Authorization header with a new token."""
    reply = stack.request(
        "POST",
        "/public/token/getJwtToken",
        {"username": username, "password": PASSWORD},
        authorization=None,
    )
    return f"Bearer {reply.json()['access_token']}"


def instant() -> str:
    """Return the present instant."""
    return datetime.fromtimestamp(SystemClock().now() / 1000, UTC).isoformat(timespec="milliseconds")


def sign_in(stack: Stack) -> None:
    """Use each function with a password and a token, and each with wrong passwords up to the limit."""
    token = bearer(stack)
    stack.request("GET", "/auth/token/refreshJwtToken", authorization=token)
    requests = {
        ("GET", "/auth/administration/member"): None,
        ("GET", "/auth/token/refreshJwtToken"): None,
        ("GET", "/auth/api/schema/Hr"): None,
        ("GET", "/auth/file/employee/resume/pending/nobody"): 404,
        ("HEAD", "/auth/file/employee/resume/pending/nobody"): 404,
    }
    for number, ((method, address), expected) in enumerate(requests.items()):
        stack.request(method, address, authorization=token, expected=expected)
        for attempt in range(ATTEMPTS):
            wrong = basic(f"nobody-{number}", f"wrong-{attempt}")
            status = 401 if attempt < ATTEMPTS - 1 else 429
            stack.request(method, address, authorization=wrong, expected=status)


def use_keys(stack: Stack) -> None:
    """Make a key for a program, use each function with it, and end it."""
    new = {"username": "importer", "profile": "Manager", "kind": "program"}
    id_ = stack.request("POST", MEMBERS, new).json()["id"]
    made = stack.request("POST", f"{MEMBERS}/{id_}/keys", {"name": "nightly"}).json()
    authorization = f"Bearer {made['key']}"
    for (method, address), expected in {
        ("GET", "/auth/administration/member"): None,
        ("GET", "/auth/token/refreshJwtToken"): 403,
        ("GET", f"{MEMBERS}/{id_}/links"): 403,
        ("GET", "/auth/api/schema/Hr"): None,
        ("GET", "/auth/file/employee/resume/pending/nobody"): 404,
        ("HEAD", "/auth/file/employee/resume/pending/nobody"): 404,
    }.items():
        stack.request(method, address, authorization=authorization, expected=expected)
    (listed,) = stack.request("GET", f"{MEMBERS}/{id_}/keys").json()
    assert listed["lastUsed"] is not None
    stack.request("DELETE", f"{MEMBERS}/{id_}/keys/{made['id']}")
    stack.request("DELETE", f"{MEMBERS}/{id_}")


def manage_members(stack: Stack) -> None:
    """Create a member who sets a password, confirms an email address, and is deleted after a hand-over."""
    new = {"username": "ines", "email": "ines@example.com", "profile": "Member"}
    id_ = stack.request("POST", MEMBERS, new).json()["id"]
    own = f"{MEMBERS}/{id_}"
    stack.request("GET", f"{own}/resetPassword")
    link = {"token": stack.mailed_token(), "password": PASSWORD}
    stack.request("GET", f"/public/administration/setPassword?token={quote(link['token'])}")
    stack.request("POST", "/public/administration/setPassword", link, authorization=None)
    for name in ("ines", "INES@example.com", "nobody"):
        body = {"username": name}
        stack.request("POST", FORGOT_PASSWORD_PATH, body, authorization=None, expected=202)
    for _ in range(MAX_REQUESTS_FROM_ADDRESS - 3):
        stack.request("POST", FORGOT_PASSWORD_PATH, {"email": "x@example.com"}, authorization=None)
    stack.request("POST", FORGOT_PASSWORD_PATH, {"username": "ines"}, authorization=None, expected=202)
    stack.deliver_events()
    again = {"token": stack.mailed_token("MailFunction"), "password": PASSWORD}
    stack.request("POST", "/public/administration/setPassword", again, authorization=None)
    ines = basic("ines", PASSWORD)
    stack.request("PUT", own, {"email": "new@bücher.example"}, authorization=ines)
    stack.request("GET", own, authorization=ines)
    token = stack.mailed_token()
    stack.request("GET", f"/public/administration/confirmEmail?{urlencode({'token': token})}")
    stack.request("POST", "/public/administration/confirmEmail", {"token": token}, authorization=None)
    stack.request("PUT", own, {"username": "inez", "notes": "x", "profile": "Manager"})
    inez = basic("inez", PASSWORD)
    customer = stack.create("Customer", name="Acme")["_id"]
    for number in range(3):
        project = {"code": f"PRJ-000{number}", "title": "T", "customer": customer}
        stack.write("Project", "create", project, authorization=inez)
    stack.write("Reader", "create", {}, authorization=inez)
    stack.request("GET", MEMBERS)
    stack.request("GET", "/auth/administration/service")
    admin = stack.request("GET", "/auth/administration/member").json()["id"]
    stack.clock.step = 5_000  # so that the first call does not finish
    assert not stack.request("POST", f"{own}/handOver", {"to": admin}).json()["complete"]
    stack.clock.step = 0
    assert stack.request("POST", f"{own}/handOver", {"to": admin}).json()["complete"]
    stack.request("PUT", own, {"profile": "Administrator"})
    stack.request("DELETE", own)
    # The sweep forgets what the request for the deletion had no time for.
    elsa = stack.request("POST", MEMBERS, {**new, "username": "elsa"}).json()["id"]
    stack.request("PUT", f"{MEMBERS}/{elsa}", {"password": PASSWORD})
    stack.request("GET", f"{MEMBERS}/{elsa}", authorization=basic("elsa", PASSWORD))
    with patch.object(recorder, "STEPS_IN_REQUEST", 0):
        stack.request("DELETE", f"{MEMBERS}/{elsa}")
    stack.request("GET", "/auth/administration/audit")


def write_objects(stack: Stack) -> None:
    """Create, update, lock, restore and delete objects with parts, roles and unique values."""
    team = stack.create("Team", name="Engines")["_id"]
    customer = stack.create("Customer", name="C", partita_iva="12345678903")["_id"]
    ada, bob, cyd = (hire(stack, team, number) for number in range(3))
    due = {"title": "b", "due": "2026-01-01T00:00:00Z"}
    tasks = [{"title": "a", "hours": 1, "assignee": ada}, due]
    project = {"code": "PRJ-1000", "title": "T", "customer": customer, "members": [ada, bob]}
    stack.create("Project", **project, tasks=tasks)
    lock = "mutation($l: [EntityID!]) { lock(locks: $l) { locked } }"
    locks = [{"entityName": "Employee", "_id": each} for each in (ada, bob)]
    stack.ask(lock, l=locks)
    stack.ask(lock.replace("lock(", "unlock("), l=locks)
    stack.update("Employee", _id=ada, phone=None, email="ada@example.org", manager={"set": bob})
    stack.update("Employee", _id=ada, addresses={"deleteAll": True}, team={"remove": True})
    stack.update("Team", _id=team, lead={"set": ada})
    stack.update("Company", name="X", headquarters={"create": {"street": "s", "city": "c"}})
    stack.create("Meeting", subject="S", starts_at="2026-01-01T10:00:00Z", attendees=[ada, bob])
    some = '{filter: {last_name___eq: "L1"}}'
    stack.ask(
        f"mutation {{ Employee___updateBulk(data: {{remote: true}}, options: {some}) {{ __typename }} }}"
    )
    keyed = {"query": 'mutation { Team___create(data: {name: "Keyed"}) { _id } }'}
    answers = [stack.request("POST", GRAPHQL, keyed, headers={"Idempotency-Key": "k"}) for _ in range(2)]
    assert answers[0].body == answers[1].body
    stack.wait(1000)
    existed = instant()
    stack.wait(1000)
    stack.ask("mutation($i: ID!) { Employee___delete(_id: $i) { deleted } }", i=cyd)
    restore = "Employee___restoreVersion(_id: $i, atVersion: $v) { _id }"
    stack.ask(f"mutation($i: ID!, $v: Datetime!) {{ {restore} }}", i=cyd, v=existed)
    some = '{filter: {last_name___eq: "L2"}}'
    stack.ask(f"mutation {{ Employee___deleteBulk(options: {some}) {{ __typename }} }}")


def hire(stack: Stack, team: str, number: int) -> str:
    """Create an employee with parts, and return the id."""
    name: dict[str, Any] = {"first_name": "Ada", "last_name": f"L{number}", "email": f"a{number}@example.org"}
    addresses = [{"street": street, "city": "C"} for street in "ST"]
    contract = {"kind": "PERMANENT", "starts_on": "2020-01-01"}
    more: dict[str, Any] = {
        "hired_on": "2020-01-01",
        "team": team,
        "addresses": addresses,
        "contract": contract,
    }
    return str(stack.create("Employee", **name, **more)["_id"])


def read_objects(stack: Stack) -> None:
    """Read objects by id, by unique values, in pages by each index, and at earlier instants."""
    fields = "_id full_name team { name lead { email } } addresses { items { city } }"
    fields += " projects { items { code tasks { items { title } } } }"
    for order in ("_id___ASC", "last_name___ASC", "hired_on___DESC", "email___ASC", "phone___ASC"):
        found = stack.page("Employee", fields, next=5, orderBy=[order])
    stack.page("Employee", fields, filter={"team": {"name___eq": "Engines"}})
    stack.ask('{ Employee___getByEmail(email: "ada@example.org") { _id _createdby_user { username } } }')
    id_ = found[0]["_id"]
    stack.ask("query($i: ID!) { Employee___get(_id: $i) { _id _lock { lockedBy } } }", i=id_)
    version = "Employee___getVersion(_id: $i, atVersion: $v) { projects { items { code } } team { name } }"
    stack.ask(f"query($i: ID!, $v: Datetime!) {{ {version} }}", i=id_, v=instant())
    stack.ask("query($i: ID!) { Employee___getVersionPage(_id: $i) { items { full_name } } }", i=id_)
    stack.page("Project", "code _ownedby_user { email }", orderBy=["stage___ASC", "starts_on___ASC"])
    stack.page("Task", "title assignee { email }", orderBy=["due___DESC"])
    stack.page("Meeting", "subject attendees { items { email } }", orderBy=["starts_at___ASC"])
    stack.ask("{ _User___getPage { totalCount items { username } } }")
    for name in ("username", "email"):
        stack.ask(
            f'{{ _User___getPage(options: {{filter: {{{name}___eq: "admin"}}}}) {{ items {{ email }} }} }}'
        )
    token = bearer(stack)
    stack.wait(10_000)  # the cached member is no longer fresh
    stack.ask("{ Employee___getPage { totalCount } }", authorization=token)


def write_large_objects(stack: Stack) -> None:
    """Delete wholes with more parts than fit in one commit: the function finishes one, the sweep another."""
    for steps in (cleanup.MAX_CLEANUP_STEPS, 0):
        dossier = large_dossier(stack, f"{steps}")
        with patch.object(cleanup, "MAX_CLEANUP_STEPS", steps):
            stack.ask("mutation($i: ID!) { Dossier___delete(_id: $i) { deleted } }", i=dossier)
        stack.sweep()


def large_dossier(stack: Stack, name: str) -> str:
    """Create a dossier with many pages, and return its id."""
    reader = stack.create("Reader")["_id"]
    dossier = str(stack.create("Dossier", readers=[reader])["_id"])
    for first in range(0, 40, 20):
        pages = [{"text": f"{name}-{first + each}", "author": reader} for each in range(20)]
        stack.update("Dossier", _id=dossier, pages={"create": pages})
    return dossier


def handle_files(stack: Stack) -> None:
    """Upload files whole and in chunks, bind, download, replace and remove them, and leave some behind."""
    resume, small = upload(stack, b"%PDF-1.4\n"), upload_in_chunks(stack, 9)
    large = [upload_in_chunks(stack, 6 * MEBIBYTE) for _ in range(2)]
    left = begin_upload(stack, 20 * MEBIBYTE)
    stack.request("HEAD", left, headers=TUS)
    stack.request("DELETE", begin_upload(stack, 9), headers=TUS)
    contract = {"kind": "PERMANENT", "starts_on": "2020-01-01", "signed_copy": large[0]}
    name = {"first_name": "F", "last_name": "F", "email": "f@example.org"}
    selection = "_id resume { link } contract { _id }"
    made = stack.create("Employee", selection, **name, resume=resume, contract=contract)
    link = urlsplit(made["resume"]["link"]).path
    stack.request("GET", link)
    stack.request("GET", link, headers={"Range": "bytes=0-2"})
    stack.request("HEAD", link)
    stack.wait(1000)
    stack.update("Employee", _id=made["_id"], resume=small)
    history = "query($i: ID!) { Employee___getVersionPage(_id: $i) { items { resume { link } } } }"
    for version in stack.ask(history, i=made["_id"])["items"]:
        stack.request("GET", version["resume"]["link"].removeprefix(ADDRESS))
    stack.update("Company", logo=upload(stack, b"<svg/>", "company/logo", "a.svg"))
    stack.update("Company", logo=None)
    read_a_far_file(stack)
    copy_in_parts_fails(stack, made["contract"]["_id"], made["_id"], large[1])
    erase(stack)
    lose_files(stack, link)
    stack.wait(10 * 24 * HOUR)
    stack.sweep()


def erase(stack: Stack) -> None:
    """Erase objects with and without versions: the function begins, and the sweep goes on."""
    name = {"first_name": "E", "last_name": "E", "email": "e@example.org"}
    employee = stack.create("Employee", **name, resume=upload(stack, b"%PDF-1.4\n"))["_id"]
    for class_name, id_ in (("Employee", employee), ("Reader", stack.create("Reader")["_id"])):
        address = f"/auth/administration/erasure/{class_name}/{id_}"
        assert not stack.request("DELETE", address, expected=202).json()["complete"]
        stack.sweep()
        assert stack.request("DELETE", address, expected=200).json()["complete"]


def lose_files(stack: Stack, link: str) -> None:
    """Use files whose bytes are gone."""
    address = begin_upload(stack, 20, "employee/resume")
    chunk = {**TUS, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}
    stack.request("PATCH", address, b"%PDF-1.4", headers=chunk)
    reference = upload(stack, b"%PDF-1.4\n")
    stack.lose_files()
    stack.request("PATCH", address, b"%PDF-1.4", headers={**chunk, "Upload-Offset": "8"}, expected=410)
    stack.request("GET", link, expected=500)
    create = "mutation($d: EmployeeCreate!) { Employee___create(data: $d) { _id } }"
    data = {"first_name": "L", "last_name": "L", "email": "l@example.org", "resume": reference}
    body = {"query": create, "variables": {"d": data}}
    assert "errors" in stack.request("POST", GRAPHQL, body).json()


def read_a_far_file(stack: Stack) -> None:
    """Download a file whose grant depends on other objects."""
    new = {"username": "lena", "email": "lena@example.com", "profile": "Member"}
    id_ = stack.request("POST", MEMBERS, new).json()["id"]
    stack.request("PUT", f"{MEMBERS}/{id_}", {"password": PASSWORD})
    shelf = stack.create("Shelf", email="lena@example.com")["_id"]
    readers = [stack.create("Reader", name=name)["_id"] for name in "xy"]
    scan = upload(stack, b"x", "dossier/scan")
    dossier = stack.create("Dossier", "scan { link }", shelf=shelf, readers=readers, scan=scan)
    link = dossier["scan"]["link"].removeprefix(ADDRESS)
    stack.request("GET", link, authorization=basic("lena", PASSWORD))


def copy_in_parts_fails(stack: Stack, contract: str, employee: str, file: Any) -> None:
    """Bind a large file while S3 refuses to copy its parts. The function then aborts the copy."""
    recorder = stack.recorders["GraphqlFunction"]
    recorder.refuse = lambda method, path: method == "PUT" and "partNumber" in path
    change = {"_id": employee, "contract": {"update": {"_id": contract, "signed_copy": file}}}
    stack.request(
        "POST",
        GRAPHQL,
        {
            "query": "mutation($d: EmployeeUpdate!) { Employee___update(data: $d) { _id } }",
            "variables": {"d": change},
        },
        expected=503,
    )
    recorder.refuse = lambda _method, _path: False


def upload(stack: Stack, content: bytes, attribute: str = "employee/resume", name: str = "a.pdf") -> Any:
    """Upload a file in one request, and return its reference."""
    disposition = f'Content-Disposition: form-data; name="file"; filename="{name}"'
    body = b"--b\r\n" + disposition.encode() + b"\r\n\r\n" + content + b"\r\n--b--\r\n"
    form = {"Content-Type": "multipart/form-data; boundary=b"}
    reference = stack.request("POST", f"/auth/file/{attribute}", body, headers=form).json()
    stack.request("GET", f"/auth/file/{attribute}/pending/{reference['pendingFileId']}")
    return reference


def begin_upload(stack: Stack, size: int, attribute: str = "contract/signed_copy") -> str:
    """Begin a resumable upload of a PDF file, and return its address."""
    name = base64.b64encode(b"a.pdf").decode()
    headers = {**TUS, "Upload-Length": str(size), "Upload-Metadata": f"filename {name}"}
    reply = stack.request("POST", f"/auth/file/{attribute}", headers=headers)
    return urlsplit(reply.headers["location"]).path


def upload_in_chunks(stack: Stack, size: int) -> Any:
    """Upload a PDF file in several requests, and return its reference."""
    attribute = "contract/signed_copy" if size > MEBIBYTE else "employee/resume"
    address, content, offset = begin_upload(stack, size, attribute), b"%PDF-1.4" + bytes(size - 8), 0
    while offset < size:
        chunk = content[offset : offset + min(4 * MEBIBYTE, size // 2 + 1)]
        headers = {**TUS, "Content-Type": "application/offset+octet-stream", "Upload-Offset": str(offset)}
        stack.request("PATCH", address, chunk, headers=headers)
        offset += len(chunk)
    accept = {"Accept": "application/vnd.stratabase.reference+json"}
    return stack.request("GET", address, headers=accept).json()
