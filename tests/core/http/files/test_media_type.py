"""Browsers show only files that cannot contain script, in a sandbox."""

from stratabase.core.http.files.download import content_type, is_shown, security_policy
from tests.rows import each_row


@each_row(
    "name",
    ["image/png", "image/jpeg", "IMAGE/WEBP", "application/pdf", "audio/mpeg", "video/mp4; codecs=avc1"],
)
def test_pictures_pdf_audio_and_video_are_shown(name: str) -> None:
    assert is_shown(name)
    assert content_type(name) == name


@each_row(
    "name",
    [
        "image/svg+xml",
        "Image/SVG+XML; charset=utf-8",
        "image/svg",
        "image/x+xml",
        "text/html",
        "text/xml",
        "application/xml",
        "application/xhtml+xml",
        "application/javascript",
        "text/javascript",
        "text/plain",
        "application/zip",
        "application/octet-stream",
        "multipart/x-mixed-replace",
        "imagery/png",
    ],
)
def test_everything_else_is_saved(name: str) -> None:
    assert not is_shown(name)


@each_row(
    "name",
    [
        "",
        "image",
        "image/",
        "image/png, text/html",
        "image/png;",
        "image/png\r\nX-Evil: 1",
        "image/png; a=b\x00",
        "image/pñg",
        "image/png; a=" + "b" * 300,
        "image/png text/html",
    ],
)
def test_a_text_that_is_no_media_type_counts_as_unknown(name: str) -> None:
    assert content_type(name) == "application/octet-stream"
    assert not is_shown(name)


def test_no_policy_allows_script() -> None:
    for name in ("image/png", "application/pdf", "text/html", "image/svg+xml", "nonsense"):
        policy = security_policy(name)
        assert policy.startswith("default-src 'none'; ")
        assert "script-src" not in policy


def test_files_are_in_a_sandbox_in_which_browsers_still_show_them() -> None:
    """`tests/scenarios/test_files_in_a_browser.py` shows that they do."""
    assert security_policy("text/html").endswith("; sandbox")
    assert security_policy("image/png").endswith("; sandbox")
    assert security_policy("Audio/MPEG").endswith("; sandbox allow-same-origin")
    assert security_policy("video/mp4").endswith("; sandbox allow-same-origin")
    assert "sandbox" not in security_policy("application/pdf; version=2")
