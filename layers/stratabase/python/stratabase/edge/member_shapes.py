"""How members look in REST bodies, made of the fields that the domain knows."""

from collections.abc import Iterable, Mapping

from stratabase.domain.member import Member
from stratabase.domain.member_field import MemberField
from stratabase.edge.administration import url
from stratabase.edge.shape import Field, Several, Shape

CREATED = Shape("user", {"id": Field("The id of the new member.", required=True)}, name="CreatedMember")

_ID = Field("What identifies the member, for ever.", required=True)
_URL = Field("The address of the member.", required=True, format="uri")
_PASSWORD = Field("A new password. All that the member signed in with before ends.", format="password")
_CURRENT = ("username", "email", "notes", "profile", "timeFormat", "dateFormat", "timeZone", "language")
_SINGLE = ("username", "email", "profile", "disabled")


class MemberShapes:
    """The bodies that show members, and those by which they are made and changed."""

    def __init__(self, fields: Mapping[str, MemberField]) -> None:
        self._fields = fields
        self.current = self._shown("CurrentMember", _CURRENT)
        self.single = self._shown("Member", _SINGLE)
        listed = {"id": _ID, "username": _shown(fields["username"]), "url": _URL}
        self.listed = Several("users", Shape("user", listed, name="ListedMember"))
        new = {
            name: _given(field, required=field.required)
            for name, field in fields.items()
            if field.at_creation
        }
        self.new = Shape("user", new, name="NewMember")
        changes = {name: _given(field, required=False) for name, field in fields.items()}
        self.changes = Shape("user", {**changes, "password": _PASSWORD}, name="MemberChanges")

    def show(self, shape: Shape, member: Member) -> dict[str, object]:
        """Return the fields of a member that a shape names."""
        return {"id": member.id, **{name: self._value(member, name) for name in shape.fields if name != "id"}}

    def list(self, members: Iterable[Member], base_url: str) -> list[dict[str, object]]:
        """Return what the list of members shows, for a service at `base_url`."""
        return [
            {"id": member.id, "username": member.username, "url": url(base_url, member)} for member in members
        ]

    def _shown(self, name: str, names: Iterable[str]) -> Shape:
        return Shape("user", {"id": _ID, **{each: _shown(self._fields[each]) for each in names}}, name=name)

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
        most=field.most,
        format=field.format,
        example=field.example,
    )
