"""`stratabase serve` on an embedded store builds what a changed model needs before it serves the model."""

import json
import signal
from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from stratabase.core.app.app import App
from stratabase.core.settings import Settings
from stratabase.core.store.indexes.entries import RegistryEntry
from stratabase.core.store.indexes.registry import parse_registry
from stratabase.core.store.layout import keys
from stratabase.evolution.backfill.required_roles import ReportProgress, RoleBackfill
from stratabase.evolution.backfill.uniques import Duplicates
from stratabase.evolution.commands.backfill.build import build_before_serving, build_lock
from stratabase.server.process.welcome import describe_unbuilt
from stratabase.terminal import progress
from tests.cli.terminal import Project, Terminal, serving
from tests.core.store.stores import Store
from tests.fakes import ADMINISTRATOR
from tests.soak import count

OBJECTS = 120
UNIQUE = '@unique(attributes: ["name"])'
INDEX = '@index(attributes: ["name"])'
OWNER = "type Owner { name: String }"


def instance_of(project: Project) -> App:
    """Return a process of the service."""
    return App(Settings(home=project.home, model=project.model))


def ask(instance: App, *fields: str, kind: str = "mutation") -> list[Any]:
    """Send mutations one after the other, and return the responses."""
    answers = [
        instance.executor.execute(f"{kind} {{ {field} }}", None, None, ADMINISTRATOR, "") for field in fields
    ]
    return [json.loads(answer.body) for answer in answers]


def create(instance: App, *names: object) -> list[list[str]]:
    """Create pets with these names, one by one, and return the types of each one's issues."""
    answers = ask(instance, *(f'Pet___create(data: {{name: "{name}"}}) {{ _id }}' for name in names))
    return [[error["extensions"]["issueType"] for error in answer.get("errors", ())] for answer in answers]


TAKEN = ["ENTITY_UNIQUE"]


def fill(project: Project, names: Iterable[object]) -> None:
    """Create pets with these names."""
    instance = instance_of(project)
    assert not any(create(instance, *names))
    instance.close()


def states(project: Project) -> list[str]:
    """Return the states of the registry's entries for pets."""
    instance = instance_of(project)
    registry = parse_registry(instance.engine.get([keys.REGISTRY])[0])
    instance.close()
    listed = (*registry.classes["Pet"], *registry.uniques.get("Pet", ()))
    return [one.state.value for one in listed]


def constrain(project: Project, directives: str = UNIQUE) -> None:
    """Add directives to the class Pet, which a start must build."""
    project.edit(project.model, "type Pet", f"type Pet {directives}")


@pytest.mark.parametrize(
    "arguments",
    [
        # Other tests build under a supervisor.
        pytest.param((), id="supervised", marks=pytest.mark.thorough),
        pytest.param(("--no-reload",), id="alone"),
    ],
)
def test_a_start_builds_what_the_model_needs(project: Project, arguments: tuple[str, ...]) -> None:
    """At the next start, nothing is left to build."""
    fill(project, range(OBJECTS))
    constrain(project, INDEX + UNIQUE)
    terminal = Terminal(project, "serve", *arguments)
    terminal.wait_for(r"^Building Pet @.* before Stratabase serves the model\.$")
    terminal.wait_for(rf"^Built Pet @.*: checked {OBJECTS} objects\.$")
    terminal.started()
    assert terminal.end() == 0
    assert set(states(project)) == {"READY"}
    again = Terminal(project, "serve", *arguments).started()
    assert again.end() == 0
    assert not any("Buil" in line for line in again.printed)


def test_duplicates_are_listed_and_the_constraint_applies_to_new_writes(project: Project) -> None:
    """Each start lists the duplicates until they are resolved."""
    fill(project, ["Rex", "Rex", "Tom"])
    constrain(project)
    for _ in range(2):
        terminal = Terminal(project, "serve", "--no-reload")
        terminal.wait_for(r"^Pet @unique\(name\) is not ready: 1 duplicate value$")
        terminal.wait_for('^  name "Rex": ')
        terminal.wait_for("^Change or delete all but one")
        terminal.started()
        terminal.wait_for(r"^Not ready for existing objects: Pet @unique\(name\)\.")
        assert terminal.end() == 0
    assert states(project) == ["ENFORCED"]
    instance = instance_of(project)
    assert create(instance, "Tom", "Max") == [TAKEN, []]
    instance.close()
    project.edit(project.model, UNIQUE, "")
    instance = instance_of(project)
    (page,) = ask(instance, "Pet___getPage { items { _id name } }", kind="query")
    ids = [pet["_id"] for pet in page["data"]["Pet___getPage"]["items"] if pet["name"] == "Rex"]
    ask(instance, f'Pet___delete(_id: "{ids[0]}") {{ deleted }}')
    instance.close()
    constrain(project)
    assert Terminal(project, "serve", "--no-reload").started().end() == 0
    assert states(project) == ["READY"]


def test_the_last_valid_model_serves_during_a_build(project: Project) -> None:
    """Its writes also maintain what is being built."""
    fill(project, range(OBJECTS))
    for terminal in serving(project):
        terminal.started()
        earlier = instance_of(project)
        assert create(earlier, "before") == [[]]
        with build_lock(project.home, print):
            constrain(project)
            terminal.wait_for("^Another process is building .* Waiting until it finishes")
            assert "@unique" not in terminal.get()
            assert create(earlier, "new", "1") == [[], []]
        terminal.wait_for("^Pet @unique.name. is not ready: 1 duplicate value$")
        terminal.wait_for('^  name "1": ')
        terminal.wait_for("^Serving the new version")
        assert "@unique" in terminal.get()
        assert create(earlier, "after") == [[]]
        earlier.close()
        later = instance_of(project)
        assert create(later, "new", "after", "before", "2") == [TAKEN] * 4
        later.close()


def test_a_killed_build_resumes_at_the_next_start(project: Project) -> None:
    objects = count(3000, 30_000)
    instance = instance_of(project)
    store = Store(instance.engine, instance.model.classes["Pet"])
    store.fill({"_id": f"{number:05}", "name": f"{number}"} for number in range(objects))
    instance.close()
    constrain(project)
    killed = Terminal(project, "serve", "--no-reload")
    killed.wait_for(r"^Building Pet @unique\(name\): ")
    killed.end(signal.SIGKILL)
    assert states(project) == ["BUILDING"]
    again = Terminal(project, "serve", "--no-reload")
    again.wait_for(rf"^Built Pet @unique\(name\): checked {objects:,} objects")
    again.started()
    assert again.end() == 0
    assert states(project) == ["READY"]


def test_only_one_of_two_processes_sharing_a_store_builds(project: Project) -> None:
    fill(project, range(OBJECTS))
    constrain(project)
    with build_lock(project.home, print):
        both = [Terminal(project, "serve", "--no-reload") for _ in range(2)]
        for terminal in both:
            terminal.wait_for("^Another process is building")
    for terminal in both:
        terminal.started()
    for terminal in both:
        assert terminal.end() == 0
    built = [line for terminal in both for line in terminal.printed if line.startswith("Built")]
    assert len(built) == 1
    assert states(project) == ["READY"]


def test_a_stop_ends_a_start_that_waits_for_a_build(project: Project) -> None:
    fill(project, ["Rex"])
    constrain(project)
    with build_lock(project.home, print):
        terminal = Terminal(project, "serve")
        terminal.wait_for("^Another process is building")
        assert terminal.end() == 0


def test_progress_is_reported_periodically(monkeypatch: pytest.MonkeyPatch, project: Project) -> None:
    fill(project, range(OBJECTS))
    constrain(project)
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    instance, result = instance_of(project), list[str]()
    build_before_serving(
        instance.settings, instance.engine, instance.model, lambda *lines: result.extend(lines)
    )
    assert result == [
        "Building Pet @unique(name): 120 objects to check before Stratabase serves the model.",
        "Building Pet @unique(name): 83% (100 of 120 objects)",
        "Building Pet @unique(name): 100% (120 of 120 objects)",
        "Built Pet @unique(name): checked 120 objects.",
    ]
    result.clear()
    build_before_serving(instance.settings, instance.engine, instance.model, result.append)
    assert not result
    instance.close()


def test_remaining_work_is_named() -> None:
    """On DynamoDB, a model may be served before it is built."""
    lacking = [f"Pet @unique(a{number})" for number in range(5)]
    hint, consequence = describe_unbuilt(lacking, refuses_writes=True)
    assert hint.startswith(
        "Not ready for existing objects: Pet @unique(a0), Pet @unique(a1), Pet @unique(a2) and 2 more. "
        "To build them while the service runs: "
    )
    assert hint.endswith("stratabase reindex")
    assert consequence == "Until a unique constraint is built, Stratabase refuses writes that set its values."
    assert len(list(describe_unbuilt(lacking, refuses_writes=False))) == 1
    assert len(list(describe_unbuilt(["Pet @index(a)"], refuses_writes=True))) == 1
    assert not list(describe_unbuilt([], refuses_writes=True))


def test_a_role_that_objects_violate_is_built_once_per_start(
    monkeypatch: pytest.MonkeyPatch, project: Project
) -> None:
    optional = f"type Pet {{ name: String!  owner: Owner }}\n{OWNER}"
    project.edit(project.model, "type Pet { name: String! }", optional)
    instance = instance_of(project)
    (owner,) = ask(instance, 'Owner___create(data: {name: "Ann"}) { _id }')
    id_ = owner["data"]["Owner___create"]["_id"]
    for name in ("Rex", "Tom"):
        ask(instance, f'Pet___create(data: {{name: "{name}", owner: "{id_}"}}) {{ _id }}')
    instance.close()
    project.edit(project.model, "owner: Owner ", 'owner: Owner! @association(opposite: "pet", holds: true) ')
    project.edit(project.model, OWNER, 'type Owner { name: String pet: Pet @association(opposite: "owner") }')
    instance, result, built, build = instance_of(project), list[str](), list[object](), RoleBackfill.build

    def counting(builder: RoleBackfill, tell: ReportProgress) -> Mapping[RegistryEntry, Duplicates]:
        built.append(builder)
        return build(builder, tell)

    monkeypatch.setattr(RoleBackfill, "build", counting)
    build_before_serving(
        instance.settings, instance.engine, instance.model, lambda *lines: result.extend(lines)
    )
    assert any("role Pet.owner is not ready: 1 conflict" in line for line in result)
    assert len(built) == 2, "once for each side"
    instance.close()
