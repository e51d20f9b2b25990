"""The address at which a new e-mail address is confirmed: a page for people, and JSON or XML for programs."""

from stratabase.domain.member import Caller
from stratabase.edge import media_type
from stratabase.edge.body import read
from stratabase.edge.courtesy.confirmation import ConfirmationPages
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.form_body import MEDIA_TYPE, read_form
from stratabase.edge.operation import Manner, Operation, Parameter, Told
from stratabase.edge.request import Request
from stratabase.edge.response import Response
from stratabase.edge.set_password import LATER, PAGE, check_form
from stratabase.edge.shape import Field, Shape
from stratabase.operations.members.email_change import ADDRESS, EmailChange

_CONFIRMATION = Shape(
    "confirmation", {"token": Field("The token of the link.", required=True)}, name="EmailConfirmation"
)
_BODIES = {
    "application/json": _CONFIRMATION,
    "application/xml": _CONFIRMATION,
    MEDIA_TYPE: _CONFIRMATION,
}
_QUERY = {
    "token": Parameter("The token of the link."),
    "result": Parameter("`done`: the page after the button."),
    "language": Parameter("The language of the page after the button."),
}
_PAGES = {
    200: Told("The page with the button, or a page that says that the address is confirmed.", PAGE),
    401: Told("The link was used, has expired, or never was: the page says so.", PAGE),
    503: Told("The store does not say whose link it is: the page says so.", PAGE, LATER),
}
_ANSWERS = {
    205: Told("The address is confirmed."),
    303: Told("The address is confirmed by the button.", headers={"Location": "The page that says so."}),
    401: Told("The token was used, has expired, or never was; after the button, a page says so.", PAGE),
    409: Told("Another member has the address by now; after the button, a page says so.", PAGE),
    415: Told("The body is neither in the form that `format` chooses, nor from the page's form."),
    503: Told(
        "The store does not say whether the address is confirmed; after the button, a page says so.",
        PAGE,
        LATER,
    ),
}


def confirm_email_endpoint(emails: EmailChange, pages: ConfirmationPages) -> Endpoint:
    """Return the endpoint."""

    def show(request: Request, _: Caller | None) -> Response:
        return pages.show(request)

    def take(request: Request, _: Caller | None) -> Response:
        name = media_type.parse(request.header("content-type") or "").name
        if name == MEDIA_TYPE:
            return pages.take(request, read_form(request, _CONFIRMATION)["token"])
        check_form(name)
        emails.confirm(read(request, _CONFIRMATION)["token"])
        return Response(205)

    page = "The page on which a member confirms a new e-mail address, for a browser."
    about = (
        "Make the e-mail address to which the token went the member's own. It works once, and for one hour."
    )
    return Endpoint(
        ADDRESS,
        {
            "GET": Operation(
                show, "showConfirmEmail", page, _PAGES, query=_QUERY, refuses=Manner.JSON, formatted=False
            ),
            "POST": Operation(take, "confirmEmail", about, _ANSWERS, _BODIES),
        },
    )
