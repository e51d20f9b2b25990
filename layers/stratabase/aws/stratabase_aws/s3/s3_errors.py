"""Maps errors of S3 to exceptions of the blob store."""

from botocore.exceptions import ClientError

from stratabase.core.domain.files.blob import BlobNotFound
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.values.messages import _

_MISSING_CODES = frozenset({"404", "NoSuchKey", "NoSuchUpload", "InvalidPart"})
_BUSY_CODES = frozenset({"RequestTimeout", "SlowDown", "Throttling", "ThrottlingException"})
_CALLER_MISTAKES = frozenset({"EntityTooLarge", "EntityTooSmall", "InvalidArgument", "InvalidRequest"})


class RangeBeyondEnd(Exception):
    """The blob exists, but ends before the range begins."""


def map_s3_error(error: Exception, key: str) -> Exception:
    """Return the exception for a failed request, of which botocore has made all attempts."""
    if not isinstance(error, ClientError):
        return unavailable()
    code = error.response.get("Error", {}).get("Code", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in _MISSING_CODES:
        return BlobNotFound(key)
    if code in _CALLER_MISTAKES:
        return ValueError(f"S3 cannot do this: {error}")
    if code == "InvalidRange":
        return RangeBeyondEnd(key)
    if code in _BUSY_CODES or status == 503:
        return Unavailable(_("The store is too busy. Try again."))
    return unavailable()


def unavailable() -> Unavailable:
    """Return the exception for a store that does not answer as it should."""
    return Unavailable(_("The store is temporarily unavailable. Try again later."), retry_after=5)


def was_repeated(missing: BlobNotFound) -> bool:
    """Return whether botocore had sent a request before, when S3 answered that something is missing."""
    cause = missing.__cause__
    metadata = cause.response.get("ResponseMetadata", {}) if isinstance(cause, ClientError) else {}
    return int(metadata.get("RetryAttempts", 0)) > 0
