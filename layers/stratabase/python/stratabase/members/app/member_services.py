"""The operations on members, and the shapes and pages of their endpoints."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from stratabase.core.app.app import App
from stratabase.core.domain.caller import Caller
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.endpoints.member_shapes import MemberShapes
from stratabase.members.fields import member_fields
from stratabase.members.member import Member
from stratabase.members.operations.audit import ReadAuditTrail
from stratabase.members.operations.email_change import EmailChange
from stratabase.members.operations.first_administrator import (
    AdministratorState,
    FirstAdministrator,
    NewAdministrator,
)
from stratabase.members.operations.forgotten_password import MailForgottenPassword, RequestForgottenPassword
from stratabase.members.operations.member_keys import CreateKey, EndKey, ListKeys
from stratabase.members.operations.members import CreateMember, Invite, ListMembers, ReadMember, RemoveMember
from stratabase.members.operations.password_reset import PasswordReset
from stratabase.members.operations.rules import FieldValues
from stratabase.members.operations.sessions import EndSessions, ListSessions
from stratabase.members.operations.update import UpdateMember
from stratabase.members.pages.confirm_email import ConfirmEmailPages
from stratabase.members.pages.forgot_password import ForgotPasswordPages
from stratabase.members.pages.set_password import SetPasswordPages
from stratabase.members.password import PasswordPolicy
from stratabase.members.ports import ClosableQueue, Mailer, member_platform
from stratabase.members.settings import MemberSettings
from stratabase.values.formats.preferences import FORMATS_BY_NAME

if TYPE_CHECKING:
    from stratabase.core.jobs.job import JobKind
    from stratabase.members.operations.hand_over import HandOver


class MemberServices:
    """The operations on members. Each is built on first use."""

    def __init__(self, app: App) -> None:
        auth = app.part(AuthServices)
        self._app = app
        self._settings = app.settings
        self._own_settings = app.settings.of(MemberSettings)
        self._platform = member_platform(app.platform)
        self._model = app.model
        self._members = auth.members
        self._log = app.log
        self._passwords = auth.passwords
        self._clock = app.clock
        self._ids = app.ids
        self._formats = FORMATS_BY_NAME[self._own_settings.formats]

    @cached_property
    def policy(self) -> PasswordPolicy:
        """The passwords that members can choose."""
        length = self._own_settings.password_length or self._platform.shortest_password()
        return PasswordPolicy(self._passwords.is_common, length)

    @cached_property
    def password_reset(self) -> PasswordReset:
        """The operation that mails links for setting a password, and sets the passwords."""
        return PasswordReset(
            self._members,
            self._passwords,
            self._mailer,
            self._clock,
            policy=self.policy,
            application=self._model.application,
        )

    @cached_property
    def request_forgotten_password(self) -> RequestForgottenPassword:
        """The operation that queues requests for links of people who forgot their password."""
        return RequestForgottenPassword(lambda: self.mail_queue, self._app.attempts, self._clock, self._log)

    @cached_property
    def mail_forgotten_password(self) -> MailForgottenPassword:
        """The operation that mails the links of queued requests."""
        return MailForgottenPassword(
            self._members, self._app.attempts, self._clock, self.password_reset, self._log
        )

    @cached_property
    def mail_queue(self) -> ClosableQueue:
        """The queue of these requests."""
        queue = self._platform.mail_queue(self._clock.now)
        self._app.on_close(queue.close)
        return queue

    @cached_property
    def email_change(self) -> EmailChange:
        """The operation that mails links to new email addresses, and confirms the addresses."""
        return EmailChange(
            self._members,
            self._mailer,
            self._app.attempts,
            self._clock,
            log=self._log,
            application=self._model.application,
        )

    @cached_property
    def list(self) -> ListMembers:
        """The operation that lists members."""
        return ListMembers(self._members)

    @cached_property
    def read(self) -> ReadMember:
        """The operation that reads a member."""
        return ReadMember(self._members, self._clock)

    @cached_property
    def create(self) -> CreateMember:
        """The operation that creates a member and mails a link for setting the password."""
        return self._create(self.password_reset.invite)

    def create_silently(self, caller: Caller, fields: FieldValues) -> Member:
        """Create a member without sending mail, and return it. Raises like `create`.

        The caller sets the password afterwards.
        """
        return self._create(lambda _id, _base_url: None)(caller, fields, "")

    def _create(self, invite: Invite) -> CreateMember:
        return CreateMember(self._members, self._ids, self._model.profiles, invite, self._formats)

    @cached_property
    def update(self) -> UpdateMember:
        """The operation that changes a member."""
        return UpdateMember(
            self._members,
            self._passwords,
            self.policy,
            self._model.profiles,
            self.email_change,
            self._app.part(AuthServices).sign_in,
            self._clock,
            requires_current_password=self._own_settings.require_current_password,
            formats=self._formats,
        )

    @cached_property
    def remove(self) -> RemoveMember:
        """The operation that deletes a member."""
        return RemoveMember(self._members, self._model.profiles)

    @cached_property
    def list_sessions(self) -> ListSessions:
        """The operation that lists the sessions of a member."""
        return ListSessions(self._members, self._clock, self._app.part(AuthServices).terms.sessions)

    @cached_property
    def end_sessions(self) -> EndSessions:
        """The operation that ends sessions of a member."""
        return EndSessions(self._members, self._clock, self._app.part(AuthServices).terms.sessions)

    @cached_property
    def list_keys(self) -> ListKeys:
        """The operation that lists the API keys of a member."""
        return ListKeys(self._members, self._app.part(AuthServices).audit_trail)

    @cached_property
    def create_key(self) -> CreateKey:
        """The operation that makes an API key."""
        return CreateKey(
            self._members,
            self._ids,
            self._model.profiles,
            self._clock,
            self._app.part(AuthServices).sign_in,
        )

    @cached_property
    def end_key(self) -> EndKey:
        """The operation that ends an API key."""
        return EndKey(self._members, self._clock)

    @cached_property
    def read_audit_trail(self) -> ReadAuditTrail:
        """The operation that reads the audit trail."""
        trail, days = self._app.part(AuthServices).audit_trail, self._own_settings.audit_days
        return ReadAuditTrail(trail, self._members, self._clock, days)

    @cached_property
    def hand_over(self) -> "HandOver":
        """The operation that transfers the objects of an owner to another member."""
        from stratabase.members.operations.hand_over import HandOver  # noqa: PLC0415 - no other operation needs objects

        return HandOver(self._members, lambda: self._app.services)

    @cached_property
    def shapes(self) -> MemberShapes:
        """The shapes of members in REST bodies."""
        return MemberShapes(member_fields(self._model.profiles, self._formats))

    @cached_property
    def set_password_pages(self) -> SetPasswordPages:
        """The pages on which members set a password."""
        return SetPasswordPages(
            self.password_reset,
            self._model.application,
            self.policy.shortest,
            self._log,
            self._settings.app_url,
        )

    @cached_property
    def forgot_password_pages(self) -> ForgotPasswordPages:
        """The pages on which people request a link because they forgot their password."""
        return ForgotPasswordPages(self.request_forgotten_password, self._model.application)

    @cached_property
    def confirm_email_pages(self) -> ConfirmEmailPages:
        """The pages on which members confirm an email address."""
        return ConfirmEmailPages(
            self.email_change, self._model.application, self._log, self._settings.app_url
        )

    def create_first_administrator(self) -> NewAdministrator | None:
        """Create the first member if there are none, and return it. Raises BadMember for a weak password."""
        return self._first_administrator(self._settings.admin_password)

    def check_mail(self) -> None:
        """Raise UnusableStore if mails can't be written, so that all of them would be lost."""
        self._platform.check_mail()

    def check_administrators(self) -> None:
        """Raise NoAdministrator if there are members, but the model makes none of them an administrator."""
        self._first_administrator.check()

    def administrator_state(self) -> AdministratorState:
        """Return which administrator can sign in, and whether the password in the settings is valid."""
        return self._first_administrator.state(self._settings.admin_password)

    @cached_property
    def _first_administrator(self) -> FirstAdministrator:
        return FirstAdministrator(
            self._members, self._passwords, self._ids, self._model, self.policy, formats=self._formats
        )

    @cached_property
    def _mailer(self) -> Mailer:
        return self._platform.mailer()


def jobs_of_mail(app: App) -> "Sequence[JobKind[Any]]":
    """Return the kind of job that mails links, if its queue is a file. Lambda runs those of its own queue."""
    from stratabase.members.mailers import sqlite_queue  # noqa: PLC0415 - only a server needs it

    services = app.part(MemberServices)
    if not isinstance(services.mail_queue, sqlite_queue.SqliteMailQueue):
        return ()
    return (sqlite_queue.mail_jobs(services.mail_queue, services.mail_forgotten_password),)
