"""The stored media type: what the client names, unless the first bytes contradict it."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import wave
import zipfile
import zlib

from hypothesis import given
from hypothesis import strategies as st

from stratabase.core.domain.files.media_type import FIRST_BYTES, UNKNOWN_TYPE, stored_media_type
from tests.rows import each_row


def png() -> bytes:
    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0\0"))


def zipped(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            archive.writestr(zipfile.ZipInfo(name), b"x")  # without the time of this run
    return buffer.getvalue()


def sound() -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0\0" * 10)
    return buffer.getvalue()


def tar_gz() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("a"))
    return gzip.compress(buffer.getvalue(), mtime=0)


JPEG = bytes.fromhex("ffd8ffe000104a46494600010101004800480000ffdb0043")
EXIF = bytes.fromhex("ffd8ffe1001845786966000049492a0008000000")
GIF = b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff!\xf9\4\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"
WEBP = b"RIFF\x24\0\0\0WEBPVP8 \x18\0\0\0"
PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n"
MP4 = b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41\0\0\0\x08free"
MOV = b"\0\0\0\x14ftypqt  \0\0\0\0qt  \0\0\0\x08wide"
OLD_MOV = b"\0\0\x0d\x8amoov\0\0\0lmvhd"
HEIC = b"\0\0\0\x24ftypheic\0\0\0\0mif1heic"
WEBM = bytes.fromhex("1a45dfa39f4286810142f7810142f2810442f381084282847765626d")
OGG = b"OggS\0\2\0\0\0\0\0\0\0\0\x01\x02\x03\x04\0\0\0\0\1\x1e\1vorbis"
MP3 = b"ID3\4\0\0\0\0\0#TSSE\0\0\0\x0f"
MP3_FRAME = bytes.fromhex("fffb9064000ff00000690000")
FLAC = b'fLaC\0\0\0"\x10\0\x10\0'
AVI = b"RIFF\xd0\x91\0\0AVI LIST"
TIFF = b"II*\0\x08\0\0\0"
ICO = b"\0\0\1\0\1\0\x10\x10"
DOC = bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 16
RTF = rb"{\rtf1\ansi Hello}"
ZIP = zipped("a.txt")
HTML = b"<!DOCTYPE html><html><script>alert(1)</script></html>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
XML_SVG = b'<?xml version="1.0"?>\n<!-- made by hand -->\n' + SVG
TEXT = b"Dear Anna, the meeting is on Monday."
ELF = b"\x7fELF\2\1\1\0"
EXE = b"MZ\x90\0\3\0\0\0"
SCRIPT = b"#!/bin/sh\necho"

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
ODT = "application/vnd.oasis.opendocument.text"
JAR = "application/java-archive"
EPUB = "application/epub+zip"
SVG_TYPE = "image/svg+xml"

RIGHT = [
    ("image/jpeg", JPEG),
    ("image/jpeg", EXIF),
    ("image/png", png()),
    ("image/gif", GIF),
    ("image/webp", WEBP),
    ("image/tiff", TIFF),
    ("image/x-icon", ICO),
    ("image/x-icon", png()),
    ("image/heic", HEIC),
    ("image/bmp", b"BM\x46\0\0\0\0\0\0\0"),
    ("application/pdf", PDF),
    ("application/zip", ZIP),
    ("application/zip", zipped()),
    ("application/x-zip-compressed", ZIP),
    (DOCX, zipped("[Content_Types].xml", "word/document.xml")),
    (DOCX, DOC),
    (XLSX, zipped("[Content_Types].xml", "xl/workbook.xml")),
    (ODT, zipped("mimetype", "content.xml")),
    ("application/vnd.oasis.opendocument.text-flat-xml", b"<?xml version='1.0'?><office:document/>"),
    (JAR, zipped("META-INF/MANIFEST.MF")),
    (EPUB, zipped("mimetype")),
    ("application/x-anything+zip", ZIP),
    ("application/gzip", gzip.compress(b"x", mtime=0)),
    ("application/gzip", tar_gz()),
    ("application/x-bzip2", bz2.compress(b"x")),
    ("application/x-xz", lzma.compress(b"x")),
    ("application/msword", DOC),
    ("application/msword", RTF),
    ("application/rtf", RTF),
    ("video/mp4", MP4),
    ("video/quicktime", MOV),
    ("video/quicktime", OLD_MOV),
    ("video/webm", WEBM),
    ("audio/webm", WEBM),
    ("video/x-msvideo", AVI),
    ("audio/ogg", OGG),
    ("video/ogg", OGG),
    ("audio/mpeg", MP3),
    ("audio/mpeg", MP3_FRAME),
    ("audio/wav", sound()),
    ("audio/flac", FLAC),
    ("audio/flac", MP3),
    (SVG_TYPE, SVG),
    (SVG_TYPE, XML_SVG),
    (SVG_TYPE, b"\xef\xbb\xbf \n" + SVG),
    (SVG_TYPE, b"\xff\xfe" + SVG.decode().encode("utf-16-le")),
    ("text/html", HTML),
    ("text/plain", TEXT),
    ("text/plain", HTML),
    ("text/plain", "\ufeffhello".encode("utf-16-le")),
    ("text/csv", b"a;b\n1;2\n"),
    ("application/vnd.ms-excel", b"a;b\n1;2\n"),
    ("application/vnd.ms-excel", DOC),
    ("application/json", b'{"a": 1}'),
    ("application/xml", XML_SVG),
    ("application/x-unknown", png()),
    ("application/x-unknown", HTML),
    ("image/x-unknown", b"\1\2\3"),
    ("application/x-sharedlib", ELF),
    (UNKNOWN_TYPE, png()),
]

WRONG = [
    ("image/jpeg", png()),
    ("image/png", JPEG),
    ("image/png", HTML),
    ("image/gif", SVG),
    ("image/gif", b"GIF88a" + HTML),
    ("image/jpeg", b"\xff\xd8" + HTML),
    ("image/jpeg", TEXT),
    ("image/jpeg", ELF),
    ("image/webp", sound()),
    ("image/webp", AVI),
    ("image/heic", JPEG),
    ("application/pdf", HTML),
    ("application/pdf", ZIP),
    ("application/pdf", EXE),
    ("application/pdf", HTML + PDF),
    ("application/zip", gzip.compress(b"x", mtime=0)),
    ("application/zip", EXE + ZIP),
    (JAR, GIF + ZIP),
    (DOCX, PDF),
    (DOCX, HTML),
    (ODT, DOC),
    (EPUB, PDF),
    ("application/gzip", ZIP),
    ("application/msword", HTML),
    ("video/mp4", WEBM),
    ("video/mp4", HTML),
    ("video/webm", MP4),
    ("audio/mpeg", "\ufeff<script>".encode("utf-16-le")),
    ("audio/mpeg", OGG),
    ("audio/ogg", MP3),
    ("audio/wav", WEBP),
    ("audio/x-unknown", HTML),
    ("image/x-unknown", b" \n" + SVG),
    ("image/x-unknown", XML_SVG),
    ("image/x-unknown", b"\xff\xfe" + SVG.decode().encode("utf-16-le")),
    ("image/x-unknown", b"\xfe\xff" + SVG.decode().encode("utf-16-be")),
    ("font/x-unknown", b"</p>"),
    (SVG_TYPE, HTML),
    (SVG_TYPE, b"<!-- x --> <html>"),
    (SVG_TYPE, png()),
    (SVG_TYPE, gzip.compress(SVG, mtime=0)),
    (SVG_TYPE, TEXT),
    ("text/plain", png()),
    ("text/plain", ELF),
    ("text/html", JPEG),
    ("text/html", PDF),
    ("text/csv", ZIP),
    ("application/json", GIF),
    ("application/xml", ZIP),
    ("application/ld+json", WEBM),
    ("application/vnd.oasis.opendocument.text-flat-xml", ZIP),
]


@each_row(("claimed", "content"), RIGHT)
def test_a_type_that_the_bytes_confirm_is_stored(claimed: str, content: bytes) -> None:
    assert stored_media_type(claimed, content[:FIRST_BYTES]) == claimed


@each_row(("claimed", "content"), WRONG)
def test_a_type_that_the_bytes_contradict_is_not_stored(claimed: str, content: bytes) -> None:
    assert stored_media_type(claimed, content[:FIRST_BYTES]) == UNKNOWN_TYPE


@each_row("front", [GIF, JPEG, png(), PDF, MP4])
@each_row("behind", [HTML, SVG, ZIP, PDF])
def test_a_polyglot_is_only_what_its_first_bytes_say(front: bytes, behind: bytes) -> None:
    types = ["image/gif", "image/jpeg", "image/png", "application/pdf", "video/mp4"]
    stored = {stored_media_type(each, front + behind) for each in [*types, SVG_TYPE, "application/zip"]}
    assert len(stored - {UNKNOWN_TYPE}) == 1
    assert stored - {UNKNOWN_TYPE} <= set(types)


@each_row(("claimed", "content"), RIGHT)
def test_a_truncated_file_keeps_its_type(claimed: str, content: bytes) -> None:
    """An empty file too: nothing contradicts its type."""
    if claimed == SVG_TYPE:
        content = content.lstrip(b"\xef\xbb\xbf\xff\xfe \n")
    for length in (0, *range(3, 20)):
        assert stored_media_type(claimed, content[:length]) == claimed


@each_row(
    ("claimed", "stored"),
    [
        ("IMAGE/PNG", "image/png"),
        ("text/plain; charset=utf-8", "text/plain"),
        ("text/plain;", "text/plain"),
        (' text/plain\t; a="b;c"; d', "text/plain"),
        ("application/vnd.a.b-c_d+e!#$&^f", "application/vnd.a.b-c_d+e!#$&^f"),
        (f"a/{'x' * 127}", f"a/{'x' * 127}"),
        ("", UNKNOWN_TYPE),
        ("text", UNKNOWN_TYPE),
        ("text/", UNKNOWN_TYPE),
        ("/plain", UNKNOWN_TYPE),
        ("text/plain/x", UNKNOWN_TYPE),
        ("text plain", UNKNOWN_TYPE),
        ("text/pl ain", UNKNOWN_TYPE),
        ("text/plain, text/html", UNKNOWN_TYPE),
        ("*/*", UNKNOWN_TYPE),
        ("image/*", UNKNOWN_TYPE),
        ("téxt/plain", UNKNOWN_TYPE),
        ("\u0131mage/png", UNKNOWN_TYPE),
        ("text/plain\r\nX: y", UNKNOWN_TYPE),
        ("text/html\0", UNKNOWN_TYPE),
        (f"a/{'x' * 128}", UNKNOWN_TYPE),
        ("x" * 16_000, UNKNOWN_TYPE),
        ("/" * 16_000, UNKNOWN_TYPE),
    ],
)
def test_a_type_is_normalized_or_unknown(claimed: str, stored: str) -> None:
    assert stored_media_type(claimed, b"") == stored


TYPES = sorted({claimed for claimed, _ in [*RIGHT, *WRONG]})


@given(st.sampled_from(TYPES), st.binary(max_size=600))
def test_any_bytes_have_the_claimed_type_or_none(claimed: str, content: bytes) -> None:
    assert stored_media_type(claimed, content) in (claimed, UNKNOWN_TYPE)


@given(st.text(max_size=60))
def test_a_stored_type_stays_as_it_is(claimed: str) -> None:
    stored = stored_media_type(claimed, b"")
    assert stored_media_type(stored, b"") == stored
