"""A service that only mails links and accepts passwords, over fakes that record their calls."""

import io
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import uuid4

from stratabase.core.domain.caller import Caller, SentPassword
from stratabase.core.domain.issues.refusals import Unauthenticated, Unavailable
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.endpoint import Endpoint
from stratabase.core.http.handler import HttpHandler
from stratabase.core.model.model import Profile
from stratabase.core.observe import Log
from stratabase.members.audit_entry import AuditEntry
from stratabase.members.endpoints.reset_password import reset_password_endpoint
from stratabase.members.mail import ForgottenPassword
from stratabase.members.member import Member, Roster
from stratabase.members.operations.email_change import EmailChange
from stratabase.members.operations.forgotten_password import MailForgottenPassword, RequestForgottenPassword
from stratabase.members.operations.password_reset import PasswordReset
from stratabase.members.operations.update import UpdateMember
from stratabase.members.pages.confirm_email import ConfirmEmailPages, confirm_email_endpoint
from stratabase.members.pages.forgot_password import ForgotPasswordPages, forgot_password_endpoint
from stratabase.members.pages.set_password import SetPasswordPages, set_password_endpoint
from stratabase.members.password import PasswordPolicy
from stratabase.members.sign_in.sign_in import BasicAuthenticator
from stratabase.values.messages import verbatim
from stratabase_aws.functions.handler import LambdaHandler
from tests.fakes import FrozenClock
from tests.in_memory_attempts import InMemoryAttempts
from tests.in_memory_members import InMemoryMembers, PlainPasswords, nobody_signs_in
from tests.recording_mailer import RecordingMailer

RESET_PASSWORD = "/auth/administration/members/{id}/resetPassword"
SET_PASSWORD = "/public/administration/setPassword"
FORGOT_PASSWORD = "/public/administration/forgotPassword"
CONFIRM_EMAIL = "/public/administration/confirmEmail"
BASE = "https://api.example.com/prod"
NEW = "correct horse battery"
NEW_EMAIL = "anna@example.org"
SHORTEST = 12
PROFILES = {"Administrator": Profile("Administrator", administrator=True), "Clerk": Profile("Clerk")}
CALLERS = {
    "ada": Caller("m9", "ada", "Administrator", administrator=True, proof=SentPassword()),
    "anna": Caller("m1", "anna", "Clerk", proof=SentPassword()),
}
ANNA = Member("m1", "anna", "anna@example.com", "Clerk", password="hash of her old one")


class UnreliableMembers(InMemoryMembers):
    """An in-memory store of members that can be made unavailable."""

    unreachable = False
    unchangeable = False

    def by_id(self, id_: str) -> Member | None:
        if self.unreachable:
            raise Unavailable(verbatim("the table is busy"), 7)
        return super().by_id(id_)

    def change(
        self,
        before: Member,
        after: Member,
        roster: Roster | None = None,
        *,
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        if self.unchangeable:
            raise Unavailable(verbatim("the table is busy"), 7)
        super().change(before, after, roster, audit=audit)


@dataclass
class LinkService:
    """The service and its fakes. Its one member is anna."""

    application: str = "Hr"
    members: UnreliableMembers = field(default_factory=lambda: UnreliableMembers(ANNA))
    mails: RecordingMailer = field(default_factory=RecordingMailer)
    clock: FrozenClock = field(default_factory=FrozenClock)
    passwords: PlainPasswords = field(default_factory=PlainPasswords)
    logged: io.StringIO = field(default_factory=io.StringIO)

    def __post_init__(self) -> None:
        policy = PasswordPolicy(self.passwords.is_common, SHORTEST)
        self.recovery = PasswordReset(
            self.members, self.passwords, self.mails, self.clock, policy=policy, application=self.application
        )
        # One name for each, since loggers of one name share their stream.
        self.log = Log("DEBUG", self.logged, service=f"links{uuid4()}")
        self.emails = EmailChange(
            self.members,
            self.mails,
            InMemoryAttempts(),
            self.clock,
            log=self.log,
            application=self.application,
        )
        attempts = InMemoryAttempts()
        self.forgotten = RequestForgottenPassword(lambda: self, attempts, self.clock, self.log)
        self.mail_forgotten = MailForgottenPassword(
            self.members, attempts, self.clock, self.recovery, self.log
        )
        self._update = UpdateMember(
            self.members, self.passwords, policy, PROFILES, self.emails, nobody_signs_in, self.clock
        )

    def put(self, request: ForgottenPassword) -> None:
        """Mail a link at once, in place of a queue."""
        self.mail_forgotten(request)

    def endpoints(self) -> dict[str, Endpoint]:
        set_password_pages = SetPasswordPages(self.recovery, self.application, SHORTEST, self.log)
        confirm_email_pages = ConfirmEmailPages(self.emails, self.application, self.log)
        return {
            RESET_PASSWORD: reset_password_endpoint(self.recovery.start),
            SET_PASSWORD: set_password_endpoint(self.recovery, set_password_pages),
            FORGOT_PASSWORD: forgot_password_endpoint(
                self.forgotten, ForgotPasswordPages(self.forgotten, self.application)
            ),
            CONFIRM_EMAIL: confirm_email_endpoint(self.emails, confirm_email_pages),
        }

    def handler(self, base_url: str | None = None) -> LambdaHandler:
        authentication = Authentication({"Basic": BasicAuthenticator(sign_in)})
        return LambdaHandler(HttpHandler(self.endpoints(), authentication, base_url=base_url, log=self.log))

    def anna(self) -> Member:
        member = super(UnreliableMembers, self.members).by_id("m1")
        assert member is not None
        return member

    def edit(self, **fields: object) -> None:
        before = self.anna()
        self.members.change(before, replace(before, **fields))  # type: ignore[arg-type]

    def token(self, base_url: str = BASE) -> str:
        """Return the token of a new password link for anna."""
        self.recovery.invite("m1", base_url)
        return self.mails.token

    def take(self, email: str) -> None:
        """Give an address to another member."""
        self.members.add(Member("m2", "bert", email, "Clerk"))

    def cancel_email(self) -> None:
        """Cancel anna's change of address."""
        self._update(CALLERS["anna"], "m1", {"email": ANNA.email})

    def email_token(self, email: str = NEW_EMAIL, base_url: str = BASE) -> str:
        """Return the token of a new link with which anna confirms a new address."""
        self._update(CALLERS["anna"], "m1", {"email": email}, base_url)
        # The last mail is the one with the link: the one that tells the old address is taken away.
        self.mails.mails.pop()
        return self.mails.token


def sign_in(username: str, password: str, address: str) -> Caller:
    if password != "right":
        raise Unauthenticated(verbatim("The username or password is incorrect."))
    return CALLERS[username]
