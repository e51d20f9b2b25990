"""The GraphQL API over the notes of members, with the members."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model_file
from stratabase.core.model.users import USER, with_users
from stratabase.core.operations.context import Services
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.members.member import Member
from stratabase.members.operations.users import UserSource
from stratabase.values.formats.preferences import DEFAULT_FORMATS
from tests.core.schema.graph_api import OrderedIds
from tests.fakes import FrozenClock, unlimited_budget
from tests.in_memory_members import InMemoryMembers

FILE = Path(__file__).parent / "models/desk.graphql"
MODEL = read_model_file(FILE)
ROME = replace(DEFAULT_FORMATS, time_zone="Europe/Rome", language="de")
ROOT = Member("m1", "root", "root@example.com", "Administrator", "secret", password="hash")
ANNA = Member("m2", "anna", "anna@example.com", "Clerk", "loud", ROME)
BERT = Member("m3", "bert", "bert@example.com", "Clerk", None, disabled=True)
GUS = Member("m4", "Gus", "gus@example.com", "Guest", "calm", ROME)
OLLY = Member("m5", "olly", "olly@example.com", "Boss", "old")
LOST = Member("m6", "lost", "lost@example.com", "Removed profile")
ALL = (ROOT, ANNA, BERT, GUS, OLLY, LOST)


class UsersApi:
    """Answers requests of members over stored notes."""

    def __init__(
        self,
        open_store: Callable[..., EntityRepository],
        model: Model = MODEL,
        members: Iterable[Member] = ALL,
    ) -> None:
        """`open_store` takes the keyword argument `sources`, and returns the notes of a store with users."""
        self.members = InMemoryMembers(*members)
        self.clock = FrozenClock()
        model = with_users(model)
        entities = open_store(sources={USER: UserSource(lambda: self.members, model)})
        self.services = Services(model, entities, self.clock, OrderedIds(), unlimited_budget)
        self.executor = SchemaExecutor(self.services, _failed)

    def body(self, query: str, by: Member = ROOT, **variables: Any) -> dict[str, Any]:
        """Send a request, and return the whole response."""
        caller = Caller(
            by.id, by.username, by.profile, by is ROOT, by.formats, email=by.email, notes=by.notes
        )
        return dict(json.loads(self.executor.execute(query, variables, None, caller, "trace").body))

    def ask(self, query: str, by: Member = ROOT, **variables: Any) -> Any:
        """Return the value of the only field of a response without errors, which a repetition repeats."""
        body = self.body(query, by, **variables)
        assert "errors" not in body, body["errors"]
        if not query.startswith("mutation"):
            assert self.body(query, by, **variables) == self.body(query, by, **variables) == body
        (value,) = body["data"].values()
        return value

    def issues(self, query: str, by: Member, **variables: Any) -> list[tuple[str, str]]:
        """Return the types and the messages of the issues of a request."""
        errors = self.body(query, by, **variables)["errors"]
        return [(error["extensions"]["issueType"], error["message"]) for error in errors]

    def users(self, by: Member = ROOT, selection: str = "items { username }", **options: Any) -> Any:
        """Return a page of users."""
        query = f"query($o: _UserPageOptions) {{ _User___getPage(options: $o) {{ {selection} }} }}"
        return self.ask(query, by, o=options)

    def names(self, by: Member = ROOT, **options: Any) -> list[str]:
        """Return the usernames on a page of users."""
        return [each["username"] for each in self.users(by, **options)["items"]]

    def note(self, by: Member = ROOT, **data: Any) -> str:
        """Create a note, one second later, and return its id."""
        self.clock.instant += 1000
        query = "mutation($data: NoteCreate!) { Note___create(data: $data) { _id } }"
        return str(self.ask(query, by, data=data)["_id"])

    def get(self, class_name: str, id_: str, selection: str, by: Member = ROOT) -> Any:
        """Return the selected fields of an object."""
        return self.ask(f'{{ {class_name}___get(_id: "{id_}") {{ {selection} }} }}', by)

    def change(self, before: Member, **changes: Any) -> None:
        """Change a member."""
        stored = self.members.by_id(before.id)
        assert stored is not None
        self.members.change(stored, replace(stored, **changes))

    def remove(self, member: Member) -> None:
        """Remove a member."""
        stored = self.members.by_id(member.id)
        assert stored is not None
        self.members.remove(stored)


def state_of(member: Member) -> Mapping[str, Any]:
    """Return what a client may see of a member: a definition of its own."""
    formats = member.formats
    return {
        "_id": member.id,
        "username": member.username,
        "email": member.email,
        "profile": member.profile,
        "notes": member.notes,
        "language": formats.language,
        "timeZone": formats.time_zone,
        "dateFormat": formats.date_format,
        "timeFormat": formats.time_format,
        "disabled": member.disabled,
    }


def _failed(error: BaseException, _: str) -> None:
    raise error
