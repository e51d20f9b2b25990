"""The examples of the README and of docs/ return the documented results from a fresh service."""

import base64
import email
import json
import re
import shlex
from collections.abc import Iterator, Sequence
from email import policy
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pytest

from stratabase.members.key_text import KEY_PATTERN
from tests.repository import ROOT
from tests.service import Reply, RunningService, basic, running

README = ROOT / "README.md"
DOCS = ROOT / "docs"
ADMIN, ROSA = ("admin", "correct horse battery"), ("rosa", "a violin by the sea")
GRAPHQL = "/auth/api/graphql/Hr"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OPERATION = re.compile(r"\s*(?:query|mutation)?\s*\{")
PLACEHOLDER = re.compile(r"\bID\b")
"""Where an example wants something of the reader, it cannot be run as it stands."""
CHANGING = re.compile(
    rf"(?P<key>{KEY_PATTERN})"
    r"|(?P<id>\b[0-9a-v]{26}\b)"
    r"|(?P<time>\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)"
    r"|(?P<instant>\d\d-\d\d-\d{4} \d\d:\d\d:\d\d\.\d{3})"
    r"|(?P<revision>\b[0-9a-f]{11}\b)"
    r"|(?P<minute>\d\d/\d\d/\d{4} \d\d:\d\d)"
)
"""What is another one each time: ids, keys, instants and revisions, which later examples name, and times."""
TIMES = {"minute", "time"}
"""Of these, only the format is the same each time."""
MEASURED = {"roundTrips", "readUnits", "items", "bytes", "milliseconds"}
"""Within an insight: they depend on when what was read last."""
OPAQUE = {"nextCursor", "access_token"}


class Example(NamedTuple):
    """A command in the README, and the JSON response that the README shows, if any."""

    command: str
    shown: str | None


def examples(page: Path) -> Iterator[Example]:
    blocks: Sequence[tuple[str, str]] = BLOCK.findall(page.read_text(encoding="utf-8"))
    for (language, text), (next_language, after) in pairwise([*blocks, ("", "")]):
        is_request = text.startswith("curl ") if language == "sh" else OPERATION.match(text)
        if language in {"sh", "graphql"} and is_request and not PLACEHOLDER.search(text):
            yield Example(text, after if next_language == "json" else None)


class Reader:
    """A client that sends the examples of the README, with the ids and instants that it received."""

    def __init__(self, service: RunningService) -> None:
        self._service = service
        self._here: dict[str, str] = {}
        """What the README has in place of what came out here, by that."""

    def answer(self, example: Example) -> Any:
        """Return the answer to an example."""
        command = CHANGING.sub(self._here_instead, example.command)
        reply = self._curl(command) if command.startswith("curl ") else self._graphql(command)
        assert reply.status in {200, 201, 202, 204}, reply.body
        if reply.status == 204:
            return {}
        if not reply.headers["content-type"].startswith("application/json"):
            return {"downloaded": reply.body}
        return json.loads(reply.body.replace(b":%d/" % self._service.port, b":8000/"))

    def _here_instead(self, found: re.Match[str]) -> str:
        # A time stays as it is documented: it only needs to have the right format.
        return found[0] if found.lastgroup in TIMES else self._here[found[0]]

    def compare(self, shown: Any, found: Any, *, partly: bool) -> None:
        """Compare a documented response with a real one, and remember its ids and instants."""
        if isinstance(shown, dict):
            assert isinstance(found, dict)
            assert shown.keys() <= found.keys() if partly else list(shown) == list(found)
            for name, value in shown.items():
                if name in OPAQUE:
                    known, cut, _ = value.partition("…")
                    assert found[name].startswith(known) if cut else len(found[name]) == len(value)
                elif name in MEASURED and isinstance(value, int | float):
                    assert found[name] > 0
                else:
                    self.compare(value, found[name], partly=partly)
        elif isinstance(shown, list):
            assert len(shown) == len(found)
            for each, other in zip(shown, found, strict=True):
                self.compare(each, other, partly=partly)
        elif isinstance(shown, str):
            self._learn(shown, found)
        else:
            assert shown == found

    def _learn(self, shown: str, found: str) -> None:
        assert CHANGING.sub("", shown) == CHANGING.sub("", found)
        for there, here in zip(CHANGING.finditer(shown), CHANGING.finditer(found), strict=True):
            assert there.lastgroup == here.lastgroup
            if there.lastgroup not in TIMES:
                assert self._here.setdefault(there[0], here[0]) == here[0], f"{there[0]} was another one"

    def _curl(self, command: str) -> Reply:
        words = shlex.split(command)
        options = {name: words[words.index(name) + 1] for name in ("-u", "-d", "-F", "-X") if name in words}
        headers = dict(words[at + 1].split(": ") for at, word in enumerate(words) if word == "-H")
        if "-u" in options:
            headers["Authorization"] = basic(*options["-u"].split(":"))
        (address,) = [word for word in words if word.startswith("http://127.0.0.1:8000/")]
        body: str | bytes | None = options.get("-d")
        if "-F" in options:
            body = form(*options["-F"].split("=@"))
            headers["Content-Type"] = "multipart/form-data; boundary=b"
        if body is not None:
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        path = "/" + address.split("/", 3)[3]
        method = options.get("-X", "GET" if body is None else "POST")
        return self._service.request(method, path, headers=headers, body=body)

    def _graphql(self, document: str) -> Reply:
        headers = {"Content-Type": "application/json", "Authorization": basic(*ADMIN)}
        return self._service.request("POST", GRAPHQL, headers=headers, body=json.dumps({"query": document}))


def form(part: str, name: str) -> bytes:
    """Return the body of a form with the picture of the README in a part, as curl sends it."""
    (picture,) = re.findall(r"^echo (\S+) \| base64 -d > ", README.read_text(encoding="utf-8"), re.MULTILINE)
    disposition = f'form-data; name="{part}"; filename="{name}"'
    head = f"--b\r\nContent-Disposition: {disposition}\r\nContent-Type: image/png\r\n\r\n"
    return head.encode() + base64.b64decode(picture) + b"\r\n--b--\r\n"


def choose_password(service: RunningService) -> None:
    """Open the link in the last mail, and set Rosa's password."""
    (mail,) = (service.home / "outbox").glob("*.eml")
    message = email.message_from_bytes(mail.read_bytes(), policy=policy.default)
    (token,) = re.findall(r"\?token=(\S+)", message.get_content())
    body = json.dumps({"token": unquote(token), "password": ROSA[1]})
    headers = {"Content-Type": "application/json"}
    assert (
        service.request("POST", "/public/administration/setPassword", headers=headers, body=body).status
        == 205
    )


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RunningService]:
    with running(tmp_path / "home", settings={"STRATABASE_ADMIN_PASSWORD": ADMIN[1]}) as started:
        yield started


CREATE_ADA = (README, "Employee___create")
JOIN_TEAM = (DOCS / "reading.md", "Team___create")
CREATE_ROSA = (DOCS / "grants.md", '"username": "rosa"')
BEFORE: dict[Path, list[tuple[Path, str]]] = {
    README: [],
    DOCS / "reading.md": [CREATE_ADA],
    DOCS / "filter-and-sort.md": [CREATE_ADA, JOIN_TEAM],
    DOCS / "groups-and-totals.md": [],
    DOCS / "as-of-an-instant.md": [],
    DOCS / "writing.md": [],
    DOCS / "idempotency.md": [],
    DOCS / "versions.md": [CREATE_ADA, JOIN_TEAM],
    DOCS / "deleted-objects.md": [],
    DOCS / "locks.md": [CREATE_ADA, CREATE_ROSA],
    DOCS / "lost-updates.md": [],
    DOCS / "erase-an-object.md": [],
    DOCS / "settings.md": [],
    DOCS / "files.md": [],
    DOCS / "grants.md": [CREATE_ADA],
    DOCS / "members.md": [CREATE_ROSA],
    DOCS / "programs-and-keys.md": [],
    DOCS / "limits-and-costs.md": [CREATE_ADA],
    DOCS / "performance.md": [CREATE_ADA],
}
"""The pages with examples, each with what its reader has done before: an example, by a part of its text."""


LOCAL = {DOCS / "erase-an-object.md"}
"""The pages whose responses are those of `stratabase serve`. On AWS, the sweep completes an erasure."""


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.stem, marks=[pytest.mark.local] if page in LOCAL else []) for page in BEFORE],
)
def test_every_documented_example_returns_the_documented_result(service: RunningService, page: Path) -> None:
    """Ids and names are the same from the first section of a page to the last."""
    reader = Reader(service)
    for other, part in BEFORE[page]:
        run(service, reader, next(each for each in examples(other) if part in each.command))
    there = list(examples(page))
    assert there
    for example in there:
        run(service, reader, example)


def test_every_page_with_examples_is_tested() -> None:
    pages = [README, *DOCS.glob("*.md")]
    # They need models of their own, or an identity provider.
    names = ("expressions", "graphql-and-sql", "sign-in-with-your-provider")
    others = {DOCS / f"{name}.md" for name in names}
    assert {page for page in pages if any(examples(page))} - others == BEFORE.keys()


def run(service: RunningService, reader: Reader, example: Example) -> None:
    """Run an example, and compare its answer with what is shown."""
    found = reader.answer(example)
    if '"username": "rosa"' in example.command:
        choose_password(service)
    if example.shown is None:
        assert "errors" not in found, example
        return
    partly = "…" in example.shown
    reader.compare(json.loads(re.sub(r", …(?=[}\]])", "", example.shown)), found, partly=partly)
