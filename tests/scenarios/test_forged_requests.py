"""A cross-site page in a browser that remembers the administrator's password."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from stratabase.core.http.base.messages import Request, Response
from tests.scenarios.browser import chromium
from tests.server.http.serving import http_server
from tests.service import PASSWORD, RunningService, basic, running

pytestmark = pytest.mark.built

MEMBERS = "/auth/administration/members"
FORM = """
<form method="post" enctype="text/plain" action="{address}">
<input name='{{"username": "mallory", "email": "m@example.com", "profile": "Administrator", "notes": "'
  value='"}}'></form>
<script>document.forms[0].submit()</script>
"""
PICTURE = '<img src="{address}/{id}/resetPassword">'


@contextmanager
def elsewhere(**names: str) -> Iterator[str]:
    """Serve the pages /form and /picture under a host name that browsers treat as another site."""

    def show(request: Request) -> Response:
        page = FORM if request.path == "/form" else PICTURE
        return Response(200, (("Content-Type", "text/html"),), page.format(**names).encode())

    with http_server(show) as client:
        yield f"http://localhost:{client.port}"


def sign_in(page: Page, service: RunningService) -> None:
    """Make the browser store the password, as it does after its sign-in dialog."""
    page.goto(f"http://admin:{quote(PASSWORD)}@127.0.0.1:{service.port}/auth/administration/member")
    assert '"username":"admin"' in page.content()


def test_a_forged_request_creates_no_administrator_and_sends_no_mail(tmp_path: Path) -> None:
    with running(tmp_path / "home") as service, chromium() as browser:
        administrator = {"Authorization": basic("admin", PASSWORD)}
        (admin,) = service.request("GET", MEMBERS, headers=administrator).json()
        address = f"http://127.0.0.1:{service.port}{MEMBERS}"
        page = browser.new_context().new_page()
        sign_in(page, service)
        with elsewhere(address=address, id=admin["id"]) as other:
            with page.expect_response(address) as answered:
                page.goto(f"{other}/form")
            assert "authorization" in answered.value.request.all_headers()
            assert answered.value.status == 403
            # What comes is not a picture, so the browser shows nothing of it.
            with page.expect_event("requestfailed"):
                page.goto(f"{other}/picture")
        assert service.request("GET", MEMBERS, headers=administrator).json() == [admin]
        assert not (service.home / "outbox").exists()
