"""How members look in REST bodies, made of the fields that the domain knows."""

from collections.abc import Iterable, Mapping

from stratabase.domain.member import Member
from stratabase.domain.member_field import MemberField
from stratabase.http_api.http.shape import Field, ListShape, Shape
from stratabase.model.constraints.email import LONGEST_EMAIL
from stratabase.operations.members.updating import ID, PASSWORD, PENDING_EMAIL

CREATED = Shape("user", {"id": Field("The id of the new member.", required=True)}, name="CreatedMember")
_ID = Field("What identifies the member, for ever.", required=True)
_URL = Field("The address of the member.", required=True, format="uri")
_PASSWORD = Field("A new password. All that the member signed in with before ends.", format="password")
_PENDING_EMAIL = Field(
    "The new e-mail address of the member, while it waits to be confirmed by the link in a mail to it.",
    format="email",
    example="anna@example.org",
)
_SAME_ID = Field("The id of the member, which cannot be changed.")
_SAME_PENDING_EMAIL = Field(
    "The e-mail address that waits to be confirmed, as it is shown: then it goes on waiting. With null, or "
    "without this field beside the present email, it waits no more.",
    nullable=True,
    max_length=LONGEST_EMAIL,
    format="email",
)
_CURRENT = ("username", "email", "notes", "profile", "timeFormat", "dateFormat", "timeZone", "language")
_SINGLE = ("username", "email", "profile", "disabled")


class MemberShapes:
    """The bodies that show members, and those by which they are made and changed."""

    def __init__(self, fields: Mapping[str, MemberField]) -> None:
        self._fields = fields
        self.current = self._shown("CurrentMember", _CURRENT)
        self.single = self._shown("Member", _SINGLE)
        listed = {"id": _ID, "username": _shown(fields["username"]), "url": _URL}
        self.listed = ListShape("users", Shape("user", listed, name="ListedMember"))
        new = {
            name: _given(field, required=field.required)
            for name, field in fields.items()
            if field.at_creation
        }
        self.new = Shape("user", new, name="NewMember")
        changes = {name: _given(field, required=False) for name, field in fields.items()}
        others = {ID: _SAME_ID, PENDING_EMAIL: _SAME_PENDING_EMAIL, PASSWORD: _PASSWORD}
        self.changes = Shape("user", {**changes, **others}, name="MemberChanges")

    def render_member(self, shape: Shape, member: Member) -> dict[str, object]:
        """Return the fields of a member that a shape names."""
        values = {name: self._value(member, name) for name in shape.fields if name in self._fields}
        pending = {} if member.pending_email is None else {PENDING_EMAIL: member.pending_email}
        return {ID: member.id, **values, **pending}

    def render_list(self, members: Iterable[Member], base_url: str) -> list[dict[str, object]]:
        """Return what the list of members shows, for a service at `base_url`."""
        return [
            {"id": member.id, "username": member.username, "url": member_url(base_url, member)}
            for member in members
        ]

    def _shown(self, name: str, names: Iterable[str]) -> Shape:
        fields = {each: _shown(self._fields[each]) for each in names}
        return Shape("user", {ID: _ID, **fields, PENDING_EMAIL: _PENDING_EMAIL}, name=name)

    def _value(self, member: Member, name: str) -> object:
        # Nothing is an empty text: service.md knows strings alone, and it can be given back as it came.
        value = self._fields[name].get(member)
        return "" if value is None else value


def _shown(field: MemberField) -> Field:
    return Field(field.about, field.type, required=True, format=field.format, example=field.example)


def _given(field: MemberField, *, required: bool) -> Field:
    return Field(
        field.about,
        field.type,
        required=required,
        nullable=field.nullable,
        max_length=field.most,
        format=field.format,
        example=field.example,
    )


MEMBERS_ADDRESS = "/auth/administration/members"


def member_url(base_url: str, member: Member) -> str:
    """Return the address of a member of the service at `base_url`."""
    return f"{base_url}{MEMBERS_ADDRESS}/{member.id}"
