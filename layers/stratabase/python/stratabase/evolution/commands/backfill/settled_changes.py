"""Which changes of a model need no decision, because the stored objects have nothing that they concern."""

from collections.abc import Sequence

from stratabase.core.store.engine.port import Engine
from stratabase.evolution.backfill.drop import count_holders, erasure_of
from stratabase.evolution.backfill.question_scan import QuestionScan
from stratabase.evolution.difference import ModelChange, Severity

_ORDER = (Severity.DECISION, Severity.REINDEX, Severity.SAFE)


def settle(
    engine: Engine, changes: Sequence[ModelChange], answers: QuestionScan, *, searches_versions: bool
) -> list[ModelChange]:
    """Return the changes without the decisions that the stored objects show to be none.

    Closed versions and deleted objects are in no index. So to know that they hold nothing takes a scan of the
    whole store. Without `searches_versions`, such changes stay decisions.
    """
    empty = [
        change
        for change in changes
        if change.if_none is not None and not any(answers.numbers(one)[0] for one in change.questions)
    ]
    names = {change.kept_in_versions for change in empty if change.kept_in_versions}
    held = names
    if names and searches_versions:
        found = count_holders(engine, [erasure_of(name) for name in sorted(names)])
        held = {name for name, numbers in found.items() if any(numbers)}
    settled = {id(change): change.if_none for change in empty if change.kept_in_versions not in held}
    return sorted(
        (settled.get(id(change)) or change for change in changes),
        key=lambda change: _ORDER.index(change.severity),
    )
