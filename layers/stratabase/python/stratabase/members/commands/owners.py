"""Replaces the usernames that an older version stored as owners of objects with member ids."""

from collections.abc import Iterator

from stratabase.core.app.app import App
from stratabase.members.app.auth_services import AuthServices
from stratabase.members.backfill import MemberBackfill, describe_outcome
from stratabase.terminal.progress import PrintLines, ProgressBar, ProgressLines


def resolve_owners(
    instance: App, *, again: bool = False, print_lines: PrintLines | None = None
) -> Iterator[str]:
    """Replace usernames with ids in all classes that still need it. Yield lines with the outcome per class.

    `again` includes the classes that are done. `print_lines` prints the progress, for a service
    that waits for this. Without it, there is a bar. Raises Unavailable.
    """
    backfill = MemberBackfill(instance.engine, instance.model)
    pending = backfill.classes() if again else backfill.pending()
    members = instance.part(AuthServices).members.roster().members if pending else ()
    for class_name in pending:
        title = f"Resolving the owners of {class_name}"
        total = backfill.count_objects(class_name)
        if print_lines:
            outcome = backfill.run(class_name, members, ProgressLines(title, total, print_lines))
        else:
            bar = ProgressBar(title, total)
            outcome = backfill.run(class_name, members, bar)
            bar.clear()
        yield from describe_outcome(class_name, outcome)
