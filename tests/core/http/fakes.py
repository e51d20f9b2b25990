"""The endpoints under test and the fakes behind them, which record their calls."""

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import orjson

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Forbidden, Unavailable
from stratabase.core.domain.objects.idempotency import IdempotencyKey
from stratabase.core.http.api.graphql import graphql_endpoint
from stratabase.core.http.api.health import health_endpoint, liveness_endpoint
from stratabase.core.http.api.model_description import model_description_endpoint
from stratabase.core.http.api.openapi.document import openapi_endpoint
from stratabase.core.http.api.sdl import sdl_endpoint
from stratabase.core.http.base.endpoint import Endpoint
from stratabase.core.http.files.download import bound_file_endpoint, pending_file_endpoint
from stratabase.core.model.model import Profile
from stratabase.core.observe import Log
from stratabase.core.operations.graphql_port import GraphQLResponse
from stratabase.members.endpoints.member import current_member_endpoint, member_endpoint
from stratabase.members.endpoints.member_shapes import MemberShapes
from stratabase.members.endpoints.members import MemberOperations, members_endpoint
from stratabase.members.fields import member_fields
from stratabase.members.member import Member
from stratabase.members.operations.email_change import EmailChange
from stratabase.members.operations.members import CreateMember, ListMembers, ReadMember, RemoveMember
from stratabase.members.operations.update import UpdateMember
from stratabase.members.pages.confirm_email import ConfirmEmailPages, confirm_email_endpoint
from stratabase.members.password import PasswordPolicy
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import verbatim
from tests.core.http.documented import SERVICE
from tests.core.http.files.fake_downloads import FakeDownloads
from tests.fakes import CountedIds, FrozenClock
from tests.in_memory_attempts import InMemoryAttempts
from tests.in_memory_members import InMemoryMembers, PlainPasswords, PlainSignIn
from tests.recording_mailer import RecordingMailer

PROFILES = {
    "Administrator": Profile("Administrator", administrator=True),
    "Clerk": Profile("Clerk"),
}
ANNA = Member("1", "anna", "anna@example.com", "Administrator", "First line\nand <second>")
BERT = Member(
    "2", "bert", "bert@example.com", "Clerk", formats=Formats("dd.MM.yyyy", "HH.mm", "Europe/Rome", "it")
)


@dataclass
class FakeExecutor:
    """An executor that returns or raises one configured outcome."""

    outcome: GraphQLResponse | Exception = field(default_factory=lambda: GraphQLResponse(b'{"data":{"x":1}}'))
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    base_urls: list[str] = field(default_factory=list)
    key_readers: list[Callable[[], IdempotencyKey] | None] = field(default_factory=list)

    def execute(
        self,
        query: str,
        variables: Mapping[str, Any] | None,
        operation_name: str | None,
        caller: Caller,
        trace_id: str,
        *,
        base_url: str = "",
        queries_only: bool = False,
        read_key: Callable[[], IdempotencyKey] | None = None,
    ) -> GraphQLResponse:
        self.key_readers.append(read_key)
        self.base_urls.append(base_url)
        self.calls.append((query, variables, operation_name, caller, trace_id, queries_only))
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@dataclass
class FakeServices:
    """The fake services behind the endpoints, and the log."""

    executor: FakeExecutor = field(default_factory=FakeExecutor)
    reachable: bool = True
    problems: Mapping[str, str] = field(default_factory=dict)
    stopping: bool = False
    members: InMemoryMembers = field(default_factory=lambda: InMemoryMembers(ANNA, BERT))
    passwords: PlainPasswords = field(default_factory=PlainPasswords)
    invitations: list[tuple[str, str]] = field(default_factory=list)
    mail_is_taken: bool = True
    ids: CountedIds = field(default_factory=CountedIds)
    downloads: FakeDownloads = field(default_factory=FakeDownloads)
    logged: io.StringIO = field(default_factory=io.StringIO)

    mails: RecordingMailer = field(default_factory=RecordingMailer)
    clock: FrozenClock = field(default_factory=FrozenClock)

    def __post_init__(self) -> None:
        self.log = Log("DEBUG", self.logged, service=f"world{uuid4()}")
        self.attempts = InMemoryAttempts()

    @property
    def emails(self) -> EmailChange:
        """The operations that let members confirm a new email address."""
        return EmailChange(
            self.members, self.mails, self.attempts, self.clock, log=self.log, application="Hr"
        )

    def invite(self, id_: str, base_url: str) -> None:
        if not self.mail_is_taken:
            raise Unavailable(verbatim("Nobody takes mail just now."), 5)
        self.invitations.append((id_, base_url))

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.logged.getvalue().splitlines()]


@dataclass
class FakeMemberOperations:
    """The operations on members of the fake services."""

    read: ReadMember
    list: ListMembers
    create: CreateMember
    update: UpdateMember
    remove: RemoveMember


def administration_of(fakes: FakeServices) -> MemberOperations:
    """Return the member operations of the fake services."""
    members, policy = fakes.members, PasswordPolicy(fakes.passwords.is_common)
    return FakeMemberOperations(
        ReadMember(members, fakes.clock),
        ListMembers(members),
        CreateMember(members, fakes.ids, PROFILES, fakes.invite),
        UpdateMember(
            members,
            fakes.passwords,
            policy,
            PROFILES,
            fakes.emails,
            PlainSignIn(members, fakes.passwords),
            fakes.clock,
        ),
        RemoveMember(members, PROFILES),
    )


def refuse_clerks(caller: Caller) -> None:
    """Raise Forbidden for clerks, as for callers who may do nothing."""
    if caller.profile == "Clerk":
        raise Forbidden(verbatim("The profile has no permissions."))


def endpoints(fakes: FakeServices) -> dict[str, Endpoint]:
    """Return the endpoints over the fake services by path."""
    members, shapes = administration_of(fakes), MemberShapes(member_fields(PROFILES))
    confirm_email_pages = ConfirmEmailPages(fakes.emails, "Hr", fakes.log)
    found = {
        "/auth/administration/member": current_member_endpoint(members, shapes),
        "/auth/administration/members": members_endpoint(members, shapes),
        "/auth/administration/members/{id}": member_endpoint(members, shapes),
        "/public/administration/confirmEmail": confirm_email_endpoint(fakes.emails, confirm_email_pages),
        "/auth/file/{class}/{name}/pending/{pendingFileId}": pending_file_endpoint(fakes.downloads, 100),
        "/auth/file/{class}/{name}/{attribute}": bound_file_endpoint(fakes.downloads, 100),
        "/auth/file/{class}/{name}/pending": bound_file_endpoint(fakes.downloads, 100),
        "/public/health": health_endpoint(
            "1.2.3",
            lambda: fakes.reachable,
            lambda: fakes.problems,
            lambda: fakes.stopping,
        ),
        "/public/health/live": liveness_endpoint("1.2.3"),
        "/auth/api/graphql/{application}": graphql_endpoint("Hr", fakes.executor),
        "/auth/api/schema/{application}": sdl_endpoint(
            "Hr", lambda _: "type Query { x: Int }", refuse_clerks
        ),
        "/auth/api/model/{application}": model_description_endpoint(
            "Hr",
            lambda caller: orjson.dumps(
                {
                    "application": "Hr",
                    "profile": caller.profile,
                    "administrator": caller.administrator,
                    "profiles": [],
                    "classes": [],
                }
            ),
            refuse_clerks,
        ),
    }
    found["/public/openapi.json"] = openapi_endpoint(SERVICE, lambda: found)
    return found
