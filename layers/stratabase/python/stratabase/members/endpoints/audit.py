"""The endpoint that shows the audit trail to administrators, page by page."""

from collections.abc import Callable, Mapping
from urllib.parse import urlencode

from stratabase.core.domain.caller import Caller, require_administrator
from stratabase.core.domain.objects.instant import format_instant
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.body import body_response
from stratabase.core.http.base.endpoint import Endpoint, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import Malformed
from stratabase.core.http.base.shape import Field, ListShape, Shape
from stratabase.core.model.types.identifier import id_timestamp
from stratabase.members.audit_entry import MAX_PAGE, AuditEntry, AuditKind
from stratabase.members.operations.audit import ONLY_ADMINISTRATORS_READ, ReadPage
from stratabase.values.messages import _

_DEFAULT_PAGE = 50
_DETAILS = {
    "from": "The former profile.",
    "to": "The new profile.",
    "profile": "The profile of a member or key that was created, or of a member who was deleted.",
    "memberKind": "The kind of a member who was created: `person` or `program`.",
    "session": "The ID of the session that began or ended.",
    "sessions": "The number of sessions, if several ended at once.",
    "key": "The ID of the key.",
    "name": "The name of the key. Removed when the member is deleted.",
    "provider": "The name of the identity provider.",
}
"""The fields that only some kinds of entries have."""
AUDIT_ENTRY = Shape(
    "entry",
    {
        "id": Field("The ID of the entry. IDs increase with time.", required=True),
        "at": Field(
            "When it happened. Of an entry for an hour, the start of the hour.",
            required=True,
            format="date-time",
        ),
        "kind": Field(
            "What happened.",
            required=True,
            example=AuditKind.SIGNED_IN.value,
            values=tuple(kind.value for kind in AuditKind),
        ),
        "member": Field(
            "The ID of the member it is about. Empty for sign-ins with names that no member has.",
            required=True,
        ),
        "username": Field("The present username of this member. Empty if deleted.", required=True),
        "actor": Field("The ID of the member who did it. Empty if it was no member.", required=True),
        "actorUsername": Field("The present username of the actor. Empty if deleted.", required=True),
        "way": Field(
            "How the request proved who sent it: password, token, key or link. Without an actor: what acted, "
            "such as command, or an identity provider.",
            required=True,
            example="password",
        ),
        "address": Field("The IP address of the actor.", required=True, example="192.0.2.7"),
        "device": Field("The device of the actor.", required=True, example="Firefox on Linux"),
        "count": Field("How many refusals the entry stands for.", "integer"),
        **{name: Field(description) for name, description in _DETAILS.items()},
    },
    name="AuditEntry",
)
"""An entry. In XML and JSON, all fields are texts but `count`."""
_ENTRIES = ListShape("entries", AUDIT_ENTRY)


def audit_endpoint(read: Callable[[Caller, str | None, int, str | None], ReadPage]) -> Endpoint:
    """Return the endpoint. `read(caller, after, limit, member)` returns a page."""

    def read_page(request: Request, caller: Caller | None) -> Response:
        after, member = _id_parameter(request, "after"), _id_parameter(request, "member")
        limit = _limit(request)
        page, usernames = read(require_caller(caller), after, limit, member)
        content = [render_entry(entry, usernames) for entry in page.entries]
        return body_response(request, 200, _ENTRIES, content, _link(request, page.next))

    operation = Operation(
        read_page,
        "readAuditTrail",
        "What happened around members: sign-ins, refusals and changes; for administrators. Newest first.",
        {
            200: ResponseSpec(
                "A page of entries.",
                _ENTRIES,
                {"Link": 'The address of the next page, with rel="next". The last page has none.'},
            ),
            400: ResponseSpec("A parameter is not valid."),
        },
        query={
            "after": Parameter("The ID of an entry. The page begins with the next older one."),
            "limit": Parameter(
                f"The maximum number of entries, from 1 to {MAX_PAGE}. The default is {_DEFAULT_PAGE}. With "
                "`member`, a page can have fewer although another one follows.",
                example=str(_DEFAULT_PAGE),
            ),
            "member": Parameter("The ID of a member. The page has only entries about this member."),
        },
        authorize=lambda _request, caller: require_administrator(caller, ONLY_ADMINISTRATORS_READ),
    )
    return Endpoint({"GET": operation})


def render_entry(entry: AuditEntry, usernames: Mapping[str, str]) -> dict[str, object]:
    """Return the fields of an entry. `usernames` has those of members by ID."""
    return {
        "id": entry.id,
        "at": format_instant(entry.at),
        "kind": entry.kind.value,
        "member": entry.member,
        "username": usernames.get(entry.member, ""),
        "actor": entry.actor,
        "actorUsername": usernames.get(entry.actor, ""),
        "way": entry.way,
        "address": entry.address,
        "device": entry.device,
        **({"count": entry.count} if entry.kind.is_counted else {}),
        **entry.detail,
    }


def _parameter(request: Request, name: str) -> str | None:
    """Return the value of a parameter of the query, None without one. Raises Malformed if it is repeated."""
    values = request.query.get(name, ())
    if len(values) > 1:
        raise Malformed(_('The query repeats the parameter "{name}". Use it only once.', name=name))
    return values[0] if values else None


def _id_parameter(request: Request, name: str) -> str | None:
    value = _parameter(request, name)
    if value is not None and id_timestamp(value) is None:
        raise Malformed(_('The query parameter "{name}" must be an ID: 26 digits and letters.', name=name))
    return value


def _limit(request: Request) -> int:
    value = _parameter(request, "limit")
    if value is None:
        return _DEFAULT_PAGE
    number = int(value) if value.isascii() and value.isdigit() and len(value) < len("1000") else 0
    if not 1 <= number <= MAX_PAGE:
        message = _('The query parameter "limit" must be a whole number from 1 to {limit}.', limit=MAX_PAGE)
        raise Malformed(message)
    return number


def _link(request: Request, after: str | None) -> Headers:
    """Return the header with the address of the next page, which has the other parameters of this one."""
    if after is None:
        return ()
    kept = {name: request.query[name][0] for name in ("limit", "member", "format") if name in request.query}
    query = urlencode({**kept, "after": after})
    return (("Link", f'<{request.base_url}{request.resource}?{query}>; rel="next"'),)
