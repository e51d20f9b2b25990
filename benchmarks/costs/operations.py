"""The operations whose costs are measured: what each one sends, and the objects that it needs."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from benchmarks.costs.provider_account import ProviderAccounts
from benchmarks.costs.service import ORIGIN, Request, Service, graphql, sign_in, upload
from tests.service import PASSWORD

_WORDS = ("quick", "brown", "foxes", "jump", "over", "lazy", "dogs", "while", "seven", "wizards", "watch")
OBJECTS = 1_000
"""The number of objects of the classes whose pages are read."""
MEMBERS = 10
"""The number of objects that a role to many leads to."""
FILE = b"\x89PNG\r\n\x1a\n" + bytes(1_000_000 - 8)
MEMBERS_PATH = "/auth/administration/members"
RENEWAL = "/auth/token/refreshJwtToken"
INSIGHT = " INSIGHT"
"""A mark in a query. The measurement puts the argument `insight` in its place, or nothing."""

_chance = random.Random(7)

Send = Callable[[int], Request]
"""Returns the request of a number."""


@dataclass(frozen=True)
class Operation:
    """An operation to measure. `send` returns a request that can be sent once."""

    name: str
    send: Send
    function: str = "GraphqlFunction"
    succeeds: bool = True
    username: str = "admin"


CONSOLE = Operation("open the console", lambda _: Request("GET", "/console/"), "ConsoleFunction")
"""The page alone. Browsers keep its files."""


class Data:
    """The objects in the store, and the operations on them."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._member_count = 0
        self._plain = [self.create("Plain", name=f"name {n:06}", notes=_notes()) for n in range(OBJECTS)]
        for number in range(OBJECTS):
            self.create("Indexed", name=f"name {number:06}", notes=_notes())
        self._coded = self.create("Coded", code="code", notes=_notes())
        self._teams = [self.create("Team", name="Team", notes=_notes()) for _ in range(2)]
        workers = [
            self.create("Worker", name="Worker", notes=_notes(), team=self._teams[0]) for _ in range(MEMBERS)
        ]
        self._worker = workers[0]
        self._tag = self.create("Tag", name="Tag")
        self._order = self.create("Order", name="Order", notes=_notes(), lines=[{"name": "Line"}] * 3)
        self._vessel = self.create("Vessel", name="Vessel", notes=_notes())
        for _ in range(MEMBERS):
            self.create("Mate", name="Mate", notes=_notes(), vessel=self._vessel)
        self._instant = _now()
        for number in range(20):
            self.update("Vessel", _id=self._vessel, name=f"Vessel {number}")
        self._make_locked()
        picture = service.send(upload("photo/picture", FILE)).json()
        photo = service.ask(
            "mutation($d: PhotoCreate!) { Photo___create(data: $d) { picture { link } } }",
            d={"name": "Photo", "notes": _notes(), "picture": picture},
        )
        self._link = photo["picture"]["link"].removeprefix(ORIGIN)

    def create(self, class_name: str, **data: Any) -> str:
        """Create an object, and return its id."""
        query = f"mutation($d: {class_name}Create!) {{ {class_name}___create(data: $d) {{ _id }} }}"
        return str(self._service.ask(query, d=data)["_id"])

    def update(self, class_name: str, **data: Any) -> None:
        """Update an object."""
        self._service.ask(_update(class_name).replace(INSIGHT, ""), d=data)

    def _make_locked(self) -> None:
        self._create_member("ines")
        self._service.sign_in("ines")
        self._locked = self.create("Plain", name="locked", notes=_notes())
        self._service.ask(
            "mutation($l: [EntityID!]) { lock(locks: $l) { locked } }",
            username="ines",
            l=[{"entityName": "Plain", "_id": self._locked}],
        )

    def _create_member(self, username: str) -> None:
        new = {"username": username, "email": f"{username}@example.com", "profile": "Member"}
        id_ = self._service.send(Request("POST", MEMBERS_PATH, new)).json()["id"]
        self._service.send(Request("PUT", f"{MEMBERS_PATH}/{id_}", {"password": PASSWORD}))

    def operations(self) -> Iterator[Operation]:
        """Yield the operations. Those that need an object of their own create it before they are measured."""
        yield from self._reads()
        yield from self._creations()
        yield from self._updates()
        yield from self._locks()
        yield from self._versions()
        yield from self._files()
        yield from self._sign_ins()
        yield CONSOLE

    def _sign_ins(self) -> Iterator[Operation]:
        yield Operation("sign in (a token for a password)", self._sign_in, "TokensFunction")
        yield Operation("renew a token", lambda _: Request("GET", RENEWAL), "TokensFunction")
        by_id = "query($i: ID!) { Plain___get(_id: $i INSIGHT) { _id name notes } }"
        yield Operation(
            "get by id with an API key",
            lambda n: graphql(by_id, i=self._plain[n]),
            username=self._program,
        )
        accounts = ProviderAccounts(self._service)
        for name, send in {
            "sign in with a provider: leave": accounts.leave,
            "sign in with a provider: come back": accounts.come_back,
            "exchange a code for a token": accounts.exchange_code,
            "exchange an access token": accounts.exchange_access_token,
        }.items():
            yield Operation(name, send, "SigninFunction")

    @cached_property
    def _program(self) -> str:
        """The username of a program with an API key."""
        new = {"username": "importer", "kind": "program", "profile": "Administrator"}
        id_ = self._service.send(Request("POST", MEMBERS_PATH, new)).json()["id"]
        made = self._service.send(Request("POST", f"{MEMBERS_PATH}/{id_}/keys", {"name": "nightly"})).json()
        self._service.use_key("importer", made["key"])
        return "importer"

    def _sign_in(self, _number: int) -> Request:
        """Return the first sign-in of a member: a process keeps a verified password for a moment."""
        return sign_in(self._create_another_member())

    def sign_in_new_member(self) -> str:
        """Create a member who has a token, and return the username."""
        username = self._create_another_member()
        self._service.sign_in(username)
        return username

    def _create_another_member(self) -> str:
        self._member_count += 1
        self._create_member(f"member-{self._member_count}")
        return f"member-{self._member_count}"

    def _reads(self) -> Iterator[Operation]:
        by_id = "query($i: ID!) { Plain___get(_id: $i INSIGHT) { _id name notes } }"
        yield Operation("get by id", lambda n: graphql(by_id, i=self._plain[n]))
        worker = "query($i: ID!) { Worker___get(_id: $i INSIGHT) { _id name notes team { name notes } } }"
        yield Operation("get with a to-one role", lambda _: graphql(worker, i=self._worker))
        order = "query($i: ID!) { Order___get(_id: $i INSIGHT) { _id name lines { items { name } } } }"
        yield Operation("get with three parts", lambda _: graphql(order, i=self._order))
        team = "query($i: ID!) { Team___get(_id: $i INSIGHT) { name members { items { name notes } } } }"
        yield Operation("get with a page of 10 of a to-many role", lambda _: graphql(team, i=self._teams[0]))
        code = "query($c: String!) { Coded___getByCode(code: $c INSIGHT) { _id code notes } }"
        yield Operation("getBy unique", lambda _: graphql(code, c="code"))
        fields = "items { _id name notes }"
        yield Operation(
            "getPage of 50, order and filter on an index",
            lambda n: graphql(_page("Indexed", fields), o=_options(from_name=n)),
        )
        yield Operation(
            f"getPage of 50 without an index, class of {OBJECTS:,}",
            lambda n: graphql(_page("Plain", fields), o=_options(from_name=n)),
        )
        yield Operation(
            f"totalCount, class of {OBJECTS:,}", lambda _: graphql(_page("Plain", "totalCount"), o={})
        )

    def _creations(self) -> Iterator[Operation]:
        yield _creation("create", "Plain", lambda n: {"name": f"new {n}"})
        yield _creation("create with a uniqueness", "Coded", lambda n: {"code": f"new {n}"})
        yield _creation("create with a to-one role with an opposite", "Worker", self._in_a_team)
        yield _creation("create with a many-to-many link", "Note", lambda _: {"tags": [self._tag]})
        yield _creation(
            "create with a one-to-one role", "Driver", lambda n: {"car": self.create("Car", name=str(n))}
        )

    def _in_a_team(self, _number: int) -> dict[str, Any]:
        return {"name": "Worker", "team": self._teams[1]}

    def _updates(self) -> Iterator[Operation]:
        yield Operation(
            "update, unversioned",
            lambda n: graphql(_update("Plain"), d={"_id": self._plain[n], "name": f"changed {n}"}),
        )
        yield Operation(
            "update, versioned",
            lambda n: graphql(_update("Vessel"), d={"_id": self._vessel, "name": f"changed {n}"}),
        )
        yield Operation(
            "update of a unique value",
            lambda n: graphql(_update("Coded"), d={"_id": self._coded, "code": f"changed {n}"}),
        )
        yield Operation("update of a to-one role", self._move)
        for name, class_name in {"delete, unversioned": "Plain", "delete, versioned": "Mate"}.items():
            yield Operation(name, lambda n, class_name=class_name: self._delete(class_name, n))  # type: ignore[misc]

    def _move(self, _number: int) -> Request:
        worker = self.create("Worker", name="Worker", notes=_notes(), team=self._teams[0])
        return graphql(_update("Worker"), d={"_id": worker, "team": {"set": self._teams[1]}})

    def _delete(self, class_name: str, number: int) -> Request:
        id_ = self.create(class_name, name=f"short-lived {number}", notes=_notes())
        return graphql(f"mutation($i: ID!) {{ {class_name}___delete(_id: $i INSIGHT) {{ deleted }} }}", i=id_)

    def _locks(self) -> Iterator[Operation]:
        yield Operation("lock one", lambda _: self._lock("Plain", self._fresh(1)))
        yield Operation("lock ten", lambda _: self._lock("Plain", self._fresh(10)))
        yield Operation("lock a part", self._lock_part)
        yield Operation(
            "a write refused by a lock",
            lambda n: graphql(_update("Plain"), d={"_id": self._locked, "name": f"changed {n}"}),
            succeeds=False,
        )

    def _fresh(self, count: int) -> list[str]:
        return [self.create("Plain", name="locked", notes=_notes()) for _ in range(count)]

    def _lock(self, class_name: str, ids: list[str]) -> Request:
        locks = [{"entityName": class_name, "_id": each} for each in ids]
        return graphql("mutation($l: [EntityID!]) { lock(locks: $l) { locked } }", l=locks)

    def _lock_part(self, _number: int) -> Request:
        query = "mutation($d: OrderCreate!) { Order___create(data: $d) { lines { items { _id } } } }"
        order = self._service.ask(query, d={"name": "Order", "notes": _notes(), "lines": [{"name": "Line"}]})
        return self._lock("Line", [order["lines"]["items"][0]["_id"]])

    def _versions(self) -> Iterator[Operation]:
        arguments = "query($i: ID!, $v: Datetime!) { Vessel___getVersion(_id: $i, atVersion: $v INSIGHT) "
        yield Operation(
            "getVersion",
            lambda _: graphql(arguments + "{ name notes } }", i=self._vessel, v=self._instant),
        )
        page = "query($i: ID!) { Vessel___getVersionPage(_id: $i INSIGHT) { items { name notes } } }"
        yield Operation("getVersionPage of 10", lambda _: graphql(page, i=self._vessel))
        for _ in range(10):
            gone = self.create("Mate", name="Mate", notes=_notes())
            self._service.ask("mutation($i: ID!) { Mate___delete(_id: $i) { deleted } }", i=gone)
        items = "items { object { name notes } deletedOn }"
        deleted = f"{{ Mate___getDeletedPage(options: {{next: 10}} INSIGHT) {{ {items} }} }}"
        yield Operation("getDeletedPage of 10", lambda _: graphql(deleted))
        past = "query($v: Datetime!) { Mate___getPage(atVersion: $v, options: {next: 10} INSIGHT) "
        yield Operation(
            "getPage of 10 as of an instant",
            lambda _: graphql(past + "{ items { name notes } } }", v=self._instant),
        )
        mates = arguments + "{ name mates { items { name notes } } } }"
        yield Operation(
            "to-many role as of an instant", lambda _: graphql(mates, i=self._vessel, v=self._instant)
        )

    def _files(self) -> Iterator[Operation]:
        yield Operation("upload of 1 MB", lambda _: upload("photo/picture", FILE), "FilesFunction")
        yield _creation("bind (create with that file)", "Photo", self._with_a_file)
        yield Operation("download of 1 MB", lambda _: Request("GET", self._link), "DownloadFunction")

    def _with_a_file(self, _number: int) -> dict[str, Any]:
        return {"name": "Photo", "picture": self._service.send(upload("photo/picture", FILE)).json()}


def _creation(name: str, class_name: str, values: Callable[[int], dict[str, Any]]) -> Operation:
    query = f"mutation($d: {class_name}Create!) {{ {class_name}___create(data: $d INSIGHT) {{ _id }} }}"
    return Operation(name, lambda n: graphql(query, d={"notes": _notes(), **values(n)}))


def _update(class_name: str) -> str:
    return f"mutation($d: {class_name}Update!) {{ {class_name}___update(data: $d INSIGHT) {{ _id }} }}"


def _page(class_name: str, selection: str) -> str:
    call = f"{class_name}___getPage(options: $o INSIGHT)"
    return f"query($o: {class_name}PageOptions) {{ {call} {{ {selection} }} }}"


def _options(from_name: int) -> dict[str, Any]:
    return {"next": 50, "orderBy": ["name___ASC"], "filter": {"name___gte": f"name {from_name:06}"}}


def _notes() -> str:
    """Return a text of about 400 characters, which compresses like notes that people write."""
    return " ".join(_chance.choice(_WORDS) + str(_chance.randrange(100)) for _ in range(62))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
