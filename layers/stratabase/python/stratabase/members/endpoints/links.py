"""The endpoints of a member's links to accounts at identity providers."""

from collections.abc import Callable, Mapping
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.objects.instant import format_instant
from stratabase.core.http.base.authentication import require_caller
from stratabase.core.http.base.body import body_response, read_body
from stratabase.core.http.base.endpoint import Endpoint, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Headers, Request, Response
from stratabase.core.http.base.refusals import Malformed
from stratabase.core.http.base.shape import Field, ListShape, Shape
from stratabase.core.model.types.datetime import DatetimeType
from stratabase.members.credentials import ProviderLink
from stratabase.members.endpoints.members import MEMBER_PARAMETER, UNKNOWN_MEMBER, requested_id
from stratabase.members.provider_sign_in.codes import MAX_CODE_LENGTH
from stratabase.members.provider_sign_in.links import MemberLinks
from stratabase.members.providers.tokens import MAX_SUBJECT_LENGTH
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import _

_NO_STORE: Headers = (("Cache-Control", "no-store"),)
_LINK = Shape(
    "link",
    {
        "provider": Field("The name of the identity provider.", required=True, example="google"),
        "issuer": Field("The issuer, as the provider names itself.", required=True),
        "subject": Field("What identifies the account there.", required=True),
        "since": Field("When the link was made, in the formats of the member who asks.", required=True),
    },
    name="MemberLink",
)
_LINKS = ListShape("links", _LINK)
_NEW = Shape(
    "link",
    {
        "code": Field("The code with which a linking has ended at returnTo.", max_length=MAX_CODE_LENGTH),
        "verifier": Field("The verifier whose challenge the linking began with (PKCE).", max_length=128),
        "provider": Field("For a program: the name of the identity provider.", max_length=64),
        "subject": Field("For a program: the subject of its access tokens.", max_length=MAX_SUBJECT_LENGTH),
    },
    name="NewMemberLink",
)
_STALE = ResponseSpec(
    "Credentials missing or wrong, or the member signed in more than 10 minutes ago. Then the challenge has "
    "the error insufficient_user_authentication.",
    headers={"WWW-Authenticate": "The supported schemes, or what is required (RFC 9470)."},
)


def links_endpoint(links: Callable[[], MemberLinks]) -> Endpoint:
    """Return the endpoint that lists and makes links."""

    def list_links(request: Request, caller: Caller | None) -> Response:
        found = links().list(require_caller(caller), requested_id(request))
        formats = require_caller(caller).formats
        return body_response(request, 200, _LINKS, [_fields(link, formats) for link in found], _NO_STORE)

    def add_link(request: Request, caller: Caller | None) -> Response:
        fields = read_body(request, _NEW)
        id_, member = requested_id(request), require_caller(caller)
        if set(fields) == {"code", "verifier"}:
            link = links().add(member, id_, fields["code"], fields["verifier"])
        elif set(fields) == {"provider", "subject"} and fields["subject"]:
            link = links().add_subject(member, id_, fields["provider"], fields["subject"])
        else:
            raise Malformed(_('Send "code" and "verifier", or, for a program, "provider" and "subject".'))
        return body_response(request, 201, _LINK, _fields(link, member.formats), _NO_STORE)

    get = Operation(
        list_links,
        "listMemberLinks",
        "The accounts at identity providers with which a member can sign in: your own ones, or those of any "
        "member for administrators.",
        {200: ResponseSpec("The links, oldest first.", _LINKS), 404: UNKNOWN_MEMBER},
    )
    post = Operation(
        add_link,
        "addMemberLink",
        "Link your own account at an identity provider: begin at /public/signIn/{provider} with "
        "purpose=link, and send the code with its verifier. Administrators link programs by provider and "
        "subject. Requires a sign-in within the last 10 minutes.",
        {
            201: ResponseSpec("The link was made.", _LINK),
            401: _STALE,
            404: UNKNOWN_MEMBER,
            409: ResponseSpec("Another member is linked with the account, or there are too many links."),
        },
        _NEW,
    )
    return Endpoint({"GET": get, "POST": post}, MEMBER_PARAMETER)


def link_endpoint(links: Callable[[], MemberLinks]) -> Endpoint:
    """Return the endpoint that removes links."""

    def remove_links(request: Request, caller: Caller | None) -> Response:
        links().remove(require_caller(caller), requested_id(request), request.parameters["provider"])
        return Response(204, _NO_STORE)

    operation = Operation(
        remove_links,
        "removeMemberLink",
        "Remove the links of a member with an identity provider, and end the sessions that began with it, "
        "except for that of the request. Requires a sign-in within the last 10 minutes.",
        {
            204: ResponseSpec("The links were removed."),
            401: _STALE,
            404: ResponseSpec("A member with this ID does not exist, or has no such link."),
            409: ResponseSpec("It is the member's only way to sign in."),
        },
    )
    provider = Parameter("The name of the identity provider, as in the list of links.", example="google")
    return Endpoint({"DELETE": operation}, {**MEMBER_PARAMETER, "provider": provider})


def _fields(link: ProviderLink, formats: Formats) -> Mapping[str, Any]:
    return {
        "provider": link.provider,
        "issuer": link.issuer,
        "subject": link.subject,
        "since": DatetimeType().serializer("default", formats)(format_instant(link.since)),
    }
