"""The media type under which a file is stored: that which the client names, unless the bytes contradict it.

A type that isn't listed here is stored as the client names it. For clients that send no type with a file, the
name of the file suggests one. That table is fixed: Python's `mimetypes` also reads files of the operating
system, so its answers differ between machines. A type that a name suggests is checked against the bytes, too.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

UNKNOWN_TYPE = "application/octet-stream"
"""The type of a file of which nothing is known."""
FIRST_BYTES = 512
"""The number of bytes from the beginning of a file that suffice to check its type."""


class _Signature(NamedTuple):
    """Bytes that a format has at a fixed place, and, if needed, more bytes at a second place."""

    start: bytes
    offset: int = 0
    more: bytes = b""
    more_offset: int = 0

    def agrees(self, first_bytes: bytes) -> bool:
        """Return whether a file can have the format. A file that ends within the signature can."""
        return all(magic.startswith(found) for magic, found in self._compared(first_bytes))

    def matches(self, first_bytes: bytes) -> bool:
        """Return whether a file has the whole signature."""
        return all(magic == found for magic, found in self._compared(first_bytes))

    def _compared(self, first_bytes: bytes) -> Iterator[tuple[bytes, bytes]]:
        for magic, offset in ((self.start, self.offset), (self.more, self.more_offset)):
            yield magic, first_bytes[offset : offset + len(magic)]


_Format = tuple[_Signature, ...]
"""The alternative signatures of a format."""


def _format(*starts: bytes, offset: int = 0) -> _Format:
    return tuple(_Signature(start, offset) for start in starts)


def _riff(kind: bytes) -> _Format:
    return (_Signature(b"RIFF", more=kind, more_offset=8),)


_JPEG = _format(b"\xff\xd8\xff")
_PNG = _format(b"\x89PNG\r\n\x1a\n")
_GIF = _format(b"GIF87a", b"GIF89a")
_WEBP = _riff(b"WEBP")
_BMP = _format(b"BM")
_TIFF = _format(b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_ICON = _format(b"\0\0\1\0", b"\0\0\2\0")
_PDF = _format(b"%PDF-")
_RTF = _format(b"{\\rtf")
_ZIP = _format(b"PK\3\4", b"PK\5\6", b"PK\7\x08")
_GZIP = _format(b"\x1f\x8b")
_BZIP2 = _format(b"BZh")
_XZ = _format(b"\xfd7zXZ\0")
_7Z = _format(b"7z\xbc\xaf\x27\x1c")
_RAR = _format(b"Rar!\x1a\7")
_OLE = _format(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
"""The container of Microsoft Office before 2007, and of encrypted documents of later versions."""
_ISO_MEDIA = _format(b"ftyp", offset=4)
_QUICKTIME = _format(b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot", offset=4)
_MATROSKA = _format(b"\x1aE\xdf\xa3")
_OGG = _format(b"OggS\0")
_FLAC = _format(b"fLaC")
_WAV = (*_riff(b"WAVE"), _Signature(b"RF64", more=b"WAVE", more_offset=8))
_AVI = _riff(b"AVI ")
_MPEG_AUDIO = _format(
    b"ID3",
    *(bytes([0xFF, byte]) for byte in (0xE2, 0xE3, 0xE4, 0xE5, 0xF2, 0xF3, 0xF4, 0xF5)),
    *(bytes([0xFF, byte]) for byte in (0xFA, 0xFB, 0xFC, 0xFD)),
)
"""A tag, or a frame of layer II or III. Layer I is left out, because FF FE begins a text in UTF-16."""
_AAC = _format(b"\xff\xf1", b"\xff\xf9", b"ADIF")
_WOFF = _format(b"wOFF")
_WOFF2 = _format(b"wOF2")
_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
_OPEN_XML = "application/vnd.openxmlformats-officedocument."

_FORMATS: Mapping[str, _Format] = {
    "application/epub+zip": _ZIP,
    "application/gzip": _GZIP,
    "application/java-archive": _ZIP,
    "application/msword": (*_OLE, *_RTF, *_ZIP),
    "application/ogg": _OGG,
    "application/pdf": _PDF,
    "application/rtf": _RTF,
    "application/vnd.android.package-archive": _ZIP,
    "application/vnd.rar": _RAR,
    "application/x-7z-compressed": _7Z,
    "application/x-bzip2": _BZIP2,
    "application/x-gzip": _GZIP,
    "application/x-java-archive": _ZIP,
    "application/x-pdf": _PDF,
    "application/x-xz": _XZ,
    "application/x-zip-compressed": _ZIP,
    "application/zip": _ZIP,
    "audio/aac": (*_AAC, *_MPEG_AUDIO),
    "audio/flac": (*_FLAC, *_MPEG_AUDIO),
    "audio/mp3": _MPEG_AUDIO,
    "audio/mp4": _ISO_MEDIA,
    "audio/mpeg": _MPEG_AUDIO,
    "audio/ogg": _OGG,
    "audio/opus": _OGG,
    "audio/vnd.wave": _WAV,
    "audio/wav": _WAV,
    "audio/wave": _WAV,
    "audio/webm": _MATROSKA,
    "audio/x-flac": (*_FLAC, *_MPEG_AUDIO),
    "audio/x-m4a": _ISO_MEDIA,
    "audio/x-matroska": _MATROSKA,
    "audio/x-wav": _WAV,
    "font/woff": _WOFF,
    "font/woff2": _WOFF2,
    "image/apng": _PNG,
    "image/avif": _ISO_MEDIA,
    "image/bmp": _BMP,
    "image/gif": _GIF,
    "image/heic": _ISO_MEDIA,
    "image/heif": _ISO_MEDIA,
    "image/jpeg": _JPEG,
    "image/jpg": _JPEG,
    "image/pjpeg": _JPEG,
    "image/png": _PNG,
    "image/tiff": _TIFF,
    "image/vnd.microsoft.icon": (*_ICON, *_PNG),
    "image/webp": _WEBP,
    "image/x-icon": (*_ICON, *_PNG),
    "image/x-ms-bmp": _BMP,
    "image/x-png": _PNG,
    "text/rtf": _RTF,
    "video/3gpp": _ISO_MEDIA,
    "video/mp4": _ISO_MEDIA,
    "video/ogg": _OGG,
    "video/quicktime": _QUICKTIME,
    "video/webm": _MATROSKA,
    "video/x-m4v": _ISO_MEDIA,
    "video/x-matroska": _MATROSKA,
    "video/x-msvideo": _AVI,
}
"""The formats of common types. Without `application/vnd.ms-excel`: with Excel, Windows uses it for CSV."""
_BINARY: _Format = (
    *_JPEG,
    *_PNG,
    *_GIF,
    *_WEBP,
    *_TIFF,
    *_PDF,
    *_ZIP,
    *_GZIP,
    *_XZ,
    *_7Z,
    *_RAR,
    *_OLE,
    *_ISO_MEDIA,
    *_MATROSKA,
    *_OGG,
    *_WAV,
    *_AVI,
    *_format(b"\x7fELF", b"\xca\xfe\xba\xbe", b"\0asm"),
)
"""Signatures that no text begins with."""
_TEXT_TYPES = ("application/json", "application/javascript", "application/xml")
_TEXT_SUFFIXES = ("+json", "+xml", "-xml", "+yaml")
_MEDIA = ("image/", "audio/", "video/", "font/")
"""The beginnings of types whose files are never markup, except for those in XML."""
_SVG = "image/svg+xml"

_NAME = r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}"
_MEDIA_TYPE = re.compile(rf"[ \t]*({_NAME}/{_NAME})[ \t]*(?:;.*)?", re.DOTALL | re.IGNORECASE | re.ASCII)
"""A media type with its parameters (RFC 6838 section 4.2)."""
_MARKUP = re.compile(rb"\s*<[a-z!?/]", re.IGNORECASE)
_HTML = re.compile(
    rb"\s*(?:<!--.*?-->\s*)?<(?:!doctype\s+html|html|head|body|script)", re.IGNORECASE | re.DOTALL
)
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def stored_media_type(claimed: str, first_bytes: bytes) -> str:
    """Return the media type of a file: in lower case, without parameters.

    `claimed` is the type that the client names, with parameters or not. `first_bytes` has at least the first
    FIRST_BYTES of the file, or all if it is shorter. The result is UNKNOWN_TYPE if the client names no valid
    type, or if the bytes contradict it. A file that ends too early to tell keeps its type.
    """
    match = _MEDIA_TYPE.fullmatch(claimed)
    if match is None:
        return UNKNOWN_TYPE
    name = match[1].lower()
    return UNKNOWN_TYPE if _contradicts(name, first_bytes[:FIRST_BYTES]) else name


def _contradicts(name: str, first_bytes: bytes) -> bool:
    """Return whether a file cannot be of a type."""
    format_ = _format_of(name)
    if format_:
        return not any(signature.agrees(first_bytes) for signature in format_)
    if name == _SVG:
        return bool(first_bytes) and (not _is_markup(first_bytes) or _is_html(first_bytes))
    if name.startswith("text/") or name in _TEXT_TYPES or name.endswith(_TEXT_SUFFIXES):
        return any(signature.matches(first_bytes) for signature in _BINARY)
    return name.startswith(_MEDIA) and _is_markup(first_bytes)


def _format_of(name: str) -> _Format:
    """Return the format of a type, empty if it is not known."""
    known = _FORMATS.get(name)
    if known is not None:
        return known
    if name.startswith(_OPEN_XML):
        return (*_ZIP, *_OLE)
    if name.startswith(_OPEN_DOCUMENT) and not name.endswith("-flat-xml"):
        return _ZIP
    return _ZIP if name.endswith("+zip") else ()


def _is_markup(first_bytes: bytes) -> bool:
    return _MARKUP.match(_without_zeros(first_bytes)) is not None


def _is_html(first_bytes: bytes) -> bool:
    return _HTML.match(_without_zeros(first_bytes)) is not None


def _without_zeros(first_bytes: bytes) -> bytes:
    """Return a text as ASCII: without a byte order mark, and without the zeros of UTF-16."""
    for mark in _BYTE_ORDER_MARKS:
        first_bytes = first_bytes.removeprefix(mark)
    return first_bytes.replace(b"\0", b"")


_TYPES_OF_NAMES: Mapping[str, str] = {
    "7z": "application/x-7z-compressed",
    "aac": "audio/aac",
    "avi": "video/x-msvideo",
    "avif": "image/avif",
    "bmp": "image/bmp",
    "bz2": "application/x-bzip2",
    "css": "text/css",
    "csv": "text/csv",
    "doc": "application/msword",
    "docx": f"{_OPEN_XML}wordprocessingml.document",
    "epub": "application/epub+zip",
    "flac": "audio/flac",
    "gif": "image/gif",
    "gz": "application/gzip",
    "heic": "image/heic",
    "htm": "text/html",
    "html": "text/html",
    "ico": "image/vnd.microsoft.icon",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "json": "application/json",
    "m4a": "audio/mp4",
    "md": "text/markdown",
    "mkv": "video/x-matroska",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "odp": f"{_OPEN_DOCUMENT}presentation",
    "ods": f"{_OPEN_DOCUMENT}spreadsheet",
    "odt": f"{_OPEN_DOCUMENT}text",
    "ogg": "audio/ogg",
    "opus": "audio/opus",
    "pdf": "application/pdf",
    "png": "image/png",
    "ppt": "application/vnd.ms-powerpoint",
    "pptx": f"{_OPEN_XML}presentationml.presentation",
    "rar": "application/vnd.rar",
    "rtf": "application/rtf",
    "svg": "image/svg+xml",
    "tar": "application/x-tar",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "txt": "text/plain",
    "wav": "audio/wav",
    "webm": "video/webm",
    "webp": "image/webp",
    "woff": "font/woff",
    "woff2": "font/woff2",
    "xls": "application/vnd.ms-excel",
    "xlsx": f"{_OPEN_XML}spreadsheetml.sheet",
    "xml": "application/xml",
    "xz": "application/x-xz",
    "zip": "application/zip",
}
"""By extension, in lower case."""


def media_type_of_name(name: str) -> str:
    """Return the media type of the files with a name, or an empty text if its extension isn't known."""
    return _TYPES_OF_NAMES.get(name.rpartition(".")[2].lower(), "") if "." in name else ""
