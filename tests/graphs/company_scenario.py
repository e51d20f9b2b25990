"""A small stored company, and what commands change in it."""

from collections.abc import Mapping, Sequence
from typing import Any

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, State
from stratabase.core.domain.query.page import Query
from stratabase.core.domain.write.commands import Command, Delete, UpdateBulk
from stratabase.core.model.model import Model
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.bulk import BulkOutcome, delete_bulk, update_bulk, validate_bulk
from stratabase.core.operations.write.options import WriteResult
from stratabase.core.operations.write.services import delete, save
from stratabase.values.cel.environment import EMPTY_CONTEXT
from tests.fakes import ADMINISTRATOR, DictEntities, fake_services, unlimited_budget
from tests.graphs.company import COMPANY

OBJECTS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "Team": {
        "t1": {"name": "red", "lead": "e1"},
        "t2": {"name": "blue", "lead": "e2"},
        "t3": {"name": "green"},
    },
    "Employee": {
        "e1": {"name": "Ada", "email": "ada@x.org", "team": "t1", "addresses": ["a1", "a2"], "home": "a3"},
        "e2": {"name": "Bob", "team": "t1"},
        "e3": {"name": "Cy"},
        "e4": {"name": "Dee", "favourite": "a1"},
    },
    "Address": {
        "a1": {"street": "1st", "code": "one", "employee": "e1", "rooms": ["r1", "r2"]},
        "a2": {"street": "2nd", "employee": "e1"},
        "a3": {"street": "3rd", "resident": "e1"},
        "a4": {"street": "4th", "customer": "c1"},
    },
    "Room": {
        "r1": {"name": "hall", "address": "a1", "next": "r2"},
        "r2": {"name": "kitchen", "address": "a1"},
    },
    "Passport": {"w1": {"number": "1", "owner": "e1"}},
    "Customer": {"c1": {"name": "Acme", "addresses": ["a4"]}, "c2": {"name": "Bolt"}},
    "Project": {"p1": {"name": "Moon", "customer": "c1", "charter": "h1", "tasks": ["k1", "k2"]}},
    "Charter": {"h1": {"text": "Go.", "project": "p1"}},
    "Task": {
        "k1": {"name": "build", "assignee": "e2", "project": "p1", "subtasks": ["k3"]},
        "k2": {"name": "fly", "assignee": "e2", "project": "p1", "after": "k1"},
        "k3": {"name": "weld", "assignee": "e3", "parent": "k1"},
    },
    "Label": {"l1": {"name": "hot"}, "l2": {"name": "cold"}},
    "Meeting": {"m1": {"subject": "all"}},
    "Club": {"b1": {"name": "chess"}, "b2": {"name": "go"}},
    "Person": {
        "q1": {"name": "Kim", "club": "b1"},
        "q2": {"name": "Lee", "club": "b2"},
        "q3": {"club": "b2"},
    },
    "Ship": {"s1": {"name": "Argo", "captain": "n1"}, "s2": {"name": "Beagle"}},
    "Captain": {"n1": {"name": "Jason"}},
    "Invoice": {"i1": {"number": 1, "lines": ["j1"]}},
    "Line": {"j1": {"text": "tea", "number": 1, "invoice": "i1"}},
}
LINKS = {
    ("Project", "people", "p1", "e1"),
    ("Project", "people", "p1", "e2"),
    ("Employee", "friends", "e1", "e2"),
    ("Task", "labels", "k1", "l1"),
    ("Task", "related", "k2", "k1"),
    ("Meeting", "attendees", "m1", "e1"),
    ("Address", "guests", "a1", "e3"),
}


class CompanyScenario:
    """An in-memory store that contains the company, and services that write to it."""

    def __init__(self, model: Model = COMPANY) -> None:
        self.services: Services
        self.entities: DictEntities
        self.services, self.entities, self.clock = fake_services(model)
        self.entities.fill(OBJECTS, LINKS)

    def put(self, reference: Reference, state: Mapping[str, Any]) -> None:
        """Store an object without validation."""
        self.entities.fill({reference.class_name: {reference.id: state}}, [])

    def write(self, command: Command) -> Any:
        """Run a command, and return the result of its operation. Raises Refused."""
        if isinstance(command, Delete):
            return delete(self.services, command, ADMINISTRATOR)
        return save(self.services, command, ADMINISTRATOR)

    def refusal(self, command: Command) -> tuple[Issue, ...]:
        """Return the issues of a command. Assert that it is refused and changes nothing."""
        before = self.entities.graph
        try:
            self.write(command)
        except Refused as refusal:
            assert self.entities.graph is before
            return refusal.issues
        raise AssertionError(f"It was done: {self.entities.commits[-1]}")

    def update_bulk(
        self, command: UpdateBulk, query: Query, caller: Caller = ADMINISTRATOR
    ) -> BulkOutcome[WriteResult]:
        """Update each object of a query."""
        return update_bulk(self.services, command, query, caller, unlimited_budget(), EMPTY_CONTEXT)

    def delete_bulk(self, query: Query, caller: Caller = ADMINISTRATOR) -> BulkOutcome[Reference]:
        """Delete each object of a query."""
        return delete_bulk(self.services, query, caller, unlimited_budget(), EMPTY_CONTEXT)

    def validate_bulk(
        self, command: UpdateBulk | None, query: Query, caller: Caller = ADMINISTRATOR
    ) -> Sequence[Issue]:
        """Return the issues of an update of each object of a query, or without a command of a deletion."""
        return validate_bulk(self.services, command, query, caller, unlimited_budget(), EMPTY_CONTEXT)

    def changes(self, command: Command) -> dict[str, Any]:
        """Run a command, and return the changed values, links and deleted objects."""
        before = self.entities.graph
        self.write(command)
        after = self.entities.graph
        ended = {_label(reference): None for reference in before.objects.keys() - after.objects.keys()}
        links = {
            _link(link): link in after.links for link in before.links ^ after.links if is_canonical_side(link)
        }
        return (
            ended
            | links
            | {
                f"{_label(reference)}.{name}": value
                for reference, entity in after.objects.items()
                for name, value in _changed(before.objects.get(reference), entity).items()
            }
        )


def _changed(before: Entity | None, after: Entity) -> dict[str, Any]:
    old: State = {} if before is None else before.state
    names = {name for name in (*old, *after.state) if not name.startswith("_")}
    return {name: after.state.get(name) for name in names if old.get(name) != after.state.get(name)}


def _label(reference: Reference) -> str:
    return f"{reference.class_name}.{reference.id}"


def _link(link: tuple[RoleName, str, str]) -> str:
    role, owner, other = link
    return f"{role} {owner} {other}"


def is_canonical_side(link: tuple[RoleName, str, str]) -> bool:
    """Return whether a link is one-way, or seen from the side that results show."""
    opposite = COMPANY.classes[link[0].class_name].roles[link[0].role_name].opposite
    return opposite is None or link[0].role_name in {"people", "friends"}


def issue_summary(issue: Issue) -> tuple[Any, ...]:
    """Return the fields of an issue that tables of test cases contain."""
    names = issue.role_names or issue.attribute_names
    return issue.type.name, issue.entity_name, issue.entity_id, *names, ".".join(map(str, issue.path))
