"""The address that a mailed link leads to: a page for people, and JSON or XML for programs."""

from stratabase.domain.member import Caller
from stratabase.edge import media_type
from stratabase.edge.body import read
from stratabase.edge.courtesy.visits import Visits
from stratabase.edge.endpoint import Endpoint
from stratabase.edge.form_body import MEDIA_TYPE, read_form
from stratabase.edge.format import form_of
from stratabase.edge.operation import Manner, Operation, Parameter, Told
from stratabase.edge.refusals import UnsupportedMediaType
from stratabase.edge.request import Request
from stratabase.edge.response import Response
from stratabase.edge.shape import Field, Shape
from stratabase.operations.recovery import ADDRESS, Recovery

PAGE = "text/html"

_TOKEN = Field("The token of the link.", required=True)
_PASSWORD = Field("The new password.", required=True, format="password")
_CHOICE = Shape("credentials", {"token": _TOKEN, "password": _PASSWORD}, name="NewPassword")
_FORM = Shape(
    "form",
    {
        "token": _TOKEN,
        "password": _PASSWORD,
        "repeat": Field("The new password, once more.", required=True, format="password"),
        "username": Field("Not used: it is there for those who remember passwords."),
    },
    name="NewPasswordForm",
)
_BODIES = {"application/json": _CHOICE, "application/xml": _CHOICE, MEDIA_TYPE: _FORM}
LATER = {"Retry-After": "When to try again, in seconds."}
_QUERY = {
    "token": Parameter("The token of the link."),
    "result": Parameter("`done`: the page after the form."),
    "language": Parameter("The language of the page after the form."),
}
_PAGES = {
    200: Told("The page to set a password on, or a page that says that it is set.", PAGE),
    401: Told("The link was used, has expired, or never was: the page says so.", PAGE),
    503: Told("The store does not say whose link it is: the page says so.", PAGE, LATER),
}
_ANSWERS = {
    205: Told("The password is set."),
    303: Told("The password that came by the form is set.", headers={"Location": "The page that says so."}),
    400: Told("The password may not be chosen, or the body cannot be read; the form's page says why.", PAGE),
    401: Told("The token was used, has expired, or never was; after the form, a page says so.", PAGE),
    415: Told("The body is neither in the form that `format` chooses, nor from the page's form."),
    503: Told(
        "The store does not say whether the password is set; after the form, a page says so.", PAGE, LATER
    ),
}


def set_password_endpoint(recovery: Recovery, visits: Visits) -> Endpoint:
    """Return the endpoint."""

    def show(request: Request, _: Caller | None) -> Response:
        return visits.show(request)

    def take(request: Request, _: Caller | None) -> Response:
        name = media_type.parse(request.header("content-type") or "").name
        if name == MEDIA_TYPE:
            fields = read_form(request, _FORM)
            return visits.take(request, fields["token"], fields["password"], fields["repeat"])
        check_form(name)
        choice = read(request, _CHOICE)
        recovery.finish(choice["token"], choice["password"])
        return Response(205)

    page = "The page on which a member sets a password, for a browser."
    choice = "Set the password of the member who has the token. It works once, and for one hour."
    return Endpoint(
        ADDRESS,
        {
            "GET": Operation(
                show, "showSetPassword", page, _PAGES, query=_QUERY, refuses=Manner.JSON, formatted=False
            ),
            "POST": Operation(take, "setPassword", choice, _ANSWERS, _BODIES),
        },
    )


def check_form(name: str) -> None:
    """Raise UnsupportedMediaType for a body that is meant to be something else than is read here."""
    if name and form_of(name) is None:
        raise UnsupportedMediaType(f"The body must be JSON, XML or {MEDIA_TYPE}, not {name}.")
