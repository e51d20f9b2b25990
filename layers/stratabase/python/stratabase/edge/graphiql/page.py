"""The page, and what browsers may do with it."""

import html
import secrets
from functools import cache
from pathlib import Path
from string import Template

from stratabase.edge.graphiql.files import named
from stratabase.edge.refusals import Headers
from stratabase.edge.request import Request
from stratabase.edge.response import Response

_TEMPLATE = Path(__file__).parent / "page.html"


def page(request: Request, application: str) -> Response:
    """Return the page, with a nonce that lets in its own script and styles and nothing else."""
    nonce = secrets.token_urlsafe(16)
    values = {
        "application": application,
        # Its addresses are relative, so that it works behind whatever name it was found.
        "here": "../" if request.path.endswith("/") else "",
        "nonce": nonce,
        "script": named(".js"),
        "style": named(".css"),
    }
    escaped = {name: html.escape(value) for name, value in values.items()}
    return Response(200, _headers(nonce), _template().substitute(escaped).encode())


@cache
def _template() -> Template:
    return Template(_TEMPLATE.read_text(encoding="utf-8"))


def _headers(nonce: str) -> Headers:
    return (
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Language", "en"),
        ("Content-Security-Policy", _policy(nonce)),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-store"),
    )


def _policy(nonce: str) -> str:
    """Return what the page may do: run its script, ask this service, and nothing else."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'nonce-{nonce}'",
            f"style-src 'nonce-{nonce}'",
            "img-src data:",
            "connect-src 'self'",
            "form-action 'none'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )
