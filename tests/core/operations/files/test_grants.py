"""What profiles may upload, bind and download."""

from typing import NamedTuple

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.files.pending_file import FileTarget, PendingFile
from stratabase.core.domain.files.stored_file import StoredFile, pending_key
from stratabase.core.domain.issues.refusals import FileNotFound, Forbidden, Refused
from stratabase.core.domain.objects.entity import Entity, Reference, part_ids
from stratabase.core.domain.write.commands import Create, PartsCommand, Update
from stratabase.core.model.reading import read_model
from stratabase.core.operations.write.services import save
from tests.core.operations.files.file_scenario import ADA, FileScenario, reference_to

GRANTS = """
  @grant(profile: "Reader", allow: [READ])
  @grant(profile: "Creator", allow: [CREATE])
  @grant(profile: "Editor", allow: [READ, EDIT])
  @grant(profile: "Viewer", allow: [READ, CREATE, EDIT])
  @grant(profile: "Painter", allow: [READ, CREATE, EDIT])
  @grant(profile: "Owner", allow: [READ, EDIT], where: "title == 'mine'")
  @grant(profile: "Partial", allow: [READ, EDIT])
"""
FILE_GRANTS = """
    @grant(profile: "Viewer", allow: [READ])
    @grant(profile: "Painter", allow: [CREATE, EDIT])
    @grant(profile: "Partial", allow: [READ, EDIT], where: "title == 'mine'")
"""
PROFILES = ("Blind", "Reader", "Creator", "Editor", "Viewer", "Painter", "Owner", "Partial", "Excluded")
MODEL = read_model(
    f"""
extend schema
  @application(name: "Files")
  @profile(name: "Administrator", administrator: true)
  {" ".join(f'@profile(name: "{name}")' for name in PROFILES)}

type Other @grant(profile: "Blind", allow: [READ]) {{ title: String }}

type Photo {GRANTS} {{
  title: String
  picture: File {FILE_GRANTS}
  prints: [Print!] @composition(whole: "photo")
}}

type Print {{
  scan: File
}}

type Letter @class(versioned: true) {GRANTS} {{
  title: String
  picture: File {FILE_GRANTS}
}}
""",
    "grants.graphql",
)


class Rights(NamedTuple):
    """What a profile may do with the file of an object."""

    profile: str
    upload: bool = False
    create: bool = False
    edit_mine: bool = False
    edit_others: bool = False
    read_mine: bool = False
    read_others: bool = False


TABLE = (
    Rights("Administrator", True, True, True, True, True, True),
    Rights("Blind"),
    Rights("Reader", read_mine=True, read_others=True),
    Rights("Creator", upload=True, create=True),
    Rights("Editor", upload=True, edit_mine=True, edit_others=True, read_mine=True, read_others=True),
    Rights("Viewer", read_mine=True, read_others=True),
    Rights("Painter", upload=True, create=True, edit_mine=True, edit_others=True),
    Rights("Owner", upload=True, edit_mine=True, read_mine=True),
    Rights("Partial", upload=True, edit_mine=True, read_mine=True),
)
EACH_RIGHT = pytest.mark.parametrize("rights", TABLE, ids=lambda rights: rights.profile)
EACH_CLASS = pytest.mark.parametrize("class_name", ["Photo", "Letter"])
MINE, OTHERS = "mine", "others"


def member(rights: Rights) -> Caller:
    """Return a member of a profile."""
    is_administrator = rights.profile == "Administrator"
    return Caller(f"of {rights.profile}", "x", rights.profile, administrator=is_administrator)


def upload_of(
    scenario: FileScenario, caller: Caller, class_name: str, attribute: str = "picture"
) -> PendingFile:
    """Store an upload of a member, who may upload it or not."""
    content = b"bytes"
    file = StoredFile(scenario.ids.new(), "a.png", "image/png", len(content), scenario.services.clock.now())
    pending = PendingFile(scenario.ids.new(), FileTarget(class_name, attribute), caller.id, file)
    scenario.ledger.add(pending)
    scenario.blobs.put(pending_key(pending.id), [content], len(content))
    return pending


def with_file(scenario: FileScenario, class_name: str, title: str) -> Entity:
    """Create an object with a file."""
    return scenario.create(class_name, ADA, title=title, picture=upload_of(scenario, ADA, class_name))


def is_downloaded(
    scenario: FileScenario,
    caller: Caller,
    reference: Reference,
    attribute: str = "picture",
    version: int | None = None,
) -> bool:
    """Return whether a member can download a file. If not, it is refused like one that does not exist."""
    missing = Reference(reference.class_name, "missing")
    with pytest.raises(FileNotFound) as unknown:
        scenario.download(missing, attribute, version, caller)
    try:
        return scenario.download(reference, attribute, version, caller) == b"bytes"
    except FileNotFound as refusal:
        text = str(refusal).replace(reference.id, missing.id)
        if text != str(unknown.value):
            pytest.fail(f"{text!r} tells more than {str(unknown.value)!r}")
        return False


def is_saved(scenario: FileScenario, command: Create | Update, caller: Caller) -> bool:
    """Return whether a command is done."""
    try:
        save(scenario.services, command, caller)
    except Refused:
        return False
    return True


@EACH_CLASS
@EACH_RIGHT
def test_a_profile_uploads_what_it_may_set_in_some_object(rights: Rights, class_name: str) -> None:
    scenario = FileScenario(model=MODEL)

    if rights.upload:
        scenario.upload(class_name=class_name, caller=member(rights))
    else:
        sees = rights.read_mine or rights.read_others
        with pytest.raises(Forbidden if sees else FileNotFound):
            scenario.upload(class_name=class_name, caller=member(rights))
        assert scenario.stored_keys() == set()


def test_what_a_profile_may_neither_read_nor_set_looks_as_if_it_did_not_exist() -> None:
    scenario, blind = FileScenario(model=MODEL), member(Rights("Blind"))

    def refusal(class_name: str) -> str:
        with pytest.raises(FileNotFound) as refused:
            scenario.upload(class_name=class_name, caller=blind)
        return str(refused.value).replace(class_name, "NAME")

    assert refusal("Photo") == refusal("Phantom")


@EACH_CLASS
@EACH_RIGHT
def test_a_profile_binds_files_where_it_may_write_them(rights: Rights, class_name: str) -> None:
    scenario, caller = FileScenario(model=MODEL), member(rights)
    allowed = {MINE: rights.edit_mine, OTHERS: rights.edit_others}

    pending = upload_of(scenario, caller, class_name)
    values = {"picture": reference_to(pending)}
    assert is_saved(scenario, Create(class_name, values), caller) == rights.create
    assert (scenario.ledger.pending([pending.id]) == [pending]) != rights.create
    for title, is_allowed in allowed.items():
        reference = with_file(scenario, class_name, title).reference
        pending = upload_of(scenario, caller, class_name)
        update = Update(reference, {"picture": reference_to(pending)})
        assert is_saved(scenario, update, caller) == is_allowed
        assert is_saved(scenario, Update(reference, {"picture": None}), caller) == is_allowed


@EACH_CLASS
@EACH_RIGHT
def test_a_profile_downloads_the_files_that_it_may_read(rights: Rights, class_name: str) -> None:
    scenario, caller = FileScenario(model=MODEL), member(rights)

    for title, is_allowed in ((MINE, rights.read_mine), (OTHERS, rights.read_others)):
        reference = with_file(scenario, class_name, title).reference
        assert is_downloaded(scenario, caller, reference) == is_allowed


@EACH_RIGHT
def test_a_profile_downloads_the_versions_that_it_may_read(rights: Rights) -> None:
    scenario, caller = FileScenario(model=MODEL), member(rights)

    for title, is_allowed in ((MINE, rights.read_mine), (OTHERS, rights.read_others)):
        letter = with_file(scenario, "Letter", title)
        scenario.clock.instant += 1000
        scenario.update(letter.reference, ADA, picture=None)
        assert is_downloaded(scenario, caller, letter.reference, version=letter.start) == is_allowed


@EACH_RIGHT
def test_a_part_follows_its_whole(rights: Rights) -> None:
    scenario, caller = FileScenario(model=MODEL), member(rights)
    can_read = {MINE: rights.profile not in {"Blind", "Creator"}}
    can_read[OTHERS] = can_read[MINE] and rights.profile != "Owner"
    can_edit = {MINE: rights.profile not in {"Blind", "Creator", "Reader"}}
    can_edit[OTHERS] = can_edit[MINE] and rights.profile != "Owner"

    for title in (MINE, OTHERS):
        scan = {"scan": reference_to(upload_of(scenario, ADA, "Print", "scan"))}
        prints = PartsCommand(create=[Create("Print", scan)])
        photo = save(scenario.services, Create("Photo", {"title": title}, roles={"prints": prints}), ADA)
        (print_,) = part_ids(photo.entity.state["prints"])
        reference = Reference("Print", print_)
        assert is_downloaded(scenario, caller, reference, "scan") == can_read[title]

        scan = {"scan": reference_to(upload_of(scenario, caller, "Print", "scan"))}
        changed = PartsCommand(update=[Update(reference, scan)])
        update = Update(photo.entity.reference, roles={"prints": changed})
        assert is_saved(scenario, update, caller) == can_edit[title]

    if rights.profile in {"Blind", "Reader"}:
        with pytest.raises(Forbidden if can_read[MINE] else FileNotFound):
            scenario.upload(attribute="scan", class_name="Print", caller=caller)
    else:
        scenario.upload(attribute="scan", class_name="Print", caller=caller)


def test_a_refused_binding_tells_nothing_about_an_object_that_the_profile_does_not_see() -> None:
    scenario, caller = FileScenario(model=MODEL), member(Rights("Owner"))
    reference = with_file(scenario, "Photo", OTHERS).reference

    def refusal(of: Reference) -> list[tuple[str, str]]:
        pending = upload_of(scenario, caller, "Photo")
        with pytest.raises(Refused) as refused:
            save(scenario.services, Update(of, {"picture": reference_to(pending)}), caller)
        return [(each.type.name, str(each.message).replace(of.id, "ID")) for each in refused.value.issues]

    assert refusal(reference) == refusal(Reference("Photo", "missing"))


def test_a_profile_without_any_rights_is_refused_before_names_are_read() -> None:
    scenario = FileScenario(model=MODEL)
    excluded = Caller("of Excluded", "x", "Excluded")
    for class_name in ("Photo", "Unknown"):
        with pytest.raises(Forbidden, match="has no permissions in the application Files"):
            scenario.uploads.target(excluded, class_name, "picture")
        with pytest.raises(Forbidden):
            scenario.downloads.open_bound(excluded, class_name, "x", "picture")
        with pytest.raises(Forbidden):
            scenario.downloads.find_pending(excluded, class_name, "picture", "x")
