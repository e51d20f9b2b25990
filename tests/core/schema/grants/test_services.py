"""Grants of the other services: deletions, bulk, previews, forms, and write-only members."""

from dataclasses import replace

from tests.core.schema.grants.guild_api import MANAGER, SCRIBE, SMITH, GuildApi

DELETE = 'mutation {{ {}___delete(_id: "{}") {{ deleted }} }}'


def test_a_deletion_needs_its_grant(guild: GuildApi) -> None:
    team, vault, ada = guild.create("Team", name="red"), guild.create("Vault", code="1"), guild.master("Ada")

    assert guild.issues(DELETE.format("Team", team), SMITH) == [("ENTITY_GRANT_DELETE", "Team___delete._id")]
    assert guild.issues(DELETE.format("Vault", vault), SMITH) == [
        ("ENTITY_GRANT_DELETE", "Vault___delete._id")
    ]
    assert guild.issues(DELETE.format("Vault", "none"), SMITH) == [
        ("ENTITY_GRANT_DELETE", "Vault___delete._id")
    ]
    assert guild.ask(DELETE.format("Master", ada), SMITH) == {"deleted": True}
    assert guild.ask(DELETE.format("Master", ada), SMITH) == {"deleted": False}


def test_a_hidden_object_cannot_be_deleted(guild: GuildApi) -> None:
    zoe = guild.master("Zoe", 9)

    assert guild.ask(DELETE.format("Master", zoe), SMITH) == {"deleted": False}
    assert guild.ask(f'{{ Master___validateDelete(_id: "{zoe}") {{ isValid }} }}', SMITH) == {"isValid": True}
    assert guild.ask(DELETE.format("Master", zoe), MANAGER) == {"deleted": True}


def test_deleting_a_whole_deletes_parts_of_any_grants(guild: GuildApi) -> None:
    ada = guild.master("Ada", 1, tasks=[{"label": "x"}], sins=[{"label": "x"}], scars=[{"place": "x"}])

    assert guild.ask(DELETE.format("Master", ada), SMITH) == {"deleted": True}
    assert guild.ask("{ Sin___getPage { totalCount } }") == {"totalCount": 0}


def test_bulk_services_apply_only_to_visible_objects(guild: GuildApi) -> None:
    for name, level in (("a", 1), ("b", 2), ("c", 9)):
        guild.master(name, level)
    update = """mutation { Master___updateBulk(data: {%s},
      options: {filter: {_id___not___null: true}, next: 9}) {
      totalCount items { name pin: oath } } }"""
    levels = "{ Master___getPage(options: {orderBy: [level___ASC]}) { items { level } } }"

    assert guild.ask(
        """{ Master___validateDeleteBulk(
      options: {filter: {_id___not___null: true}}) { isValid } }""",
        SMITH,
    ) == {"isValid": True}
    done = guild.ask(update % "level: 3", SMITH)
    assert done == {"totalCount": 2, "items": [{"name": "a", "pin": None}, {"name": "b", "pin": None}]}
    assert [item["level"] for item in guild.ask(levels)["items"]] == [3, 3, 9]
    assert guild.ask(
        """mutation { Master___deleteBulk(
      options: {filter: {_id___not___null: true}}) { deleted } }""",
        SMITH,
    ) == {"deleted": 2}
    assert [item["level"] for item in guild.ask(levels)["items"]] == [9]


def test_a_bulk_service_granted_on_no_object_is_refused_once(guild: GuildApi) -> None:
    for name in "abc":
        guild.master(name, 1)
        guild.create("Team", name=name)
    update = """mutation { Master___updateBulk(data: {salary: 1},
      options: {filter: {_id___not___null: true}, next: 9}) { totalCount } }"""

    assert guild.issues(update, SMITH) == [
        ("ATTRIBUTE_GRANT_EDIT", "Master___updateBulk.data.salary", "salary")
    ]
    assert guild.issues(
        """mutation { Team___deleteBulk(
      options: {filter: {_id___not___null: true}}) { deleted } }""",
        SMITH,
    ) == [("ENTITY_GRANT_DELETE", "Team___deleteBulk.options")]
    verdict = guild.ask(
        """{ Team___validateDeleteBulk(
      options: {filter: {_id___not___null: true}}) { issues { issueType entityID } } }""",
        SMITH,
    )
    assert verdict == {"issues": [{"issueType": "ENTITY_GRANT_DELETE", "entityID": None}]}


def test_a_bulk_service_reports_each_object_that_fails_a_condition(guild: GuildApi) -> None:
    own = guild.master("own", 1, SMITH)
    other = guild.master("other", 1)
    update = """mutation { Master___updateBulk(data: {diary: "x"},
      options: {filter: {_id___not___null: true}, next: 9}) { totalCount } }"""

    summary, error = guild.body(update, SMITH)["errors"]

    assert "1 of 2 Master objects were updated" in summary["message"]
    assert error["extensions"]["entityID"] == other
    assert error["message"] == (
        "The profile Member has EDIT permission for Master.diary on some objects, but not on this one."
    )
    assert guild.get("Master", own, "diary") == {"diary": "x"}
    assert guild.get("Master", other, "diary") == {"diary": None}


def test_a_written_object_that_becomes_hidden_is_returned_by_id_only(guild: GuildApi) -> None:
    """The scribe may make what nobody shows to a scribe; a member makes what is a member's own no more."""
    ada = guild.master("Ada", 1, team=guild.create("Team", name="red"))
    work = guild.create("Work", label="x", open=True)
    update = f"""mutation {{ Work___update(data: {{_id: "{work}", open: false, head: {{set: "{ada}"}}}}) {{
      _id label head {{ name }} masters {{ totalCount }} }} }}"""

    assert guild.issues(update, SMITH) == [("ENTITY_GRANT_EDIT", "Work___update.data")]
    opened = update.replace("open: false", "open: true")
    assert guild.ask(opened, SMITH) == {
        "_id": work,
        "label": "x",
        "head": {"name": "Ada"},
        "masters": {"totalCount": 0},
    }


def test_a_written_object_is_returned_as_the_caller_sees_it(guild: GuildApi) -> None:
    zoe = guild.master("Zoe", 9)
    ada = guild.master("Ada", 1, boss=zoe, mentor=zoe, diary="d")
    selection = "name boss { name } diary mentor { name } staff { totalCount } boss_name confession"
    update = f'mutation {{ Master___update(data: {{_id: "{ada}", name: "x"}}) {{ {selection} }} }}'
    preview = f'{{ Master___previewUpdate(data: {{_id: "{ada}", name: "x"}}) {{ {selection} }} }}'

    expected = {
        "name": "x",
        "boss": None,
        "diary": None,
        "mentor": None,
        "staff": {"totalCount": 0},
        "boss_name": None,
        "confession": None,
    }
    assert guild.ask(preview, SMITH) == expected
    assert guild.ask(update, SMITH) == expected


def test_a_preview_needs_the_grants_of_the_write(guild: GuildApi) -> None:
    create = "{{ {0}___previewCreate(data: {{{1}}}) {{ _clientId }} }}"

    assert guild.issues(create.format("Team", 'name: "x"'), SMITH) == [
        ("ENTITY_GRANT_CREATE", "Team___previewCreate.data")
    ]
    save = '{ Master___preview(data: {name: "x", level: 7}) { name } }'
    assert guild.issues(save, SMITH) == [("ENTITY_GRANT_CREATE", "Master___preview.data")]
    assert guild.ask(save, MANAGER) == {"name": "x"}


def test_a_form_needs_its_grants(guild: GuildApi) -> None:
    zoe, ada = guild.master("Zoe", 9), guild.master("Ada")
    preview = 'query { Plea___previewCreate(data: {text: "!", %s}) { text judge { name } } }'

    assert guild.ask(preview % f'judge: "{ada}"', SMITH) == {"text": "!", "judge": {"name": "Ada"}}
    hidden, missing = (guild.body(preview % f'judge: "{id_}"', SMITH) for id_ in (zoe, "x" * len(zoe)))
    assert hidden["data"] == missing["data"] == {"Plea___previewCreate": {"text": "!", "judge": None}}
    for body in (hidden, missing):
        (issue,) = [error["extensions"] for error in body["errors"]]
        assert (issue["issueType"], issue["roleNames"]) == ("ENTITY_NOT_FOUND", ["judge"])
    assert guild.issues(preview % "fee: 3", SMITH) == [
        ("ATTRIBUTE_GRANT_EDIT", "Plea___previewCreate.data.fee", "fee")
    ]
    assert guild.issues(preview % "fee: 3", SCRIBE) == [
        ("ENTITY_GRANT_READ", "Plea___previewCreate"),
        ("ROLE_GRANT_READ", "Plea___previewCreate.judge", "judge"),
    ]


def test_a_member_who_may_only_write_learns_nothing_about_existing_objects(guild: GuildApi) -> None:
    """The scribe may change masters up to the second level: of others it is told what it is of none."""
    low, high = guild.master("Ada", 2), guild.master("Zoe", 3)
    update = 'mutation {{ Master___update(data: {{_id: "{}", name: "x"}}) {{ _id }} }}'
    bodies = [guild.body(update.format(id_), SCRIBE) for id_ in (high, "x" * len(high))]
    (one,), (other,) = (body["errors"] for body in bodies)

    assert one["message"].replace(high, "?") == other["message"].replace("x" * len(high), "?")
    assert one["extensions"]["issueType"] == other["extensions"]["issueType"] == "ENTITY_NOT_FOUND"
    assert one["extensions"]["sourceRequestReference"] == other["extensions"]["sourceRequestReference"]
    assert guild.ask(update.format(low), SCRIBE) == {"_id": low}
    assert guild.ask(DELETE.format("Master", high), SCRIBE) == {"deleted": False}
    assert guild.ask(DELETE.format("Master", low), SCRIBE) == {"deleted": True}
    assert guild.get("Master", high, "name") == {"name": "Zoe"}


def test_taken_unique_values_are_reported_without_unreadable_data(guild: GuildApi) -> None:
    guild.master("Ada", 9, email="a@x", salary=12345)
    eve = guild.master("Eve", 1, email="e@x", salary=12345)
    update = f'mutation {{ Master___update(data: {{_id: "{eve}", email: "a@x"}}) {{ _id }} }}'

    messages = [error["message"] for error in guild.body(update, SMITH)["errors"]]

    assert set(messages) == {
        'Another Master already has the same email "a@x". email must be unique.',
        "Another Master already has the same values, of which at least one must differ.",
    }
    assert "12345" in str(guild.body(update, MANAGER))


def test_a_part_referenced_by_another_is_changed_with_the_grant_of_its_whole(guild: GuildApi) -> None:
    """The hall is to be read only, and the key of a seat lies on its bench."""
    ada = guild.master("Ada")
    guild.ask("mutation { Hall___update(data: {benches: {create: [{row: 1}]}}) { _id } }")
    (bench,) = guild.ask("{ Bench___getPage { items { _id } } }", SMITH)["items"]
    sit = f"""mutation {{ Master___update(data: {{_id: "{ada}", benches: {{add: ["{bench["_id"]}"]}}}}) {{
      benches {{ totalCount }} }} }}"""

    assert guild.issues(sit, SMITH) == [("ENTITY_GRANT_EDIT", "Master___update.data.benches")]
    assert guild.ask(sit, MANAGER) == {"benches": {"totalCount": 1}}
    assert guild.get("Master", ada, "benches { totalCount }", SMITH) == {"benches": {"totalCount": 1}}


def test_conditions_on_the_caller_hide_objects_from_other_members(guild: GuildApi) -> None:
    smith, other = guild.master("smith"), replace(SMITH, id="m5", username="other")
    guild.create("Work", label="x", head=smith)
    page = "{ Work___getPage { totalCount } }"

    assert guild.ask(page, SMITH) == {"totalCount": 1}
    assert guild.ask(page, other) == {"totalCount": 0}


def test_removing_everything_keeps_hidden_objects(guild: GuildApi) -> None:
    zoe = guild.master("Zoe", 9)
    tasks = [{"label": "open"}, {"label": "done", "done": True}]
    own = guild.master("own", 1, SMITH, tasks=[])
    guild.ask(
        "mutation($data: MasterUpdate!) { Master___update(data: $data) { _id } }",
        data={"_id": own, "friends": {"add": [zoe, own]}, "tasks": {"create": tasks}, "works": {"add": []}},
    )
    closed, opened = (
        guild.create("Work", label=label, open=label == "open", masters=[own]) for label in ("closed", "open")
    )
    data = f'{{_id: "{own}", friends: {{removeAll: true}}, works: {{removeAll: true}}}}'
    clear = f"""mutation {{ Master___update(data: {data}) {{
      friends {{ totalCount }} works {{ totalCount }} }} }}"""

    assert guild.ask(clear, SMITH) == {"friends": {"totalCount": 0}, "works": {"totalCount": 0}}
    assert guild.get("Master", own, "friends { items { name } } works { items { _id } }") == {
        "friends": {"items": [{"name": "Zoe"}]},
        "works": {"items": [{"_id": closed}]},
    }
    assert opened != closed
