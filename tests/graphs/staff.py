"""Items of five hundred employees of the sample model, with teams, addresses and projects."""

from functools import cache

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.model.reading import read_model_file
from stratabase.core.model.types.base import Stored
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.engine_items import Items, all_items
from tests.graphs.stored_company import store_graph
from tests.role_rules import Graph
from tests.service import SAMPLE_MODEL

HR = read_model_file(SAMPLE_MODEL)
EMPLOYEES, TEAMS, PROJECTS = 500, 20, 50


@cache
def staff() -> Items:
    """Return the items of an engine that contains all these objects."""
    engine = ReferenceEngine()
    store_graph(engine, HR, _graph())
    return all_items(engine)


def _graph() -> Graph:
    graph = Graph()
    _put(graph, "Customer", "c", name="Acme")
    for number in range(TEAMS):
        _put(graph, "Team", f"t{number:02}", name=f"team {number}", lead=f"e{number:03}")
    for number in range(PROJECTS):
        _put(graph, "Project", f"p{number:02}", title=f"project {number}", customer="c")
    for number in range(EMPLOYEES):
        id_, address = f"e{number:03}", f"a{number:03}"
        team = f"t{number % TEAMS:02}"
        _put(graph, "Employee", id_, last_name=f"name {number}", team=team, addresses=[address])
        _put(graph, "Address", address, city="Bologna", employee=id_)
        for project in (number % PROJECTS, (number + 1) % PROJECTS):
            role = RoleName("Employee", "projects")
            graph.link(HR, role, id_, f"p{project:02}")
    return graph


def _put(graph: Graph, class_name: str, id_: str, **state: Stored) -> None:
    reference = Reference(class_name, id_)
    graph.objects[reference] = Entity(reference, {"_id": id_, **state})
