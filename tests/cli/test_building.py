"""`stratabase serve` on an embedded store builds what a changed model needs before it serves that model."""

import json
from collections.abc import Iterable

from stratabase.settings import Settings
from stratabase.store import keys
from stratabase.store.registry import registry_of
from stratabase.wiring import Instance
from tests.cli.terminal import Project, Terminal
from tests.worlds import ADMINISTRATOR

OBJECTS = 120
UNIQUE = '@unique(attributes: ["name"])'
INDEX = '@index(attributes: ["name"])'


def instance_of(project: Project) -> Instance:
    """Return a process of the service."""
    return Instance(Settings(home=project.home, model=project.model))


def ask(instance: Instance, *fields: str) -> list[dict[str, object]]:
    """Return what a client gets that asks for one mutation after the other."""
    answers = [
        instance.executor.execute(f"mutation {{ {field} }}", None, None, ADMINISTRATOR, "")
        for field in fields
    ]
    return [json.loads(answer.body) for answer in answers]


def fill(project: Project, names: Iterable[object]) -> None:
    """Create pets with these names."""
    instance = instance_of(project)
    for answer in ask(instance, *(f'Pet___create(data: {{name: "{name}"}}) {{ _id }}' for name in names)):
        assert "errors" not in answer
    instance.close()


def states(project: Project) -> list[str]:
    """Return the states of what the registry lists for pets."""
    instance = instance_of(project)
    registry = registry_of(instance.engine.get([keys.REGISTRY])[0])
    instance.close()
    listed = (*registry.classes["Pet"], *registry.uniques.get("Pet", ()))
    return [one.state.value for one in listed]


def constrain(project: Project, directives: str = UNIQUE) -> None:
    """Add to the model what has to be built."""
    project.edit(project.model, "type Pet", f"type Pet {directives}")


def test_a_start_builds_what_the_model_needs(project: Project) -> None:
    """Supervised or not; and at the next start nothing is left to build."""
    for number, arguments in enumerate(((), ("--no-reload",))):
        fill(project, range(number * OBJECTS, (number + 1) * OBJECTS))
        constrain(project, INDEX + UNIQUE if number else UNIQUE)
        terminal = Terminal(project, "serve", *arguments)
        terminal.wait_for(r"^Building Pet @.* before the model is served\.$")
        terminal.wait_for(rf"^Built Pet @.*: {OBJECTS * (number + 1)} objects were looked at\.$")
        terminal.started()
        assert terminal.end() == 0
        assert set(states(project)) == {"READY"}
        again = Terminal(project, "serve", *arguments).started()
        assert again.end() == 0
        assert not any("Buil" in line for line in again.printed)
        project.edit(project.model, UNIQUE, "")
