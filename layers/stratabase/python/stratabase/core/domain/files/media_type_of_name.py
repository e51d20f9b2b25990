"""The media type that the name of a file suggests, for clients that send no type with a file.

The table is fixed: Python's `mimetypes` also reads files of the operating system, so its answers differ
between machines. A type that a name suggests is checked against the bytes like one that a client sends.
"""

from collections.abc import Mapping

_OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
_OPEN_XML = "application/vnd.openxmlformats-officedocument."
_TYPES: Mapping[str, str] = {
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
    return _TYPES.get(name.rpartition(".")[2].lower(), "") if "." in name else ""
