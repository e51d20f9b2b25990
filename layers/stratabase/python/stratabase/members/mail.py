"""The mails to members, each in the member's language, and requests for a mail that wait in a queue."""

from typing import NamedTuple

from stratabase.members.member import Member
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _


@frozen
class Mail:
    """A mail in plain text. The mailer adds the sender."""

    to: str
    subject: str
    text: str


def reset_mail(member: Member, application: str, link: str) -> Mail:
    """Return the mail with the link to choose a new password."""
    subject = _("{application}: choose a new password", application=application)
    text = _(
        """\
Hello {username},

Someone requested a new password for your account "{username}" in {application}.

To choose a new password, open this link within one hour:

{link}

The link works only once. Your current password stays valid until you choose a
new one.

If you don't want a new password, you can ignore this email. Don't share the link:
anyone who has it can choose a new password for your account.
""",
        application=application,
        username=member.username,
        link=link,
    )
    return _mail(member, member.email, subject, text)


def invitation_mail(member: Member, application: str, link: str) -> Mail:
    """Return the mail to a new member, who has no password yet."""
    subject = _("{application}: choose your password", application=application)
    text = _(
        """\
Hello {username},

You have a new account in {application}. Your username is "{username}".

To choose your password, open this link within one hour:

{link}

The link works only once. If it has expired, ask an administrator of
{application} for a new one. Don't share the link.
""",
        application=application,
        username=member.username,
        link=link,
    )
    return _mail(member, member.email, subject, text)


def provider_mail(member: Member, application: str, link: str) -> Mail:
    """Return the mail to a member without a password, who signs in with a provider: it leads to that page."""
    subject = _("{application}: how to sign in", application=application)
    text = _(
        """\
Hello {username},

Someone requested a new password for your account "{username}" in {application}.

Your account has no password. You sign in with your identity provider:

{link}

If you don't want to sign in, you can ignore this email.
""",
        application=application,
        username=member.username,
        link=link,
    )
    return _mail(member, member.email, subject, text)


def confirmation_mail(member: Member, email: str, application: str, link: str) -> Mail:
    """Return the mail to a member's new address, to confirm that the member receives mail there."""
    subject = _("{application}: confirm your new email address", application=application)
    text = _(
        """\
Hello {username},

Someone requested {email} as the new email address of the account "{username}"
in {application}.

To confirm the address, open this link within one hour and select the button on
the page:

{link}

The link works only once. Until you confirm the address, the account keeps its
current email address.

If you didn't request this, or if the account isn't yours, ignore this email.
Nothing will change. Don't select the button, and don't share the link.
""",
        application=application,
        username=member.username,
        email=email,
        link=link,
    )
    return _mail(member, email, subject, text)


def change_requested_mail(member: Member, application: str) -> Mail:
    """Return the mail to the current address of a member who requests another one."""
    subject = _("{application}: request to change your email address", application=application)
    text = _(
        """\
Hello {username},

Someone requested a new email address for your account "{username}" in
{application}. Until the new address is confirmed, we'll keep sending email to
{email}.

If this was you, you can ignore this email.

If this wasn't you, someone else might know your password. Change your password
now. This also cancels the change of address. If you need help, contact an
administrator of {application}.
""",
        application=application,
        username=member.username,
        email=member.email,
    )
    return _mail(member, member.email, subject, text)


def email_changed_mail(member: Member, application: str) -> Mail:
    """Return the mail to the former address of a member who has confirmed a new one.

    `member` is the member before the change.
    """
    subject = _("{application}: your email address was changed", application=application)
    text = _(
        """\
Hello {username},

The new email address of your account "{username}" in {application} was confirmed.
From now on, we'll send email to the new address instead of {email}.

If you didn't make this change, contact an administrator of {application}
immediately.
""",
        application=application,
        username=member.username,
        email=member.email,
    )
    return _mail(member, member.email, subject, text)


def _mail(member: Member, to: str, subject: Message, text: Message) -> Mail:
    language = member.formats.language
    return Mail(to, subject.in_language(language), text.in_language(language))


class ForgottenPassword(NamedTuple):
    """What somebody sent who forgot a password. Nobody knows yet whether a member has the name."""

    name: str
    """A username or an email address, as it was typed."""
    base_url: str
    """The root URL of the link."""


def forgotten_password(name: str, base_url: str) -> ForgottenPassword:
    """Return the request for a name. Every queue can store it.

    Characters that no name contains, and that cannot be encoded, are replaced.
    """
    return ForgottenPassword(name.encode("utf-8", "replace").decode(), base_url)
