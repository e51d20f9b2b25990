"""What went wrong, and what it means: another attempt, a refusal, or a fault of the caller's."""

from collections.abc import Sequence

from stratabase.domain.refusal import Unavailable
from stratabase.store.dynamodb.client import Rejected, Unanswered, Unreached
from stratabase.store.dynamodb.write import Write
from stratabase.store.engine import Patch

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

_MOST_NAMED = 10

Trouble = Rejected | Unanswered


def is_passing(trouble: Trouble) -> bool:
    """Return whether another attempt may go better."""
    if isinstance(trouble, Unanswered) or trouble.status >= 500:
        return True
    return trouble.code in _PASSING or any(
        reason.get("Code") in _PASSING_REASONS for reason in trouble.reasons
    )


def is_doubtful(trouble: Trouble) -> bool:
    """Return whether the request may have been carried out all the same."""
    if isinstance(trouble, Unanswered):
        return not isinstance(trouble, Unreached)
    return trouble.status >= 500


def busy(*, doubtful: bool) -> Unavailable:
    """Return what a caller is told when no attempt went well; `doubtful`: perhaps one of them did write."""
    if doubtful:
        return Unavailable("The store did not answer; whether it wrote is unknown.", retry_after=5)
    return Unavailable("The store is too busy; try again.")


def fault(rejected: Rejected, writes: Sequence[Write] = ()) -> Exception:
    """Return what a caller is told when another attempt would go no better; the cause is for the log."""
    if rejected.code in _CALLERS_FAULTS:
        told: Exception = ValueError(f"The store cannot do this: {_account(rejected, writes)}")
    else:
        told = Unavailable("The store cannot be read or written just now; try again later.", retry_after=5)
    told.__cause__ = rejected
    return told


def _account(rejected: Rejected, writes: Sequence[Write]) -> str:
    """Return what was wrong with which actions, as far as DynamoDB says it."""
    if not rejected.reasons:
        return "; ".join([rejected.message, *map(_deed, writes[:_MOST_NAMED])])
    judged = zip(writes, rejected.reasons, strict=False)
    wrong = [(write, reason) for write, reason in judged if reason.get("Code") != "None"]
    return "; ".join(f"{_deed(write)}: {reason.get('Message', reason['Code'])}" for write, reason in wrong)


def _deed(write: Write) -> str:
    action = write.action
    adding = (
        f" that adds to {', '.join(sorted(action.add))}" if isinstance(action, Patch) and action.add else ""
    )
    return f"{write.kind} of {tuple(action.key)}{adding}"
