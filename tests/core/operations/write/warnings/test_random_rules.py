"""Random writes keep random rules over several objects, and are refused for those that they would break."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Delete
from stratabase.core.model.model import Model, Role
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.options import WriteOptions
from stratabase.core.operations.write.services import delete, save
from tests.core.operations.write.warnings.test_random_warnings import is_sound, targets_of
from tests.fakes import ADMINISTRATOR, DictEntities, fake_services
from tests.graphs.models import texts
from tests.graphs.random_commands import RandomCommands
from tests.graphs.random_session import SharedIds
from tests.graphs.read_graph import read_graph
from tests.graphs.reference_graph import ReferenceGraph
from tests.soak import FULL, count

REQUESTS = 15
MOST = 1
"""The sum of sizes at the ends of a path, above which a rule is broken."""
Path = tuple[str, ...]
Met = tuple[Reference, str]
"""An object, and the rule that it breaks, which is called like its path."""


def paths(model: Model, class_name: str) -> Iterator[Path]:
    """Yield the paths of one and two roles from a class, without those to wholes."""
    for role in led_by(model, class_name):
        yield (role.name,)
        for further in led_by(model, role.target):
            yield role.name, further.name


def led_by(model: Model, class_name: str) -> Iterator[Role]:
    return (role for role in model.classes[class_name].roles.values() if not role.whole)


def is_many(model: Model, class_name: str, path: Path) -> bool:
    """Return whether a path leads to several objects."""
    for name in path:
        role = model.classes[class_name].roles[name]
        if role.many:
            return True
        class_name = role.target
    return False


def with_rules(text: str, chance: Random) -> str:
    """Return a model with rules about some of its paths, to be completed by whether they block."""
    model, lines = read_model(text, "random.graphql"), []
    for line in text.splitlines():
        if not line.startswith("type"):
            lines.append(line)
            continue
        class_name = line.split()[1]
        found = [*paths(model, class_name)]
        chosen = chance.sample(found, min(3, len(found)))
        rules, attributes = [], []
        for number, path in enumerate(chosen):
            value = ".".join((*path, "size"))
            if is_many(model, class_name, path):
                attributes.append(f'd{number}: Int @derived(path: "{value}", aggregate: SUM)')
                value = f"d{number}"
            rules.append(
                f'@warning(name: "{"_then_".join(path)}", condition: "{value} > {MOST}", '
                f'message: "{".".join(path)}", BLOCKING)'
            )
        head, _, body = line.partition("{")
        lines.append(f"{head} {' '.join(rules)} {{ {' '.join(attributes)} {body}")
    return "\n".join(lines)


@st.composite
def twins(draw: st.DrawFn) -> tuple[Model, Model]:
    """Draw a model with rules, and the same one with warnings that do not block."""
    text = with_rules(draw(texts().filter(is_sound)), draw(st.randoms(use_true_random=False)))
    return (
        read_model(text.replace("BLOCKING", "blocking: true"), "random.graphql"),
        read_model(text.replace("BLOCKING", "blocking: false"), "random.graphql"),
    )


def broken_by(graph: ReferenceGraph) -> set[Met]:
    """Return the objects of a graph that break rules."""
    return {
        (reference, rule.message)
        for reference in graph.objects
        for rule in graph.model.classes[reference.class_name].warnings
        if sum_at_end(graph, reference, tuple(rule.message.split("."))) > MOST
    }


def sum_at_end(graph: ReferenceGraph, reference: Reference, path: Path) -> int:
    """Return the sum of sizes at the end of a path, of each object as often as ways lead there."""
    ends = Counter([reference])
    for name in path:
        further: Counter[Reference] = Counter()
        for each, number in ends.items():
            role = graph.model.classes[each.class_name].roles[name]
            further.update(dict.fromkeys(targets_of(graph, each, role), number))
        ends = further
    return sum(graph.objects[each].get("size", 0) * number for each, number in ends.items())


@pytest.mark.soak
def test_no_write_breaks_a_rule_and_only_those_that_would_are_refused() -> None:
    refused: Counter[str] = Counter()

    @settings(max_examples=count(25, 600))
    @given(twins(), st.randoms(use_true_random=False))
    def check(models: tuple[Model, Model], chance: Random) -> None:
        services, entities, _ = fake_services(models[0])
        services = replace(services, ids=SharedIds())
        twin = replace(services, model=models[1])
        for _ in range(REQUESTS):
            for _, message in write_at_random(services, twin, entities, chance):
                event("a path of two roles" if "." in message else "a path of one role")
                refused[message] += 1

    check()
    lengths = {message.count(".") for message in refused}
    if FULL:  # few examples may refuse nothing
        assert lengths == {0, 1}, "too few rules were touched"


def write_at_random(services: Services, twin: Services, entities: DictEntities, chance: Random) -> set[Met]:
    """Run a random command, and return the rules that it would break. Assert that they are right."""
    before = read_graph(entities, services.model)
    command = RandomCommands(before, chance).command()
    graph, options = entities.graph, WriteOptions(force=True)

    def run(on: Services) -> None:
        if isinstance(command, Delete):
            delete(on, command, ADMINISTRATOR, options)
        else:
            save(on, command, ADMINISTRATOR, options=options)

    try:
        run(twin)
    except Refused:
        return set()  # it is wrong for another reason
    after, changed = read_graph(entities, services.model), entities.graph
    written = {each for each in after.objects if changed.objects.get(each) != graph.objects.get(each)}
    expected = {met for met in broken_by(after) if met[0] in written or met not in broken_by(before)}
    entities.graph = graph
    assert_refused(lambda: run(services), expected, before)
    if not expected:
        assert broken_by(read_graph(entities, services.model)) == set()
    return expected


def assert_refused(run: Callable[[], None], expected: set[Met], before: ReferenceGraph) -> None:
    """Assert that a write is refused for these objects and rules, or done if there are none."""
    issues: Sequence[Issue] = ()
    try:
        run()
    except Refused as refusal:
        issues = refusal.issues
    assert {issue.type for issue in issues} <= {IssueType.ENTITY_DOMAIN}, issues
    found = {(Reference(str(each.entity_name), str(each.entity_id)), str(each.message)) for each in issues}
    assert {message for _, message in found} == {message for _, message in expected}
    # The issues about new objects have no IDs.
    assert {met for met in found if met[0] in before.objects} == {
        met for met in expected if met[0] in before.objects
    }
