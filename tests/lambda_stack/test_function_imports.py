"""Each function imports exactly the packages that it needs for its first answer, on the layout of Lambda.

Importing a package takes time in every cold start. `make bench` measures these.
"""

import json
import socket
import subprocess
import sys
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import pytest

from benchmarks.function_process import proxy_event
from stratabase.core.app.app import App
from stratabase.core.model.prepared import prepare, prepared_file
from stratabase.core.model.reading import read_model_file
from stratabase.core.settings import Settings
from stratabase.members.app.member_services import MemberServices
from stratabase_aws.keys.secrets_manager import SecretsClient
from tests import ministack
from tests.lambda_stack.layers import Layers, lay_out
from tests.lambda_stack.template import read_template
from tests.lambda_stack.workload import MEMBERS
from tests.repository import ROOT
from tests.service import PASSWORD, SAMPLE_MODEL, basic

pytestmark = pytest.mark.built

FUNCTIONS = {each.file.parent.name: each for each in read_template(ROOT / "template.yaml").functions}
BOTOCORE = {"botocore", "dateutil", "jmespath", "six", "urllib3"}
LOGGER = {"aws_lambda_powertools", "typing_extensions"}
"""For the lines that are not those of requests."""
SERVICE = {"orjson", "pybase64", "stratabase", "stratabase_aws"}
MEMBERS_TABLE = BOTOCORE | {"pynamodb"}
HTTP = SERVICE | MEMBERS_TABLE | {"argon2"}
PACKAGES: Mapping[str, set[str]] = {
    "graphql": HTTP | {"graphql"},
    "tokens": HTTP | {"jwt"},
    "signin": HTTP - {"argon2"},
    "members": HTTP,
    "mail": SERVICE | MEMBERS_TABLE,
    "files": HTTP | {"multipart"},
    "download": HTTP,
    "console": SERVICE,
    "sweep": SERVICE | MEMBERS_TABLE,
    "reindex": SERVICE - {"pybase64"} | BOTOCORE | LOGGER,
    "rotate": SERVICE | BOTOCORE | LOGGER,
}
"""The packages that a function has imported after its first answer."""
OBJECTS = (
    "stratabase.core.domain.query.page",
    "stratabase.core.domain.write",
    "stratabase.core.operations.read",
    "stratabase.core.operations.write",
    "stratabase.core.schema",
    "stratabase.core.store.repository",
)
"""What reads and writes objects."""
PROVIDERS = ("stratabase.members.app.provider_services", "stratabase.members.providers")
"""What only the function that signs in with providers needs, together with `cryptography`."""
PAGES_AND_MAIL = ("stratabase.core.http.pages", "stratabase.members.mailers", "stratabase.members.pages")
SESSIONS = ("stratabase.members.sign_in.key_verifier", "stratabase.members.sign_in.session_tokens")
"""What begins sessions, and verifies API keys."""
UNNEEDED: Mapping[str, tuple[str, ...]] = {
    "graphql": (
        "stratabase.core.domain.write.plan",
        "stratabase.core.operations.locks.services",
        "stratabase.core.operations.write.pipeline",
        "stratabase.members.mailers",
        "stratabase.members.pages",
        "stratabase.members.operations.rules",
        "stratabase.members.operations.update",
        *PROVIDERS,
        *SESSIONS,
    ),
    "tokens": OBJECTS + PAGES_AND_MAIL + PROVIDERS,
    "signin": (*OBJECTS, "stratabase.members.mailers"),
    "members": OBJECTS + PROVIDERS,
    "mail": OBJECTS + PROVIDERS,
    "files": PROVIDERS + SESSIONS,
    "download": PROVIDERS + SESSIONS,
    "console": (*OBJECTS, *PROVIDERS, "stratabase.members.pages", "stratabase.members.sign_in"),
    "sweep": PROVIDERS,
    "reindex": PROVIDERS,
    "rotate": OBJECTS + PAGES_AND_MAIL + PROVIDERS,
}
"""The modules and packages of Stratabase that a function has not imported by then."""
DRIVER = """
import gc, json, sys
import app

class Context:
    aws_request_id, function_name, invoked_function_arn = "1", "function", "arn"

    def get_remaining_time_in_millis(self):
        return 600_000

answer = app.handler(json.load(sys.stdin), Context())
if hasattr(answer, "body"):
    status = answer.status
    b"".join(answer.body)
else:
    status = answer and answer.get("statusCode")
tops = {name.partition(".")[0] for name in sys.modules} - set(sys.stdlib_module_names) - {"__main__", "app"}
found = sorted(name for name in tops if not name.startswith("_"))
frozen, collects = gc.get_freeze_count(), gc.isenabled()
answer = {"status": status, "packages": found, "frozen": frozen, "collects": collects}
answer["modules"] = sorted(name for name in sys.modules if name.startswith("stratabase."))
print(json.dumps(answer))
"""
"""Runs one event through a function, and prints what it has imported, and how it collects garbage."""


def request(method: str, path: str, resource: str, parameters: Any = None, body: object = None) -> Any:
    event = proxy_event(method, path, resource, None, body)
    headers = {"Authorization": basic("admin", PASSWORD), **event["headers"]}
    values = {name: [value] for name, value in headers.items()}
    return {**event, "headers": headers, "multiValueHeaders": values, "pathParameters": parameters}


def upload() -> Any:
    parameters = {"class": "employee", "name": "resume"}
    event = request("POST", "/auth/file/employee/resume", "/auth/file/{class}/{name}", parameters)
    form = "multipart/form-data; boundary=b"
    disposition = 'Content-Disposition: form-data; name="file"; filename="a.pdf"'
    body = b"--b\r\n" + disposition.encode() + b"\r\n\r\n%PDF-1.4\n\r\n--b--\r\n"
    event["headers"]["Content-Type"] = form
    event["multiValueHeaders"]["Content-Type"] = [form]
    return {**event, "body": b64encode(body).decode(), "isBase64Encoded": True}


SCHEDULE = {"source": "aws.events"}
QUERY = {"query": "{ Employee___getPage { items { _id team { name } } } }"}
CREDENTIALS = {"username": "admin", "password": PASSWORD}
FILE = "/auth/file/{class}/{name}/{attribute}"
OF_NOBODY = {"class": "employee", "name": "nobody", "attribute": "resume"}
GRAPHQL = "/auth/api/graphql/{application}"
TOKENS = "/public/token/getJwtToken"
EVENTS: Mapping[str, Any] = {
    "graphql": request("POST", GRAPHQL.format(application="Hr"), GRAPHQL, {"application": "Hr"}, QUERY),
    "tokens": request("POST", TOKENS, TOKENS, None, CREDENTIALS),
    "signin": request("GET", "/public/signIn", "/public/signIn"),
    "members": request("GET", MEMBERS, MEMBERS),
    "mail": {"name": "nobody", "base_url": "https://api.example.com"},
    "files": upload(),
    "download": request("GET", FILE.format(**OF_NOBODY), FILE, OF_NOBODY),
    "console": request("GET", "/console", "/console"),
    "sweep": SCHEDULE,
    "reindex": {"class": "Employee"},
    "rotate": SCHEDULE,
}
STATUSES = {"mail": None, "files": 201, "download": 404, "sweep": None, "reindex": None, "rotate": None}
"""The statuses of the answers that are not 200."""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> tuple[Layers, Mapping[str, str]]:
    """The layers, and the settings of functions whose stores exist, with a prepared model."""
    folder = tmp_path_factory.mktemp("imports")
    model = folder / "model.graphql"
    model.write_text(SAMPLE_MODEL.read_text())
    prepared_file(model).write_bytes(prepare(read_model_file(model), model.read_bytes()))
    endpoint = ministack.endpoint()
    settings = {
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "STRATABASE_STORE": "dynamodb",
        "STRATABASE_ENDPOINT": str(endpoint.url),
        "STRATABASE_TABLE": "imports",
        "STRATABASE_MEMBERS_TABLE": "imports-members",
        "STRATABASE_BUCKET": "imports",
        "STRATABASE_SIGNING_KEYS": "imports",
        "STRATABASE_MODEL": str(model),
    }
    makes = {"STRATABASE_CREATE_TABLES": "on", "STRATABASE_ADMIN_PASSWORD": PASSWORD}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (settings | makes).items():
            patch.setenv(name, value)
        client = SecretsClient(endpoint)
        client.call("create_secret", Name="imports", SecretString=json.dumps({"first": "x7" * 32}))
        client.close()
        instance = App(Settings.from_environment(settings | makes))
        instance.part(MemberServices).create_first_administrator()
        assert instance.is_store_reachable()
        _ = instance.blobs
        instance.close()
    return lay_out(folder / "layers"), settings


LAYERS = pytest.mark.skipif(sys.version_info[:2] != (3, 13), reason="the layers are for the Python of AWS")


@LAYERS
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_imports_only_what_it_needs(name: str, stack: tuple[Layers, Mapping[str, str]]) -> None:
    answer = run(name, *stack)
    assert set(answer["packages"]) == PACKAGES[name]
    unneeded = UNNEEDED.get(name, ())
    imported = [
        module
        for module in answer["modules"]
        if f"{module}.".startswith(tuple(f"{each}." for each in unneeded))
    ]
    assert imported == []
    # The garbage of later requests is collected, without another look at what the start has made.
    assert answer["collects"]
    assert answer["frozen"] > 10_000


def run(name: str, layers: Layers, settings: Mapping[str, str]) -> Any:
    """Return what the driver prints for a function, after a successful answer."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", DRIVER],
        cwd=FUNCTIONS[name].file.parent,
        env=layers.environment(FUNCTIONS[name], settings),
        input=json.dumps(EVENTS[name]),
        capture_output=True,
        text=True,
        check=True,
    )
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["status"] == STATUSES.get(name, 200)
    return answer


@LAYERS
def test_tracing_imports_nothing_more(stack: tuple[Layers, Mapping[str, str]]) -> None:
    """The daemon of X-Ray gets the request, and its calls to the table."""
    layers, settings = stack
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
        daemon.bind(("127.0.0.1", 0))
        daemon.setblocking(False)
        traced = {
            "AWS_XRAY_DAEMON_ADDRESS": f"127.0.0.1:{daemon.getsockname()[1]}",
            "_X_AMZN_TRACE_ID": "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1",
        }
        answer = run("graphql", layers, {**settings, **traced})
        documents: list[Any] = []
        with suppress(BlockingIOError):
            while True:
                documents.append(json.loads(daemon.recv(65_535).split(b"\n")[1]))

    assert set(answer["packages"]) == PACKAGES["graphql"]
    *calls, request = documents
    assert request["name"] == "POST /auth/api/graphql/application"
    assert request["metadata"]["stratabase"]["operations"] == ["Employee___getPage"]
    assert {each["parent_id"] for each in calls} == {request["id"]}
    assert {"GetItem", "Query"} <= {each["aws"]["operation"] for each in calls}
