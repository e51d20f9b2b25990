"""Invalid associations: to missing objects, to nothing, and to objects of others."""

from collections.abc import Callable
from typing import Any

from tests.rows import each_row
from tests.scenarios.refusals.case import SAVING, Case, changing, ending, filling, housing, loosely, making
from tests.scenarios.refusals.issue import Issue, missing, one_required, role, some_required
from tests.scenarios.refusals.needs import PERSON

AT_ONCE = "The request both sets and removes the association. Do only one of these."


def few(name: str, message: str, at: str | None = None) -> Issue:
    return role("ROLE_CARDINALITY", name, message, at)


def bereft(class_name: str, id_: str) -> str:
    lost = "an object in this role. One" if class_name == "Desk" else "any objects in this role. At least one"
    return f'This write would leave {class_name} "{id_}" without {lost} is required.'


def person(says: str, change: dict[str, Any], *issues: Issue) -> Case:
    return making(says, "Person", {**PERSON, **change}, *issues)


def ann(says: str, change: dict[str, Any], *issues: Issue, **options: Any) -> Case:
    about = (
        issue.of("<ann>") if issue.entity == "Person" and issue.id is None else issue for issue in issues
    )
    return changing(says, "Person", {"_id": "<ann>", **change}, *about, **options)


def bob(says: str, change: dict[str, Any], *issues: Issue) -> Case:
    return changing(says, "Person", {"_id": "<bob>", **change}, *(issue.of("<bob>") for issue in issues))


UNKNOWN = [
    person("a key to nothing", {"team": "none"}, missing("Person.team", "Team", "none")),
    person("an optional key to nothing", {"mentor": "none"}, missing("Person.mentor", "Person", "none")),
    person("a key one way to nothing", {"favourite": "none"}, missing("Person.favourite", "Skill", "none")),
    person("one to one, holding", {"desk": "none"}, missing("Person.desk", "Desk", "none")),
    person("one to one, faced", {"leads": "none"}, missing("Person.leads", "Team", "none")),
    person("to many by keys", {"pupils": ["<bob>", "none"]}, missing("Person.pupils", "Person", "none")),
    person("many to many", {"projects": ["<song>", "none"]}, missing("Person.projects", "Project", "none")),
    person("to many one way", {"skills": ["none", "<sing>"]}, missing("Person.skills", "Skill", "none")),
    person("an object of another class", {"team": "<sing>"}, missing("Person.team", "Team", "<sing>")),
    person(
        "several",
        {"team": "none", "mentor": "nobody", "skills": ["a", "<sing>", "b"]},
        missing("Person.team", "Team", "none"),
        missing("Person.mentor", "Person", "nobody"),
        missing("Person.skills", "Skill", "a"),
        missing("Person.skills", "Skill", "b"),
    ),
    person(
        "of one with a name",
        {"_clientId": "P", "team": "none"},
        missing("Person.team", "Team", "none").called("P"),
    ),
    person(
        "of a part",
        {"addresses": [{"street": "s"}, {"street": "s", "keeper": "none"}]},
        missing("Address.keeper", "Person", "none", "data.addresses.1.keeper"),
    ),
    person(
        "of the only part",
        {"home": {"_clientId": "H", "street": "s", "keeper": "none"}},
        missing("Address.keeper", "Person", "none", "data.home.keeper").called("H"),
    ),
    ann("a key to nothing", {"team": {"set": "none"}}, missing("Person.team", "Team", "none")),
    ann(
        "a key one way to nothing",
        {"favourite": {"set": "none"}},
        missing("Person.favourite", "Skill", "none"),
    ),
    ann(
        "one to one, holding, and letting go",
        {"desk": {"set": "none"}},
        missing("Person.desk", "Desk", "none"),
        few("Desk.owner", bereft("Desk", "<desk>"), "data.desk").of("<desk>"),
    ),
    ann("one to one, faced", {"leads": {"set": "none"}}, missing("Person.leads", "Team", "none")),
    ann("to many by keys", {"pupils": {"add": ["none"]}}, missing("Person.pupils", "Person", "none")),
    ann("many to many", {"projects": {"add": ["none"]}}, missing("Person.projects", "Project", "none")),
    ann("to many one way", {"skills": {"add": ["none"]}}, missing("Person.skills", "Skill", "none")),
    ann(
        "of a part that is there",
        {"addresses": {"update": [{"_id": "<ann_address>", "keeper": {"set": "none"}}]}},
        missing("Address.keeper", "Person", "none", "data.addresses.update.0.keeper").of("<ann_address>"),
    ),
    housing(
        "of the singleton",
        {"name": "H", "director": {"set": "none"}},
        missing("House.director", "Person", "none"),
    ),
    housing(
        "of the singleton, to many",
        {"name": "H", "guests": {"add": ["none"]}},
        missing("House.guests", "Person", "none"),
    ),
    filling("of a form", {"text": "t", "by": "none"}, missing("Complaint.by", "Person", "none")),
    filling(
        "of a form, to many",
        {"text": "t", "by": "<ann>", "about": ["none"]},
        missing("Complaint.about", "Team", "none"),
    ),
]
FEW = [
    loosely("no key", "Person", {**PERSON, "team": None}, one_required("Person.team", "Team")),
    loosely(
        "nothing that is required",
        "Person",
        {"last_name": "new", "_clientId": "P"},
        one_required("Person.team", "Team").called("P"),
        some_required("Person.skills", "Skill").called("P"),
        one_required("Person.contract", "Contract").called("P"),
        some_required("Person.phones", "Phone").called("P"),
    ),
    person("an empty list", {"skills": []}, some_required("Person.skills", "Skill")),
    person("a list of nulls", {"skills": [None]}, some_required("Person.skills", "Skill")),
    person("no parts", {"phones": []}, some_required("Person.phones", "Phone")),
    making(
        "none on the faced side",
        "Project",
        {"title": "new", "members": []},
        some_required("Project.members", "Person"),
    ),
    loosely("no owner", "Desk", {"number": 1}, one_required("Desk.owner", "Person")),
    ann("a key removed", {"team": {"remove": True}}, one_required("Person.team", "Team")),
    ann("a key cleared", {"team": None}, one_required("Person.team", "Team")),
    ann(
        "all links removed", {"skills": {"removeAll": True}}, few("Person.skills", bereft("Person", "<ann>"))
    ),
    ann("links cleared", {"skills": None}, few("Person.skills", bereft("Person", "<ann>"))),
    ann(
        "the last link removed",
        {"skills": {"remove": ["<sing>"]}},
        few("Person.skills", bereft("Person", "<ann>")),
    ),
    ann(
        "the last link of the other side removed",
        {"projects": {"remove": ["<song>"]}},
        few("Project.members", bereft("Project", "<song>"), "data.projects").of("<song>"),
    ),
    ann(
        "the required partner let go",
        {"desk": {"remove": True}},
        few("Desk.owner", bereft("Desk", "<desk>"), "data.desk").of("<desk>"),
    ),
    ann(
        "the required part deleted",
        {"contract": {"delete": True}},
        one_required("Person.contract", "Contract"),
    ),
    ann("the required part cleared", {"contract": None}, one_required("Person.contract", "Contract")),
    ann(
        "all parts deleted",
        {"phones": {"deleteAll": True}},
        some_required("Person.phones", "Phone"),
    ),
    ann(
        "the last part deleted",
        {"phones": {"delete": ["<ann_phone>"]}},
        some_required("Person.phones", "Phone"),
    ),
    ann("parts cleared", {"phones": None}, some_required("Person.phones", "Phone")),
    changing(
        "a key removed from its other side",
        "Team",
        {"_id": "<red>", "members": {"remove": ["<bob>"]}},
        one_required("Person.team", "Team", "data.members").of("<bob>"),
    ),
    changing(
        "the owner removed",
        "Desk",
        {"_id": "<desk>", "owner": {"remove": True}},
        few("Desk.owner", bereft("Desk", "<desk>")).of("<desk>"),
    ),
    filling("a form without its key", {"text": "t", "by": None}, one_required("Complaint.by", "Person")),
]
COUPLED = [
    person(
        "whom the key leads to is taken",
        {"desk": "<desk>"},
        few("Person.desk", 'Another Person is already associated with Desk "<desk>". Only one is allowed.'),
    ),
    person(
        "whom the other's key is asked of",
        {"leads": "<green>"},
        few(
            "Person.leads",
            'Team "<green>" is already associated with another Person. It can be associated with only one.',
        ),
    ),
    making(
        "the owner has another",
        "Desk",
        {"number": 2, "owner": "<ann>"},
        few(
            "Desk.owner",
            'Person "<ann>" is already associated with another Desk. It can be associated with only one.',
        ),
    ),
    bob(
        "whom the key leads to is taken",
        {"desk": {"set": "<desk>"}},
        few("Person.desk", 'Another Person is already associated with Desk "<desk>". Only one is allowed.'),
    ),
    bob(
        "whom the other's key is asked of",
        {"leads": {"set": "<green>"}},
        few(
            "Person.leads",
            'Team "<green>" is already associated with another Person. It can be associated with only one.',
        ),
    ),
]
CONTRADICTORY = [
    ann(
        "set and removed",
        {"team": {"set": "<blue>", "remove": True}},
        role("MALFORMED_REQUEST", "Person.team", AT_ONCE),
        without=SAVING,
    ),
    ann(
        "added and removed",
        {"skills": {"add": ["<dance>"], "remove": ["<dance>"]}},
        role(
            "MALFORMED_REQUEST",
            "Person.skills",
            'The request both adds and removes Skill "<dance>". Do only one of these.',
        ),
    ),
    changing(
        "led to two",
        "Team",
        {"_id": "<red>", "members": {"add": ["<bob>"], "remove": ["<bob>"]}},
        role(
            "MALFORMED_REQUEST",
            "Team.members",
            'The request both adds and removes Person "<bob>". Do only one of these.',
        ).of("<red>"),
    ),
    ann(
        "led to two, from its two sides",
        {"mentor": {"set": "<bob>"}, "pupils": {"add": ["<ann>"]}},
        few("Person.mentor", 'Person "<ann>" can have only one Person in the role mentor.'),
    ),
    ann(
        "led and let go, from its two sides",
        {"mentor": {"set": "<ann>"}, "pupils": {"remove": ["<ann>"]}},
        role(
            "MALFORMED_REQUEST",
            "Person.pupils",
            'The request both adds and removes the association of Person "<ann>" in the role mentor. '
            "Do only one of these.",
        ),
    ),
]
ENDINGS = [
    ending(
        "a key must lead to it",
        "Team",
        "<red>",
        few(
            "Person.team",
            'You can\'t delete Team "<red>" because Person "<ann>" requires it.',
            "_id",
        ).of("<ann>"),
    ),
    ending(
        "a list must have it",
        "Skill",
        "<sing>",
        few("Person.skills", bereft("Person", "<ann>"), "_id").of("<ann>"),
        few("Person.skills", bereft("Person", "<bob>"), "_id").of("<bob>"),
    ),
    ending(
        "others must have it",
        "Person",
        "<ann>",
        few("Project.members", bereft("Project", "<song>"), "_id").of("<song>"),
        few("Desk.owner", bereft("Desk", "<desk>"), "_id").of("<desk>"),
    ),
]


@each_row("case", UNKNOWN)
def test_an_association_to_a_missing_object_is_refused(refuse: Callable[[Case], None], case: Case) -> None:
    refuse(case)


@each_row("case", FEW)
def test_an_empty_required_role_is_refused(refuse: Callable[[Case], None], case: Case) -> None:
    refuse(case)


@each_row("case", COUPLED)
def test_an_association_to_an_already_associated_object_is_refused(
    refuse: Callable[[Case], None], case: Case
) -> None:
    refuse(case)


@each_row("case", CONTRADICTORY)
def test_adding_and_removing_the_same_association_is_refused(
    refuse: Callable[[Case], None], case: Case
) -> None:
    refuse(case)


@each_row("case", ENDINGS)
def test_an_association_to_an_object_that_the_request_deletes_is_refused(
    refuse: Callable[[Case], None], case: Case
) -> None:
    refuse(case)
