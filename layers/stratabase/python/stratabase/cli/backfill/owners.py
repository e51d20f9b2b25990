"""Replaces the usernames that an older version stored as owners of objects with member ids."""

from collections.abc import Iterator

from stratabase.bootstrap import Instance
from stratabase.cli.terminal.progress import PrintLines, ProgressLines
from stratabase.store.backfill.member_names import MemberBackfill, describe_outcome


def resolve_owners(
    instance: Instance, *, again: bool = False, print_lines: PrintLines | None = None
) -> Iterator[str]:
    """Replace usernames with ids in all classes that still need it. Yield lines with the outcome per class.

    `again` includes the classes that are done. `print_lines` prints the progress. Raises Unavailable.
    """
    backfill = MemberBackfill(instance.engine, instance.model)
    pending = backfill.classes() if again else backfill.pending()
    members = instance.member_stores.members.roster().members if pending else ()
    for class_name in pending:
        title = f"Resolving the owners of {class_name}"
        report = (
            ProgressLines(title, backfill.count_objects(class_name), print_lines)
            if print_lines
            else lambda _: None
        )
        yield from describe_outcome(class_name, backfill.run(class_name, members, report))
