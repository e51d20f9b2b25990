"""The refusals of uploads and downloads."""

from stratabase.core.domain.issues.refusals import Conflicting, NotFound, Refusal, TooManyRequests


class FileNotFound(NotFound):
    """The class, the attribute, the object or its file does not exist, or the caller may not know of it."""


class PendingFileGone(Refusal):
    """The caller has no pending file with this ID: it was bound, it has expired, or it never existed."""


class FileTooLarge(Refusal):
    """The file exceeds the limit of its attribute, or that of the instance."""


class FileTypeNotAllowed(Refusal):
    """The attribute does not accept files of this type."""


class TooMuchPending(TooManyRequests):
    """The member has too many pending files, or too many bytes in them."""


class OffsetConflict(Conflicting):
    """The bytes do not continue a resumable upload: they are for another offset than the present one."""
