"""Set a password by a mailed link, for members who have none or forgot theirs."""

from collections.abc import Callable
from contextlib import suppress
from urllib.parse import quote

from stratabase.core import waiting
from stratabase.core.domain.caller import Caller, require_administrator
from stratabase.core.domain.issues.refusals import Forbidden, Unavailable
from stratabase.core.operations.ports import Clock
from stratabase.members.audit.actor import acting, by_mailed_link
from stratabase.members.mail import invitation_mail, provider_mail, reset_mail
from stratabase.members.mailed_link import LinkToken, new_link_token
from stratabase.members.member import (
    Member,
    MemberKind,
    reset_links,
    with_password,
    with_reset_link,
    without_reset_link,
)
from stratabase.members.operations.fresh_sign_in import require_sign_in
from stratabase.members.operations.mailed_links import find_link_owner
from stratabase.members.operations.rules import retry_conflicts
from stratabase.members.password import PasswordPolicy, normalize_password
from stratabase.members.ports import Mailer, Members, Passwords
from stratabase.members.provider_links import needs_provider
from stratabase.members.refusals import BadMember, FieldMistake, NoSuchMember, RecipientRefused, WeakPassword
from stratabase.values.messages import Message, _

SET_PASSWORD_PATH = "/public/administration/setPassword"  # noqa: S105 - it is a path
"""The path of the page that the link opens, below the base URL."""
FORGOT_PASSWORD_PATH = "/public/administration/forgotPassword"  # noqa: S105 - it is a path
"""The path of the page on which people request a link, below the base URL."""
SIGN_IN_PATH = "/public/signIn"
"""The path of the page with the ways to sign in. The paths of providers are below it."""


class PasswordReset:
    """Mails links, and sets the passwords that members choose.

    A member's links are all valid until one is used, or the member gets a password in another way.
    """

    def __init__(  # noqa: PLR0913 - each is a service that it uses
        self,
        members: Members,
        passwords: Passwords,
        mailer: Mailer,
        clock: Clock,
        *,
        policy: PasswordPolicy,
        application: str,
    ) -> None:
        self._members = members
        self._passwords = passwords
        self._mailer = mailer
        self._clock = clock
        self._policy = policy
        self._application = application

    def start(self, caller: Caller, id_: str, base_url: str) -> None:
        """Mail a member a link below `base_url`, for an administrator.

        An existing password stays valid until the link is used.

        Raises Forbidden, also if the member is disabled, NoSuchMember, BadMember if it is a program. Raises
        RecipientRefused or Unavailable if the mail cannot be sent.
        """
        require_administrator(caller, _only_administrators())
        require_sign_in(caller)
        self.invite(id_, base_url)

    def invite(self, id_: str, base_url: str) -> None:
        """Mail a member a link without checking a caller. A member without a password gets an invitation.

        A member who signs in with a provider and has no password gets a link to sign in there. Raises as
        `start`.
        """
        token = new_link_token(id_)
        member = retry_conflicts(
            lambda: self._store_link(token, is_needed=lambda each: not needs_provider(each))
        )
        if needs_provider(member):
            mail = provider_mail(member, self._application, f"{base_url}{SIGN_IN_PATH}")
            waiting.offload(self._mailer.send, mail)
            return
        make_mail = reset_mail if member.password else invitation_mail
        link = _link(base_url, token)
        # Send the mail after the link is stored, so that the link works when it arrives.
        try:
            waiting.offload(self._mailer.send, make_mail(member, self._application, link))
        except (RecipientRefused, Unavailable):
            with suppress(Unavailable):
                retry_conflicts(lambda: self._remove_link(token))
            raise

    def make_link(self, caller: Caller, id_: str, base_url: str) -> str:
        """Return a link for a member, which is not mailed. Anyone who has it can set the password.

        Raises Forbidden, also if the member is disabled, NoSuchMember, BadMember if it is a program,
        Unavailable.
        """
        require_administrator(caller, _only_administrators())
        token = new_link_token(id_)
        retry_conflicts(lambda: self._store_link(token))
        return _link(base_url, token)

    def inspect(self, token: str) -> Member:
        """Return the member who may set a password by a link. Raises UnusableLink, Unavailable."""
        return find_link_owner(self._members, self._clock, token, reset_links)

    def finish(self, token: str, password: str) -> Member:
        """Set the password of the member who has a link, and return the member as stored. A link works once.

        Raises UnusableLink, Unavailable. Raises WeakPassword, after which the link stays valid.
        """
        self._check(password, self.inspect(token))
        hashed = waiting.offload(self._passwords.hash, normalize_password(password))
        return retry_conflicts(lambda: self._set_password(token, password, hashed))

    def _store_link(
        self, token: LinkToken, is_needed: Callable[[Member], bool] = lambda _member: True
    ) -> Member:
        """Store a link if a member needs one, and return the member. Raises as `invite`."""
        before = self._members.by_id(token.member)
        if before is None:
            raise NoSuchMember
        if before.kind is MemberKind.PROGRAM:
            message = _(
                '"{username}" is a program and has no password. Make an API key for it.',
                username=before.username,
            )
            raise BadMember([FieldMistake("kind", message)])
        if before.disabled:
            message = _(
                'The member "{username}" is disabled and can\'t set a password. Enable the member first.',
                username=before.username,
            )
            raise Forbidden(message)
        if not is_needed(before):
            return before
        now = self._clock.now()
        after = with_reset_link(before, token.stored(now), now)
        self._members.change(before, after)
        return after

    def _remove_link(self, token: LinkToken) -> None:
        """Remove a link that nobody got, so that it does not displace one that was mailed."""
        before = self._members.by_id(token.member)
        link = next((each for each in reset_links(before) if token.opens(each)), None) if before else None
        if before is not None and link is not None:
            self._members.change(before, without_reset_link(before, link))

    def _set_password(self, token: str, password: str, hashed: str) -> Member:
        # Check everything again: the link may have been used, or the member renamed, in the meantime.
        before = self.inspect(token)
        self._check(password, before)
        after = with_password(before, hashed)
        with acting(by_mailed_link(before)):
            self._members.change(before, after)
        return after

    def _check(self, password: str, member: Member) -> None:
        weaknesses = self._policy.weaknesses(password, (member.username, member.email))
        if weaknesses:
            raise WeakPassword(self._policy, weaknesses)


def _only_administrators() -> Message:
    return _(
        "Only administrators can reset passwords. To get a link for your own password, use {page}.",
        page=FORGOT_PASSWORD_PATH,
    )


def _link(base_url: str, token: LinkToken) -> str:
    return f"{base_url}{SET_PASSWORD_PATH}?token={quote(str(token))}"
