"""The addresses of files."""

from urllib.parse import unquote, urlsplit

from stratabase.core.domain.files.addresses import file_address, pending_file_address, upload_address
from stratabase.core.domain.files.pending_file import FileTarget
from tests.rows import each_row

BASE = "https://api.example.com/prod"
PHOTO = FileTarget("Person", "photo")


def test_the_address_of_a_class_is_in_lower_case_and_that_of_an_attribute_as_in_the_model() -> None:
    target = FileTarget("PersonOfNote", "lastPhoto")
    assert upload_address(BASE, target) == f"{BASE}/auth/file/personofnote/lastPhoto"
    assert pending_file_address(BASE, target, "p1") == f"{BASE}/auth/file/personofnote/lastPhoto/pending/p1"
    assert file_address(BASE, target, "o1") == f"{BASE}/auth/file/personofnote/o1/lastPhoto"


def test_a_historical_version_is_named_by_its_start() -> None:
    assert file_address(BASE, PHOTO, "o1", 0) == f"{BASE}/auth/file/person/o1/photo?version=0"
    assert (
        file_address("", PHOTO, "o1", 1_577_880_000_000) == "/auth/file/person/o1/photo?version=1577880000000"
    )


@each_row("id_", ["../..", "a/b", "a?version=1", "a#b", "a%2Fb", "é\U0001f600", " ", "", "a+b"])
def test_ids_are_percent_encoded(id_: str) -> None:
    """No id leads to another address."""
    address = urlsplit(file_address(BASE, PHOTO, id_))
    *before, shown, attribute = address.path.split("/")
    assert before == ["", "prod", "auth", "file", "person"]
    assert (unquote(shown), attribute, address.query, address.fragment) == (id_, "photo", "", "")
    assert pending_file_address(BASE, PHOTO, id_).isascii()
