"""Objects take pending files, and release them."""

from typing import Any, cast

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.stored_file import shown_file
from stratabase.core.domain.issues.refusals import FileNotFound, PendingFileGone, Refused
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.domain.write.commands import Create, PartsCommand, UpdateBulk
from stratabase.core.operations.context import evaluation_context
from stratabase.core.operations.files.download import FileLost
from stratabase.core.operations.write.bulk import update_bulk
from stratabase.core.operations.write.services import preview, save, validate
from tests.core.operations.files.file_scenario import (
    ADA,
    BEN,
    CLEO,
    HOUR,
    FileScenario,
    file_id_of,
    issues_of,
    reference_to,
)
from tests.fakes import unlimited_budget
from tests.rows import each_row


def test_a_created_object_has_the_uploaded_file() -> None:
    scenario = FileScenario()
    pending = scenario.upload(b"one")

    photo = scenario.create(picture=pending)

    assert shown_file(cast("Any", photo.state["picture"])) == pending.file.stored()
    assert scenario.download(photo.reference) == b"one"


def test_an_upload_is_gone_after_an_object_has_taken_it() -> None:
    scenario = FileScenario()
    pending = scenario.upload()
    assert scenario.download_pending(pending) == b"bytes"

    scenario.create(picture=pending)

    with pytest.raises(PendingFileGone):
        scenario.download_pending(pending)
    with pytest.raises(Refused) as refused:
        scenario.create(picture=pending)
    assert issues_of(refused.value) == [("ENTITY_NOT_FOUND", "data.picture")]


def test_an_object_takes_an_upload_until_its_hour_is_over() -> None:
    scenario = FileScenario()
    early, late = scenario.upload(), scenario.upload()

    scenario.clock.instant += HOUR - 1000
    scenario.create(picture=early)
    scenario.clock.instant += 1000

    with pytest.raises(Refused) as refused:
        scenario.create(picture=late)
    assert issues_of(refused.value) == [("ENTITY_NOT_FOUND", "data.picture")]
    with pytest.raises(PendingFileGone):
        scenario.download_pending(late)


@each_row(
    ("field", "value", "issue"),
    [
        ("fileId", "other", "MALFORMED_REQUEST"),
        ("name", "b.png", "MALFORMED_REQUEST"),
        ("mimeType", "image/jpeg", "ATTRIBUTE_FILE_TYPE"),
        ("size", 4, "ATTRIBUTE_FILE_SIZE"),
        ("pendingFileId", "nonsense", "ENTITY_NOT_FOUND"),
        ("pendingFileId", "../../x", "ENTITY_NOT_FOUND"),
        ("pendingFileId", "", "ENTITY_NOT_FOUND"),
    ],
)
def test_a_reference_must_be_what_the_upload_returned(field: str, value: Any, issue: str) -> None:
    scenario = FileScenario()
    pending = scenario.upload()

    with pytest.raises(Refused) as refused:
        scenario.create(picture=reference_to(pending, **{field: value}))

    assert issues_of(refused.value) == [(issue, "data.picture")]
    assert scenario.create(picture=pending)


@each_row(("caller", "is_allowed"), [(ADA, True), (BEN, True), (CLEO, False)])
def test_only_the_uploader_or_an_administrator_can_use_an_upload(caller: Caller, is_allowed: bool) -> None:
    scenario = FileScenario()
    pending = scenario.upload(caller=BEN)

    if is_allowed:
        assert scenario.download_pending(pending, caller) == b"bytes"
        scenario.create(picture=pending, caller=caller)
    else:
        with pytest.raises(PendingFileGone):
            scenario.download_pending(pending, caller)
        with pytest.raises(Refused) as refused:
            scenario.create(picture=pending, caller=caller)
        assert issues_of(refused.value) == [("ENTITY_NOT_FOUND", "data.picture")]


def test_an_upload_serves_only_its_own_attribute() -> None:
    scenario = FileScenario()
    pending = scenario.upload()

    with pytest.raises(Refused) as refused:
        scenario.create(thumbnail=pending)

    assert issues_of(refused.value) == [("ENTITY_NOT_FOUND", "data.thumbnail")]


def test_a_reference_that_is_used_twice_in_one_write_is_refused() -> None:
    scenario = FileScenario()
    pending = scenario.upload(attribute="scan", class_name="Print")
    prints = [Create("Print", {"scan": reference_to(pending)}) for _ in range(2)]

    with pytest.raises(Refused) as refused:
        save(scenario.services, Create("Photo", {}, roles={"prints": PartsCommand(create=prints)}), BEN)

    assert [type_ for type_, _path in issues_of(refused.value)] == ["MALFORMED_REQUEST"]
    assert scenario.download_pending(pending) == b"bytes"


def test_a_replaced_file_is_removed_after_a_while() -> None:
    scenario = FileScenario()
    photo = scenario.create(picture=scenario.upload(b"one"))
    replaced = scenario.update(photo.reference, picture=scenario.upload(b"two"))

    scenario.clock.instant += 2 * HOUR
    scenario.sweep()

    assert scenario.download(photo.reference) == b"two"
    assert scenario.stored_keys() == {f"files/{file_id_of(replaced)}"}


def test_clearing_an_attribute_releases_its_file() -> None:
    scenario = FileScenario()
    photo = scenario.create(picture=scenario.upload())

    scenario.update(photo.reference, picture=None)
    with pytest.raises(FileNotFound):
        scenario.download(photo.reference)
    scenario.clock.instant += HOUR
    scenario.sweep()

    assert scenario.stored_keys() == set()


def test_deleting_an_object_releases_its_files_and_those_of_its_parts() -> None:
    scenario = FileScenario()
    scan = reference_to(scenario.upload(attribute="scan", class_name="Print"))
    command = Create(
        "Photo",
        {"picture": reference_to(scenario.upload())},
        roles={"prints": PartsCommand(create=[Create("Print", {"scan": scan})])},
    )
    photo = save(scenario.services, command, BEN).entity
    assert len(scenario.stored_keys()) == 4

    scenario.delete(photo.reference)
    scenario.clock.instant += HOUR
    scenario.sweep()

    assert scenario.stored_keys() == set()


def test_versions_keep_their_files() -> None:
    scenario = FileScenario()
    first = scenario.create("Letter", scan=scenario.upload(b"one", "scan", "Letter"))
    scenario.clock.instant += 1000
    second = scenario.update(first.reference, scan=scenario.upload(b"two", "scan", "Letter"))
    scenario.clock.instant += 1000
    scenario.delete(first.reference)

    scenario.clock.instant += HOUR
    scenario.sweep()

    assert first.start is not None
    assert second.start is not None
    assert scenario.download(first.reference, "scan", first.start, ADA) == b"one"
    assert scenario.download(first.reference, "scan", second.start, ADA) == b"two"
    with pytest.raises(FileNotFound):
        scenario.download(first.reference, "scan")
    with pytest.raises(FileNotFound):
        scenario.download(first.reference, "scan", first.start + 1)
    scenario.restore(first.reference, first.start)
    assert scenario.download(first.reference, "scan") == b"one"


def test_a_preview_and_a_validation_take_no_file() -> None:
    scenario = FileScenario()
    pending = scenario.upload()
    command = Create("Photo", {"picture": reference_to(pending)})

    shown = preview(scenario.services, command, BEN)
    issues = validate(scenario.services, command, BEN)

    assert shown_file(cast("Any", shown.written.state["picture"])) == pending.file.stored()
    assert shown.written.uploads == {pending.file.file_id: pending.id}
    assert issues == []
    assert scenario.stored_keys() == {f"pending/{pending.id}"}
    assert scenario.create(picture=pending)


@each_row("number", [1, 2])
def test_an_update_in_bulk_gives_a_file_to_one_object_only(number: int) -> None:
    scenario = FileScenario()
    photos = [scenario.create(title="same") for _ in range(number)]
    pending = scenario.upload()
    query = Query("Photo", Order(), window=Window(50))
    command = UpdateBulk("Photo", {"picture": reference_to(pending)})
    evaluation = evaluation_context(BEN, scenario.clock.now())

    def update() -> None:
        update_bulk(scenario.services, command, query, BEN, unlimited_budget(), evaluation)

    if number == 1:
        update()
        assert scenario.download(photos[0].reference) == b"bytes"
    else:
        with pytest.raises(Refused) as refused:
            update()
        assert [type_ for type_, _path in issues_of(refused.value)] == ["MALFORMED_REQUEST"]
        assert scenario.download_pending(pending) == b"bytes"


def test_bytes_that_are_missing_make_the_upload_missing() -> None:
    scenario = FileScenario()
    pending = scenario.upload()
    scenario.blobs.delete([f"pending/{pending.id}"])

    with pytest.raises(Refused) as refused:
        scenario.create(picture=pending)

    assert issues_of(refused.value) == [("ENTITY_NOT_FOUND", "data.picture")]


def test_lost_bytes_of_an_object_are_no_fault_of_the_client() -> None:
    scenario = FileScenario()
    photo = scenario.create(picture=scenario.upload())
    scenario.blobs.delete([f"files/{file_id_of(photo)}"])

    with pytest.raises(FileLost):
        scenario.download(photo.reference)


def test_a_download_of_a_file_that_is_removed_meanwhile_finds_none() -> None:
    scenario = FileScenario()
    photo = scenario.create(picture=scenario.upload())
    opened = scenario.downloads.open_bound(BEN, "Photo", photo.reference.id, "picture")
    scenario.update(photo.reference, picture=None)
    scenario.blobs.delete([f"files/{file_id_of(photo)}"])

    with pytest.raises(FileNotFound):
        opened.read()


def test_a_refused_write_leaves_the_upload_pending() -> None:
    scenario = FileScenario()
    pending = scenario.upload()

    with pytest.raises(Refused):
        scenario.create(title=7, picture=pending)

    assert scenario.download_pending(pending) == b"bytes"
    assert scenario.stored_keys() == {f"pending/{pending.id}"}
