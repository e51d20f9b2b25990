"""Forged requests, which a page of another site has a browser send with a password that it remembers."""

from stratabase.domain.member import Caller
from stratabase.domain.refusal import Forbidden
from stratabase.http_api.http import media_type
from stratabase.http_api.http.body import body_format_of
from stratabase.http_api.http.messages import Request

_OWN = ("same-origin", "none")
"""What browsers say of requests by the service's own pages, and of those that a person makes by hand."""
_UNASKED = ("GET", "HEAD", "POST")
"""The methods that a page may use on any site; before others browsers ask that site (CORS)."""


def check_csrf(request: Request, caller: Caller) -> None:
    """Raise Forbidden for what another site may have sent in a caller's name.

    Only passwords are at risk: no browser adds a token by itself. Clients that are no browsers say nothing of
    where they come from, and pass.
    """
    by_password = caller.signed_in is None
    if by_password and _is_sent_unasked(request) and _is_foreign(request):
        raise Forbidden(
            "A web page of another site had this sent, perhaps without your knowledge: such a page must use "
            "a token, or send JSON or XML and say so in Content-Type."
        )


def _is_sent_unasked(request: Request) -> bool:
    """Return whether a browser sends this for any page, without asking the service whether that page may."""
    name = media_type.parse_media_type(request.header("content-type") or "").name
    return request.method in _UNASKED and body_format_of(name) is None


def _is_foreign(request: Request) -> bool:
    site = request.header("sec-fetch-site")
    if site is not None:
        return site not in _OWN
    # What browsers leave out on plain HTTP; there they name at least the origin of what is not just read.
    origin = request.header("origin")
    return origin is not None and origin.partition("://")[2] != request.header("host")
