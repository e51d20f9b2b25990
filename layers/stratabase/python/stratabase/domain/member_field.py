"""One field of a member: what a client may give, and how a member has it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from stratabase.domain.member import Member
from stratabase.domain.writable import stray_character
from stratabase.formats.invalid_value import InvalidValue


@dataclass(frozen=True, slots=True)
class MemberField:
    """A field of a member, as a client gives it and sees it."""

    name: str
    about: str
    get: Callable[[Member], Any]
    """Return what a member has there."""
    put: Callable[[Member, Any], Member]
    """Return a member that has what was given there; it must have been checked."""
    check: Callable[[Any], None]
    """Raise Malformed for what is of the right type and does not hold, with what would be right."""
    type: Literal["string", "boolean"] = "string"
    most: int | None = None
    """Characters."""
    format: str | None = None
    """A name of OpenAPI's registry."""
    example: Any = None
    required: bool = False
    """A new member must be given it."""
    at_creation: bool = True
    """A new member may be given it."""
    administrators: bool = False
    """Only an administrator may change it, even of oneself."""
    nullable: bool = False
    """Null may be given: nothing, or what is usual."""
    lines: bool = False
    """It may have several lines."""

    def mistakes(self, given: Any) -> Iterator[str]:
        """Yield what is wrong with what was given, and what would be right."""
        try:
            self._check(given)
        except InvalidValue as refusal:
            yield str(refusal)

    def _check(self, given: Any) -> None:
        if given is None and self.nullable:
            return
        wanted, called = _TYPES[self.type]
        if not isinstance(given, wanted):
            raise InvalidValue(f"must be {called}")
        if isinstance(given, str):
            self._check_text(given)
        self.check(given)

    def _check_text(self, given: str) -> None:
        if self.most is not None and len(given) > self.most:
            raise InvalidValue(f"must have at most {self.most:,} characters, not {len(given):,}")
        stray = stray_character(given, lines=self.lines)
        if stray is not None:
            raise InvalidValue(f"must not have the character {stray}, which no text can carry everywhere")


_TYPES: dict[str, tuple[type, str]] = {"string": (str, "a string"), "boolean": (bool, "true or false")}
