"""The mails to members, each in the member's language."""

from dataclasses import dataclass

from stratabase.domain.members.member import Member
from stratabase.messages import Message, _


@dataclass(frozen=True, slots=True)
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

The link works only once. Until you use it, your current password stays valid.

If you don't want a new password, you don't need to do anything. Nobody can
choose one without this link, so don't share it.
""",
        application=application,
        username=member.username,
        link=link,
    )
    return _mail(member, member.email, subject, text)


def invitation_mail(member: Member, application: str, link: str) -> Mail:
    """Return the mail to a new member, who has no password yet."""
    subject = _("{application}: welcome, choose your password", application=application)
    text = _(
        """\
Hello {username},

An account was created for you in {application}. Your username is "{username}".

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


def confirmation_mail(member: Member, email: str, application: str, link: str) -> Mail:
    """Return the mail to a member's new address, to confirm that the member receives mail there."""
    subject = _("{application}: confirm your new email address", application=application)
    text = _(
        """\
Hello {username},

Someone asked to make {email} the email address of the account "{username}"
in {application}.

To confirm the address, open this link within one hour and select the button on
the page:

{link}

The link works only once. Until you confirm the address, the account keeps its
current email address.

If you didn't request this, or if the account isn't yours, don't do anything, and
nothing changes. Don't select the button, and don't share the link.
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

Someone asked to change the email address of your account "{username}" in
{application}. Mail goes to {email} until the new address is confirmed.

If it was you, you don't need to do anything here.

If it wasn't you, someone else might know your password. Change it now, which also
cancels the change of the address. An administrator of {application} can help you.
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

The email address of your account "{username}" in {application} was changed after
the new address was confirmed. From now on, mail goes to the new address and no
longer to {email}.

If it wasn't you, tell an administrator of {application} immediately.
""",
        application=application,
        username=member.username,
        email=member.email,
    )
    return _mail(member, member.email, subject, text)


def _mail(member: Member, to: str, subject: Message, text: Message) -> Mail:
    language = member.formats.language
    return Mail(to, subject.in_language(language), text.in_language(language))
