"""What becomes of a member, and of its tokens and its link, when something about it changes."""

from dataclasses import replace

from stratabase.domain.member import Member


def with_password(member: Member, hashed: str) -> Member:
    """Return a member with a new password: its tokens end, and so does the link that is under way."""
    return replace(member, password=hashed, generation=member.generation + 1, reset=None)


def with_disabled(member: Member, disabled: bool) -> Member:  # noqa: FBT001 - it is the value
    """Return a member that may not come in, or may again; its tokens end, and do not come back."""
    if disabled == member.disabled:
        return member
    if not disabled:
        return replace(member, disabled=False)
    return replace(member, disabled=True, generation=member.generation + 1, reset=None)


def with_email(member: Member, email: str) -> Member:
    """Return a member with another address; a link that went to the one before opens nothing any more."""
    return member if email == member.email else replace(member, email=email, reset=None)
