"""The template as AWS deploys it, after SAM has transformed it: files, their routes, and who may do what."""

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

from stratabase.core.settings import Settings, feature_settings, variables
from tests.repository import ROOT
from tests.transformed_template import Deployment, Resources, read_template_file, statements, transform

ANY = "x-amazon-apigateway-any-method"
STREAMED = {
    ("/auth/file/{class}/{name}/{attribute}", ANY),
    ("/auth/file/{class}/{name}/pending", ANY),
    ("/auth/file/{class}/{name}/pending/{pendingFileId}", "get"),
}
BUCKET = "${Bucket.Arn}"


@pytest.fixture(scope="module")
def resources() -> Resources:
    """The resources after the transformation, with the default of each parameter."""
    transformed: Resources = transform()["Resources"]
    return transformed


def properties(resources: Resources, name: str) -> Any:
    return resources[name]["Properties"]


def integrations(resources: Resources) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield the integration of each address and method."""
    for address, methods in properties(resources, "Api")["Body"]["paths"].items():
        for method, operation in methods.items():
            yield (address, method), operation["x-amazon-apigateway-integration"]


def test_downloads_are_streamed_and_nothing_else(resources: Resources) -> None:
    for place, integration in integrations(resources):
        uri = integration["uri"]["Fn::Sub"]
        if place in STREAMED:
            assert integration["responseTransferMode"] == "STREAM"
            assert integration["timeoutInMillis"] == 900_000
            assert uri.endswith("${DownloadFunctionAliaslive}/response-streaming-invocations")
        else:
            assert "responseTransferMode" not in integration
            assert uri.endswith("Aliaslive}/invocations")
            assert "DownloadFunction" not in uri
    assert {place for place, _ in integrations(resources)} > STREAMED


def test_uploads_and_pending_files_have_a_function_of_their_own(resources: Resources) -> None:
    found = {
        place
        for place, integration in integrations(resources)
        if "${FilesFunctionAliaslive}" in integration["uri"]["Fn::Sub"]
    }
    assert found == {
        ("/auth/file/{class}/{name}", ANY),
        ("/auth/file/{class}/{name}/pending/{pendingFileId}", ANY),
    }


def test_functions_answer_every_method(resources: Resources) -> None:
    """A mock integration would answer OPTIONS with 500, because all media types are binary."""
    paths = properties(resources, "Api")["Body"]["paths"]
    assert all(ANY in methods and "options" not in methods for methods in paths.values())
    assert all(integration["type"] == "aws_proxy" for _, integration in integrations(resources))


def test_the_function_that_streams_has_the_time_and_the_runtime_for_it(resources: Resources) -> None:
    function = properties(resources, "DownloadFunction")
    assert read_template_file()["Parameters"]["DownloadTimeout"]["Default"] == 900
    assert "SnapStart" not in function
    wrapper = function["Environment"]["Variables"]["AWS_LAMBDA_EXEC_WRAPPER"]
    file = ROOT / "functions/download" / wrapper.removeprefix("/var/task/")
    assert os.access(file, os.X_OK)


LOCAL = {
    "HOST",
    "PORT",
    "STRATABASE_HOME",
    "STRATABASE_ADMIN_PASSWORD",
    "STRATABASE_WORKER_TIMEOUT_SECONDS",
    "STRATABASE_TRUSTED_PROXIES",
    "STRATABASE_SMTP",
    "STRATABASE_IDENTITY_PROVIDERS",
    "STRATABASE_ADDRESS_CONNECTIONS",
    "STRATABASE_BODY_MEGABYTES",
    "STRATABASE_ACCESS_LOG",
    "STRATABASE_SLOW_REQUEST_MILLISECONDS",
    "STRATABASE_FILE_RECOVERY_DAYS",
    "STRATABASE_TOTALS_OBJECTS",
    "STRATABASE_TOTALS_SECONDS",
}
"""The variables that only commands on a machine read."""
SET_BY_LAMBDA = {"AWS_REGION", "AWS_LAMBDA_FUNCTION_NAME"}
OF_MAIL = {"STRATABASE_MAIL", "STRATABASE_MAIL_FROM", "STRATABASE_SMTP_SECRET"}
OF_SIGNIN = {"STRATABASE_IDENTITY_PROVIDERS_SECRET"}
OF_MEMBERS = OF_MAIL | {"STRATABASE_MAIL_FUNCTION"}
OWN_VARIABLES = {"MembersFunction": OF_MEMBERS, "MailFunction": OF_MAIL, "SigninFunction": OF_SIGNIN}
"""The variables of email, which only the functions members and mail send, and of the queue before mail."""


def test_every_setting_is_a_declared_variable_of_each_function_that_reads_it(resources: Resources) -> None:
    """SAM CLI replaces only variables that are declared."""
    settings = {variable.name for _, variable in variables()} - LOCAL - SET_BY_LAMBDA
    functions = {name: each for name, each in resources.items() if each["Type"] == "AWS::Lambda::Function"}
    assert len(functions) == len([*(ROOT / "functions").glob("*/app.py")])
    for name, each in functions.items():
        declared = each["Properties"]["Environment"]["Variables"].keys() - {"AWS_LAMBDA_EXEC_WRAPPER"}
        own = OWN_VARIABLES.get(name, set())
        assert declared == settings - OF_MEMBERS - OF_SIGNIN | own, name


def test_the_defaults_of_parameters_are_valid_settings() -> None:
    parameters = {"MailFrom": "no-reply@example.com"}
    for name, resource in Deployment(transform(), parameters).resources():
        if resource["Type"] == "AWS::Lambda::Function":
            environment = {k: str(v) for k, v in resource["Properties"]["Environment"]["Variables"].items()}
            settings = Settings.from_environment({**environment, "AWS_LAMBDA_FUNCTION_NAME": name})
            assert [settings.of(declared) for declared in feature_settings()]
            assert (settings.store, settings.create_tables, settings.endpoint) == ("dynamodb", False, None)


def test_the_bucket_is_private_encrypted_and_versioned(resources: Resources) -> None:
    bucket = properties(resources, "Bucket")
    assert bucket["PublicAccessBlockConfiguration"] == dict.fromkeys(
        ["BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"], True
    )
    assert bucket["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}
    (encryption,) = bucket["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    with_key = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": {"Ref": "KmsKeyArn"}}
    assert encryption["ServerSideEncryptionByDefault"] == {
        "Fn::If": ["HasKmsKey", with_key, {"SSEAlgorithm": "AES256"}]
    }
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}


@pytest.mark.parametrize("name", ["Bucket", "BucketPolicy"])
def test_the_bucket_stays_when_the_stack_is_deleted(name: str, resources: Resources) -> None:
    assert (resources[name]["DeletionPolicy"], resources[name]["UpdateReplacePolicy"]) == (
        "RetainExceptOnCreate",
        "Retain",
    )


def test_the_bucket_requires_tls(resources: Resources) -> None:
    policy = properties(resources, "BucketPolicy")
    assert policy["Bucket"] == {"Ref": "Bucket"}
    (statement,) = policy["PolicyDocument"]["Statement"]
    assert (statement["Effect"], statement["Principal"], statement["Action"]) == ("Deny", "*", "s3:*")
    assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert [arn(each) for each in statement["Resource"]] == [BUCKET, f"{BUCKET}/*"]


def test_the_lifecycle_removes_what_nobody_needs(resources: Resources) -> None:
    bucket = properties(resources, "Bucket")
    rules = {rule.pop("Id"): rule for rule in map(dict, bucket["LifecycleConfiguration"]["Rules"])}
    assert rules == {
        "pending": {
            "Status": "Enabled",
            "Prefix": "pending/",
            "ExpirationInDays": 7,
            "NoncurrentVersionExpiration": {"NoncurrentDays": 1},
        },
        "incomplete": {"Status": "Enabled", "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7}},
        "removed": {
            "Status": "Enabled",
            "ExpiredObjectDeleteMarker": True,
            "NoncurrentVersionExpiration": {"NoncurrentDays": {"Ref": "FileRecoveryDays"}},
        },
    }


def test_removed_files_are_kept_as_long_as_tables_can_be_restored() -> None:
    """DynamoDB's point-in-time recovery goes back 35 days."""
    assert read_template_file()["Parameters"]["FileRecoveryDays"]["Default"] == 35


def test_the_sweep_runs_every_five_minutes_and_ends_before_the_next_one(resources: Resources) -> None:
    rule = properties(resources, "SweepFunctionOften")
    assert rule["ScheduleExpression"] == "rate(5 minutes)"
    assert rule.get("State", "ENABLED") == "ENABLED"
    assert [target["Arn"] for target in rule["Targets"]] == [{"Ref": "SweepFunctionAliaslive"}]
    assert read_template_file()["Parameters"]["SweepTimeout"]["MaxValue"] < 300


MAILS = {"ses:SendEmail", "ses:SendRawEmail"}


def test_email_can_be_sent_from_one_address_by_two_functions() -> None:
    """SES checks an email that is sent with its headers as SendRawEmail, also in version 2 of its API."""
    given = {"MailFrom": "no-reply@example.com", "MailConfigurationSet": "bounces"}
    resources = dict(Deployment(transform(), given).resources())
    for role in (name for name in resources if name.endswith("ExecutionRole")):
        mailing = [each for each in statements(resources, role) if MAILS & {*each["Action"]}]
        assert len(mailing) == (2 if role in {"MembersExecutionRole", "MailExecutionRole"} else 0)
        for each in mailing:
            assert {*each["Action"]} == MAILS
            assert each["Condition"] == {"StringEquals": {"ses:FromAddress": "no-reply@example.com"}}


def test_the_members_function_invokes_only_the_function_that_sends_links(resources: Resources) -> None:
    """It invokes the alias, because the retries of failed events are those of the alias."""
    alias = {"Ref": "MailFunctionAliaslive"}
    function = properties(resources, "MembersFunction")
    assert function["Environment"]["Variables"]["STRATABASE_MAIL_FUNCTION"] == alias
    deployed = dict(Deployment(transform(), {"MailFrom": "no-reply@example.com"}).resources())
    invoking = [
        (role, statement["Resource"])
        for role in deployed
        if role.endswith("ExecutionRole")
        for statement in statements(deployed, role)
        if statement["Action"] == "lambda:InvokeFunction"
    ]
    variables = properties(deployed, "MembersFunction")["Environment"]["Variables"]
    assert invoking == [("MembersExecutionRole", variables["STRATABASE_MAIL_FUNCTION"])]


def test_requests_for_links_are_repeated_and_then_dropped(resources: Resources) -> None:
    """They have what somebody typed, so no queue of failed events keeps them."""
    config = properties(resources, "MailFunctionEventInvokeConfig")
    assert (config["MaximumRetryAttempts"], config["MaximumEventAgeInSeconds"]) == (2, 3600)
    assert config["DestinationConfig"] == {}
    assert config["Qualifier"] == "live"


def test_no_password_is_in_the_template_or_in_a_function(resources: Resources) -> None:
    """The variables of a function can be read by everybody who may see its configuration."""
    assert not any("NoEcho" in each for each in read_template_file()["Parameters"].values())
    for each in resources.values():
        if each["Type"] == "AWS::Lambda::Function":
            assert "STRATABASE_SMTP" not in each["Properties"]["Environment"]["Variables"]


def test_no_resource_waits_for_one_that_may_not_exist(resources: Resources) -> None:
    """DependsOn takes no conditions. A condition stands in a reference, which is a dependency, too."""
    for name, each in resources.items():
        after = each.get("DependsOn", [])
        for other in [after] if isinstance(after, str) else after:
            assert resources[other].get("Condition") in {None, each.get("Condition")}, (name, other)
    after = {"Fn::If": ["SetsApiLogAccount", {"Ref": "ApiLogAccountSetting"}, ""]}
    assert resources["Api"]["Metadata"]["After"] == after


def test_a_first_creation_that_fails_can_be_rolled_back(resources: Resources) -> None:
    """CloudFormation can't delete a protected table. `stratabase aws deploy` protects it afterwards.

    The role of the account stays, because other APIs may already use it. Versions go with their functions.
    """
    kept = {
        name
        for name, each in resources.items()
        if each.get("DeletionPolicy") == "Retain" and each["Type"] != "AWS::Lambda::Version"
    }
    assert kept == {"ApiLogAccountSetting", "ApiLogRole"}
    assert "DeletionProtection" not in json.dumps(resources)


def arn(resource: Any) -> str:
    """Return the ARN of the bucket or of a key in it."""
    if "Fn::GetAtt" in resource:
        return f"${{{'.'.join(resource['Fn::GetAtt'])}}}"
    return str(resource["Fn::Sub"])
