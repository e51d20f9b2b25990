"""The requests of the recorded store: those that wrote it, queries about it, and further writes.

Each request comes a fifth of a second after the one before it, unless it says otherwise. What an answer holds
at a path can be kept under a name; "@name" stands for it in the variables of later requests.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

MODEL = (Path(__file__).parent / "model.graphql").read_text()
_LATER = (
    '  @unique(attributes: ["last_name", "born"])\n',
    '  @index(attributes: ["last_name"])\n',
    '  @index(attributes: ["price"])\n',
    ' @unique(attributes: ["name"])',
    ' @index(attributes: ["code"])',
)
"""The lines that the first model lacks, so that a reindex has to build their indexes and constraints."""


class Request(NamedTuple):
    """One request, or another action on the service."""

    kind: str
    """`graphql`, an HTTP method, or the name of a private method of `Conversation` without its underscore."""
    text: str = ""
    """A GraphQL document, or the address of a REST resource."""
    variables: Mapping[str, Any] = {}
    """The variables of a GraphQL document, or the `id` and the `body` of a REST request."""
    keep: Mapping[str, str] = {}
    """Values of the response to keep: name to path."""
    by: str = "admin"
    after: int = 200
    """Milliseconds after the request before it."""
    refused: bool = False
    """Whether the service refuses the request."""


def earlier_model() -> str:
    """Return the model that is served first, without the lines that come later."""
    text = MODEL
    for line in _LATER:
        assert line in text
        text = text.replace(line, "")
    return text


def ask(
    text: str,
    keep: Mapping[str, str] | None = None,
    *,
    by: str = "admin",
    after: int = 200,
    refused: bool = False,
    **variables: Any,
) -> Request:
    return Request("graphql", text, variables, keep or {}, by, after, refused)


def _member(name: str, **fields: str) -> list[Request]:
    """Return the requests that create a member and set the member's password with the mailed link."""
    value = {"username": name, "email": f"{name}@example.org", "profile": "Member", **fields}
    return [
        Request("POST", "/auth/administration/members", {"body": value}, {name: "id"}),
        Request("set_password", name),
    ]


START = 'start: _versionStart(format: "dd-MM-yyyy HH:mm:ss.SSS")'
PERSON = f"""_id {START} contract {{ _id }} home {{ _id rooms {{ items {{ _id }} }} }}
  phones {{ items {{ _id }} }}
  addresses {{ items {{ _id rooms {{ items {{ _id windows {{ items {{ _id }} }} }} }} }} }}"""
FORCE = ", forceWarnings: {dataValidation: true, actionVeto: true}"


def create(
    class_name: str, name: str, shown: str = "_id", keep: Mapping[str, str] | None = None, /, **options: Any
) -> Request:
    """Return the request that creates an object, and keep the object's id under `name`."""
    force, by, after = options.pop("force", False), options.pop("by", "admin"), options.pop("after", 200)
    refused = options.pop("refused", False)
    text = f"""mutation($data: {class_name}Create!) {{
      it: {class_name}___create(data: $data{FORCE if force else ""}) {{ {shown} }} }}"""
    kept = {} if refused else {name: "it._id", **(keep or {})}
    return ask(text, kept, by=by, after=after, refused=refused, data=options)


def update(
    class_name: str,
    id_: str | None,
    shown: str = "_id",
    keep: Mapping[str, str] | None = None,
    /,
    **options: Any,
) -> Request:
    """Return the request that updates an object. An `id_` of None means the singleton of the class."""
    by, after = options.pop("by", "admin"), options.pop("after", 200)
    refused = options.pop("refused", False)
    text = f"mutation($data: {class_name}Update!) {{ it: {class_name}___update(data: $data) {{ {shown} }} }}"
    data = options if id_ is None else {"_id": id_, **options}
    return ask(text, keep, by=by, after=after, refused=refused, data=data)


def delete(class_name: str, id_: str, **options: Any) -> Request:
    text = f"mutation($id: ID!) {{ it: {class_name}___delete(_id: $id) {{ deleted }} }}"
    return ask(text, id=id_, **options)


def restore(
    class_name: str, id_: str, at: str, shown: str, *, force: bool = False, **options: Any
) -> Request:
    """Return the request that restores a version of an object."""
    text = f"""mutation($id: ID!, $at: Datetime!) {{
      it: {class_name}___restoreVersion(_id: $id, atVersion: $at{FORCE if force else ""}) {{ {shown} }} }}"""
    return ask(text, id=id_, at=at, **options)


def lock(service: str, minutes: int | None, *named: tuple[str, str], **options: Any) -> Request:
    """Return the request that locks or unlocks objects."""
    value = "" if minutes is None else f", minutes: {minutes}"
    text = f"mutation($locks: [EntityID!]) {{ it: {service}(locks: $locks{value}) {{ locked minutes }} }}"
    locks = [{"entityName": class_name, "_id": id_} for class_name, id_ in named]
    return ask(text, locks=locks, **options)


def _address(street: str, *rooms: str) -> dict[str, Any]:
    created = [{"name": room, "windows": [{}, {}]} for room in rooms]
    return {"street": street, "rooms": created}


SPECIMEN: dict[str, Any] = {
    "shade": "light",
    "story": "Found on a field.\nIn the rain: žluťoučký kůň, 日本, 🦕.",
    "amount": 3,
    "price": "12.50",
    "fragile": True,
    "found_on": "2020-02-29",
    "opens_at": "08:30",
    "seen_at": "2021-06-01T12:00:00.123Z",
    "made_in": 1999,
    "mood": "GOOD",
    "email": "finder@example.org",
    "phone": "+39 06 1234567",
    "vat": "00743110157",
    "tax_code": "RSSMRA85T10A562S",
}

_MEMBERS = [
    *_member("anna", notes="Speaks English."),
    *_member("bruno", language="it", timeZone="Europe/Rome", dateFormat="d MMMM yyyy", timeFormat="HH.mm.ss"),
    *_member("clara", profile="Clerk"),
    *_member("dora"),
    *_member("erik"),
]

_FIRST_OBJECTS = [
    create("Team", "red", name="red"),
    create("Team", "blue", name="blue", by="anna"),
    create("Skill", "sing", name="sing"),
    create("Skill", "cook", name="cook", by="clara"),
    create("Skill", "dig", name="dig"),
    create("tag", "rare", name="rare"),
    create("tag", "old", name="old"),
    create("Specimen", "stone", code="AB123", **SPECIMEN, tags=["@rare", "@old"]),
    create(
        "Specimen", "bone", code="AB124", fragile=False, mood="BAD", price="999.99", found_on="2021-01-01"
    ),
    create("Specimen", "shell", code="none", fragile=True, mood="GOOD", price="3", shade="none"),
    create(
        "Person",
        "zoe",
        PERSON,
        last_name="Zoe",
        team="@red",
        skills=["@sing"],
        contract={"starts_on": "2019-01-01"},
        phones=[{"digits": "0"}],
    ),
]

_PEOPLE = [
    create("Specimen", "dust", code="none", fragile=True, mood="BAD", price="0.01"),
    create(
        "Person",
        "ada",
        PERSON,
        {
            "ada_1": "it.start",
            "ada_contract": "it.contract._id",
            "ada_phone": "it.phones.items.0._id",
            "villa": "it.addresses.items.0._id",
            "hut": "it.addresses.items.1._id",
            "kitchen": "it.addresses.items.0.rooms.items.0._id",
            "kitchen_window": "it.addresses.items.0.rooms.items.0.windows.items.0._id",
        },
        by="anna",
        last_name="Lovelace",
        email="ada@example.org",
        about="Wrote the first program.\n" * 3,
        height=165,
        salary="1234567890123456789.01",
        remote=True,
        born="1815-12-10",
        rises="06:45",
        seen="2026-11-22T07:59:59.999Z",
        since=1840,
        mood="GOOD",
        team="@red",
        mentor="@zoe",
        favourite="@sing",
        skills=["@sing", "@cook"],
        contract={"reference": "C-1", "starts_on": "2020-01-01", "ends_on": "2030-12-31"},
        home=_address("Home Street 1", "attic"),
        phones=[{"digits": "123"}, {"digits": "456"}],
        addresses=[_address("Villa Road 2", "kitchen", "hall"), _address("Hut Lane 3", "cell")],
    ),
    create(
        "Person",
        "bob",
        PERSON,
        {"bob_1": "it.start"},
        by="bruno",
        last_name="Bobson",
        email="bob@example.org",
        born="1 gennaio 1990",
        rises="07.15.00",
        seen="2 febbraio 2026 09.00.00",
        salary="-0.5",
        height=190,
        mood="BAD",
        team="@blue",
        mentor="@ada",
        skills=["@cook"],
        contract={"reference": "C-2", "starts_on": "2021-05-05"},
        phones=[{"digits": "789"}],
    ),
    create(
        "Person",
        "carol",
        PERSON,
        {"carol_1": "it.start"},
        by="dora",
        last_name="Lovelace",
        email="carol@example.org",
        born="2000-02-29",
        team="@red",
        mentor="@ada",
        leads="@red",
        skills=["@dig"],
        contract={"starts_on": "2022-01-01"},
        phones=[{"digits": "1"}, {"digits": "2"}],
        addresses=[_address("Short Street 4", "closet")],
    ),
    create("Project", "engine", title="Engine", members=["@ada", "@carol"]),
    create("Project", "bridge", title="Bridge", members=["@bob", "@ada"], by="dora"),
    create("Desk", "desk", number=1, owner="@ada"),
    create("Desk", "bureau", number=2, owner="@bob"),
]

_CHANGES = [
    update("Person", "@ada", f"_id {START}", {"ada_2": "it.start"}, height=166, about=None, remote=False),
    update(
        "Person",
        "@ada",
        PERSON,
        {"ada_3": "it.start", "new_address": "it.addresses.items.1._id"},
        by="anna",
        team={"set": "@blue"},
        mentor={"remove": True},
        projects={"remove": ["@engine"]},
        skills={"add": ["@dig"], "remove": ["@sing"]},
        contract={"update": {"_id": "@ada_contract", "ends_on": "2031-03-01"}},
        home={"delete": True},
        phones={"create": [{"digits": "000"}], "delete": ["@ada_phone"]},
        addresses={
            "create": [_address("New Street 5", "den")],
            "update": [
                {
                    "_id": "@villa",
                    "street": "Villa Road 22",
                    "keeper": {"set": "@bob"},
                    "rooms": {
                        "create": [{"name": "cellar"}],
                        "update": [{"_id": "@kitchen", "windows": {"delete": ["@kitchen_window"]}}],
                    },
                }
            ],
            "delete": ["@hut"],
        },
    ),
    update("Person", "@ada", PERSON, {"ada_4": "it.start"}, after=20_000, projects={"add": ["@engine"]}),
    update("Person", "@zoe", pupils={"add": ["@bob"]}, leads={"set": "@blue"}),
    update("Team", "@red", members={"add": ["@ada"]}),
    update("Team", "@red", "name lead { last_name }", lead={"set": "@zoe"}, by="bruno", refused=True),
    update("Team", "@red", "name lead { last_name }", lead={"set": "@bob"}, by="bruno"),
    update("Desk", "@bureau", owner={"set": "@carol"}),
    update("Specimen", "@stone", "total tag_names", holder={"set": "@bob"}, tags={"remove": ["@old"]}),
    update("Specimen", "@bone", refused=True, price="1500"),
    ask(
        """mutation($data: SpecimenDraft!) {
          it: Specimen___save(data: $data, forceWarnings: {dataValidation: true}) { _id price } }""",
        data={"_id": "@bone", "price": "1500", "tags": {"add": ["@rare"]}},
    ),
    update("Specimen", "@shell", refused=True, code="toolong", amount=101, vat="1", mood=None),
    create(
        "Person",
        "",
        refused=True,
        last_name="Twin",
        email="ada@example.org",
        team="@red",
        skills=["@sing"],
        contract={"starts_on": "2020-01-01"},
        phones=[{"digits": "9"}],
    ),
    update("Person", "@bob", refused=True, skills={"removeAll": True}, phones={"deleteAll": True}),
    delete("Team", "@red", refused=True),
    update(
        "House",
        None,
        f"{START} place {{ _id rooms {{ items {{ _id }} }} }} doors {{ items {{ _id }} }}",
        {"house_1": "it.start"},
        name="Long House",
        director={"set": "@ada"},
        guests={"add": ["@bob", "@zoe"]},
        place={"create": _address("House Square 6", "lobby")},
        doors={"create": [{"width": 90}, {"width": 120}]},
    ),
    update(
        "House", None, name="Longer House", guests={"remove": ["@bob"]}, doors={"deleteAll": True}, by="anna"
    ),
]

_ENDS = [
    create(
        "Person",
        "eve",
        PERSON,
        {"eve_1": "it.start"},
        last_name="Eve",
        email="eve@example.org",
        team="@blue",
        born="1980-05-05",
        skills=["@sing", "@dig"],
        contract={"reference": "C-9", "starts_on": "2020-01-01"},
        phones=[{"digits": "5"}, {"digits": "6"}],
        projects=["@bridge"],
        addresses=[_address("Gone Street 7", "void", "nil")],
        by="dora",
    ),
    update(
        "Person", "@eve", f"_id {START}", {"eve_2": "it.start"}, last_name="Eva", favourite={"set": "@cook"}
    ),
    delete("Person", "@eve", by="anna"),
    create(
        "Person",
        "fred",
        PERSON,
        {"fred_1": "it.start"},
        last_name="Fred",
        email="fred@example.org",
        team="@red",
        skills=["@dig"],
        contract={"starts_on": "2020-01-01"},
        phones=[{"digits": "7"}],
        addresses=[_address("Back Street 8", "nook")],
        mentor="@zoe",
    ),
    delete("Person", "@fred"),
    restore("Person", "@fred", "@fred_1", PERSON, refused=True, by="erik"),
    create("Team", "green", f"_id {START}", {"green_1": "it.start"}, name="green", lead="@carol"),
    update("Team", "@green", name="greener"),
    delete("Team", "@green"),
    restore("Team", "@green", "@green_1", "name lead { last_name }", by="erik"),
    restore("Person", "@ada", "@ada_1", PERSON, refused=True, by="bruno"),
    restore("Person", "@ada", "@ada_2", PERSON, force=True, by="anna", after=5_000),
    create(
        "Person",
        "gone",
        PERSON,
        {"gone_1": "it.start"},
        last_name="Gone",
        team="@red",
        skills=["@dig"],
        contract={"starts_on": "2020-01-01"},
        phones=[{"digits": "8"}],
        projects=["@engine"],
    ),
    update("Specimen", "@shell", holder={"set": "@gone"}),
    delete("Person", "@gone"),
    create("Skill", "swim", name="swim"),
    update("Person", "@bob", favourite={"set": "@swim"}),
    delete("Skill", "@swim"),
    ask(
        """mutation { it: Specimen___updateBulk(data: {amount: 7}, options: {filter: {mood___eq: GOOD}}) {
          totalCount items { code amount } } }"""
    ),
    create("tag", "lost", name="lost"),
    create("tag", "last", name="last"),
    ask('mutation { it: tag___deleteBulk(options: {filter: {name___starts_with: "la"}}) { deleted } }'),
]

_NUMBERS = range(1, 31)
_ORDERS = [
    create(
        "Order",
        "order",
        f"_id {START}",
        {"order_1": "it.start"},
        code="O-1",
        by="dora",
        lines=[{"code": f"a{n:02}", "amount": n} for n in _NUMBERS],
    ),
    update(
        "Order",
        "@order",
        f"_id {START}",
        {"order_2": "it.start"},
        lines={"create": [{"code": f"b{n}", "notes": [{"text": f"n{n}"}, {}]} for n in _NUMBERS[:8]]},
    ),
    create(
        "Order",
        "small",
        f"_id {START}",
        {"small_1": "it.start"},
        code="O-2",
        by="erik",
        lines=[{"code": "c01", "amount": 1, "notes": [{"text": "x"}, {"text": "y"}]}],
    ),
    update("Order", "@small", f"_id {START}", {"small_2": "it.start"}, code="O-3", lines={"deleteAll": True}),
    create(
        "Order",
        "emptied",
        f"_id {START}",
        {"emptied_1": "it.start"},
        code="O-4",
        lines=[{"code": f"d{n:02}"} for n in _NUMBERS],
    ),
    update("Order", "@emptied", lines={"create": [{"code": f"e{n:02}"} for n in _NUMBERS[:22]]}),
    Request("leave_deletions"),
    delete("Order", "@order", by="anna"),
    update("Order", "@emptied", f"_id {START}", {"emptied_2": "it.start"}, lines={"deleteAll": True}),
    Request("end_deletions"),
]

_LAST = [
    create("Order", "owned", code="O-5", by="dora", lines=[{"code": "f1"}, {"code": "b02", "notes": [{}]}]),
    Request(
        "POST",
        "/auth/administration/members/{id}/handOver",
        {"id": "@dora", "body": {"to": "@erik", "class": "Order"}},
    ),
    Request("DELETE", "/auth/administration/members/{id}", {"id": "@dora"}),
    Request(
        "PUT",
        "/auth/administration/members/{id}",
        {"id": "@erik", "body": {"username": "erika", "notes": "Had another name.", "disabled": True}},
    ),
    Request(
        "PUT",
        "/auth/administration/members/{id}",
        {"id": "@bruno", "body": {"email": "b@example.org"}},
        by="bruno",
    ),
    Request("forget_mail"),
    lock("lock", 10, ("Team", "@red"), by="bruno"),
    lock("lock", 1440, ("Team", "@blue"), ("House", "1"), ("Person", "@bob"), by="bruno"),
    lock("lock", 60, ("Person", "@zoe"), ("Specimen", "@dust"), by="anna"),
    lock("unlock", None, ("Specimen", "@dust"), by="anna"),
    update("Person", "@bob", f"_id {START}", {"bob_2": "it.start"}, by="bruno", height=191),
    update("Person", "@zoe", by="bruno", height=1, refused=True),
]

STORY: Sequence[Request] = (
    Request("serve_earlier_model"),
    *_MEMBERS,
    *_FIRST_OBJECTS,
    Request("serve_model", after=10_000),
    *_PEOPLE[:1],
    Request("reindex", after=10_000),
    _PEOPLE[1]._replace(after=60_000),
    *_PEOPLE[2:],
    *_CHANGES,
    *_ENDS,
    *_ORDERS,
    *_LAST,
)

WHOLE_PERSON = f"""_id {START} end: _versionEnd _createdby _createdon _lastmodifiedby
  _lastmodifiedon(format: "yyyy-MM-dd'T'HH:mm:ss.SSS")
  _ownedby _ownedon last_name email about height salary remote born rises seen since mood number
  label introduction teammate own past wage birthday team_name lead_name team_size mentor_born mentor_rises
  mentor_seen mentor_since mentor_mood mentor_number led starts_on pupil_count room_count
  team {{ name }} mentor {{ last_name }} desk {{ number }} leads {{ name }} favourite {{ name }}
  pupils(options: {{orderBy: [last_name___ASC]}}) {{ totalCount items {{ last_name }} }}
  projects(options: {{orderBy: [title___DESC]}}) {{ totalCount items {{ title }} }}
  skills(options: {{orderBy: [name___ASC]}}) {{ totalCount items {{ name }} }}
  contract {{ _id reference starts_on ends_on days whose }}
  home {{ street owner rooms {{ items {{ name }} }} }}
  phones {{ totalCount items {{ _id digits }} }}
  addresses {{ totalCount items {{ _id street owner window_count keeper {{ last_name }}
    rooms {{ items {{ _id name windows {{ totalCount items {{ _id faces {{ name }} }} }} }} }} }} }}"""
PAST_PERSON = f"""{START} end: _versionEnd(format: "dd-MM-yyyy HH:mm:ss.SSS") _lastmodifiedby
  _ownedby last_name email about height remote number
  team {{ name }} mentor {{ last_name }} favourite {{ name }}
  projects {{ totalCount items {{ title }} }} skills {{ totalCount items {{ name }} }}
  contract {{ starts_on ends_on }} home {{ street rooms {{ items {{ name }} }} }}
  phones {{ totalCount items {{ digits }} }}
  addresses {{ items {{ street keeper {{ last_name }}
    rooms {{ items {{ name windows {{ totalCount }} }} }} }} }}"""
WHOLE_TEAM = """_id name headcount emails total_height payroll mean_height mean_salary eldest_born last_seen
  wages pupils large lead { last_name } _lock { lockedBy lockedUntil mine }
  members(options: {orderBy: [last_name___ASC, _id___DESC], next: 2}) {
    totalCount nextCursor hasNext items { last_name } }"""
WHOLE_SPECIMEN = """_id code shade story amount price fragile found_on opens_at seen_at made_in mood
  email phone vat tax_code has_picture total tag_names holder { last_name }
  tags { totalCount items { name } }"""


def _page(class_name: str, options: str, shown: str = "_id", **how: Any) -> Request:
    text = f"""{{ it: {class_name}___getPage(options: {{{options}}}) {{
      totalCount hasNext hasPrev nextCursor prevCursor items {{ {shown} }} }} }}"""
    return ask(text, **how)


def _get(class_name: str, id_: str, shown: str, **how: Any) -> Request:
    return ask(f"query($id: ID!) {{ it: {class_name}___get(_id: $id) {{ {shown} }} }}", id=id_, **how)


def _version(class_name: str, id_: str, at: str, shown: str, **how: Any) -> Request:
    text = f"""query($id: ID!, $at: Datetime!) {{
      it: {class_name}___getVersion(_id: $id, atVersion: $at) {{ {shown} }} }}"""
    return ask(text, id=id_, at=at, **how)


def _versions(class_name: str, id_: str, options: str, shown: str, **how: Any) -> Request:
    text = f"""query($id: ID!) {{ it: {class_name}___getVersionPage(_id: $id, options: {{{options}}}) {{
      totalCount hasNext nextCursor items {{ {shown} }} }} }}"""
    return ask(text, id=id_, **how)


def _difference(class_name: str, id_: str, start: str, end: str, **how: Any) -> Request:
    text = f"""query($id: ID!, $start: Datetime!, $end: Datetime!) {{
      it: {class_name}___getVersionDiff(_id: $id, from: $start, to: $end) {{
        from to changes {{ name old new changedBy changedOn }} }} }}"""
    return ask(text, id=id_, start=start, end=end, **how)


_PERSONS = ("@zoe", "@ada", "@bob", "@carol", "@eve", "@fred", "@gone")

QUESTIONS: Sequence[Request] = (
    *(_get("Person", id_, WHOLE_PERSON, refused=False) for id_ in _PERSONS),
    _get("Person", "@ada", WHOLE_PERSON, by="bruno"),
    _get("Person", "@ada", "last_name label team { name } contract { days }", by="clara"),
    _get("Person", "@ada", "last_name salary", by="clara", refused=True),
    *(_get("Team", id_, WHOLE_TEAM) for id_ in ("@red", "@blue")),
    _get("Team", "@blue", "name", by="clara"),
    *(_get("Specimen", id_, WHOLE_SPECIMEN) for id_ in ("@stone", "@bone", "@shell", "@dust")),
    _get("Project", "@bridge", "title members { totalCount items { last_name projects { totalCount } } }"),
    _get("Desk", "@bureau", "number owner { last_name desk { number } }"),
    _get("Contract", "@ada_contract", "reference days whose person_ { last_name }"),
    _get("Order", "@emptied", "code lines { totalCount }"),
    _get("Order", "@order", "code"),
    ask(
        """{ it: House___get { name directed_by guest_count width director { last_name } _lastmodifiedon
      guests { items { last_name } } place { street rooms { items { name } } } doors { totalCount }
      _lock { lockedBy lockedUntil mine } } }""",
        by="bruno",
    ),
    ask('{ it: Person___getByEmail(email: "bob@example.org") { last_name _lock { lockedBy mine } } }'),
    ask('{ it: Person___getByEmail(email: "eve@example.org") { last_name } }'),
    ask('{ it: Person___getByLast_name_Born(last_name: "Lovelace", born: "2000-02-29") { email } }'),
    ask('{ it: Team___getByName(name: "red") { headcount } }'),
    _page("Person", "", "last_name number"),
    _page("Person", "orderBy: [last_name___ASC, born___DESC], next: 3", "last_name born"),
    _page("Person", "orderBy: [_versionStart___DESC], next: 2, offset: 1", f"last_name {START}"),
    _page("Person", "orderBy: [height___DESC], prev: 2", "last_name height"),
    _page("Person", 'filter: {last_name___starts_with: "L", born___gt: "1900-01-01"}', "last_name"),
    _page(
        "Person",
        'filter: {OR: [{mood___eq: GOOD}, {salary___lt: "0"}], NOT: {remote___eq: true}}',
        "last_name",
    ),
    _page("Person", 'filter: {team_name___eq: "red", pupil_count___gte: 1}', "last_name pupil_count"),
    _page("Person", 'filter_exp: "salary > 0.0 && !isNull(email)"', "last_name"),
    _page("Person", 'filter: {_ownedby___eq: "erik"}', "last_name", by="anna"),
    _page("Person", "orderBy: [last_name___ASC]", "last_name team { name }", by="clara"),
    _page("Specimen", "orderBy: [price___DESC], next: 2", "code price"),
    _page("Specimen", 'filter: {mood___eq: GOOD, found_on___lte: "2020-12-31"}', "code found_on total"),
    _page("Specimen", 'filter: {price___in: ["0.01", "3"], code___ne: "AB123"}', "code holder { last_name }"),
    _page("Specimen", 'fromCursor: {price: "3"}, orderBy: [price___ASC]', "code"),
    _page("Team", "orderBy: [headcount___DESC]", "name payroll"),
    _page("tag", "orderBy: [name___ASC]", "name"),
    _page("Line", 'filter: {code___starts_with: "b0"}, orderBy: [code___ASC], next: 3', "code"),
    _page("Line", 'filter: {code___gte: "a"}', "code"),
    _page("Order", "orderBy: [code___ASC]", "code _ownedby lines { totalCount }"),
    _page("Skill", "", "name", by="clara"),
    ask(
        "{ it: Skill___getPage { items { name } } no: Project___getPage { items { title } } }",
        by="clara",
        refused=True,
    ),
    _get("Person", "@ada", "team___associables { totalCount items { name } }"),
    *(_version("Person", "@ada", at, PAST_PERSON) for at in ("@ada_1", "@ada_2", "@ada_3", "@ada_4")),
    _version("Person", "@eve", "@eve_1", PAST_PERSON),
    _version("Person", "@eve", "@eve_2", PAST_PERSON),
    _version("Person", "@fred", "@fred_1", PAST_PERSON),
    _version("Person", "@gone", "@gone_1", PAST_PERSON),
    _version("Person", "@ada", "01-01-2001 00:00:00.000", "last_name"),
    _version(
        "Order", "@order", "@order_1", "code _ownedby lines(options: {next: 4}) { totalCount items { code } }"
    ),
    _version(
        "Order",
        "@order",
        "@order_2",
        "code lines(options: {prev: 2}) { items { code notes { totalCount } } }",
    ),
    _version("Order", "@emptied", "@emptied_1", "code lines { totalCount }"),
    _version("Order", "@small", "@small_1", "code lines { items { code amount notes { items { text } } } }"),
    _versions("Person", "@ada", "next: 20", PAST_PERSON),
    _versions(
        "Person",
        "@ada",
        "orderBy: [_versionStart___DESC], next: 2, filter: {height___eq: 166}",
        f"{START} height",
        by="bruno",
    ),
    _versions("Person", "@eve", "", f"{START} last_name skills {{ totalCount }}"),
    _versions("Person", "@bob", "orderBy: [_versionEnd___DESC]", f"{START} height mentor {{ last_name }}"),
    ask(
        f"{{ it: House___getVersionPage {{ items {{ {START} name doors {{ totalCount }} guest_count }} }} }}"
    ),
    _difference("Person", "@ada", "@ada_1", "@ada_3"),
    _difference("Person", "@bob", "@bob_1", "@bob_2", by="bruno"),
    _difference("Person", "@eve", "@eve_1", "@eve_2"),
    _difference("Order", "@small", "@small_1", "@small_2"),
    ask(
        "query($data: PersonDraftCreate!) {"
        " it: Person___previewCreate(data: $data) { _id label team_name wage } }",
        data={"last_name": "New", "email": "ada@example.org", "team": "@red", "salary": "10"},
        refused=True,
    ),
    ask(
        """query($data: PersonDraftUpdate!) { it: Person___previewUpdate(data: $data) {
          label team_size phones { items { digits } } } }""",
        data={
            "_id": "@ada",
            "last_name": "King",
            "team": {"set": "@blue"},
            "phones": {"create": [{"digits": "31"}]},
        },
    ),
    ask(
        """query($data: SpecimenDraftCreate!) { it: Specimen___validateCreate(data: $data) { isValid
          issues { issueLevel issueType issueReferenceType sourceRequestReference entityID attributeNames
            roleNames entityName userMessage } } }""",
        data={
            "code": "x",
            "amount": -1,
            "price": "1.234",
            "found_on": "1800-01-01",
            "email": "no",
            "vat": "1",
            "tax_code": "2",
            "phone": "x",
            "shade": "green",
            "holder": "nobody",
            "tags": ["@rare", "nothing"],
        },
    ),
    ask(
        """query($data: PersonDraftUpdate!) { it: Person___validateUpdate(data: $data) { isValid
          issues { issueLevel issueType sourceRequestReference attributeNames roleNames entityID } } }""",
        by="anna",
        data={
            "_id": "@ada",
            "email": "carol@example.org",
            "team": {"remove": True},
            "contract": {"update": {"_id": "@ada_contract", "starts_on": "2041-01-01"}},
        },
    ),
    ask(
        """query($id: ID!) { it: Team___validateDelete(_id: $id) { isValid
          issues { issueLevel issueType roleNames entityName entityID } } }""",
        id="@red",
    ),
    ask(
        """query($data: ComplaintCreate!) { it: Complaint___preview(data: $data) {
          text length heard_by heads by { last_name } about { items { name } } } }""".replace(
            "ComplaintCreate", "ComplaintDraft"
        ),
        data={"text": "Too loud.", "by": "@ada", "about": {"add": ["@red", "@blue"]}},
    ),
    Request("GET", "/auth/administration/member", by="bruno"),
    Request("GET", "/auth/administration/members"),
    Request("GET", "/auth/administration/members/{id}", {"id": "@erik"}),
    Request("GET", "/auth/administration/members/{id}", {"id": "@bruno"}),
)

WRITES: Sequence[Request] = (
    update(
        "Person",
        "@ada",
        PAST_PERSON,
        by="anna",
        last_name="King",
        email=None,
        salary="1",
        addresses={"deleteAll": True},
        skills={"add": ["@sing"]},
        desk={"remove": True},
        refused=True,
    ),
    update(
        "Person",
        "@ada",
        PAST_PERSON,
        by="anna",
        last_name="King",
        email=None,
        salary="1",
        addresses={"deleteAll": True},
        skills={"add": ["@sing"]},
    ),
    restore("Person", "@ada", "@ada_1", PAST_PERSON, refused=True),
    restore("Person", "@ada", "@ada_3", PAST_PERSON, force=True),
    update("Person", "@ada", PAST_PERSON, last_name="Queen", email=None, home={"delete": True}),
    create(
        "Person",
        "ada2",
        PERSON,
        last_name="Lovelace",
        email="ada@example.org",
        born="1815-12-10",
        team="@red",
        mentor="@ada",
        skills=["@dig"],
        contract={"reference": "C-9", "starts_on": "2020-01-01"},
        phones=[{"digits": "1"}],
        projects=["@engine", "@bridge"],
    ),
    update("Person", "@carol", email="bob@example.org", refused=True),
    update("Specimen", "@bone", code="AB123", found_on="2020-02-29", refused=True),
    create("Team", "", name="red", refused=True),
    create("tag", "", name="rare", refused=True),
    update("Person", "@bob", height=1, refused=True),
    lock("unlock", None, ("Team", "@blue"), by="bruno"),
    lock("unlock", None, ("Person", "@bob"), ("House", "1"), refused=True, by="anna"),
    lock("unlock", None, ("Person", "@bob"), ("House", "1"), by="bruno"),
    lock("lock", 5, ("Person", "@bob"), by="anna"),
    update("Team", "@blue", WHOLE_TEAM, members={"add": ["@carol"]}, lead={"set": "@ada"}),
    restore("Person", "@ada", "@ada_1", PAST_PERSON, refused=True, force=True),
    restore("Person", "@eve", "@eve_1", PAST_PERSON, refused=True),
    restore("Person", "@gone", "@gone_1", PAST_PERSON, force=True, refused=True),
    restore("Order", "@order", "@order_2", "code _ownedby lines { totalCount }"),
    restore("Order", "@small", "@small_1", "code lines { items { code notes { items { text } } } }"),
    delete("Project", "@engine"),
    delete("Person", "@carol", refused=True),
    update("Desk", "@bureau", owner={"set": "@zoe"}, refused=True),
    update("Desk", "@bureau", owner={"set": "@ada2"}),
    delete("Person", "@carol"),
    delete("Person", "@fred"),
    ask("mutation { it: Specimen___deleteBulk(options: {filter: {mood___eq: BAD}}) { deleted } }"),
    ask(
        "mutation { it: Person___updateBulk(data: {remote: true}, options: {filter: {mood___null: true}}) {"
        " totalCount items { last_name number } } }",
        refused=True,
    ),
    Request("leave_deletions"),
    delete("Order", "@order"),
    Request("end_deletions"),
    Request("sweep"),
    update(
        "House", None, f"{START} name guest_count", name="House", guests={"add": ["@ada2"]}, after=90_000_000
    ),
    Request(
        "PUT",
        "/auth/administration/members/{id}",
        {"id": "@erik", "body": {"username": "erik", "disabled": False}},
    ),
    Request("POST", "/auth/administration/members/{id}/handOver", {"id": "@erik", "body": {"to": "@anna"}}),
    *_member("flora"),
    create("Order", "late", "code _id _ownedby", code="O-9", by="flora"),
    *(_get("Person", id_, WHOLE_PERSON) for id_ in ("@zoe", "@ada", "@bob")),
    *(_get("Team", id_, WHOLE_TEAM) for id_ in ("@red", "@blue")),
    _page("Person", "orderBy: [last_name___ASC]", "last_name _ownedby"),
    _page("Order", "orderBy: [code___ASC]", "code _ownedby lines { totalCount }"),
    _page("Specimen", "orderBy: [code___ASC]", "code tags { totalCount }"),
    _page("Line", "orderBy: [code___DESC], next: 3", "code"),
    _difference("Person", "@ada", "@ada_1", "@ada_4"),
    Request("GET", "/auth/administration/members"),
    _get("Person", "@ada2", WHOLE_PERSON),
    _versions("Person", "@carol", "next: 20", PAST_PERSON),
)
