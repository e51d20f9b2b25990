"""A letter: the form of a mail, with places for what differs from one to the next."""

from dataclasses import dataclass

from stratabase.domain.mail import Mail


@dataclass(frozen=True, slots=True)
class Letter:
    """A subject and a text, in which `{application}`, `{username}` and `{link}` stand for what is meant."""

    subject: str
    text: str

    def to(self, email: str, *, application: str, username: str, link: str) -> Mail:
        """Return the mail to one person."""
        filled = {"application": application, "username": username, "link": link}
        return Mail(email, self.subject.format(**filled), self.text.format(**filled))


@dataclass(frozen=True, slots=True)
class Letters:
    """All letters, in one language."""

    reset: Letter
    """To a member whose password is to be set anew."""
    invitation: Letter
    """To a member who has no password yet."""
