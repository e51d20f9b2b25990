"""Random writes report exactly the warnings of the objects that they leave."""

import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.model.model import Model, Role
from stratabase.core.model.reading import InvalidModel, read_model
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.load import StateReaders
from stratabase.core.operations.write.options import WriteOptions, WriteOutcome
from stratabase.core.operations.write.pipeline import Write
from stratabase.core.operations.write.services import validate
from stratabase.core.operations.write.warnings import met_warnings
from stratabase.values.cel.environment import EMPTY_CONTEXT
from tests.fakes import ADMINISTRATOR, fake_services, unlimited_budget
from tests.graphs.models import texts
from tests.graphs.random_commands import RandomCommands
from tests.graphs.random_session import SharedIds
from tests.graphs.read_graph import read_graph
from tests.graphs.reference_graph import ReferenceGraph
from tests.soak import FULL

REQUESTS = 12
Met = tuple[Reference, str]
"""An object, and the warning that it meets: `size`, or the name of a role."""


def with_warnings(line: str) -> str:
    """Return a class with a warning about its own size, and one about each of its roles."""
    many = re.findall(r"(\w+): \[C\d!\]", line)
    one = re.findall(r"(\w+): C\d", line)
    conditions = {"size": "size > 1"}
    conditions |= {name: f"n_{name} > 1" for name in many} | {name: f"{name}.size > 1" for name in one}
    warnings = (
        f'@warning(name: "{name}", condition: "{condition}", message: "{name}")'
        for name, condition in conditions.items()
    )
    counts = (f'n_{name}: Int @derived(path: "{name}", aggregate: COUNT)' for name in many)
    head, _, body = line.partition("{")
    return f"{head} {' '.join(warnings)} {{ {' '.join(counts)} {body}"


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Draw a valid model."""
    text = draw(texts().filter(is_sound))
    lines = (with_warnings(line) if line.startswith("type") else line for line in text.splitlines())
    return read_model("\n".join(lines), "random.graphql")


def is_sound(text: str) -> bool:
    try:
        read_model(text, "random.graphql")
    except InvalidModel:
        return False
    return True


@pytest.mark.soak
def test_a_write_reports_exactly_the_warnings_of_its_objects() -> None:
    met: set[str] = set()

    @given(models(), st.randoms(use_true_random=False))
    def check(model: Model, chance: Random) -> None:
        services = replace(fake_services(model)[0], ids=SharedIds())
        found = {name for _ in range(REQUESTS) for _, name in write_at_random(services, chance)}
        event("some were met" if found else "none was met")
        met.update(found)

    check()
    assert "size" in met
    # A short run can miss the warnings of roles.
    assert met - {"size"} or not FULL, "no warning of a role was met"


def write_at_random(services: Services, chance: Random) -> set[Met]:
    """Run a random command, and return its warnings. Assert that they are right."""
    before = read_graph(services.entities, services.model)
    command = RandomCommands(before, chance).command()
    write = Write(services, command, ADMINISTRATOR, options=WriteOptions(force=True))
    rehearsed = write.dry_run()
    if rehearsed.issues:
        return set()
    found = met_by(services, rehearsed)
    result = [issue.message for issue in validate(services, command, ADMINISTRATOR)]
    assert sorted(result) == sorted(name for _, name in found)
    write.commit()
    after = read_graph(services.entities, services.model)
    holding = {met for reference in after.objects for met in warnings_of(after, reference)}
    assert found <= holding
    assert {met for met in holding if is_needed(before, after, *met)} <= found
    return found


def met_by(services: Services, outcome: WriteOutcome) -> set[Met]:
    met = met_warnings(StateReaders(services, outcome.plan, EMPTY_CONTEXT, unlimited_budget()))
    return {(each.affected.reference, each.rule.definition.name) for each in met}


def warnings_of(graph: ReferenceGraph, reference: Reference) -> Iterator[Met]:
    """Yield the warnings that a stored object meets."""
    if graph.objects[reference].get("size", 0) > 1:
        yield reference, "size"
    for role in graph.model.classes[reference.class_name].roles.values():
        led_to = targets_of(graph, reference, role)
        is_met = (
            len(led_to) > 1 if role.many else any(graph.objects[each].get("size", 0) > 1 for each in led_to)
        )
        if is_met and not role.whole:
            yield reference, role.name


def targets_of(graph: ReferenceGraph, own: Reference, role: Role) -> set[Reference]:
    if role.whole:
        return set()
    ids = graph.parts[own, role.name] if role.composition else graph.led_to(own, role)
    return {Reference(role.target, id_) for id_ in ids} & graph.objects.keys()


def is_needed(before: ReferenceGraph, after: ReferenceGraph, own: Reference, name: str) -> bool:
    """Return whether a warning must be reported: the write changes the object, or a target of the role."""
    if own not in before.objects or before.objects[own] != after.objects[own]:
        return True
    role = after.model.classes[own.class_name].roles.get(name)
    return role is not None and targets_of(before, own, role) & after.objects.keys() != targets_of(
        after, own, role
    )
