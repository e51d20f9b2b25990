"""A mail to one person."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mail:
    """Plain text in a person's language; the sender is the mailer's to know."""

    to: str
    subject: str
    text: str
