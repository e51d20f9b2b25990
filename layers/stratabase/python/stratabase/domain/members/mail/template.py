"""A mail, and the template that one is filled from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mail:
    """Plain text in a person's language; the sender is the mailer's to know."""

    to: str
    subject: str
    text: str


@dataclass(frozen=True, slots=True)
class MailTemplate:
    """A subject and a text, with `{application}`, `{username}`, `{email}` and `{link}` where these belong."""

    subject: str
    text: str

    def to(self, email: str, *, application: str, username: str, link: str = "") -> Mail:
        """Return the mail to one person."""
        filled = {"application": application, "username": username, "email": email, "link": link}
        return Mail(email, self.subject.format(**filled), self.text.format(**filled))


@dataclass(frozen=True, slots=True)
class MailTemplates:
    """All templates, in one language."""

    reset: MailTemplate
    """To a member whose password is to be set anew."""
    invitation: MailTemplate
    """To a member who has no password yet."""
    confirmation: MailTemplate
    """To the new address of a member, who confirms by it that mail reaches the member there."""
    change_requested: MailTemplate
    """To the present address of a member who asks for another one."""
    changed: MailTemplate
    """To the former address of a member who has confirmed another one."""
