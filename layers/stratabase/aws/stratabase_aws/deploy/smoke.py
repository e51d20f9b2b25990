"""Tries an instance over HTTP from outside, after a deployment. Nothing stays in the instance."""

import base64
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import requests

from stratabase.core.domain.files.addresses import pending_file_address
from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.terminal.command_error import CommandError
from stratabase.terminal.progress import TransferBar
from stratabase.transfer.client.connection import Connection, read_json, reason_of
from stratabase.transfer.client.credentials import PasswordCredentials, TokenCredentials
from stratabase.transfer.client.local_file import open_local_file
from stratabase.transfer.client.resumable import ResumableTransfer
from stratabase.transfer.client.upload import TusUpload
from stratabase.values.wording import pluralize

FILE_SIZE = 20 * 1024 * 1024
"""The bytes of the file that is uploaded and downloaded: more than one buffered response of Lambda holds."""
MAX_CLOCK_DIFFERENCE = 60
"""How many seconds the clock of the instance may differ from that of this machine."""
_TIMEOUT = 35
"""Seconds. The gateway answers within 29."""
_CHUNK = 64 * 1024
_ASSET = re.compile(r'(?:href|src)="(assets/[^"]+)"')
"""Matches where the page of the console names one of its files."""


class Outcome(NamedTuple):
    """The outcome of a check."""

    failed: bool
    line: str


class CheckFailed(Exception):
    """The instance did not do what it should. The text says what it did, and what is right."""


class Skipped(Exception):
    """A check can't be made. The text says why."""


@dataclass
class TriedInstance:
    """The instance that is tried, as a member."""

    base_url: str
    credentials: PasswordCredentials
    file_target: FileTarget | None = None
    """The attribute for which a file is uploaded, and left pending until it is deleted."""
    extension: str = "bin"
    """The extension of the file."""
    file_size: int = FILE_SIZE
    token: str = field(default="", repr=False)
    """The token of the member, which the check of tokens gets."""

    def send(self, method: str, path: str, **options: Any) -> requests.Response:
        """Send a request without credentials, unless `headers` has them, and return the response."""
        url = self.base_url + path
        return requests.request(method, url, timeout=_TIMEOUT, allow_redirects=False, **options)

    def as_member(self, method: str, path: str, **options: Any) -> requests.Response:
        """Send a request with the token of the member."""
        if not self.token:
            raise Skipped("there is no token.")
        headers = {"Authorization": f"Bearer {self.token}", **options.pop("headers", {})}
        return self.send(method, path, headers=headers, **options)

    @property
    def application(self) -> str:
        """The application that the instance serves, as its tokens name it."""
        if not self.token:
            raise Skipped("there is no token.")
        return str(_claims(self.token)["aud"])


def check_health(instance: TriedInstance) -> str:
    """Check that the instance answers, and reaches its store."""
    began = time.monotonic()
    response = _expect(instance.send("GET", "/public/health"), HTTPStatus.OK)
    state = read_json(response)
    if state.get("store") != "reachable":
        raise CheckFailed(f'the store is {state.get("store")}, and should be "reachable".')
    return f"version {state.get('version')}, {round((time.monotonic() - began) * 1000)} ms"


def check_headers(instance: TriedInstance) -> str:
    """Check the headers of a response, and that an error says what is wrong and how to find it in the log."""
    response = _expect(instance.send("GET", "/no/such/address"), HTTPStatus.NOT_FOUND)
    wanted = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    for name, value in wanted.items():
        if response.headers.get(name) != value:
            raise CheckFailed(f"{name} is {response.headers.get(name)!r}, and should be {value!r}.")
    if response.headers.get("Content-Type") != "application/problem+json" or not read_json(response).get(
        "traceId"
    ):
        raise CheckFailed("a 404 is not a problem document with a traceId.")
    return "no-store, nosniff, problem details with a traceId"


def check_clock(instance: TriedInstance) -> str:
    """Check that the clocks of the instance and of this machine agree."""
    response = instance.send("GET", "/public/health")
    there = parsedate_to_datetime(response.headers["Date"]).timestamp()
    difference = abs(there - time.time())
    if difference > MAX_CLOCK_DIFFERENCE:
        raise CheckFailed(
            f"it differs from the clock of this machine by {round(difference)} s. Tokens would not be valid."
        )
    return f"differs by {round(difference)} s"


def check_options(instance: TriedInstance) -> str:
    """Check OPTIONS, which browsers send before a request to another origin, and unsupported methods."""
    response = _expect(instance.send("OPTIONS", "/public/token/getJwtToken"), HTTPStatus.NO_CONTENT)
    allowed = response.headers.get("Allow", "")
    if "POST" not in allowed:
        raise CheckFailed(f"Allow is {allowed!r}, and should have POST.")
    _expect(instance.send("DELETE", "/public/health"), HTTPStatus.METHOD_NOT_ALLOWED)
    return f"Allow: {allowed}"


def check_tokens(instance: TriedInstance) -> str:
    """Check that a password gives a token, and that an altered token and a missing one are refused."""
    credentials = {"username": instance.credentials.username, "password": instance.credentials.password}
    response = _expect(instance.send("POST", "/public/token/getJwtToken", json=credentials), HTTPStatus.OK)
    instance.token = str(read_json(response)["access_token"])
    claims = _claims(instance.token)
    if abs(claims["iat"] - time.time()) > MAX_CLOCK_DIFFERENCE:
        raise CheckFailed("the token was issued at another time than now.")
    path = f"/auth/api/graphql/{instance.application}"
    body, signature = instance.token.rsplit(".", 1)
    forged = f"{body}.{signature[::-1]}"
    for headers in ({}, {"Authorization": f"Bearer {forged}"}):
        _expect(
            instance.send("POST", path, json={"query": "{ __typename }"}, headers=headers),
            HTTPStatus.UNAUTHORIZED,
        )
    return f"valid for {(claims['exp'] - claims['iat']) // 60} minutes; others are refused"


def check_sign_in(instance: TriedInstance) -> str:
    """Check that each way to sign in is listed, and that the instance reaches each identity provider."""
    response = instance.send("GET", "/public/signIn", headers={"Accept": "application/json"})
    ways = json.loads(_expect(response, HTTPStatus.OK).text)
    names = [way["name"] for way in ways]
    for name in names:
        if name != "password":
            asked = {"returnTo": f"{instance.base_url}/", "challenge": "c" * 43}
            begun = instance.send("GET", f"/public/signIn/{name}", params=asked)
            location = _expect(begun, HTTPStatus.FOUND).headers.get("Location", "")
            if "code_challenge=" not in location:
                raise CheckFailed(f"the provider {name} has the address {location!r}, without PKCE.")
    return ", ".join(names)


def check_console(instance: TriedInstance) -> str:
    """Check the page of the console at an address below its own, and each file that it loads."""
    links = read_json(_expect(instance.send("GET", "/"), HTTPStatus.OK))["links"]
    if "console" not in links:
        raise Skipped("it is switched off.")
    page = _expect(instance.send("GET", "/console/smoke/a.b"), HTTPStatus.OK).text
    right = f'<base href="{urlsplit(instance.base_url).path}/console/">'
    if right not in page:
        raise CheckFailed(f"the page lacks {right}. Set STRATABASE_BASE_URL to {instance.base_url}.")
    files = _ASSET.findall(page)
    for file in files:
        _expect(instance.send("GET", f"/console/{file}"), HTTPStatus.OK)
    return f"the page has {pluralize(len(files), 'file')}"


def check_graphql(instance: TriedInstance) -> str:
    """Check a query, also in gzip, and a query with a mistake."""
    path = f"/auth/api/graphql/{instance.application}"
    for encoding in ("identity", "gzip"):
        headers = {"Accept-Encoding": encoding}
        response = instance.as_member("POST", path, json={"query": "{ __typename }"}, headers=headers)
        answer = read_json(_expect(response, HTTPStatus.OK))
        if answer != {"data": {"__typename": "Query"}}:
            raise CheckFailed(f"the answer with the encoding {encoding} is {json.dumps(answer)[:200]}.")
    wrong = read_json(instance.as_member("POST", path, json={"query": "{ no_such_service }"}))
    if not wrong.get("errors"):
        raise CheckFailed("a query with an unknown service has no errors.")
    return f"the application {instance.application} answers"


def check_file_transfer(instance: TriedInstance) -> str:
    """Upload a file in several requests, download it in one, compare the bytes, and delete it."""
    target = instance.file_target
    if target is None:
        raise Skipped("no attribute takes such a file. Name one with --file CLASS.ATTRIBUTE (make: FILE=…).")
    if not instance.token:
        raise Skipped("there is no token.")
    credentials = TokenCredentials(instance.token)
    with _random_file(instance) as path, Connection(instance.base_url, credentials) as connection:
        with open_local_file(path) as file, TransferBar("upload", file.size) as bar:
            transfer = ResumableTransfer("smoke", instance.base_url, path)
            reference = TusUpload(connection, file, target, transfer).run(bar)
            transfer.forget()
        address = pending_file_address(instance.base_url, target, reference["pendingFileId"])
        try:
            began, digest, size = time.monotonic(), hashlib.sha256(), 0
            first = 0.0
            for chunk in connection.read(connection.send("GET", address, stream=True)):
                first = first or time.monotonic() - began
                digest.update(chunk)
                size += len(chunk)
            seconds = time.monotonic() - began
        finally:
            connection.send("DELETE", address, headers={"Tus-Resumable": "1.0.0"})
            gone = connection.send("GET", address, (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)).status_code
        if gone == HTTPStatus.OK:
            raise CheckFailed("the file is still there after it was deleted.")
        if digest.digest() != hashlib.sha256(path.read_bytes()).digest():
            raise CheckFailed(f"the file came back with other bytes ({size:,} of {instance.file_size:,}).")
    return (
        f"{pluralize(size // 1024 // 1024, 'megabyte')} came back unchanged; "
        f"the first byte after {round(first * 1000)} ms, the last after {round(seconds * 1000)} ms"
    )


def check_sign_out(instance: TriedInstance) -> str:
    """End the session that the check of tokens has begun, so that nothing stays."""
    claims = _claims(instance.token) if instance.token else {}
    path = f"/auth/administration/members/{claims.get('__id')}/sessions/{claims.get('sid')}"
    _expect(instance.as_member("DELETE", path), HTTPStatus.NO_CONTENT)
    return "the session has ended"


SMOKE_CHECKS: Mapping[str, Callable[[TriedInstance], str]] = {
    "health": check_health,
    "headers": check_headers,
    "clock": check_clock,
    "methods": check_options,
    "tokens": check_tokens,
    "sign-in": check_sign_in,
    "console": check_console,
    "GraphQL": check_graphql,
    "files": check_file_transfer,
    "sign-out": check_sign_out,
}
"""The checks by name, in their order. Each returns what it has found."""


def smoke(
    instance: TriedInstance, checks: Mapping[str, Callable[[TriedInstance], str]] = SMOKE_CHECKS
) -> Iterator[Outcome]:
    """Run the checks in order, and yield their outcomes. If there is no connection, the others don't run."""
    for name, check in checks.items():
        try:
            yield Outcome(failed=False, line=f"ok       {name}: {check(instance)}")
        except Skipped as skipped:
            yield Outcome(failed=False, line=f"skipped  {name}: {skipped}")
        except requests.exceptions.RequestException as error:
            text = f"no connection to {instance.base_url}: {reason_of(error)}."
            yield Outcome(failed=True, line=f"FAILED   {name}: {text}")
            return
        except (CheckFailed, CommandError) as error:
            yield Outcome(failed=True, line=f"FAILED   {name}: {error}")


def _expect(response: requests.Response, status: HTTPStatus) -> requests.Response:
    if response.status_code != status:
        text = " ".join(response.text.split())[:300]
        raise CheckFailed(
            f"{response.request.method} {response.url} answered {response.status_code}, and should answer "
            f"{status.value}: {text}"
        )
    return response


def _claims(token: str) -> dict[str, Any]:
    """Return what a token says, without a check of its signature."""
    content = token.split(".")[1]
    return dict(json.loads(base64.urlsafe_b64decode(content + "=" * (-len(content) % 4))))


@contextmanager
def _random_file(instance: TriedInstance) -> Iterator[Path]:
    """Yield a file of random bytes, with the signature of PDF if that is what the attribute takes."""
    with TemporaryDirectory(prefix="stratabase-smoke-") as folder:
        path = Path(folder) / f"smoke.{instance.extension}"
        start = b"%PDF-1.7\n" if instance.extension == "pdf" else b""
        path.write_bytes(start + os.urandom(instance.file_size - len(start)))
        yield path
