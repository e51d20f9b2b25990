"""Cross-site request forgery: requests that a page of another site makes a browser send."""

from stratabase.domain.issues.refusals import Forbidden
from stratabase.domain.members.member import Caller
from stratabase.http_api.http.body import body_format_of
from stratabase.http_api.http.media_type import parse_media_type
from stratabase.http_api.http.messages import Request
from stratabase.messages import _

_OWN_SITES = ("same-origin", "none")
"""Values of Sec-Fetch-Site: a request by the service's own pages, or one that a person makes by hand."""
_UNCHECKED_METHODS = ("GET", "HEAD", "POST")
"""The methods that a page may use on any site; before others, a browser asks that site (CORS)."""


def check_csrf(request: Request, caller: Caller) -> None:
    """Raise Forbidden for a request that a page of another site may have sent in the caller's name.

    Only passwords, which browsers remember and send by themselves, are at risk; they never add a token.
    Clients that are no browsers do not say where a request comes from, and pass.
    """
    by_password = caller.signed_in is None
    if by_password and _is_simple(request) and _is_cross_site(request):
        raise Forbidden(
            _(
                "A web page on another site sent this request, possibly without your knowledge. "
                "Cross-site requests must use a token, or send JSON or XML with the matching "
                "Content-Type header."
            )
        )


def _is_simple(request: Request) -> bool:
    """Return whether a browser sends this for any page, without first asking the service whether it may."""
    name = parse_media_type(request.header("content-type") or "").name
    return request.method in _UNCHECKED_METHODS and body_format_of(name) is None


def _is_cross_site(request: Request) -> bool:
    site = request.header("sec-fetch-site")
    if site is not None:
        return site not in _OWN_SITES
    # Browsers leave that header out on plain HTTP. There they send at least Origin, but for GET and HEAD.
    origin = request.header("origin")
    return origin is not None and origin.partition("://")[2] != request.header("host")
