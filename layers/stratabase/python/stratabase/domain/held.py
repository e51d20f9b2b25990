"""How it is told that another member has locked an object."""

from stratabase.domain.instant import stored
from stratabase.domain.issue import Issue, IssueType, Path
from stratabase.domain.lock import Lock
from stratabase.domain.subject import Subject
from stratabase.model.formats import Formats
from stratabase.model.types import TYPES

_DATETIME = TYPES["Datetime"]


def held(type_: IssueType, subject: Subject, lock: Lock, formats: Formats, path: Path | None = None) -> Issue:
    """Return the issue of an object that is locked, in somebody's formats; a path if not the subject's.

    A subject without id is one of which its reader must not know which it is.
    """
    until = _DATETIME.writer("default", formats)(stored(lock.until))
    name = subject.class_.name
    named = f"another {name}" if subject.id is None else f"{name} {subject.id}"
    message = f"{named} is locked by {lock.name} until {until}"
    return subject.issue(type_, message, *(subject.path if path is None else path))
