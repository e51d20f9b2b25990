"""The cost of GraphQL requests for graphs: nested roles in queries, and nested objects in mutations."""

import json
from collections.abc import Callable
from typing import Any

from benchmarks.role_rows import CALLER, Cost, Operations
from stratabase.core.operations.context import Services
from stratabase.core.schema.executor import SchemaExecutor

MODEL = """
type Crew { name: String people: [Person!] @association(opposite: "crew") }
type Person {
  name: String size: Int notes: Text
  crew: Crew @association(opposite: "people")
  jobs: [Job!] @association(opposite: "people")
  papers: [Paper!] @composition
}
type Job { name: String people: [Person!] @association(opposite: "jobs") }
type Paper { name: String sheets: [Sheet!] @composition }
type Sheet { name: String }
"""

PEOPLE, CREWS, JOBS, PAPERS = 60, 10, 20, 2
"""The numbers of objects. A person has a crew, two jobs, and two papers with one sheet each."""
PAGE_SIZE = 50
PAGE_UNITS = PAGE_SIZE * 1000 / 4096 / 2 + 1
"""The read units of a page of 50 persons of up to 1 KB."""
INDEX_SLOTS = 1
"""The index slots of an object: only the listing."""


class Graphs:
    """Persons and their related objects, and the operations to measure.

    Create it before other persons exist, because pages start with the first objects of the class.
    """

    def __init__(self, services: Services) -> None:
        self._executor = SchemaExecutor(services, _raise)
        self._crews = self._make("Crew", CREWS)
        self._jobs = self._make("Job", JOBS)
        self._people = [self._id("Person", self._person(number)) for number in range(PEOPLE)]
        self._paper = self._first_paper(self._people[8])

    def operations(self) -> Operations:
        """Return the operations to measure, by name."""
        return {**self._reads(), **self._writes()}

    def _reads(self) -> Operations:
        sheets = "papers { items { name sheets { items { name } } } }"
        jobs = "jobs { items { name } }"
        return {
            "get, a key": (Cost(2, 1 + 1, 0), self._get("crew { name }")),
            "get, parts of parts": (Cost(3, 1 + 2 * PAPERS, 0), self._get(sheets)),
            "get, links": (Cost(3, 1 + 1 + 2, 0), self._get(jobs)),
            "page of 50, a key": (Cost(2, PAGE_UNITS + CREWS, 0), self._page("crew { name }")),
            "page of 50, parts": (
                Cost(2, PAGE_UNITS + PAGE_SIZE * PAPERS, 0),
                self._page("papers { items { name } }"),
            ),
            "page of 50, parts of parts": (
                Cost(3, PAGE_UNITS + PAGE_SIZE * 2 * PAPERS, 0),
                self._page(sheets),
            ),
            # The links of each person are one range, which costs as much as one object. Jobs are shared.
            "page of 50, links": (Cost(3, PAGE_UNITS + PAGE_SIZE + JOBS, 0), self._page(jobs)),
            "page of 50, all of it": (
                # The page, two round trips for links (other roles of the first level are read in parallel),
                # and one for the second level.
                Cost(4, PAGE_UNITS + CREWS + PAGE_SIZE + JOBS + PAGE_SIZE * 2 * PAPERS, 0),
                self._page(f"crew {{ name }} {jobs} {sheets}"),
            ),
            "page of 50, there and back": (
                Cost(4, PAGE_UNITS + CREWS + CREWS + PEOPLE, 0),
                self._page("crew { name people { items { name } } }"),
            ),
        }

    def _writes(self) -> Operations:
        one = 2 + INDEX_SLOTS
        parts = 2 * PAPERS
        crew, jobs = 4, 2 * 6
        return {
            "create a graph": (
                Cost(1, 0, one + parts * one + crew + jobs),
                lambda: self._id("Person", self._person(PEOPLE)),
            ),
            # Three objects (the person, a changed and a new paper), and the links to two crews.
            "update a graph": (Cost(2, 1 + 1, 3 * one + 6), self._update),
            # One more round trip for each level of parts, and one for the links.
            "delete a graph": (
                Cost(2 + 2 + 1, 1 + parts + 1, one + parts * one + 2 + 2 * 4),
                lambda: self._execute(
                    "mutation($id: ID!) { Person___delete(_id: $id) { deleted } }", id=self._people[-1]
                ),
            ),
        }

    def _get(self, selected: str) -> Callable[[], object]:
        query = f"query($id: ID!) {{ Person___get(_id: $id) {{ name {selected} }} }}"
        return lambda: self._execute(query, id=self._people[7])

    def _page(self, selected: str) -> Callable[[], object]:
        query = f"{{ Person___getPage(options: {{next: {PAGE_SIZE}}}) {{ items {{ name {selected} }} }} }}"
        return lambda: self._execute(query)

    def _update(self) -> None:
        papers = {"create": [{"name": "new"}], "update": [{"_id": self._paper, "name": "changed"}]}
        data = {"_id": self._people[8], "crew": {"set": self._crews[0]}, "papers": papers}
        self._execute("mutation($data: PersonUpdate!) { Person___update(data: $data) { _id } }", data=data)

    def _first_paper(self, person: str) -> str:
        query = "query($id: ID!) { Person___get(_id: $id) { papers { items { _id } } } }"
        return str(self._execute(query, id=person)["Person___get"]["papers"]["items"][0]["_id"])

    def _person(self, number: int) -> dict[str, Any]:
        jobs = [self._jobs[number % JOBS], self._jobs[(number + 1) % JOBS]]
        papers = [{"name": f"paper {each}", "sheets": [{"name": "sheet"}]} for each in range(PAPERS)]
        return {
            "name": f"name {number}",
            "notes": "n" * 400,
            "crew": self._crews[number % CREWS],
            "jobs": jobs,
            "papers": papers,
        }

    def _make(self, class_name: str, count: int) -> list[str]:
        return [self._id(class_name, {"name": f"name {number}"}) for number in range(count)]

    def _id(self, class_name: str, data: dict[str, Any]) -> str:
        verb = f"{class_name}___create"
        query = f"mutation($data: {class_name}Create!) {{ {verb}(data: $data) {{ _id }} }}"
        return str(self._execute(query, data=data)[verb]["_id"])

    def _execute(self, query: str, **variables: Any) -> Any:
        answer = json.loads(self._executor.execute(query, variables, None, CALLER, "benchmark").body)
        assert "errors" not in answer, answer
        return answer["data"]


def _raise(error: BaseException, _: str) -> None:
    raise error
