"""What each part of a request adds to its CPU time: the table of docs/performance.md.

`python -m benchmarks steps` sends pairs of requests that differ in one thing, such as how many objects a page
has. The figure of a row is the difference, for one of these things.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import count, cycle, repeat
from pathlib import Path
from typing import NamedTuple

from benchmarks import staff
from benchmarks.http_rows import (
    BARE,
    BARE_REQUESTS,
    CONNECTIONS,
    EMPTY,
    OWN,
    Client,
    bare_server,
    different_days,
    server,
)
from benchmarks.table import Figure, print_table
from benchmarks.turns import Server, Turn, least, take_turns
from tests.service import RunningService, running

OBJECTS = 10_000
UPDATED = 64
"""The number of objects that updates change in turn, so that no two of them change one at the same time."""
ROUNDS = 12
MODEL = f"""{staff.MODEL}
type Plain {{ a: String b: String c: String }}
type Indexed @index(attributes: ["a"]) @index(attributes: ["b"]) @index(attributes: ["c"]) {{
  a: String b: String c: String
}}
type Unique @unique(attributes: ["a"]) @unique(attributes: ["b"]) @unique(attributes: ["c"]) {{
  a: String b: String c: String
}}
type Kept @class(versioned: true) {{ a: String b: String c: String }}
type Bundle {{ a: String parts: [Item!] @composition }}
type Item {{ a: String b: String c: String }}
"""
BY_NAME = "orderBy: [last_name___ASC, first_name___ASC]"
BY_DATE = "orderBy: [hired_on___ASC], filter: {hired_on___gte: $date}"
"""Six in ten employees match."""
PAGE = "{ MORE items { SELECTION } }"
HEALTH = b"GET /public/health HTTP/1.1\r\nHost: localhost\r\n\r\n"

Requests = Iterator[bytes]


class Step(NamedTuple):
    """Two kinds of requests, of which the second does the same `times` more of something."""

    name: str
    number: int
    """How many requests of each kind a round sends."""
    without: str
    """The name of the first kind of requests."""
    within: str
    times: int = 1


STEPS = (
    Step("HTTP: an empty answer of the bare server", 400, "", "bare"),
    Step("gateway and edge: an answer without a caller", 400, "bare", "health"),
    Step("caller, document, one object by its id", 400, "health", "get"),
    Step("each attribute of an object more", 400, "get", "get 8", 7),
    Step("a page instead of an object by its id", 400, "get", "page of 1"),
    Step("each object on a page", 60, "page of 1", "page of 50", 49),
    Step("each attribute of an object on a page", 60, "page of 50", "page of 50, 8", 50 * 6),
    Step("each date of an object on a page", 60, "page of 50", "page of 50, dates", 50 * 2),
    Step("a filter without an index, which skips 33 objects", 60, "page of 50", "filtered"),
    Step("each object that is read without an index", 2, "page of 50", "unindexed", OBJECTS),
    Step("the object to which a role leads, each", 60, "page of 50", "page of 50, team", 50),
    Step("totalCount by an index, each 1,000 entries", 20, "page by index", "page by index, count", 6),
    Step("a text with new values instead of variables", 60, "get", "get, values"),
    Step("a text never seen before: get", 60, "get", "get, new"),
    Step("a text never seen before: page", 60, "page of 50", "page, new"),
    Step("a create, durable", 200, "health", "create Plain"),
    Step("each index of a create", 200, "create Plain", "create Indexed", 3),
    Step("each unique attribute of a create", 200, "create Plain", "create Unique", 3),
    Step("each part of a create", 100, "create bundle", "create bundle of 10", 10),
    Step("an update, durable", 200, "health", "update Plain"),
    Step("the version that an update keeps", 200, "update Plain", "update Kept"),
)


def main(folder: Path) -> None:
    """Print what each step adds, in milliseconds and in empty answers of the bare server."""
    model = folder / "staff.graphql"
    model.write_text(MODEL)
    home = folder / "home"
    with bare_server() as bare, running(home, model=model, application=staff.APPLICATION) as service:
        with closing(staff.Staff(home)) as filled:
            filled.grow(OBJECTS)
        made = {name: [_made(service, name) for _ in range(UPDATED)] for name in ("Plain", "Kept")}
        kinds = _kinds(Client(service), filled.ids, made)
        times = _measure(bare, server(service), kinds)
    added = {step: (times[step.within] - times.get(step.without, 0)) / step.times for step in STEPS}
    print_table("Steps of requests: CPU", [Figure(step.name, ms, "ms") for step, ms in added.items()])
    relative = [Figure(step.name, ms / times["bare"], "") for step, ms in added.items()]
    print_table("Steps of requests: CPU in empty answers of the bare server", relative)


def _measure(bare: Server, own: Server, kinds: Mapping[str, Requests]) -> Mapping[str, float]:
    """Return the CPU milliseconds of each kind of request: the least of several rounds."""
    numbers: dict[str, int] = {}
    for step in STEPS:
        for kind in (step.without, step.within):
            numbers[kind] = max(step.number, numbers.get(kind, 0))
    turns = [
        Turn(BARE, kind, requests, BARE_REQUESTS)
        if kind == "bare"
        else Turn(OWN, kind, requests, numbers[kind])
        for kind, requests in kinds.items()
    ]
    taken = take_turns({BARE: bare, OWN: own}, turns, rounds=ROUNDS, connections=CONNECTIONS)
    return {kind: sum(least(rounds).values()) * 1000 for (kind, _), rounds in taken.items()}


def _made(service: RunningService, class_name: str) -> str:
    """Create an object, and return its id."""
    answer = service.graphql(f'mutation {{ {class_name}___create(data: {{a: "x"}}) {{ _id }} }}')
    return str(answer["data"][f"{class_name}___create"]["_id"])


def _kinds(client: Client, ids: list[str], made: Mapping[str, list[str]]) -> Mapping[str, Requests]:
    """Return the requests of each kind, without end."""
    new = count(1)

    def gets(selection: str) -> Requests:
        query = f"query($id: ID!) {{ Employee___get(_id: $id) {{ {selection} }} }}"
        return (client.request(query, {"id": id_}) for id_ in cycle(ids))

    def pages(selection: str, size: int = 50, options: str = BY_NAME) -> Requests:
        query = f"query($n: Int!) {{ Employee___getPage(options: {{next: $n, {options}}}) {PAGE} }}"
        query = query.replace("SELECTION", selection).replace("MORE", "")
        return cycle([client.request(query, {"n": size})])

    def by_date(more: str = "") -> Requests:
        query = f"query($date: Date!) {{ Employee___getPage(options: {{next: 50, {BY_DATE}}}) {PAGE} }}"
        query = query.replace("SELECTION", "last_name").replace("MORE", more)
        return (client.request(query, {"date": day}) for day in different_days())

    def creates(class_name: str, parts: int | None = None) -> Requests:
        query = f"mutation($d: {class_name}Create!) {{ {class_name}___create(data: $d) {{ _id }} }}"
        for number in new:
            data: dict[str, object] = {"a": f"a{number}", "b": f"b{number}", "c": f"c{number}"}
            if parts is not None:
                data = {"a": "a", "parts": [data] * parts}
            yield client.request(query, {"d": data})

    def updates(class_name: str) -> Requests:
        query = f"mutation($d: {class_name}Update!) {{ {class_name}___update(data: $d) {{ _id }} }}"
        changes = zip(cycle(made[class_name]), new, strict=False)
        return (client.request(query, {"d": {"_id": id_, "a": f"{number}"}}) for id_, number in changes)

    get = 'query { Employee___get(_id: "%s") { last_name } }'
    new_get = 'query { Employee___get(_id: "%s") { last_name new%d: _id } }'
    new_page = f"query {{ Employee___getPage(options: {{next: 50, {BY_NAME}}}) {PAGE} }}".replace("MORE", "")
    new_page = new_page.replace("SELECTION", "last_name new%d: _id")
    others = "_id first_name email badge salary phone"
    return {
        "bare": repeat(EMPTY),
        "health": repeat(HEALTH),
        "get": gets("last_name"),
        "get 8": gets(f"last_name {others} hired_on"),
        "page of 1": pages("last_name", 1),
        "page of 50": pages("last_name"),
        "page of 50, 8": pages(f"last_name {others}"),
        "page of 50, dates": pages("last_name date_of_birth hired_on"),
        "filtered": pages("last_name", options=f'{BY_NAME}, filter: {{salary___gte: "400"}}'),
        "unindexed": pages("last_name", options="orderBy: [salary___ASC]"),
        "page of 50, team": pages("last_name team { name }"),
        "page by index": by_date(),
        "page by index, count": by_date("totalCount"),
        "get, values": (client.request(get % id_) for id_ in cycle(ids)),
        "get, new": (client.request(new_get % (id_, next(new))) for id_ in cycle(ids)),
        "page, new": (client.request(new_page % number) for number in new),
        "create Plain": creates("Plain"),
        "create Indexed": creates("Indexed"),
        "create Unique": creates("Unique"),
        "create bundle": creates("Bundle", 0),
        "create bundle of 10": creates("Bundle", 10),
        "update Plain": updates("Plain"),
        "update Kept": updates("Kept"),
    }
