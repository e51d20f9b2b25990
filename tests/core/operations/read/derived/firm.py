"""A small firm with a role of every kind, to which tests add derived attributes."""

from typing import Any

from stratabase.core.domain.objects.entity import Entity
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from tests.fakes import DictEntities

_TEXT = """
extend schema @application(name: "Firm")
enum Mood {{ GOOD BAD }}
type Team {{
  name: String  budget: Real  size: Int  mood: Mood
  members: [Person!] @association(opposite: "team")
  lead: Person @association(opposite: "leads", holds: true)
  {Team}
}}
type Person {{
  name: String  age: Int  pay: Real  born: Date  seen: Datetime
  team: Team @association(opposite: "members")
  leads: Team @association(opposite: "lead")
  mentor: Person @association(opposite: "pupils")
  pupils: [Person!] @association(opposite: "mentor")
  projects: [Project!] @association(opposite: "people")
  likes: [Team!]
  home: Address @composition(whole: "dweller")
  addresses: [Address!] @composition(whole: "visitor")
  {Person}
}}
type Project {{ name: String  hours: Real  people: [Person!] @association(opposite: "projects")  {Project} }}
type Address {{ street: String  number: Int  keeper: Person  {Address} }}
"""
_STATES: dict[str, dict[str, dict[str, Any]]] = {
    "Team": {
        "t1": {"name": "red", "budget": "10.5", "size": 3, "mood": "GOOD", "lead": "ada"},
        "t2": {"name": "blue", "budget": "0.25"},
        "t3": {},
    },
    "Person": {
        "ada": {
            "name": "Ada",
            "age": 36,
            "pay": "1000.1",
            "born": "1815-12-10",
            "seen": "2020-06-30T22:30:00.000Z",
            "team": "t1",
            "home": "h1",
            "addresses": ["a1", "a2", "gone"],
        },
        "bob": {"name": "Bob", "age": 20, "pay": "0.2", "born": "2000-01-01", "team": "t1", "mentor": "ada"},
        "cy": {"age": 50, "team": "t2", "mentor": "ada"},
        "dee": {"name": "Dee", "team": "gone", "mentor": "bob"},
    },
    "Project": {"p1": {"name": "moon", "hours": "1"}, "p2": {"name": "mars", "hours": "2"}, "p3": {}},
    "Address": {
        "h1": {"street": "1st", "number": 1, "dweller": "ada", "keeper": "bob"},
        "a1": {"street": "2nd", "number": 2, "visitor": "ada", "keeper": "cy"},
        "a2": {"street": "3rd", "visitor": "ada"},
        "orphan": {"street": "4th", "number": 9, "visitor": "nobody"},
    },
}
_LINKS = [
    ("Person", "projects", "ada", "p1"),
    ("Person", "projects", "ada", "p2"),
    ("Person", "projects", "bob", "p1"),
    ("Person", "projects", "bob", "p3"),
    ("Person", "projects", "bob", "gone"),
    ("Person", "likes", "ada", "t1"),
    ("Person", "likes", "ada", "t2"),
    ("Person", "likes", "ada", "gone"),
]


def firm(**attributes: str) -> Model:
    """Return the model with additional attributes, given as text for each class."""
    none = dict.fromkeys(("Team", "Person", "Project", "Address"), "")
    return read_model(_TEXT.format(**(none | attributes)), "firm.graphql")


def objects(model: Model) -> DictEntities:
    """Return an in-memory store that contains the firm."""
    entities = DictEntities(model)
    entities.fill(_STATES, _LINKS)
    return entities


def of_class(entities: DictEntities, class_name: str) -> list[Entity]:
    """Return all objects of a class."""
    return [each for reference, each in entities.objects.items() if reference.class_name == class_name]
