"""The instant of a write: one for all its objects, and later than all versions that it ends."""

from dataclasses import replace

from stratabase.core.domain.objects.instant import format_instant
from stratabase.core.domain.write.commands import Create, Delete, Update
from stratabase.core.operations.write.services import delete, preview, save
from tests.fakes import ADMINISTRATOR, NOON, fake_services
from tests.graphs.commands import add, create_command, point, update_command
from tests.graphs.commands import create as parts
from tests.graphs.commands import update as changed
from tests.graphs.company import COMPANY
from tests.models import THING, model

HOUR = 3_600_000
THINGS = model(replace(THING, versioned=True))
REMEMBERING = model(*(replace(each, versioned=True) for each in COMPANY.classes.values()))


def test_the_first_version_of_a_new_object_starts_now() -> None:
    services, entities, _ = fake_services(THINGS)
    created = save(services, Create("Thing", {"name": "x"}), ADMINISTRATOR)
    assert created.state["_versionStart"] == created.state["_createdon"] == format_instant(NOON)
    assert created.entity.start == entities.commits[-1].instant == NOON
    assert entities.objects[created.reference].state == created.state


def test_a_change_starts_a_version_even_if_the_clock_stepped_back() -> None:
    services, entities, clock = fake_services(THINGS)
    created = save(services, Create("Thing", {"name": "x"}), ADMINISTRATOR).reference
    for number in range(1, 4):
        clock.instant -= HOUR
        written = save(services, Update(created, {"count": number}), ADMINISTRATOR)
        expected = NOON + number
        assert written.state["_versionStart"] == written.state["_lastmodifiedon"] == format_instant(expected)
        assert written.entity.start == entities.commits[-1].instant == expected
        assert (entities.commits[-1].now, entities.commits[-1].member_id) == (clock.instant, ADMINISTRATOR.id)
        assert entities.objects[created].state == written.state
    assert written.state["_createdon"] == format_instant(NOON)


def test_a_write_without_changes_creates_no_version() -> None:
    services, entities, clock = fake_services(THINGS)
    created = save(services, Create("Thing", {"name": "x"}), ADMINISTRATOR).reference
    clock.instant += HOUR
    for command in (
        Update(created, {"name": "x"}),
        Update(created),
        Update(created, {"name": "x"}, "called"),
    ):
        written = save(services, command, ADMINISTRATOR)
        assert written.state["_versionStart"] == format_instant(NOON)
    assert len(entities.commits) == 1
    assert [version.start for version in entities.versions(created)] == [NOON]


def test_a_deletion_is_later_than_the_version_it_ends() -> None:
    services, entities, clock = fake_services(THINGS)
    created = save(services, Create("Thing", {"name": "x"}), ADMINISTRATOR).reference
    clock.instant -= HOUR
    assert delete(services, Delete(created), ADMINISTRATOR)
    assert entities.commits[-1].instant == NOON + 1
    (gone,) = entities.tombstones([created])
    assert gone is not None
    assert gone.last_end == NOON + 1


def test_all_objects_of_a_write_have_one_instant() -> None:
    """The latest of the changed objects decides. New objects and others could begin earlier."""
    services, entities, clock = fake_services(REMEMBERING)
    early = save(services, create_command("Employee", name="Ada"), ADMINISTRATOR).reference
    clock.instant += HOUR
    late = save(services, create_command("Employee", name="Bob"), ADMINISTRATOR).reference
    clock.instant -= 2 * HOUR

    team = create_command("Team", name="red", members=add(early.id, late.id))
    written = save(services, team, ADMINISTRATOR)

    expected = NOON + HOUR + 1
    assert entities.commits[-1].instant == expected
    found = [entities.objects[each] for each in (early, late, written.reference)]
    assert [each.start for each in found] == [expected] * 3
    assert {each.state["_versionStart"] for each in found} == {format_instant(expected)}
    assert found[0].state["_lastmodifiedon"] == format_instant(expected)


def test_unchanged_objects_of_a_write_do_not_delay_its_instant() -> None:
    """A whole of which a part is changed, the target of a key: they stay as they are."""
    services, entities, clock = fake_services(REMEMBERING)
    ada = save(
        services,
        create_command("Employee", name="Ada", addresses=parts(create_command("Address", street="1st"))),
        ADMINISTRATOR,
    ).reference
    clock.instant += HOUR
    team = save(services, create_command("Team", name="red"), ADMINISTRATOR).reference
    clock.instant -= HOUR - 5
    save(services, update_command("Employee", ada.id, team=point(team.id)), ADMINISTRATOR)
    assert entities.commits[-1].instant == NOON + 5
    assert [version.start for version in entities.versions(team)] == [NOON + HOUR]


def test_a_preview_shows_the_start_of_the_future_version() -> None:
    services, entities, clock = fake_services(REMEMBERING)
    created = save(services, create_command("Employee", name="Ada"), ADMINISTRATOR).reference
    clock.instant += 5
    shown, _ = preview(services, update_command("Employee", created.id, name="Eva"), ADMINISTRATOR)
    assert shown.state["_versionStart"] == format_instant(NOON + 5)
    assert entities.read([created])[0] == entities.objects[created]
    assert [version.state["name"] for version in entities.versions(created)] == ["Ada"]


def test_parts_deleted_with_their_whole_end_at_one_instant() -> None:
    services, entities, clock = fake_services(REMEMBERING)
    streets = parts(create_command("Address", street="1st"), create_command("Address", street="2nd"))
    ada = save(services, create_command("Employee", name="Ada", addresses=streets), ADMINISTRATOR).reference
    clock.instant += HOUR
    street = changed(update_command("Address", "id2", street="3rd"))
    save(services, update_command("Employee", ada.id, addresses=street), ADMINISTRATOR)
    clock.instant -= 3 * HOUR
    delete(services, Delete(ada), ADMINISTRATOR)
    ends = {gone.last_end for gone in entities.graph.past.gone.values()}
    assert ends == {NOON + HOUR + 1}
    assert len(entities.graph.past.gone) == 3
