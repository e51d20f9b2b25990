"""The shapes of members in REST bodies, derived from the domain's table of member fields."""

from collections.abc import Iterable, Mapping

from stratabase.core.http.base.shape import Field, ListShape, Shape
from stratabase.core.model.constraints.email import MAX_EMAIL_LENGTH
from stratabase.members.fields import MemberField
from stratabase.members.member import Member, MemberKind
from stratabase.members.operations.update import CURRENT_PASSWORD, ID, PASSWORD, PENDING_EMAIL
from stratabase.values.messages import _

_KIND_NAME = "kind"
CREATED_MEMBER = Shape(
    "user", {"id": Field("The ID of the new member.", required=True)}, name="CreatedMember"
)
_ID = Field("The ID of the member, which never changes.", required=True)
_URL = Field("The address of the member.", required=True, format="uri")
_NO_PASSWORD_YET = _(
    "The new member gets an email with a link to choose a password. To set one yourself, send a PUT to the "
    "address of the new member."
)
_PASSWORD = Field("A new password. It ends all sessions of the member.", format="password")
_CURRENT_PASSWORD = Field(
    "Your current password. Required to change your own password or email address, unless the request uses "
    "HTTP Basic. It also lets an administrator change a password or email address of others later than 10 "
    "minutes after signing in. Ignored otherwise.",
    nullable=True,
    format="password",
)
_PENDING_EMAIL = Field(
    "The new email address of the member, until it is confirmed through the link in an email to it.",
    format="email",
    example="anna@example.org",
)
_SAME_ID = Field("The ID of the member, which can't be changed.")
_SAME_PENDING_EMAIL = Field(
    "The current value of this field, to keep the new email address waiting for its confirmation. Null, or "
    "the current email without this field, cancels the new address.",
    nullable=True,
    max_length=MAX_EMAIL_LENGTH,
    format="email",
)
_CURRENT_FIELDS = (
    "username",
    "email",
    "notes",
    "profile",
    "timeFormat",
    "dateFormat",
    "timeZone",
    "language",
)
_SINGLE_FIELDS = ("username", "email", "profile", "disabled")
_KIND = Field("`program`, if the member is a program. Persons don't have the field.", example="program")


class MemberShapes:
    """The shapes of members in REST bodies. `fields` has the member fields by name.

    `current` (the caller), `single` and `listed` are shapes of responses. `new` and `changes` are shapes of
    requests.
    """

    def __init__(self, fields: Mapping[str, MemberField]) -> None:
        self._fields = fields
        self.current = self._response_shape("CurrentMember", _CURRENT_FIELDS)
        self.single = self._response_shape("Member", _SINGLE_FIELDS)
        listed = {"id": _ID, "username": _response_field(fields["username"]), "url": _URL, _KIND_NAME: _KIND}
        self.listed = ListShape("users", Shape("user", listed, name="ListedMember"))
        new = {
            name: _request_field(field, required=field.required and not field.persons_only)
            for name, field in fields.items()
            if field.at_creation
        }
        self.new = Shape("user", new, name="NewMember", hints={PASSWORD: _NO_PASSWORD_YET})
        changes = {name: _request_field(field, required=False) for name, field in fields.items()}
        special_fields = {
            ID: _SAME_ID,
            PENDING_EMAIL: _SAME_PENDING_EMAIL,
            PASSWORD: _PASSWORD,
            CURRENT_PASSWORD: _CURRENT_PASSWORD,
        }
        self.changes = Shape("user", {**changes, **special_fields}, name="MemberChanges")

    def render_member(self, shape: Shape, member: Member) -> dict[str, object]:
        """Return the values of a member for the fields of a response shape, by field name."""
        names = (name for name in shape.fields if name in self._fields and name != _KIND_NAME)
        values = {name: self._value(member, name) for name in names}
        pending = {} if member.pending_email is None else {PENDING_EMAIL: member.pending_email}
        return {ID: member.id, **values, **pending, **_kind(member)}

    def render_list(self, members: Iterable[Member], members_url: str) -> list[dict[str, object]]:
        """Return the fields of each member for the list. `members_url` is the URL of the list."""
        return [
            {
                "id": member.id,
                "username": member.username,
                "url": f"{members_url}/{member.id}",
                **_kind(member),
            }
            for member in members
        ]

    def _response_shape(self, name: str, names: Iterable[str]) -> Shape:
        fields = {each: _response_field(self._fields[each]) for each in names}
        return Shape("user", {ID: _ID, **fields, PENDING_EMAIL: _PENDING_EMAIL, _KIND_NAME: _KIND}, name=name)

    def _value(self, member: Member, name: str) -> object:
        # The specification of the service has strings only, so None becomes "". The service accepts "" in an
        # update, so a client can send back the representation that it received.
        value = self._fields[name].get(member)
        return "" if value is None else value


def _kind(member: Member) -> dict[str, object]:
    """Return the field that only programs have, so that a person looks as in earlier versions."""
    return {} if member.kind is MemberKind.PERSON else {_KIND_NAME: member.kind.value}


def _response_field(field: MemberField) -> Field:
    return Field(field.description, field.type, required=True, format=field.format, example=field.example)


def _request_field(field: MemberField, *, required: bool) -> Field:
    return Field(
        field.description,
        field.type,
        required=required,
        nullable=field.nullable,
        max_length=field.max_length,
        format=field.format,
        example=field.example,
        values=field.values,
    )
