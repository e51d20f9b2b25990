"""Cross-origin resource sharing (CORS): which web pages may call the service from a browser."""

from stratabase.core.http.base.messages import Headers, Request
from stratabase.values.frozen import frozen

REQUEST_HEADERS = (
    "Accept, Authorization, Content-Type, Idempotency-Key, "
    "If-Match, If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Range, "
    "Tus-Resumable, Upload-Checksum, Upload-Concat, Upload-Defer-Length, Upload-Length, Upload-Metadata, "
    "Upload-Offset, X-HTTP-Method-Override"
)
RESPONSE_HEADERS = (
    "Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, Idempotent-Replayed, Link, Location, "
    "Retry-After, "
    "Tus-Checksum-Algorithm, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, "
    "Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset, WWW-Authenticate"
)
PREFLIGHT_MAX_AGE = 7200
"""The seconds for which a browser may cache a preflight response. Browsers do not cache it for longer."""


@frozen
class Cors:
    """The CORS policy: the origins whose pages may call the service. `*` allows all origins.

    No request is authenticated by a cookie, so a page must send the credentials itself.
    """

    origins: tuple[str, ...] = ()

    def preflight_headers(self, request: Request, allowed: tuple[str, ...]) -> Headers:
        """Return the headers of the response to OPTIONS. `allowed` has the methods of the address."""
        return (
            ("Allow", ", ".join(allowed)),
            ("Access-Control-Allow-Methods", ", ".join(allowed)),
            ("Access-Control-Allow-Headers", REQUEST_HEADERS),
            *self._max_age(request.header("origin")),
        )

    def response_headers(self, origin: str | None) -> Headers:
        """Return the CORS headers of a response to any method. `origin`: the header of the request."""
        if not self.origins:
            return ()
        return (
            *self._allowed_origin(origin),
            ("Access-Control-Expose-Headers", RESPONSE_HEADERS),
            ("Vary", "Origin"),
        )

    def allows(self, origin: str) -> bool:
        """Return whether the pages of an origin may call the service."""
        return "*" in self.origins or origin in self.origins

    def _allowed_origin(self, origin: str | None) -> Headers:
        return (("Access-Control-Allow-Origin", origin),) if origin and self.allows(origin) else ()

    def _max_age(self, origin: str | None) -> Headers:
        return (("Access-Control-Max-Age", str(PREFLIGHT_MAX_AGE)),) if self._allowed_origin(origin) else ()
