"""The name under which a file is stored, from the name that a client sends."""

import unicodedata

DEFAULT_FILE_NAME = "file"
"""The name of a file whose client sends no usable name."""
MAX_FILE_NAME_LENGTH = 255
"""The maximum number of characters of a stored name."""
_MAX_EXTENSION_LENGTH = 32
"""The maximum number of characters after the last dot that count as an extension."""
_CONTROL_CATEGORIES = ("Cc", "Cs", "Zl", "Zp")
"""The Unicode categories of control characters, halves of characters, and separators of lines."""
_DIRECTION_MARKS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
"""Characters that change the direction of text. With them, `exe.jpg` can be shown for `gpj.exe`."""
_NONCHARACTERS = "\ufeff\ufffe\uffff"
"""The byte order mark, and characters that XML doesn't allow."""
_REMOVED = frozenset(_DIRECTION_MARKS + _NONCHARACTERS)


def clean_file_name(sent: str) -> str:
    """Return the name under which a file is stored: the last component of the path that the client sent.

    Slashes and backslashes separate components, whatever the system of the client. Control characters are
    removed. The rest stays as it is, so names can have characters of any script.
    """
    component = sent.replace("\\", "/").rpartition("/")[2]
    name = "".join(character for character in component if not _is_removed(character))
    if not name.replace(".", "").strip():
        return DEFAULT_FILE_NAME
    return _shortened(name)


def _is_removed(character: str) -> bool:
    return character in _REMOVED or unicodedata.category(character) in _CONTROL_CATEGORIES


def _shortened(name: str) -> str:
    """Return a name of at most 255 characters, with the same extension."""
    if len(name) <= MAX_FILE_NAME_LENGTH:
        return name
    stem, dot, extension = name.rpartition(".")
    if not stem or len(extension) > _MAX_EXTENSION_LENGTH:
        return name[:MAX_FILE_NAME_LENGTH]
    return stem[: MAX_FILE_NAME_LENGTH - len(dot + extension)] + dot + extension
