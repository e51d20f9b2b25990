"""Protection against cross-site request forgery: requests that another site's page makes a browser send."""

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.core.http.base.body import body_format_of
from stratabase.core.http.base.media_type import parse_media_type
from stratabase.core.http.base.messages import Request
from stratabase.values.messages import _

_OWN_SITES = ("same-origin", "none")
"""Values of Sec-Fetch-Site for requests from the service's own pages, and for those that the user starts."""
_UNCHECKED_METHODS = ("GET", "HEAD", "POST")
"""The methods that a page can send to any site. For other methods, browsers send a CORS preflight first."""


def check_csrf(request: Request, caller: Caller) -> None:
    """Raise Forbidden if a page of another site may have forged the request.

    Only requests with a password (HTTP Basic) are at risk: browsers remember passwords and send them
    automatically. They never add a token. Clients other than browsers send none of the headers that this
    check reads, so their requests pass.
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
    """Return whether a browser sends this request for any page without a CORS preflight."""
    name = parse_media_type(request.header("content-type") or "").name
    return body_format_of(name) is None and request.method in _UNCHECKED_METHODS


def _is_cross_site(request: Request) -> bool:
    site = request.header("sec-fetch-site")
    if site is not None:
        return site not in _OWN_SITES
    # Browsers omit Sec-Fetch-Site on plain HTTP. There they send Origin, except with GET and HEAD.
    origin = request.header("origin")
    return origin is not None and origin.partition("://")[2] != request.header("host")
