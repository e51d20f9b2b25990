"""The template as a stack is made of it, with the parameters that its owner gives."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest

from stratabase_aws.functions.handlers import SWEEP_STEP_MILLISECONDS
from stratabase_aws.functions.request_log import NAMESPACE, OLDEST_PURGE_METRIC, SET_ASIDE_METRIC
from tests.transformed_template import Deployment, read_template_file, statements, transform

MAIL = {"MailFrom": "no-reply@example.com"}
KEY = "arn:aws:kms:us-east-1:123456789012:key/1"
HTTP = (
    "GraphqlFunction",
    "TokensFunction",
    "SigninFunction",
    "MembersFunction",
    "FilesFunction",
    "DownloadFunction",
    "ConsoleFunction",
)

SIGN_IN = (
    "/public/token/getJwtToken",
    "/public/signIn",
    "/public/administration/setPassword",
    "/public/administration/forgotPassword",
    "/public/token/exchange",
)


CALLBACK = "/public/signIn/{provider}/callback"


@pytest.fixture(scope="module")
def template() -> Mapping[str, Any]:
    return transform()


def deploy(template: Mapping[str, Any], **parameters: Any) -> dict[str, Any]:
    """Return the resources of a stack, by logical ID."""
    return dict(Deployment(template, {**MAIL, **parameters}).resources())


def of_type(resources: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the properties of the resources of a type, by logical ID."""
    return {name: each["Properties"] for name, each in resources.items() if each["Type"] == f"AWS::{kind}"}


def test_given_tables_and_buckets_are_used_instead_of_new_ones(template: Mapping[str, Any]) -> None:
    given = {"ObjectsTableName": "objects-2", "MembersTableName": "members-2", "BucketName": "files-2"}
    resources = deploy(template, InstanceId="hr", **given)
    assert not {"Table", "MembersTable", "Bucket", "BucketPolicy"} & resources.keys()
    for each in of_type(resources, "Lambda::Function").values():
        variables = each["Environment"]["Variables"]
        names = [variables[f"STRATABASE_{name}"] for name in ("TABLE", "MEMBERS_TABLE", "BUCKET", "INSTANCE")]
        assert names == ["objects-2", "members-2", "files-2", "hr"]
    text = json.dumps(statements(resources, "GraphqlExecutionRole"))
    assert all(f"{name}" in text for name in ("table/objects-2", "table/members-2", ":::files-2/files/*"))


def test_a_new_stack_is_a_new_instance(template: Mapping[str, Any]) -> None:
    (function, *_) = of_type(deploy(template), "Lambda::Function").values()
    assert function["Environment"]["Variables"]["STRATABASE_INSTANCE"] == "0a1b2c3d-0000-4000-a000-0"


def test_nothing_is_reserved_unless_the_owner_says_so(template: Mapping[str, Any]) -> None:
    """New accounts can have a concurrency of 10, of which nothing can be reserved."""
    functions = of_type(deploy(template), "Lambda::Function")
    assert all("ReservedConcurrentExecutions" not in each for each in functions.values())
    for name in functions:
        reserved = deploy(template, **{name.replace("Function", "Concurrency"): "5"})
        found = {
            n: e.get("ReservedConcurrentExecutions") for n, e in of_type(reserved, "Lambda::Function").items()
        }
        assert found == {**dict.fromkeys(functions), name: "5"}


def test_the_memory_and_the_time_of_each_function_are_parameters(template: Mapping[str, Any]) -> None:
    for name in of_type(deploy(template), "Lambda::Function"):
        prefix = name.removesuffix("Function")
        function = deploy(template, **{f"{prefix}Memory": 333, f"{prefix}Timeout": 77})[name]["Properties"]
        assert (function["MemorySize"], function["Timeout"]) == (333, 77)


def test_a_key_encrypts_tables_files_the_secret_and_variables(template: Mapping[str, Any]) -> None:
    resources = deploy(template, KmsKeyArn=KEY)
    for table in of_type(resources, "DynamoDB::Table").values():
        assert table["SSESpecification"] == {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": KEY}
    assert KEY in json.dumps(resources["Bucket"]["Properties"]["BucketEncryption"])
    assert resources["SigningKeys"]["Properties"]["KmsKeyId"] == KEY
    assert all(each["KmsKeyArn"] == KEY for each in of_type(resources, "Lambda::Function").values())
    allowed = {"Effect": "Allow", "Action": ["kms:Decrypt", "kms:GenerateDataKey"], "Resource": KEY}
    roles = [name for name in resources if name.endswith("ExecutionRole")]
    assert len(roles) == len(of_type(resources, "Lambda::Function"))
    assert all(allowed in statements(resources, role) for role in roles)


def test_functions_write_to_the_logs_of_the_stack_and_to_no_others(template: Mapping[str, Any]) -> None:
    resources = deploy(template)
    writing = {"logs:CreateLogStream", "logs:PutLogEvents"}
    for name, function in of_type(resources, "Lambda::Function").items():
        role = f"{name.removesuffix('Function')}ExecutionRole"
        (allowed,) = (each for each in statements(resources, role) if writing & {*each["Action"]})
        groups = {each.rpartition("log-group:")[2].removesuffix(":*") for each in allowed["Resource"]}
        assert function["LoggingConfig"]["LogGroup"] in groups
        assert groups == of_type(resources, "Logs::LogGroup").keys() - {"AccessLogs"}


def test_without_options_nothing_is_made_for_them(template: Mapping[str, Any]) -> None:
    resources = deploy(template)
    assert (
        not {"Domain", "DomainMapping", "DomainRecord", "WebAclOfStack", "WebAclAssociation"}
        & resources.keys()
    )
    assert "AlarmSubscription" not in resources
    assert "kms:" not in json.dumps(resources)
    assert "xray:" not in json.dumps(resources)


@pytest.mark.parametrize(
    ("web_acl", "made"), [("make", True), ("arn:aws:wafv2:us-east-1:123456789012:regional/webacl/a/b", False)]
)
def test_a_web_acl_is_made_or_given(template: Mapping[str, Any], web_acl: str, made: bool) -> None:
    resources = deploy(template, WebAcl=web_acl)
    assert ("WebAclOfStack" in resources) is made
    association = resources["WebAclAssociation"]["Properties"]
    assert association["WebACLArn"] == ("WebAclOfStack.Arn" if made else web_acl)
    assert association["ResourceArn"] == "arn:aws:apigateway:us-east-1::/restapis/Api/stages/ApiStage"


def test_the_web_acl_limits_each_client_where_passwords_are_taken(template: Mapping[str, Any]) -> None:
    """The limits of API Gateway count all clients together: one of them could lock out all others."""
    resources = deploy(template, WebAcl="make", WebAclSignInRate=33)
    rules = {rule["Name"]: rule for rule in resources["WebAclOfStack"]["Properties"]["Rules"]}
    assert sorted(rule["Priority"] for rule in rules.values()) == [0, 1, 2, 3]
    rate = rules["sign-in"]["Statement"]["RateBasedStatement"]
    assert (rate["AggregateKeyType"], rate["Limit"]) == ("IP", 33)
    match = rate["ScopeDownStatement"]["RegexMatchStatement"]
    assert match["FieldToMatch"] == {"UriPath": {}}
    paths = deploy(template)["Api"]["Properties"]["Body"]["paths"]
    assert {path for path in paths if re.search(match["RegexString"], f"/live{path}")} == {*SIGN_IN, CALLBACK}


@pytest.mark.parametrize("role", ["MembersExecutionRole", "MailExecutionRole"])
def test_the_server_of_email_is_in_a_secret(role: str, template: Mapping[str, Any]) -> None:
    secret = "arn:aws:secretsmanager:us-east-1:123456789012:secret:smtp"
    allowed = {"Effect": "Allow", "Action": "secretsmanager:GetSecretValue", "Resource": secret}
    resources = deploy(template, Mail="smtp", SmtpSecret=secret)
    assert allowed in statements(resources, role)
    variables = resources[role.replace("ExecutionRole", "Function")]["Properties"]["Environment"]["Variables"]
    assert variables["STRATABASE_SMTP_SECRET"] == secret
    assert secret not in json.dumps(deploy(template))


def test_only_the_function_that_signs_in_reads_the_settings_of_providers(template: Mapping[str, Any]) -> None:
    secret = "arn:aws:secretsmanager:us-east-1:123456789012:secret:providers"
    allowed = {"Effect": "Allow", "Action": "secretsmanager:GetSecretValue", "Resource": secret}
    resources = deploy(template, IdentityProvidersSecret=secret)
    assert allowed in statements(resources, "SigninExecutionRole")
    for role in (name for name in resources if name.endswith("ExecutionRole")):
        assert (secret in json.dumps(statements(resources, role))) is (role == "SigninExecutionRole")
    for name, each in of_type(resources, "Lambda::Function").items():
        found = each["Environment"]["Variables"].get("STRATABASE_IDENTITY_PROVIDERS_SECRET")
        assert found == (secret if name == "SigninFunction" else None)
    assert "secret:providers" not in json.dumps(deploy(template))


def test_the_keys_of_another_stack_can_be_used(template: Mapping[str, Any]) -> None:
    secret = "arn:aws:secretsmanager:us-east-1:123456789012:secret:kept"
    resources = deploy(template, SigningKeysArn=secret)
    for name, each in of_type(resources, "Lambda::Function").items():
        assert each["Environment"]["Variables"]["STRATABASE_SIGNING_KEYS"] == secret, name
    for name in (*{*HTTP} - {"ConsoleFunction"}, "RotateFunction"):
        text = json.dumps(statements(resources, name.replace("Function", "ExecutionRole")))
        assert secret in text
        assert "secret:SigningKeys" not in text


@pytest.mark.parametrize("origins", ["", "https://app.example.com"])
def test_pages_can_read_what_the_gateway_itself_answers(origins: str, template: Mapping[str, Any]) -> None:
    api = deploy(template, AllowedOrigins=origins)["Api"]["Properties"]
    answers = api["Body"]["x-amazon-apigateway-gateway-responses"]
    assert {"DEFAULT_4XX", "DEFAULT_5XX", "THROTTLED"} <= answers.keys()
    for each in answers.values():
        headers = each["responseParameters"]
        allowed = headers.get("gatewayresponse.header.Access-Control-Allow-Origin")
        assert allowed == ("method.request.header.Origin" if origins else None)
        assert headers["gatewayresponse.header.Vary"] == "'Origin'"
    assert answers["THROTTLED"]["responseParameters"]["gatewayresponse.header.Retry-After"] == "'1'"


def test_links_begin_with_the_domain(template: Mapping[str, Any]) -> None:
    resources = deploy(
        template, DomainName="api.example.com", CertificateArn="arn:aws:acm:x", HostedZoneId="Z1"
    )
    assert {"Domain", "DomainMapping", "DomainRecord"} <= resources.keys()
    for each in of_type(resources, "Lambda::Function").values():
        assert each["Environment"]["Variables"]["STRATABASE_BASE_URL"] == "https://api.example.com"


def test_requests_are_limited_for_the_stage_and_where_passwords_are_taken(
    template: Mapping[str, Any],
) -> None:
    resources = deploy(template, StageRate=7, StageBurst=8, SignInRate=5, SignInBurst=6)
    (stage,) = of_type(resources, "ApiGateway::Stage").values()
    limits = {
        (each["ResourcePath"].replace("~1", "/").replace("//", "/"), each["HttpMethod"]): (
            each["ThrottlingRateLimit"],
            each["ThrottlingBurstLimit"],
        )
        for each in stage["MethodSettings"]
    }
    own = SIGN_IN
    assert limits == {("/*", "*"): (7, 8), **{(path, "POST"): (5, 6) for path in own}}
    paths = resources["Api"]["Properties"]["Body"]["paths"]
    assert all("post" in paths[path] for path in own)


def test_the_access_log_is_json_with_the_address_of_the_client(template: Mapping[str, Any]) -> None:
    (stage,) = of_type(deploy(template), "ApiGateway::Stage").values()
    line = json.loads(stage["AccessLogSetting"]["Format"])
    assert {"requestId", "status", "milliseconds"} <= line.keys()
    assert line["client"] == "$context.identity.sourceIp"


def test_logs_end(template: Mapping[str, Any]) -> None:
    resources = deploy(template, LogDays=14)
    groups = of_type(resources, "Logs::LogGroup")
    assert {each["RetentionInDays"] for each in groups.values()} == {14}
    used = {each["LoggingConfig"]["LogGroup"] for each in of_type(resources, "Lambda::Function").values()}
    assert used | {"AccessLogs"} == groups.keys()


def test_every_alarm_goes_to_the_topic(template: Mapping[str, Any]) -> None:
    resources = deploy(template, AlarmEmail="ops@example.com")
    alarms = of_type(resources, "CloudWatch::Alarm")
    assert all(each["AlarmActions"] == ["AlarmTopic"] for each in alarms.values())
    assert resources["AlarmSubscription"]["Properties"]["Endpoint"] == "ops@example.com"
    watched = json.dumps(alarms)
    throttled = json.dumps(alarms["FunctionThrottlesAlarm"])
    assert all(f'"Value": "{name}"' in throttled for name in (*HTTP, "MailFunction"))
    assert all(metric in watched for metric in ("5XXError", "p99", "ThrottleEvents", "Invocations", "Errors"))


@pytest.mark.parametrize(
    ("alarm", "name"), [("OldestPurgeAlarm", OLDEST_PURGE_METRIC), ("JobsSetAsideAlarm", SET_ASIDE_METRIC)]
)
def test_an_alarm_watches_each_metric_that_the_sweep_publishes(
    alarm: str, name: str, template: Mapping[str, Any]
) -> None:
    resources = deploy(template)
    metric = resources[alarm]["Properties"]
    assert (metric["Namespace"], metric["MetricName"]) == (NAMESPACE, name)
    variables = resources["SweepFunction"]["Properties"]["Environment"]["Variables"]
    assert {each["Name"]: each["Value"] for each in metric["Dimensions"]} == {
        "stack": variables["STRATABASE_STACK"],
        "service": "sweep",
    }


def test_the_metrics_of_a_stack_are_its_own(template: Mapping[str, Any]) -> None:
    """Without the dimension, alarms and dashboards of two stacks in a Region would add up both."""
    body = json.loads(deploy(template)["Dashboard"]["Properties"]["DashboardBody"])
    metrics = [metric for widget in body["widgets"] for metric in widget["properties"]["metrics"]]
    own = [metric for metric in metrics if metric[0] == NAMESPACE]
    assert len(own) == 5
    assert all(metric[2:4] == ["stack", "stack"] for metric in own)


def test_an_alarm_ends_when_nothing_is_measured_any_more(template: Mapping[str, Any]) -> None:
    """A sum has no value if one of its metrics has none."""
    for name, alarm in of_type(deploy(template), "CloudWatch::Alarm").items():
        if name not in {"SweepLateAlarm", "RotateLateAlarm"}:
            assert alarm["TreatMissingData"] == "notBreaching"
        if sums := [each for each in alarm.get("Metrics", ()) if "MetricStat" in each]:
            assert alarm["Metrics"][0]["Expression"] == "SUM(FILL(METRICS(), 0))"
            assert len(sums) <= 10


@pytest.mark.parametrize("name", ["SweepLateAlarm", "RotateLateAlarm"])
def test_a_new_stack_is_not_late(name: str, template: Mapping[str, Any]) -> None:
    """An alarm begins without data, and sends a message only when that changes, and when it returns."""
    alarm = deploy(template)[name]["Properties"]
    assert alarm["TreatMissingData"] == "missing"
    assert alarm["InsufficientDataActions"] == alarm["AlarmActions"] == alarm["OKActions"] == ["AlarmTopic"]


@pytest.mark.parametrize("kind", ["Read", "Write"])
def test_throttles_of_the_table_and_of_every_index_are_watched(
    kind: str, template: Mapping[str, Any]
) -> None:
    """A query without SCHEMA has the metrics with all dimensions, and so those of the indexes."""
    (query,) = deploy(template)[f"Objects{kind}ThrottlesAlarm"]["Properties"]["Metrics"]
    select = f"SELECT SUM({kind}ThrottleEvents) FROM \"AWS/DynamoDB\" WHERE TableName = 'Table'"
    assert (query["Expression"], query["Period"]) == (select, 300)


def test_the_gateway_has_no_logs_and_metrics_that_nothing_needs(template: Mapping[str, Any]) -> None:
    """API Gateway makes the group of execution logs itself, and it never ends."""
    (stage,) = of_type(deploy(template), "ApiGateway::Stage").values()
    assert all(not {"LoggingLevel", "MetricsEnabled"} & each.keys() for each in stage["MethodSettings"])
    line = json.loads(stage["AccessLogSetting"]["Format"])
    assert {"errorMessage", "integrationError", "integrationStatus"} <= line.keys()


def test_stacks_do_not_share_layers(template: Mapping[str, Any]) -> None:
    names = {each["LayerName"] for each in of_type(deploy(template), "Lambda::LayerVersion").values()}
    assert names == {"stack-dependencies", "stack-providers", "stack-service", "stack-model"}


def test_an_alarm_notices_a_sweep_that_never_finishes(template: Mapping[str, Any]) -> None:
    """A sweep that has work left stops when it has less than a step's time."""
    resources = deploy(template)
    alarm, sweep = resources["SweepBehindAlarm"]["Properties"], resources["SweepFunction"]["Properties"]
    assert alarm["Threshold"] < int(sweep["Timeout"]) * 1000 - SWEEP_STEP_MILLISECONDS


def test_failed_schedules_are_kept_in_a_queue(template: Mapping[str, Any]) -> None:
    resources = deploy(template)
    queue = "arn:aws:sqs:us-east-1:123456789012:FailedSchedules"
    for rule in of_type(resources, "Events::Rule").values():
        assert [each["DeadLetterConfig"]["Arn"] for each in rule["Targets"]] == [queue]
    destinations = of_type(resources, "Lambda::EventInvokeConfig").values()
    kept = [each["DestinationConfig"] for each in destinations if each["DestinationConfig"]]
    assert [each["OnFailure"]["Destination"] for each in kept] == [queue, queue]
    for role in ("SweepExecutionRole", "RotateExecutionRole"):
        assert {"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": queue} in statements(
            resources, role
        )


def test_an_alarm_takes_a_new_version_back(template: Mapping[str, Any]) -> None:
    canary = transform({"Deployment": "Canary10Percent5Minutes"})
    groups = of_type(deploy(canary, Deployment="Canary10Percent5Minutes"), "CodeDeploy::DeploymentGroup")
    assert len(groups) == len(HTTP)
    for each in groups.values():
        assert each["DeploymentConfigName"] == "CodeDeployDefault.LambdaCanary10Percent5Minutes"
        assert each["AlarmConfiguration"]["Alarms"] == [{"Name": "FailedRequestsAlarm"}]


def test_no_alarm_stops_a_deployment_to_all_at_once(template: Mapping[str, Any]) -> None:
    """An alarm that fires would block the correction of what it fires for."""
    groups = of_type(deploy(template), "CodeDeploy::DeploymentGroup")
    assert len(groups) == len(HTTP)
    assert [each["AlarmConfiguration"] for each in groups.values()] == [{}] * len(HTTP)


def test_the_dashboard_is_json_with_every_function(template: Mapping[str, Any]) -> None:
    resources = deploy(template)
    body = json.loads(resources["Dashboard"]["Properties"]["DashboardBody"])
    metrics = [metric for widget in body["widgets"] for metric in widget["properties"]["metrics"]]
    searches = [metric[0]["expression"] for metric in metrics if isinstance(metric[0], dict)]
    assert len(searches) == 4
    for each in searches:
        names = re.findall(r'"(\w+)"', each[each.index(" (") :])
        assert {*names} == of_type(resources, "Lambda::Function").keys()


def test_no_parameter_is_without_effect() -> None:
    source = read_template_file()
    used = json.dumps(
        {name: source[name] for name in ("Conditions", "Rules", "Globals", "Resources", "Outputs")}
    )
    unused = [n for n in source["Parameters"] if f'"Ref": "{n}"' not in used and f"${{{n}}}" not in used]
    assert unused == []
