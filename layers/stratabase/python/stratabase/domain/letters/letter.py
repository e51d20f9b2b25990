"""A letter: the form of a mail, with places for what differs from one to the next."""

from dataclasses import dataclass

from stratabase.domain.mail import Mail


@dataclass(frozen=True, slots=True)
class Letter:
    """A subject and a text, with `{application}`, `{username}`, `{email}` and `{link}` where these belong."""

    subject: str
    text: str

    def to(self, email: str, *, application: str, username: str, link: str = "") -> Mail:
        """Return the mail to one person."""
        filled = {"application": application, "username": username, "email": email, "link": link}
        return Mail(email, self.subject.format(**filled), self.text.format(**filled))


@dataclass(frozen=True, slots=True)
class Letters:
    """All letters, in one language."""

    reset: Letter
    """To a member whose password is to be set anew."""
    invitation: Letter
    """To a member who has no password yet."""
    confirmation: Letter
    """To the new address of a member, who confirms by it that mail reaches the member there."""
    change_requested: Letter
    """To the present address of a member who asks for another one."""
    changed: Letter
    """To the former address of a member who has confirmed another one."""
