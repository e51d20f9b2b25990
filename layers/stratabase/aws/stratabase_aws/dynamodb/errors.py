"""Classifies failed requests: transient errors, refusals, and mistakes of the caller."""

from stratabase.core.domain.issues.refusals import store_unavailable
from stratabase_aws.dynamodb.client import Rejected, Unanswered, Unreached

CONDITION_FAILED = "ConditionalCheckFailed"
"""The reason of an action in a cancelled transaction. CONDITION_EXCEPTION is the code of a single write."""
CONDITION_EXCEPTION = "ConditionalCheckFailedException"
CANCELLED = "TransactionCanceledException"

_TRANSIENT_CODES = frozenset(
    {
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)
"""The codes of errors for which a retry may succeed."""

_TRANSIENT_REASONS = frozenset({"ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"})
"""The same for the actions of a cancelled transaction."""

_CONFLICT_CODES = frozenset({"TransactionConflictException", "TransactionInProgressException"})

_CALLER_MISTAKES = frozenset(
    {
        "IdempotentParameterMismatchException",
        "ItemCollectionSizeLimitExceededException",
        "ValidationException",
        CANCELLED,
    }
)

RequestError = Rejected | Unanswered


def is_transient(error: RequestError) -> bool:
    """Return whether a retry may succeed."""
    if isinstance(error, Unanswered) or error.status >= 500:
        return True
    return error.code in _TRANSIENT_CODES or any(
        reason.get("Code") in _TRANSIENT_REASONS for reason in error.reasons
    )


def is_conflict(error: RequestError) -> bool:
    """Return whether a request failed only because another transaction uses the same items."""
    if not isinstance(error, Rejected):
        return False
    codes = {reason.get("Code") for reason in error.reasons} - {"None", None}
    return error.code in _CONFLICT_CODES or (error.code == CANCELLED and codes == {"TransactionConflict"})


def may_have_run(error: RequestError) -> bool:
    """Return whether the request may have been executed in spite of the error."""
    if isinstance(error, Unanswered):
        return not isinstance(error, Unreached)
    return error.status >= 500


def permanent_error(rejected: Rejected, details: str = "") -> Exception:
    """Return the exception for a rejection that a retry cannot change, with the rejection as its cause.

    `details`: describes the part of the request that was wrong, if DynamoDB's message does not.
    """
    error: Exception
    if rejected.code in _CALLER_MISTAKES:
        error = ValueError(f"The store cannot do this: {details or rejected.message}")
    else:
        error = store_unavailable()
    error.__cause__ = rejected
    return error
