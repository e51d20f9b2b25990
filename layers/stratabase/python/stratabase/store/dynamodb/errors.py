"""What went wrong, and what it means: another attempt, a refusal, or a fault of the caller's."""

from stratabase.domain.refusal import Unavailable
from stratabase.store.dynamodb.client import Rejected, Unanswered, Unreached

CONDITION_FAILED = "ConditionalCheckFailed"
CANCELLED = "TransactionCanceledException"

_PASSING = frozenset(
    {
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)
"""Codes of what goes well when it is asked for again in a moment."""

_PASSING_REASONS = frozenset({"ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"})

_CALLERS_FAULTS = frozenset(
    {
        "IdempotentParameterMismatchException",
        "ItemCollectionSizeLimitExceededException",
        "ValidationException",
        CANCELLED,
    }
)

RequestError = Rejected | Unanswered


def is_transient(trouble: RequestError) -> bool:
    """Return whether another attempt may go better."""
    if isinstance(trouble, Unanswered) or trouble.status >= 500:
        return True
    return trouble.code in _PASSING or any(
        reason.get("Code") in _PASSING_REASONS for reason in trouble.reasons
    )


def may_have_run(trouble: RequestError) -> bool:
    """Return whether the request may have been carried out all the same."""
    if isinstance(trouble, Unanswered):
        return not isinstance(trouble, Unreached)
    return trouble.status >= 500


def busy_error(*, doubtful: bool) -> Unavailable:
    """Return what a caller is told when no attempt went well; `doubtful`: perhaps one of them did write."""
    if doubtful:
        return Unavailable("The store did not answer; whether it wrote is unknown.", retry_after=5)
    return Unavailable("The store is too busy; try again.")


def permanent_error(rejected: Rejected, details: str = "") -> Exception:
    """Return what a caller is told when another attempt would go no better; the cause is for the log.

    `details` says of what DynamoDB should have done what was wrong; otherwise its own message says it.
    """
    if rejected.code in _CALLERS_FAULTS:
        told: Exception = ValueError(f"The store cannot do this: {details or rejected.message}")
    else:
        told = Unavailable("The store cannot be read or written just now; try again later.", retry_after=5)
    told.__cause__ = rejected
    return told
