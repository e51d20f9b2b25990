"""What is built from the settings does what they say."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stratabase.domain.member import Caller
from stratabase.settings import Settings
from stratabase.wiring import Instance

MODEL = 'extend schema @application(name: "Notes")\ntype Note { name: String text: Text }\n'
ADMINISTRATOR = Caller("1", "ada", "Administrator", administrator=True)
CREATE = "mutation($data: NoteCreate!) { Note___create(data: $data) { _id } }"


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """An instance whose requests may read one megabyte, with three objects of 0.9 MB in all."""
    (tmp_path / "model.graphql").write_text(MODEL)
    built = Instance(Settings(home=tmp_path, model=tmp_path / "model.graphql", read_megabytes=1))
    for number in range(3):
        answer = ask(built, CREATE, data={"name": str(number), "text": "n" * 300_000})
        assert "errors" not in answer
    yield built
    built.close()


def ask(instance: Instance, query: str, **variables: Any) -> Any:
    return json.loads(instance.executor.execute(query, variables, None, ADMINISTRATOR, "trace").body)


def test_a_request_reads_as_much_as_the_settings_allow(instance: Instance) -> None:
    """One page of all is within a megabyte, two of them are not; the first is answered all the same."""
    page = "Note___getPage(options: {orderBy: [name___ASC]}) { items { name } }"
    assert "errors" not in ask(instance, f"{{ {page} }}")

    answer = ask(instance, f"{{ one: {page} two: {page} three: {page} }}")

    assert len(answer["data"]["one"]["items"]) == 3
    assert (answer["data"]["two"], answer["data"]["three"]) == (None, None)
    two, three = sorted(answer["errors"], key=lambda error: error["path"], reverse=True)
    assert '@index(attributes: ["name"]) in the model, or ask for less in one request' in two["message"]
    assert "read as much as it may before" in three["message"]
    assert two["extensions"]["attributeNames"] == ["name"]
    assert "errors" not in ask(instance, f"{{ {page} }}")
