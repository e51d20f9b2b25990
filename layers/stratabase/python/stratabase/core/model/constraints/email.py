"""`@domain(email)`: a text must be an email address."""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from stratabase.core.model.constraints.base import ConstraintArgument, FlagConstraint, Violation, flag
from stratabase.core.model.types.base import AttributeType
from stratabase.core.model.types.string import TextType
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.formats.preferences import Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

MAX_EMAIL_LENGTH = 254
"""The maximum length of an address, in characters."""
_MAX_LOCAL_LENGTH = 64
_LOCAL = re.compile(r"""[^\s\x00-\x1f\x7f@.,:;<>()\[\]\\"]+(?:\.[^\s\x00-\x1f\x7f@.,:;<>()\[\]\\"]+)*""")
_ENCODED = "=?"
"""The start of an encoded word (RFC 2047). Mail programs would decode it, and so read another address."""
_LABEL = re.compile(r"[^\W_](?:(?:[^\W_]|-){0,61}[^\W_])?")


@frozen
class EmailAddress(FlagConstraint):
    """An address as in RFC 5321, in any script, without quoted parts."""

    arguments: ClassVar[Mapping[str, ConstraintArgument]] = {"email": flag("An e-mail address.")}
    issues: ClassVar[tuple[str, ...]] = ("ATTRIBUTE_EMAIL",)
    types: ClassVar[tuple[type[AttributeType], ...]] = (TextType,)

    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield a violation if a text is not an email address."""
        if not is_email(stored):
            message = _(
                "{value} is not a valid email address. Use an address such as {example}.",
                value=describe_value(stored),
                example="name@example.com",
            )
            yield Violation("ATTRIBUTE_EMAIL", message)


def is_email(text: str) -> bool:
    """Return whether a text has the form of an address to which mail can be sent."""
    local, _at, host = text.rpartition("@")
    labels = host.split(".")
    return (
        len(text) <= MAX_EMAIL_LENGTH
        and len(local) <= _MAX_LOCAL_LENGTH
        and len(labels) > 1
        and _ENCODED not in local
        and _LOCAL.fullmatch(local) is not None
        and all(_LABEL.fullmatch(label) for label in labels)
    )


def ascii_domain(domain: str) -> str:
    """Return a domain in its ASCII form (IDNA), or "" if mail to that form would go to another domain.

    Python maps some letters to others, as IDNA did until 2003. For example, it maps `straße.example` to
    `strasse.example`, which can belong to somebody else.
    """
    if domain.isascii():
        return domain
    try:
        ascii_form = domain.encode("idna")
        is_same = ascii_form.decode("idna") == unicodedata.normalize("NFC", domain.lower())
    except UnicodeError:
        return ""
    return ascii_form.decode("ascii") if is_same else ""


def domain_spellings(domain: str) -> tuple[str, ...]:
    """Return a domain in lower case as it is, and in its other form (IDNA): with `xn--`, or without."""
    if domain.isascii() and "xn--" not in domain:
        return (domain,)
    ascii_form = ascii_domain(domain)
    try:
        forms = (domain, ascii_form, ascii_form.encode().decode("idna"))
    except UnicodeError:
        forms = (domain, ascii_form, "")
    return tuple(dict.fromkeys(filter(None, forms)))


def is_mailable(email: str) -> bool:
    """Return whether mail to an address reaches that address, and all characters of it are visible."""
    local, _at, domain = email.rpartition("@")
    return local.isprintable() and ascii_domain(domain) != ""
