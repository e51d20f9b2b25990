"""A service in the test process with its own store, a frozen clock and deterministic random numbers.

This is the only module of this package that imports the product: when its names change, only this follows.
"""

import base64
import io
import json
import math
import os
import random
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock
from urllib.parse import parse_qs, urlsplit

from argon2 import PasswordHasher
from graphql import parse, print_ast, visit
from graphql.language import Node, StringValueNode, Visitor

from stratabase.cli.main import main as command_line
from stratabase.core.app.app import App
from stratabase.core.settings import Settings
from stratabase.core.store.write import cleanup
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.app.member_services import MemberServices
from stratabase_aws.endpoint import new_session
from stratabase_aws.functions import http_handler
from tests import ministack

PASSWORD = "correct horse battery staple"
START = 1_795_334_400_000
"""The instant before the first request: 2026-11-22T08:00:00Z, in milliseconds."""
SQLITE, DYNAMODB = "sqlite", "dynamodb"
STORES = (SQLITE, DYNAMODB)
_FILES = ("objects", "members")
_LINK = re.compile(r"https?://\S+")
_BATCH = 25
"""How many items DynamoDB accepts in one batch."""
_ATTEMPT = '"pk":{"S":"A#'
"""The beginning of a recorded sign-in attempt's key. Dumps leave out these items."""
_verify, _urandom = PasswordHasher.verify, os.urandom


class FrozenEnvironment:
    """A frozen clock and a deterministic source of random bytes for this process."""

    def __init__(self, now: int = START) -> None:
        self.now = now
        self._draws: dict[tuple[int, int], int] = {}

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Replace the clock and the random source of this process. Sleeping advances the clock."""
        with (
            mock.patch.object(time, "time_ns", self._nanoseconds),
            mock.patch.object(time, "sleep", self._sleep),
            mock.patch.object(os, "urandom", self._random_bytes),
            mock.patch.object(random, "_urandom", self._random_bytes),
            mock.patch.object(
                PasswordHasher, "verify", lambda _, hashed, password: _is_right(hashed, password)
            ),
            mock.patch.object(cleanup, "MAX_CLEANUP_SECONDS", math.inf),
        ):
            yield

    def _nanoseconds(self) -> int:
        return self.now * 1_000_000

    def _sleep(self, seconds: float) -> None:
        self.now += round(seconds * 1000)

    def _random_bytes(self, number: int) -> bytes:
        """Return bytes that depend on the instant, on `number`, and on how often that many were requested.

        Callers that request 16 bytes therefore do not affect callers that request 10.
        """
        key = (self.now, number)
        self._draws[key] = draw = self._draws.get(key, 0) + 1
        found, block = b"", 0
        while len(found) < number:
            found += sha256(f"{self.now} {number} {draw} {block}".encode()).digest()
            block += 1
        return found[:number]


@cache
def _is_right(hashed: str, password: str) -> bool:
    """Verify a password. The result is cached, because hashing is slow on purpose."""
    return _verify(PasswordHasher(), hashed, password)


class Service:
    """A service over one store. `close` releases the store, and `open` restarts the service on it."""

    def __init__(self, home: Path, store: str, name: str) -> None:
        """Prepare a service in a data folder. `name` is the name of its DynamoDB tables."""
        self.home, self.store = home, store
        self._tables = {"objects": name, "members": f"{name}-members"}
        self._instance: App | None = None
        self._doors: dict[str, Callable[..., dict[str, Any]]] = {}
        self._environment = {
            "STRATABASE_HOME": str(home),
            "STRATABASE_STORE": store,
            "STRATABASE_ADMIN_PASSWORD": PASSWORD,
            "STRATABASE_BASE_URL": "https://api.example.com",
            "STRATABASE_LOG_LEVEL": "ERROR",
            "STRATABASE_READ_SECONDS": "900",
            "STRATABASE_BULK_SECONDS": "900",
            "STRATABASE_TABLE": self._tables["objects"],
            "STRATABASE_MEMBERS_TABLE": self._tables["members"],
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
        }
        if store == DYNAMODB:
            self._environment["STRATABASE_ENDPOINT"] = str(ministack.endpoint().url)
            self._environment["STRATABASE_CREATE_TABLES"] = "on"

    def open(self, model: str) -> None:
        """Serve a model, given as text. The first call creates the member `admin`."""
        self.close()
        file = self.home / "model.graphql"
        file.write_text(model)
        self._environment["STRATABASE_MODEL"] = str(file)
        with self._in_environment():
            instance = self._instance = App(Settings.from_environment(os.environ))
            # The first use of the table of members checks its mark. This request draws random bytes, as any
            # request of botocore, which the version that recorded the store did not.
            members = instance.part(AuthServices).members
            with mock.patch.object(os, "urandom", _urandom):
                members.any()
            instance.part(MemberServices).create_first_administrator()
            self._doors = {name: http_handler(name, instance) for name in ("graphql", "members")}

    def close(self) -> None:
        """Stop the service, and release the store."""
        if self._instance is not None:
            self._instance.close()
        self._instance = None

    def graphql(self, caller: str, trace: str, query: str, variables: Mapping[str, Any]) -> Any:
        """Send a GraphQL request, and return the decoded response."""
        body = {"query": query, "variables": variables}
        answer = self._answer(
            "graphql", "POST", "/auth/api/graphql/{application}", {"application": "Kept"}, caller, trace, body
        )
        return json.loads(answer["body"])

    def rest(  # noqa: PLR0917 - all that a request is made of
        self, caller: str, trace: str, method: str, resource: str, id_: str | None, body: Any
    ) -> dict[str, Any]:
        """Send a REST request, and return status and decoded body. `id_` fills {id} in the address."""
        parameters = {} if id_ is None else {"id": id_}
        answer = self._answer("members", method, resource, parameters, caller, trace, body)
        types = answer["multiValueHeaders"].get("Content-Type", [""])
        text = answer["body"]
        return {"status": answer["statusCode"], "body": json.loads(text) if "json" in types[0] else text}

    def sdl(self) -> str:
        """Return the schema that the service publishes."""
        parameters = {"application": "Kept"}
        resource = "/auth/api/schema/{application}"
        return str(self._answer("graphql", "GET", resource, parameters, "admin", "trace", None)["body"])

    def mailed_token(self) -> str:
        """Remove the only mail from the outbox, and return the token of its link."""
        (file,) = (self.home / "outbox").glob("*.eml")
        text = file.read_text().replace("=\n", "").replace("=3D", "=")
        file.unlink()
        (token,) = parse_qs(urlsplit(_LINK.findall(text)[0]).query)["token"]
        return str(token)

    def forget_mails(self) -> None:
        """Remove all mails from the outbox."""
        for file in (self.home / "outbox").glob("*.eml"):
            file.unlink()

    def reindex(self) -> None:
        """Run `stratabase reindex`."""
        with self._in_environment(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            assert command_line(["reindex"]) == 0

    def sweep(self) -> None:
        """Finish the work that deletions have left."""
        assert self._instance is not None
        for _ in self._instance.entities.sweep_steps():
            pass

    @contextmanager
    def leaving(self) -> Iterator[None]:
        """Make deletions leave as much work as possible to the sweep, as if their time had expired."""
        with mock.patch.object(cleanup, "MAX_CLEANUP_SECONDS", -1.0):
            yield

    def dump(self) -> dict[str, list[str]]:
        """Return the stored objects and members as lines of text."""
        return {
            file: _sql_of(self.home / f"{file}.db") if self.store == SQLITE else _lines_of(self._tables[file])
            for file in _FILES
        }

    def fill(self, dump: Mapping[str, Iterable[str]], model: str) -> None:
        """Fill an empty store with the result of `dump`."""
        if self.store == SQLITE:
            for file in _FILES:
                with closing(sqlite3.connect(self.home / f"{file}.db")) as connection:
                    connection.executescript("\n".join(["BEGIN;", *dump[file], "COMMIT;"]))
            return
        # The service creates the tables. The items that it writes at its start are deleted.
        self.open(model)
        self.close()
        client = _client()
        for file, table in self._tables.items():
            for line in _lines_of(table)[1:]:
                item = json.loads(line)
                client.delete_item(TableName=table, Key={name: item[name] for name in _key_names(table)})
            puts = [{"PutRequest": {"Item": json.loads(line)}} for line in [*dump[file]][1:]]
            for start in range(0, len(puts), _BATCH):
                done = client.batch_write_item(RequestItems={table: puts[start : start + _BATCH]})
                assert not done["UnprocessedItems"]

    def drop(self) -> None:
        """Close the store, and delete its data in the emulator."""
        self.close()
        if self.store == DYNAMODB:
            for table in self._tables.values():
                _client().delete_table(TableName=table)

    @contextmanager
    def _in_environment(self) -> Iterator[None]:
        with mock.patch.dict(os.environ, self._environment):
            yield

    def _answer(  # noqa: PLR0917 - as above
        self,
        door: str,
        method: str,
        resource: str,
        parameters: Mapping[str, str],
        caller: str,
        trace: str,
        body: Any,
    ) -> dict[str, Any]:
        credentials = base64.b64encode(f"{caller}:{PASSWORD}".encode()).decode()
        path = resource.format(**parameters)
        event = {
            "httpMethod": method,
            "resource": resource,
            "path": path,
            "pathParameters": dict(parameters),
            "multiValueHeaders": {
                "Content-Type": ["application/json"],
                **({"Authorization": [f"Basic {credentials}"]} if path.startswith("/auth/") else {}),
            },
            "multiValueQueryStringParameters": {"format": ["json"]},
            "requestContext": {"requestId": trace, "identity": {"sourceIp": "192.0.2.7"}},
            "body": None if body is None else json.dumps(body),
        }
        with self._in_environment():
            return self._doors[door](event)


@contextmanager
def service(store: str, environment: FrozenEnvironment, name: str) -> Iterator[Service]:
    """Yield a service on an empty store, with a frozen clock and deterministic random bytes."""
    with TemporaryDirectory(prefix="kept-") as home:
        built = Service(Path(home), store, name)
        with environment.frozen():
            try:
                yield built
            finally:
                built.drop()


def documents(model: str) -> tuple[str, Any]:
    """Return the generated SDL and OpenAPI document of a model, both without descriptions."""
    with service(SQLITE, FrozenEnvironment(), "documents") as built:
        built.open(model)
        answer = built.rest("admin", "trace", "GET", "/public/openapi.json", None, None)
        return _bare_sdl(built.sdl()), _bare_openapi(answer["body"])


class _Descriptions(Visitor):
    """A visitor that removes the descriptions from a schema."""

    def enter(self, node: Node, *_: Any) -> Node:
        if isinstance(getattr(node, "description", None), StringValueNode):
            return replace(node, description=None)  # type: ignore[call-arg]
        return node


def _bare_sdl(sdl: str) -> str:
    return print_ast(visit(parse(sdl), _Descriptions())) + "\n"


def _bare_openapi(document: Any) -> Any:
    if isinstance(document, dict):
        return {
            name: _bare_openapi(value)
            for name, value in document.items()
            if not (name in ("description", "summary") and isinstance(value, str))
        }
    return [_bare_openapi(value) for value in document] if isinstance(document, list) else document


def _sql_of(file: Path) -> list[str]:
    """Return SQL statements that recreate a database file. The rows of each table are sorted."""
    with closing(sqlite3.connect(file)) as connection:
        lines = [
            f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};"
            for name in ("application_id", "user_version")
        ]
        schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name"
        lines += [f"{' '.join(sql.split())};" for (sql,) in connection.execute(schema)]
        tables = (
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name"
        )
        for (table,) in connection.execute(tables).fetchall():
            lines += _inserts(connection, table)
    return lines


def _inserts(connection: sqlite3.Connection, table: str) -> list[str]:
    columns = [
        name
        for _, name, kind, _, _, key in connection.execute(f"PRAGMA table_info({table})")
        if not (key and kind == "INTEGER")
    ]
    rows = connection.execute(f"SELECT {', '.join(f'quote({name})' for name in columns)} FROM {table}")
    found = []
    for row in rows:
        value = {name: text for name, text in zip(columns, row, strict=True) if text != "NULL"}
        found.append(f"INSERT INTO {table} ({', '.join(value)}) VALUES ({', '.join(value.values())});")
    return sorted(found)


@cache
def _client() -> Any:
    place = ministack.endpoint()
    return new_session().create_client(
        "dynamodb",
        region_name=place.region,
        endpoint_url=place.url,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


def _key_names(table: str) -> list[str]:
    return [key["AttributeName"] for key in _client().describe_table(TableName=table)["Table"]["KeySchema"]]


def _lines_of(table: str) -> list[str]:
    """Return the layout of a table as one line, then one line for each item, sorted."""
    client = _client()
    found = client.describe_table(TableName=table)["Table"]
    indexes = [
        {
            "IndexName": index["IndexName"],
            "KeySchema": index["KeySchema"],
            "Projection": _kept(index["Projection"]),
        }
        for index in sorted(found.get("GlobalSecondaryIndexes", []), key=lambda index: index["IndexName"])
    ]
    attributes = sorted(found["AttributeDefinitions"], key=lambda one: one["AttributeName"])
    layout = {"KeySchema": found["KeySchema"], "AttributeDefinitions": attributes, "Indexes": indexes}
    pages = client.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    items = sorted(_text(item) for page in pages for item in page["Items"])
    return [_text(layout), *(line for line in items if _ATTEMPT not in line)]


def _kept(projection: dict[str, Any]) -> dict[str, Any]:
    """Return the projection of an index as it was kept: with the commit ids, which are no longer in it."""
    if projection["NonKeyAttributes"] != ["state", "versionStart"]:
        return projection
    return {**projection, "NonKeyAttributes": ["state", "commitIds", "versionStart"]}


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=_bytes)


def _bytes(value: Any) -> str:
    return base64.b64encode(value).decode()
