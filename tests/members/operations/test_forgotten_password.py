"""Forgotten passwords: a request does the same for every name, and the mail comes from a queue."""

import io
import json
from dataclasses import dataclass, field, replace
from itertools import count
from uuid import uuid4

import pytest

from stratabase.core.domain.caller import Caller, SentPassword
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.observe import Log
from stratabase.members.attempts import MAIL_WINDOW
from stratabase.members.mail import ForgottenPassword
from stratabase.members.mailed_link import LINK_LIFETIME
from stratabase.members.member import Member, MemberKind, reset_links
from stratabase.members.operations.forgotten_password import (
    MAX_MAILS_TO_MEMBER,
    MAX_REQUESTS_FROM_ADDRESS,
    MailForgottenPassword,
    RequestForgottenPassword,
)
from stratabase.members.operations.password_reset import PasswordReset
from stratabase.members.password import PasswordPolicy
from stratabase.values.messages import verbatim
from tests.fakes import FrozenClock
from tests.in_memory_attempts import InMemoryAttempts
from tests.in_memory_members import InMemoryMembers, PlainPasswords
from tests.recording_mailer import RecordingMailer

BASE = "https://api.example.com/hr"
NEW = "correct horse battery"
ANNA = Member("m1", "anna", "anna@example.com", "Clerk", password="hash of her old one")
BERT = Member("m2", "bert", "bert@example.com", "Clerk", disabled=True)
ROBOT = Member("m4", "robot", "", "Clerk", kind=MemberKind.PROGRAM)
NAMES = ["anna", "ANNA@example.com", "bert", "robot", "nobody", "nobody@example.com", "x" * 1024, "\ud800"]


@dataclass
class Forgetting:
    """Both operations over fakes. The queue is a list."""

    members: InMemoryMembers = field(default_factory=lambda: InMemoryMembers(ANNA, BERT, ROBOT))
    mails: RecordingMailer = field(default_factory=RecordingMailer)
    attempts: InMemoryAttempts = field(default_factory=InMemoryAttempts)
    clock: FrozenClock = field(default_factory=FrozenClock)
    queue: list[ForgottenPassword] = field(default_factory=list)
    logged: io.StringIO = field(default_factory=io.StringIO)
    queue_fails: bool = False

    def __post_init__(self) -> None:
        log = Log("DEBUG", self.logged, service=f"forgetting{uuid4()}")
        passwords = PlainPasswords()
        policy = PasswordPolicy(passwords.is_common, 12)
        self.password_reset = PasswordReset(
            self.members, passwords, self.mails, self.clock, policy=policy, application="Hr"
        )
        self.request = RequestForgottenPassword(lambda: self, self.attempts, self.clock, log)
        self.mail = MailForgottenPassword(self.members, self.attempts, self.clock, self.password_reset, log)

    def put(self, request: ForgottenPassword) -> None:
        if self.queue_fails:
            raise Unavailable(verbatim("the queue is full"))
        self.queue.append(request)

    def deliver(self) -> None:
        while self.queue:
            self.mail(self.queue.pop(0))


@pytest.fixture
def forgetting() -> Forgetting:
    return Forgetting()


@pytest.mark.parametrize("name", NAMES)
def test_a_request_does_the_same_for_every_name(name: str, forgetting: Forgetting) -> None:
    forgetting.request(name, "192.0.2.7", BASE)
    assert (forgetting.attempts.calls, forgetting.members.reads) == (["note"], 0)
    (request,) = forgetting.queue
    assert request.base_url == BASE
    assert request.name.encode()


@pytest.mark.parametrize("name", ["anna", "ANNA", "anna@example.com", "Anna@Example.com"])
def test_a_username_and_an_address_get_a_link(name: str, forgetting: Forgetting) -> None:
    forgetting.request(name, "192.0.2.7", BASE)
    forgetting.deliver()
    (mail,) = forgetting.mails.mails
    assert mail.to == "anna@example.com"
    assert forgetting.mails.link == f"{BASE}/public/administration/setPassword?token={forgetting.mails.token}"
    assert forgetting.password_reset.finish(forgetting.mails.token, NEW).password == f"hash of {NEW}"


def test_a_member_without_a_password_gets_an_invitation(forgetting: Forgetting) -> None:
    forgetting.members.change(ANNA, replace(ANNA, password=None))
    forgetting.mail(ForgottenPassword("anna", BASE))
    assert forgetting.mails.mails[0].subject == "Hr: choose your password"


@pytest.mark.parametrize("name", ["bert", "bert@example.com", "nobody", "", "\ufffd"])
def test_nobody_else_gets_a_mail(name: str, forgetting: Forgetting) -> None:
    forgetting.mail(ForgottenPassword(name, BASE))
    assert forgetting.mails.mails == []


def test_whoever_takes_an_address_as_a_username_does_not_intercept_the_link(forgetting: Forgetting) -> None:
    forgetting.members.add(Member("m3", "anna@example.com", "carl@example.com", "Clerk"))
    forgetting.mail(ForgottenPassword("anna@example.com", BASE))
    assert [mail.to for mail in forgetting.mails.mails] == ["carl@example.com", "anna@example.com"]
    assert forgetting.password_reset.inspect(forgetting.mails.token).id == "m1"


def test_a_member_gets_three_mails_an_hour(forgetting: Forgetting) -> None:
    for name in ["anna", "anna@example.com"] * MAX_MAILS_TO_MEMBER:
        forgetting.mail(ForgottenPassword(name, BASE))
    assert len(forgetting.mails.mails) == MAX_MAILS_TO_MEMBER
    forgetting.clock.instant += MAIL_WINDOW + 1
    forgetting.mail(ForgottenPassword("anna", BASE))
    assert len(forgetting.mails.mails) == MAX_MAILS_TO_MEMBER + 1


def test_two_hundred_tries_do_not_keep_a_member_from_recovering(forgetting: Forgetting) -> None:
    """At each moment, a link that was mailed is still valid, however long the flood goes on."""
    hosts = count(1)
    mailed: list[str] = []
    step = 4 * LINK_LIFETIME // 200
    for _ in range(200):
        number = next(hosts)
        forgetting.request("anna", f"198.51.{number // 250}.{number % 250}", BASE)
        before = len(forgetting.mails.mails)
        forgetting.deliver()
        mailed += [forgetting.mails.token] if len(forgetting.mails.mails) > before else []
        forgetting.clock.instant += step
        assert forgetting.password_reset.inspect(mailed[-1]).id == "m1"
    assert MAX_MAILS_TO_MEMBER <= len(mailed) <= 5 * MAX_MAILS_TO_MEMBER
    assert forgetting.password_reset.finish(mailed[-1], NEW).password == f"hash of {NEW}"


def test_an_administrator_can_still_send_a_link_past_the_limit(forgetting: Forgetting) -> None:
    for _ in range(MAX_MAILS_TO_MEMBER + 1):
        forgetting.mail(ForgottenPassword("anna", BASE))
    ada = Caller("m9", "ada", "Boss", administrator=True, proof=SentPassword())
    forgetting.password_reset.start(ada, "m1", BASE)
    assert len(forgetting.mails.mails) == MAX_MAILS_TO_MEMBER + 1


@pytest.mark.parametrize(
    ("first", "second"), [("192.0.2.7", "192.0.2.7"), ("2001:db8::1", "2001:db8::2")], ids=["v4", "v6"]
)
def test_an_address_can_send_twenty_requests_an_hour(first: str, second: str, forgetting: Forgetting) -> None:
    for number in range(MAX_REQUESTS_FROM_ADDRESS + 5):
        forgetting.request(f"name {number}", first if number % 2 else second, BASE)
    assert len(forgetting.queue) == MAX_REQUESTS_FROM_ADDRESS
    forgetting.request("anna", "203.0.113.1", BASE)
    assert len(forgetting.queue) == MAX_REQUESTS_FROM_ADDRESS + 1
    forgetting.clock.instant += MAIL_WINDOW + 1
    forgetting.request("anna", first, BASE)
    assert len(forgetting.queue) == MAX_REQUESTS_FROM_ADDRESS + 2


def test_a_failed_mail_does_not_count_and_leaves_no_link(forgetting: Forgetting) -> None:
    forgetting.mails.refuse = True
    for _ in range(MAX_MAILS_TO_MEMBER + 1):
        with pytest.raises(Unavailable):
            forgetting.mail(ForgottenPassword("anna", BASE))
    forgetting.mails.refuse = False
    forgetting.mail(ForgottenPassword("anna", BASE))
    assert len(forgetting.mails.mails) == 1


def test_an_address_that_takes_no_mail_is_not_tried_again(forgetting: Forgetting) -> None:
    """No attempt would help, and nobody learns whether the member exists."""
    forgetting.mails.unknown = ANNA.email
    forgetting.mail(ForgottenPassword("anna", BASE))
    (line,) = [json.loads(line) for line in forgetting.logged.getvalue().splitlines()]
    assert (line["level"], line["member"], line["reason"]) == ("WARNING", "m1", "nobody there")
    member = forgetting.members.by_id("m1")
    assert member is not None
    assert reset_links(member) == ()


def test_a_request_that_cannot_be_queued_does_not_count(forgetting: Forgetting) -> None:
    forgetting.queue_fails = True
    for _ in range(MAX_REQUESTS_FROM_ADDRESS + 1):
        with pytest.raises(Unavailable):
            forgetting.request("anna", "192.0.2.7", BASE)
    forgetting.queue_fails = False
    forgetting.request("anna", "192.0.2.7", BASE)
    assert len(forgetting.queue) == 1


def test_the_log_names_no_name_that_was_typed(forgetting: Forgetting) -> None:
    for _ in range(MAX_REQUESTS_FROM_ADDRESS + 1):
        forgetting.request("a typed password", "192.0.2.7", BASE)
    for _ in range(MAX_MAILS_TO_MEMBER + 1):
        forgetting.mail(ForgottenPassword("anna@example.com", BASE))
    lines = [json.loads(line) for line in forgetting.logged.getvalue().splitlines()]
    assert [line["level"] for line in lines] == ["WARNING", "INFO"]
    assert not any(word in forgetting.logged.getvalue() for word in ("typed", "anna", "token="))
