"""The GraphQL API over versioned persons."""

from typing import Any

from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.version import format_version_instant
from tests.core.schema.graph_api import GraphApi

FORMAT = "dd-MM-yyyy HH:mm:ss.SSS"


TIMES = f'_versionStart(format: "{FORMAT}") _versionEnd(format: "{FORMAT}")'


class VersionedApi:
    """Writes at instants that the test sets, and reads versions."""

    def __init__(self, graphs: GraphApi) -> None:
        self.graphs = graphs
        self.clock = graphs.clock
        self._needs = graphs.needs()

    def at(self, instant: Instant) -> str:
        """Return an instant as a text in the caller's time zone."""
        return format_version_instant(instant, self.graphs.caller.formats)

    def person(self, **data: Any) -> str:
        """Create a person, one second later."""
        self.clock.instant += 1000
        return self.graphs.create("Person", **{**self._needs, **data})

    def update(self, id_: str, **data: Any) -> Any:
        """Update a person, one second later."""
        self.clock.instant += 1000
        return self.graphs.update("Person", f"last_name {TIMES}", _id=id_, **data)

    def delete(self, id_: str) -> None:
        """Delete a person, one second later."""
        self.clock.instant += 1000
        self.graphs.ask(f'mutation {{ Person___delete(_id: "{id_}") {{ deleted }} }}')

    def version(self, id_: str, at: str, selection: str = f"last_name {TIMES}") -> Any:
        """Return the selected fields of a version."""
        query = "query($id: ID!, $at: Datetime!) { Person___getVersion(_id: $id, atVersion: $at) { %s } }"
        return self.graphs.ask(query % selection, id=id_, at=at)

    def page(self, id_: str, selection: str = f"items {{ last_name {TIMES} }}", **options: Any) -> Any:
        """Return a page of versions."""
        query = (
            "query($id: ID!, $o: PersonPageOptions) { Person___getVersionPage(_id: $id, options: $o) { %s } }"
        )
        return self.graphs.ask(query % selection, id=id_, o=options or None)

    def names(self, id_: str, **options: Any) -> list[str]:
        """Return the names on a page of versions."""
        return [item["last_name"] for item in self.page(id_, **options)["items"]]

    def diff(self, id_: str, from_: str, to: str) -> dict[str, dict[str, Any]]:
        """Return the differences between two versions, by name."""
        query = (
            "query($id: ID!, $from: Datetime!, $to: Datetime!) "
            "{ Person___getVersionDiff(_id: $id, from: $from, to: $to) "
            f'{{ changes {{ name old new changedBy changedOn(format: "{FORMAT}") }} }} }}'
        )
        changes = self.graphs.ask(query, id=id_, **{"from": from_, "to": to})["changes"]
        return {change.pop("name"): change for change in changes}

    def restore(
        self, id_: str, at: str, *, force: bool = False, selection: str = f"last_name {TIMES}"
    ) -> Any:
        """Restore a person, one second later, and return the whole response."""
        self.clock.instant += 1000
        query = """mutation($id: ID!, $at: Datetime!, $force: Boolean!) { Person___restoreVersion(
            _id: $id, atVersion: $at, forceWarnings: {dataValidation: $force}) { %s } }"""
        return self.graphs.body(query % selection, id=id_, at=at, force=force)
