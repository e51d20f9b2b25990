"""Messages of refusals name their subjects, except hidden ones."""

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.model.reading import read_model
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import CLERK, ArchiveApi
from tests.fakes import ADMINISTRATOR

TEXT = """
extend schema @application(name: "Archive")
  @profile(name: "Administrator", administrator: true) @profile(name: "Clerk")
type House @class(kind: SINGLETON) @grant(profile: "Clerk", allow: [READ, EDIT], where: "isNull(name)") {
  name: String
}
type Safe @class(kind: SINGLETON) @grant(profile: "Clerk", allow: [EDIT], where: "isNull(name)") {
  name: String
}
type Person @grant(profile: "Clerk", allow: [READ]) {
  name: String
  salary: Int @grant(profile: "Clerk", allow: [READ], where: "name == 'x'")
  twice: Int @derived(expression: "salary * 2")
}
"""


@pytest.fixture
def archive() -> ArchiveApi:
    """The API over an empty archive."""
    return ArchiveApi(ReferenceEngine(), read_model(TEXT, "archive.graphql"))


@pytest.mark.parametrize("class_name", ["House", "Safe"])
def test_a_refusal_of_a_hidden_singleton_has_no_id(archive: ArchiveApi, class_name: str) -> None:
    """The update or a condition may refuse it."""
    archive.ask(f'mutation {{ {class_name}___update(data: {{name: "x"}}) {{ name }} }}')
    query = f'mutation {{ {class_name}___update(data: {{name: "y"}}) {{ _id }} }}'
    assert archive.issues(query, CLERK) == [("ENTITY_NOT_FOUND", f"{class_name}___update.data")]


def test_who_would_lose_the_right_by_a_write_learns_so(archive: ArchiveApi) -> None:
    (error,) = archive.body('mutation { House___update(data: {name: "x"}) { name } }', CLERK)["errors"]
    assert error["message"] == (
        "After this write, the profile Clerk would no longer have EDIT permission for House on this object."
    )


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        (
            "salary",
            "Person.salary can't be used in totals, or to filter, sort, or look up objects. The profile ",
        ),
        (
            "twice",
            (
                "Person.twice can't be used in totals, or to filter, sort, or look up objects, "
                "because it depends on Person.salary. "
            ),
        ),
    ],
)
def test_an_attribute_that_cannot_be_compared_is_named_once(
    archive: ArchiveApi, name: str, beginning: str
) -> None:
    query = f"{{ Person___getPage(options: {{orderBy: [{name}___ASC]}}) {{ totalCount }} }}"
    (error,) = archive.body(query, CLERK)["errors"]
    assert error["message"].startswith(beginning)
    assert error["message"].endswith("on only some objects.")
    assert error["message"].count("Person.salary") == (1 if name == "salary" else 2)


CREW = """
extend schema @application(name: "Crew")
  @profile(name: "Administrator", administrator: true) @profile(name: "Clerk") @profile(name: "Porter")
type Boss @grant(profile: "Clerk", allow: [READ, DELETE]) @grant(profile: "Porter", allow: [READ, DELETE]) {
  name: String
  teams: [Team!] @association(opposite: "boss")
  car: Car @association(opposite: "driver")
}
type Team @grant(profile: "Clerk", allow: [READ, EDIT, DELETE], where: "open") {
  open: Boolean
  boss: Boss! @association(opposite: "teams") @grant(profile: "Clerk", allow: [READ, EDIT])
}
type Car @grant(profile: "Clerk", allow: [READ]) {
  driver: Boss! @association(opposite: "car", holds: true)
}
type Note @grant(profile: "Clerk", allow: [READ]) {
  about: Boss! @grant(profile: "Clerk", allow: [READ], where: "isNull(text)")
  text: String
}
"""
PORTER = Caller("m1", "porter", "Porter")


@pytest.fixture
def crew() -> ArchiveApi:
    """The API over an empty crew."""
    return ArchiveApi(ReferenceEngine(), read_model(CREW, "crew.graphql"))


def needed(crew: ArchiveApi, boss: str, caller: Caller) -> list[tuple[str, str | None]]:
    """Return why a caller cannot delete a boss: the message, and the object that it names."""
    query = f'mutation {{ Boss___delete(_id: "{boss}") {{ deleted }} }}'
    check = f'{{ Boss___validateDelete(_id: "{boss}") {{ issues {{ userMessage entityID }} }} }}'
    errors = [error["extensions"] for error in crew.body(query, caller)["errors"]]
    found = crew.body(check, caller)["data"]["Boss___validateDelete"]["issues"]
    assert found == [{name: issue[name] for name in ("userMessage", "entityID")} for issue in errors]
    return [(issue["userMessage"], issue["entityID"]) for issue in errors]


@pytest.mark.parametrize(("class_name", "role"), [("Team", "boss"), ("Car", "driver"), ("Note", "about")])
def test_an_object_that_requires_the_deleted_one_is_named(
    crew: ArchiveApi, class_name: str, role: str
) -> None:
    """Its role may have an opposite to many, to one, or none."""
    boss = crew.create("Boss")
    one = crew.create(class_name, **{role: boss})

    text = f'You can\'t delete Boss "{boss}" because {class_name} "{one}" requires it.'
    assert needed(crew, boss, ADMINISTRATOR) == [(f"{class_name}.{role}: {text}", one)]


def test_hidden_objects_are_not_named(crew: ArchiveApi) -> None:
    """Neither a hidden object, nor one whose role is hidden, nor one of a class that is not read at all."""
    boss, other = crew.create("Boss"), crew.create("Boss")
    hidden = crew.create("Team", boss=boss, open=False)
    crew.create("Note", about=other, text="hush")

    assert hidden in needed(crew, boss, ADMINISTRATOR)[0][0]
    for id_, caller, class_name in (
        (boss, CLERK, "Team"),
        (boss, PORTER, "other object"),
        (other, CLERK, "Note"),
        (other, PORTER, "other object"),
    ):
        ((message, about),) = needed(crew, id_, caller)
        assert f'You can\'t delete Boss "{id_}" because at least one {class_name} requires it.' in message
        assert about in {None, id_}


def test_visible_objects_are_named_among_others(crew: ArchiveApi) -> None:
    boss = crew.create("Boss")
    for _ in range(3):
        crew.create("Team", boss=boss, open=False)
    seen = crew.create("Team", boss=boss, open=True)

    ((message, about),) = needed(crew, boss, CLERK)

    assert (f'Team "{seen}"' in message, about) == (True, seen)
