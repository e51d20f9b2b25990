"""The function `download` only reads objects, also before any function has served a changed model."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from stratabase.core.app.app import App
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Batch, Engine, Item
from stratabase.core.store.engine.wrappers import DelegatingEngine
from stratabase.core.store.layout.keys import REGISTRY
from stratabase.members.app.member_services import MemberServices
from stratabase.values.messages import _
from tests.lambda_stack.functions import LambdaFunction
from tests.lambda_stack.gateway import FunctionRoutes
from tests.lambda_stack.local_functions import MovableClock, Stack, start_function
from tests.lambda_stack.template import read_template
from tests.lambda_stack.workload import ADDRESS, MEMBERS, upload
from tests.repository import ROOT
from tests.service import PASSWORD, basic

TEMPLATE = read_template(ROOT / "template.yaml")
BEFORE = """
extend schema @application(name: "Hr")
  @profile(name: "Administrator", administrator: true) @profile(name: "Member")
type Dossier @grant(profile: "Member", allow: [READ], where: "reader_count == 1") {
  scan: File
  reader_count: Int @derived(path: "readers", aggregate: COUNT)
  readers: [Reader!]! @association(opposite: "reads")
}
type Reader { email: String  reads: [Dossier!] @association(opposite: "readers") }
"""
AFTER = (
    BEFORE.replace("type Reader {", 'type Reader @index(attributes: ["email"]) {')
    + "type Folder { name: String }"
)
"""The model after a deployment: another class, and another index."""
LENA = basic("lena", PASSWORD)


class ReadOnlyEngine(DelegatingEngine):
    """An engine that refuses writes, as the role of the function `download` makes DynamoDB do."""

    def commit(self, batch: Batch) -> None:
        raise Unavailable(_("The service isn't available. Try again later."))

    def increment(self, key: object, attribute: str, by: int) -> int:
        raise AssertionError


def serve(instance: App) -> Stack:
    """Return the functions of the template with an instance."""

    def start() -> dict[str, LambdaFunction]:
        return {each.name: start_function(each, instance) for each in TEMPLATE.functions}

    return Stack(start, {}, FunctionRoutes(TEMPLATE.routes), MovableClock(), lambda: None)


@contextmanager
def open_instance(folder: Path, model: str) -> Iterator[App]:
    file = folder / "model.graphql"
    file.write_text(model)
    with closing(
        App(Settings(home=folder, model=file, admin_password=PASSWORD, base_url=ADDRESS))
    ) as instance:
        yield instance


def registry(engine: Engine) -> Item | None:
    return engine.get([REGISTRY])[0]


@pytest.fixture
def link(tmp_path: Path) -> str:
    """The address of a file that a former model served. A member may read it because of a role."""
    with open_instance(tmp_path, BEFORE) as instance:
        instance.part(MemberServices).create_first_administrator()
        stack = serve(instance)
        new = {"username": "lena", "email": "lena@example.com", "profile": "Member"}
        id_ = stack.request("POST", MEMBERS, new).json()["id"]
        stack.request("PUT", f"{MEMBERS}/{id_}", {"password": PASSWORD})
        reader = stack.create("Reader", email="lena@example.com")["_id"]
        scan = upload(stack, b"%PDF-1.4\n", "dossier/scan")
        dossier = stack.create("Dossier", "scan { link }", scan=scan, readers=[reader])
    return str(dossier["scan"]["link"]).removeprefix(ADDRESS)


def test_a_download_may_come_first_after_a_deployment(tmp_path: Path, link: str) -> None:
    """The registry lacks the entries of the new model, and the function may not add them."""
    with open_instance(tmp_path, AFTER) as instance:
        engine = instance.engine
        instance.engine = ReadOnlyEngine(engine)
        before = registry(engine)

        reply = serve(instance).request("GET", link, authorization=LENA)

        assert reply.body == b"%PDF-1.4\n"
        assert registry(engine) == before


def test_other_functions_of_the_process_add_what_the_registry_lacks(tmp_path: Path, link: str) -> None:
    with open_instance(tmp_path, AFTER) as instance:
        stack, before = serve(instance), registry(instance.engine)

        stack.request("GET", link, authorization=LENA)
        assert registry(instance.engine) == before
        assert stack.page("Dossier", "_id")
        assert registry(instance.engine) != before
        assert stack.request("GET", link, authorization=LENA).body == b"%PDF-1.4\n"
