"""What the functions call on AWS is exactly what their policies allow."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NamedTuple

import boto3
import pytest

from stratabase.core.app.app import App
from stratabase.core.model.prepared import prepare, prepared_file
from stratabase.core.model.reading import read_model_file
from stratabase.core.settings import Settings
from stratabase.core.waiting import SystemClock
from stratabase.members.app.member_services import MemberServices
from stratabase.members.sign_in import password_hashes as passwords
from stratabase_aws.functions import reindex_handler
from stratabase_aws.s3 import s3
from tests import ministack
from tests.lambda_stack.functions import LambdaFunction
from tests.lambda_stack.gateway import FunctionRoutes
from tests.lambda_stack.local_functions import MovableClock, Stack, start_function
from tests.lambda_stack.provider_workload import provider_document
from tests.lambda_stack.recorder import ACCOUNT, FROM_ADDRESS, LEADING_KEYS, REGION, Call, Recorder
from tests.lambda_stack.template import read_template
from tests.lambda_stack.workload import MORE_CLASSES, change_model, run_everything
from tests.members.providers.hostile_provider import running_provider
from tests.repository import ROOT
from tests.service import PASSWORD, SAMPLE_MODEL
from tests.transformed_template import Deployment, Resources, statements, transform

pytestmark = pytest.mark.built

TEMPLATE = read_template(ROOT / "template.yaml")
NAMES = {
    "Table": "policies-objects",
    "MembersTable": "policies-members",
    "Bucket": "policies-files",
    "SigningKeys": "policies-keys",
    "Providers": "policies-providers",
}
"""The physical names of the resources."""
WITHOUT_CALLS = "ConsoleFunction"
"""The function that serves files of its layer only."""
ACTIONS_OF_LAMBDA = {"logs:CreateLogStream", "logs:PutLogEvents", "sqs:SendMessage"}
"""Actions that Lambda itself performs with the role of a function."""
REINDEX = "ReindexFunction"
NEWER = {REINDEX, "DownloadFunction"}
"""The functions with a changed model, which the others do not serve: the registry lacks its entries."""
ATTEMPT, USE, MEMBER, ENTRY = "A#*", "USE#*", "M#*", "AUD#*"
"""The keys of attempts to sign in, of uses of keys, of members, and of entries of the audit trail."""
GUARDS = ("E#*", "L#*", "U#*")
"""The keys of the guards of what only one member can have."""
CONDITIONS = {("ForAllValues:StringLike", LEADING_KEYS), ("StringEquals", FROM_ADDRESS)}
SETTINGS = {
    "STRATABASE_STORE": "dynamodb",
    "STRATABASE_TABLE": NAMES["Table"],
    "STRATABASE_MEMBERS_TABLE": NAMES["MembersTable"],
    "STRATABASE_BUCKET": NAMES["Bucket"],
    "STRATABASE_SIGNING_KEYS": NAMES["SigningKeys"],
    "STRATABASE_IDENTITY_PROVIDERS_SECRET": NAMES["Providers"],
    "STRATABASE_ADMIN_PASSWORD": PASSWORD,
    "STRATABASE_MAIL": "ses",
    "STRATABASE_MAIL_FROM": "no-reply@example.com",
    "STRATABASE_MAIL_FUNCTION": "arn:aws:lambda:us-east-1:123456789012:function:MailFunctionAliaslive",
    "STRATABASE_BASE_URL": "https://api.example.com",
    "STRATABASE_LOG_LEVEL": "ERROR",
    "AWS_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
}
CREDENTIALS: Any = {
    "region_name": "us-east-1",
    "aws_access_key_id": "local",
    "aws_secret_access_key": "local",
}


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Recorder]:
    """Return the calls of each function after everything was done once.

    The session keeps them, because a process can run other tests between those of this module.
    """
    address = str(ministack.endpoint().url)
    recorders = {each.name: Recorder() for each in TEMPLATE.functions}
    clock = MovableClock()
    model = tmp_path_factory.mktemp("policies") / "model.graphql"
    model.write_text(SAMPLE_MODEL.read_text() + MORE_CLASSES)
    changed_model = model.with_name("changed.graphql")
    changed_model.write_text(change_model(model.read_text()))
    for file in (model, changed_model):
        prepared_file(file).write_bytes(prepare(read_model_file(file), file.read_bytes()))
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:
        for name, value in SETTINGS.items():
            patch.setenv(name, value)
        patch.setattr(SystemClock, "now", lambda _self: clock.now())
        patch.setattr(s3, "MAX_SINGLE_COPY", 5 * 1024 * 1024)
        use_cheap_hashes(patch)
        provider = stack.enter_context(running_provider())
        make_secret(address, "SigningKeys", json.dumps({"first": "0123456789abcdef" * 4}))
        make_secret(address, "Providers", provider_document(provider))
        with patch.context() as create:
            create.setenv("STRATABASE_CREATE_TABLES", "on")
            first = make_instance(address, stack, model)
            first.part(MemberServices).create_first_administrator()
            assert first.is_store_reachable()
            assert first.blobs
        proxies = {name: stack.enter_context(each.proxy(address)) for name, each in recorders.items()}

        def start() -> Mapping[str, LambdaFunction]:
            instances = {
                name: make_instance(proxy, stack, changed_model if name in NEWER else model)
                for name, proxy in proxies.items()
            }
            loaded = {each.name: start_function(each, instances[each.name]) for each in TEMPLATE.functions}
            # A build waits for other processes, so its clock must move.
            reindex = reindex_handler(lambda: instances[REINDEX], clock.now, clock.sleep)
            return {**loaded, REINDEX: loaded[REINDEX]._replace(handler=reindex)}

        run_everything(Stack(start, recorders, FunctionRoutes(TEMPLATE.routes), clock, lose_files), provider)
    return recorders


def use_cheap_hashes(patch: pytest.MonkeyPatch) -> None:
    """Let hashes of passwords cost little, because the functions verify hundreds of them."""
    patch.setattr(passwords, "MEMORY", 8)
    patch.setattr(passwords, "PASSES", 1)
    patch.setattr(passwords, "_DUMMY_HASH", passwords.Argon2Passwords().hash("of nobody"))


def make_instance(address: str, stack: ExitStack, model: Path) -> App:
    """Return an instance as on Lambda that calls AWS at an address."""
    own = {
        "STRATABASE_ENDPOINT": address,
        "STRATABASE_MODEL": str(model),
        "AWS_LAMBDA_FUNCTION_NAME": "function",
    }
    instance = App(Settings.from_environment({**os.environ, **own}))
    stack.callback(instance.close)
    return instance


def lose_files() -> None:
    """Delete all objects of the bucket."""
    bucket = boto3.resource("s3", endpoint_url=str(ministack.endpoint().url), **CREDENTIALS).Bucket(
        SETTINGS["STRATABASE_BUCKET"]
    )
    bucket.objects.delete()


def make_secret(address: str, resource: str, content: str) -> None:
    client = boto3.client("secretsmanager", endpoint_url=address, **CREDENTIALS)
    client.create_secret(Name=NAMES[resource], SecretString=content)


class Permission(NamedTuple):
    """One action on one resource that a statement allows, with a pattern for the value of a condition key."""

    action: str
    resource: str
    key: str | None = None
    pattern: str = "*"

    def allows(self, call: Call) -> bool:
        """Return whether the permission is one for a call."""
        if self.action != call.action or not fnmatchcase(call.resource, self.resource):
            return False
        return self.key is None or fnmatchcase(dict(call.context)[self.key], self.pattern)


@pytest.fixture(scope="module")
def permissions() -> Mapping[str, Sequence[Permission]]:
    """The permissions of each function."""
    given = {
        "MailFrom": SETTINGS["STRATABASE_MAIL_FROM"],
        "IdentityProvidersSecret": f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:{NAMES['Providers']}",
    }
    deployment = Deployment(transform(), given, NAMES)
    resources = dict(deployment.resources())
    functions = {name: each for name, each in resources.items() if each["Type"] == "AWS::Lambda::Function"}
    roles = {name: each["Properties"]["Role"].rpartition("/")[2] for name, each in functions.items()}
    assert len({*roles.values()}) == len(functions), "each function has a role of its own"
    return {name: [*permissions_of(resources, role)] for name, role in roles.items()}


def permissions_of(resources: Resources, role: str) -> Iterator[Permission]:
    for statement in statements(resources, role):
        assert statement["Effect"] == "Allow"
        for action in listed(statement["Action"]):
            if action not in ACTIONS_OF_LAMBDA:
                assert "*" not in action
                for resource in listed(statement["Resource"]):
                    yield from permissions_under_condition(action, resource, statement.get("Condition"))


def permissions_under_condition(action: str, resource: str, condition: Any) -> Iterator[Permission]:
    if condition is None:
        yield Permission(action, resource)
        return
    ((operator, keys),) = condition.items()
    ((key, patterns),) = keys.items()
    assert (operator, key) in CONDITIONS
    yield from (Permission(action, resource, key, pattern) for pattern in listed(patterns))


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


FUNCTIONS = [each.name for each in TEMPLATE.functions]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_call_is_allowed(
    function: str,
    recorded: Mapping[str, Recorder],
    permissions: Mapping[str, Sequence[Permission]],
) -> None:
    calls = recorded[function].calls
    assert bool(calls) == (function != WITHOUT_CALLS)
    refused = {each for each in calls if not any(one.allows(each) for one in permissions[function])}
    assert refused == set()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_everything_that_is_allowed_is_called(
    function: str,
    recorded: Mapping[str, Recorder],
    permissions: Mapping[str, Sequence[Permission]],
) -> None:
    calls = recorded[function].calls
    unused = [each for each in permissions[function] if not any(each.allows(call) for call in calls)]
    assert unused == []


def test_what_each_function_can_write_about_members(
    permissions: Mapping[str, Sequence[Permission]],
) -> None:
    """A mistake in a function that serves objects or files can't make an administrator, or a session.

    It can note attempts and uses of keys, and write the audit trail. The functions mail and tokens change
    records, but can't add a member, which needs the guards of the names. The others mark the table, or write
    nothing.
    """
    members = NAMES["MembersTable"]
    reads = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}
    found = {
        function: {
            each.pattern for each in allowed if each.resource.endswith(members) and each.action not in reads
        }
        for function, allowed in permissions.items()
    }
    assert {function: patterns for function, patterns in found.items() if patterns} == WRITES


WRITES = {
    "GraphqlFunction": {ATTEMPT, USE, ENTRY},
    "FilesFunction": {ATTEMPT, USE, ENTRY},
    "DownloadFunction": {ATTEMPT, USE, ENTRY},
    "SigninFunction": {ATTEMPT, USE, MEMBER, *GUARDS, "ROSTER", ENTRY},
    "TokensFunction": {ATTEMPT, USE, MEMBER, ENTRY},
    "MembersFunction": {ATTEMPT, USE, MEMBER, *GUARDS, "ROSTER", ENTRY},
    "MailFunction": {ATTEMPT, MEMBER, ENTRY},
    "SweepFunction": {"MARK", ENTRY},
}
"""The keys of the items in the table of members that a function can write."""
