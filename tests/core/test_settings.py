"""The settings: every variable, its default, and its invalid values."""

import subprocess
import sys
from ipaddress import ip_network
from pathlib import Path

import pytest

from stratabase.core import setting_values
from stratabase.core.schema.execution.limits import Limits
from stratabase.core.setting_values import Variable
from stratabase.core.settings import BadSettings, Settings, feature_settings, variables
from stratabase.members import password
from stratabase.members.settings import MemberSettings
from stratabase.server.settings import ServerSettings
from tests.rows import each_row


def test_the_defaults_apply_without_any_setting() -> None:
    settings = Settings.from_environment({})
    assert settings == Settings()
    assert (settings.host, settings.port, settings.home) == ("127.0.0.1", 8000, Path(".stratabase"))
    assert (settings.introspection, settings.suggestions, settings.basic) == (True, True, True)
    assert (settings.admin_password, settings.base_url, settings.allowed_origins) == (None, None, ())


def test_every_setting_can_be_set() -> None:
    environment = {
        "HOST": "0.0.0.0",
        "PORT": "0",
        "STRATABASE_HOME": "/data",
        "STRATABASE_MODEL": "my.graphql",
        "STRATABASE_ADMIN_PASSWORD": "a secret",
        "STRATABASE_STORE": "dynamodb",
        "STRATABASE_TABLE": "objects",
        "STRATABASE_INSTANCE": "hr-prod-1",
        "STRATABASE_ENDPOINT": "http://127.0.0.1:4566",
        "STRATABASE_CREATE_TABLES": "on",
        "STRATABASE_AWS_CLIENT": "botocore",
        "AWS_REGION": "eu-south-1",
        "AWS_LAMBDA_FUNCTION_NAME": "graphql",
        "STRATABASE_STACK": "hr-prod",
        "STRATABASE_INTROSPECTION": "off",
        "STRATABASE_SUGGESTIONS": "off",
        "STRATABASE_CONSOLE": "off",
        "STRATABASE_GRAPHIQL": "off",
        "STRATABASE_BASE_URL": "https://api.example.com/hr/",
        "STRATABASE_DOCUMENTATION_URL": "https://docs.example.com/hr",
        "STRATABASE_APP_URL": "https://app.example.com/hr?lang=it#/home",
        "STRATABASE_BASIC": "off",
        "STRATABASE_ALLOWED_ORIGINS": "https://a.example.com, http://localhost:3000,*",
        "STRATABASE_READ_MEGABYTES": "64",
        "STRATABASE_READ_SECONDS": "5",
        "STRATABASE_TOTALS_OBJECTS": "500",
        "STRATABASE_TOTALS_SECONDS": "7",
        "STRATABASE_REQUEST_SECONDS": "9",
        "STRATABASE_BULK_OBJECTS": "50",
        "STRATABASE_BULK_SECONDS": "7",
        "STRATABASE_REQUIRE_BULK_CONDITION": "off",
        "STRATABASE_WORKER_TIMEOUT_SECONDS": "60",
        "STRATABASE_LOCK_MINUTES": "60",
        "STRATABASE_BUCKET": "hr-files",
        "STRATABASE_FILE_MEGABYTES": "2047",
        "STRATABASE_PENDING_MEGABYTES": "10",
        "STRATABASE_PENDING_FILES": "20",
        "STRATABASE_FILE_RECOVERY_DAYS": "14",
        "STRATABASE_MEMBERS_TABLE": "people",
        "STRATABASE_SIGNING_KEYS": "hr/keys",
        "STRATABASE_TOKEN_MINUTES": "5",
        "STRATABASE_SESSION_HOURS": "8",
        "STRATABASE_FORMATS": "iso",
        "STRATABASE_PASSWORD_LENGTH": "16",
        "STRATABASE_REQUIRE_CURRENT_PASSWORD": "off",
        "STRATABASE_AUDIT_DAYS": "365",
        "STRATABASE_MAIL": "smtp",
        "STRATABASE_MAIL_FROM": "Hr <hr@example.com>",
        "STRATABASE_SMTP": "smtp://hr:secret@mail.example.com:2525",
        "STRATABASE_SMTP_SECRET": "hr/smtp",
        "STRATABASE_IDENTITY_PROVIDERS": "providers.json",
        "STRATABASE_IDENTITY_PROVIDERS_SECRET": "hr/providers",
        "STRATABASE_OPEN_DOWNLOADS": "7",
        "STRATABASE_MAIL_FUNCTION": "mail:live",
        "STRATABASE_QUERY_DEPTH": "9",
        "STRATABASE_QUERY_ALIASES": "0",
        "STRATABASE_QUERY_DIRECTIVES": "3",
        "STRATABASE_QUERY_COST": "5000",
        "STRATABASE_QUERY_KILOBYTES": "16",
        "STRATABASE_TRUSTED_PROXIES": "127.0.0.1, fd00::/8",
        "STRATABASE_ADDRESS_CONNECTIONS": "0",
        "STRATABASE_BODY_MEGABYTES": "64",
        "STRATABASE_ACCESS_LOG": "json",
        "STRATABASE_SLOW_REQUEST_MILLISECONDS": "500",
        "STRATABASE_LOG_LEVEL": "debug",
    }
    assert set(environment) == {variable.name for _, variable in variables()}
    settings = Settings.from_environment(environment)
    assert settings == Settings(
        host="0.0.0.0",
        port=0,
        home=Path("/data"),
        model=Path("my.graphql"),
        admin_password="a secret",
        store="dynamodb",
        table="objects",
        instance="hr-prod-1",
        endpoint="http://127.0.0.1:4566",
        create_tables=True,
        aws_client="botocore",
        region="eu-south-1",
        function="graphql",
        introspection=False,
        suggestions=False,
        console=False,
        graphiql=False,
        documentation="https://docs.example.com/hr",
        app_url="https://app.example.com/hr?lang=it#/home",
        base_url="https://api.example.com/hr",
        basic=False,
        allowed_origins=("https://a.example.com", "http://localhost:3000", "*"),
        read_megabytes=64,
        read_seconds=5,
        totals_objects=500,
        totals_seconds=7,
        request_seconds=9,
        bulk_objects=50,
        bulk_seconds=7,
        require_bulk_condition=False,
        lock_minutes=60,
        bucket="hr-files",
        file_megabytes=2047,
        pending_megabytes=10,
        pending_files=20,
        file_recovery_days=14,
        members_table="people",
        signing_keys="hr/keys",
        mail="smtp",
        mail_from="Hr <hr@example.com>",
        smtp="smtp://hr:secret@mail.example.com:2525",
        mail_function="mail:live",
        stack="hr-prod",
        smtp_secret="hr/smtp",
        identity_providers_secret="hr/providers",
        open_downloads=7,
        query_depth=9,
        query_aliases=0,
        query_directives=3,
        query_cost=5000,
        query_kilobytes=16,
        log_level="DEBUG",
    )
    assert settings.of(MemberSettings) == MemberSettings(
        token_minutes=5,
        session_hours=8,
        formats="iso",
        password_length=16,
        identity_providers=Path("providers.json"),
        require_current_password=False,
        audit_days=365,
    )
    assert settings.of(ServerSettings) == ServerSettings(
        worker_timeout_seconds=60,
        trusted_proxies=(ip_network("127.0.0.1/32"), ip_network("fd00::/8")),
        address_connections=0,
        body_megabytes=64,
        access_log="json",
        slow_request_milliseconds=500,
    )


@each_row(
    ("variable", "value", "mistake"),
    [
        ("PORT", "80x", 'PORT: "80x" is not valid. Use a whole number from 0 (any free port) to 65535.'),
        ("PORT", "65536", "Use a whole number from 0 "),
        ("PORT", "-1", "Use a whole number from 0 "),
        ("PORT", "٣", "Use a whole number from 0 "),
        (
            "STRATABASE_STORE",
            "redis",
            'STRATABASE_STORE: "redis" is not valid. Use one of: sqlite, dynamodb.',
        ),
        ("STRATABASE_AWS_CLIENT", "boto3", "Use one of: signed, botocore."),
        ("STRATABASE_CREATE_TABLES", "yes", "Use on or off."),
        ("STRATABASE_INTROSPECTION", "yes", 'STRATABASE_INTROSPECTION: "yes" is not valid. Use on or off.'),
        ("STRATABASE_SUGGESTIONS", "ON", "Use on or off."),
        ("STRATABASE_BASIC", "1", "Use on or off."),
        ("STRATABASE_INSTANCE", "a b", "Use at most 64 ASCII letters, digits and hyphens."),
        ("STRATABASE_INSTANCE", "a" * 65, "Use at most 64 ASCII letters, digits and hyphens."),
        ("STRATABASE_BASE_URL", "api.example.com", "Use an absolute URL"),
        ("STRATABASE_BASE_URL", "ftp://api.example.com", "Use an absolute URL"),
        ("STRATABASE_BASE_URL", "https://api.example.com/?a=1", "Use an absolute URL"),
        ("STRATABASE_BASE_URL", "https://me@api.example.com", "Use an absolute URL"),
        ("STRATABASE_BASE_URL", "https://[::1", "Use an absolute URL"),
        ("STRATABASE_BASE_URL", "https://a:99999", "Use an absolute URL"),
        ("STRATABASE_APP_URL", "app.example.com", "Use the absolute URL of a page"),
        ("STRATABASE_APP_URL", "javascript:alert(1)", "Use the absolute URL of a page"),
        ("STRATABASE_APP_URL", "https://me@app.example.com", "Use the absolute URL of a page"),
        ("STRATABASE_APP_URL", "https://app.example.com/ a", "Use the absolute URL of a page"),
        ("STRATABASE_ALLOWED_ORIGINS", "https://a.test/path", "Invalid origins: https://a.test/path."),
        ("STRATABASE_ALLOWED_ORIGINS", "https://a.test,b.test", "Invalid origins: b.test."),
        ("STRATABASE_READ_MEGABYTES", "0", '"0" is not valid. Use a whole number from 1 to 10,000.'),
        ("STRATABASE_READ_MEGABYTES", "1.5", "Use a whole number from 1 to 10,000."),
        ("STRATABASE_READ_SECONDS", "-1", "Use a whole number from 1 to 900."),
        ("STRATABASE_READ_SECONDS", "901", "Use a whole number from 1 to 900."),
        ("STRATABASE_REQUEST_SECONDS", "0", "Use a whole number from 1 to 900."),
        ("STRATABASE_BULK_OBJECTS", "0", "Use a whole number from 1 to 100,000."),
        ("STRATABASE_BULK_SECONDS", "0", "Use a whole number from 1 to 900."),
        ("STRATABASE_WORKER_TIMEOUT_SECONDS", "3601", "Use a whole number from 0 to 3,600."),
        ("STRATABASE_LOCK_MINUTES", "9", "Use a whole number from 10 to 10,080."),
        ("STRATABASE_LOCK_MINUTES", "10081", "Use a whole number from 10 to 10,080."),
        ("STRATABASE_FILE_MEGABYTES", "2048", "Use a whole number from 1 to 2,047."),
        ("STRATABASE_PENDING_MEGABYTES", "0", "Use a whole number from 1 to 1,000,000."),
        ("STRATABASE_TOKEN_MINUTES", "0", "Use a whole number from 1 to 1,440."),
        ("STRATABASE_SESSION_HOURS", "1e3", "Use a whole number from 1 to 720."),
        ("STRATABASE_FORMATS", "ISO", "Use one of: default, iso."),
        ("STRATABASE_PASSWORD_LENGTH", "7", "Use a whole number from 8 to 64."),
        ("STRATABASE_MAIL", "pigeon", "Use one of: outbox, smtp, ses."),
        ("STRATABASE_SMTP", "mail.example.com", "Use smtp://host:port or smtps://host:port"),
        ("STRATABASE_SMTP", "https://mail.example.com", "Use smtp://host:port"),
        ("STRATABASE_SMTP", "smtp://mail.example.com/inbox", "Use smtp://host:port"),
        ("STRATABASE_SMTP", "smtp://mail.example.com:99999", "Use smtp://host:port"),
        ("STRATABASE_QUERY_DEPTH", "0", "Use a whole number from 1 to 1,000."),
        ("STRATABASE_QUERY_COST", "10", "Use a whole number from 100 to 100,000,000."),
        ("STRATABASE_QUERY_KILOBYTES", "9999", "Use a whole number from 1 to 1,024."),
        ("STRATABASE_TRUSTED_PROXIES", "10.0.0.1/8, fd00::/8", "Invalid networks: 10.0.0.1/8. Use addresses"),
        ("STRATABASE_TRUSTED_PROXIES", "proxy.local", "such as 127.0.0.1, 10.0.0.0/8 or fd00::/8"),
        ("STRATABASE_TRUSTED_PROXIES", ",", "Invalid networks: none."),
        ("STRATABASE_ACCESS_LOG", "on", "Use one of: off, text, json."),
        ("STRATABASE_SLOW_REQUEST_MILLISECONDS", "1.5", "Use a whole number from 0 to 3,600,000."),
        ("STRATABASE_LOG_LEVEL", "loud", "Use one of: DEBUG, INFO, WARNING, ERROR."),
        ("STRATABASE_ADMIN_PASSWORD", "x" * 129, "at most 128 printable characters"),
        ("STRATABASE_ADMIN_PASSWORD", "a\nb", "at most 128 printable characters"),
        ("STRATABASE_ADMIN_PASSWORD", "a\udcff", "at most 128 printable characters"),
    ],
)
def test_a_bad_value_is_reported(variable: str, value: str, mistake: str) -> None:
    with pytest.raises(BadSettings) as caught:
        Settings.from_environment({variable: value})
    (found,) = caught.value.mistakes
    assert found.startswith(f"{variable}: ")
    assert mistake in found


def test_all_errors_are_reported_together() -> None:
    with pytest.raises(BadSettings) as caught:
        Settings.from_environment({"PORT": "x", "STRATABASE_BASIC": "x", "HOST": "localhost"})
    assert [mistake.partition(":")[0] for mistake in caught.value.mistakes] == ["PORT", "STRATABASE_BASIC"]
    assert str(caught.value).count("\n") == 1


def test_a_secret_is_never_shown() -> None:
    settings = Settings.from_environment({"STRATABASE_ADMIN_PASSWORD": "a secret"})
    with pytest.raises(BadSettings) as caught:
        Settings.from_environment({"STRATABASE_ADMIN_PASSWORD": "a secret\n"})
    assert "a secret" not in repr(settings) + str(caught.value)


def test_an_empty_variable_counts_as_unset() -> None:
    assert Settings.from_environment({"PORT": "", "STRATABASE_ADMIN_PASSWORD": ""}) == Settings()


def test_the_region_has_two_variables() -> None:
    both = {"AWS_REGION": "eu-south-1", "AWS_DEFAULT_REGION": "eu-west-1"}
    assert Settings.from_environment(both).region == "eu-south-1"
    assert Settings.from_environment(both | {"AWS_REGION": ""}).region == "eu-west-1"


def test_on_lambda_the_model_comes_in_a_layer() -> None:
    on_lambda = {"AWS_LAMBDA_FUNCTION_NAME": "graphql"}
    assert Settings.from_environment(on_lambda).model == Path("/opt/model.graphql")
    assert Settings.from_environment(on_lambda | {"STRATABASE_MODEL": "m"}).model == Path("m")


def test_the_settings_of_features_are_among_all_settings() -> None:
    names = [variable.name for _, variable in variables()]
    assert len(set(names)) == len(names)
    assert {"STRATABASE_TOKEN_MINUTES", "STRATABASE_ACCESS_LOG"} <= set(names)
    assert set(feature_settings()) == {MemberSettings, ServerSettings}


def test_every_field_of_a_feature_has_a_variable() -> None:
    for declared in feature_settings():
        for name, annotation in declared.__annotations__.items():
            assert [type(each) for each in annotation.__metadata__] == [Variable], name


def test_a_function_reads_the_settings_of_a_feature_when_it_uses_them() -> None:
    wrong = {"STRATABASE_TOKEN_MINUTES": "0", "STRATABASE_ACCESS_LOG": "loud"}
    with pytest.raises(BadSettings) as caught:
        Settings.from_environment(wrong)
    assert len(caught.value.mistakes) == 2
    settings = Settings.from_environment({**wrong, "AWS_LAMBDA_FUNCTION_NAME": "tokens"})
    with pytest.raises(BadSettings, match="STRATABASE_TOKEN_MINUTES"):
        settings.of(MemberSettings)


def test_a_cold_start_of_a_function_imports_no_settings_of_features() -> None:
    code = (
        "import sys\n"
        "from stratabase.core.settings import Settings\n"
        "Settings.from_environment({'AWS_LAMBDA_FUNCTION_NAME': 'graphql'})\n"
        "print(sorted(each for each in sys.modules if each.endswith('.settings')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "['stratabase.core.settings']\n"


def test_settings_of_a_feature_can_be_given() -> None:
    given = MemberSettings(token_minutes=7)
    assert Settings(others=(given,)).of(MemberSettings) is given
    assert Settings().of(MemberSettings) == MemberSettings()


def test_a_password_is_as_long_as_the_domain_allows() -> None:
    assert setting_values.MAX_PASSWORD_LENGTH == password.MAX_PASSWORD_LENGTH


def test_the_limits_of_a_document_have_the_defaults_of_the_settings() -> None:
    """Tests and tools use these limits as a service without settings has them."""
    settings, limits = Settings(), Limits()
    assert limits == Limits(
        settings.query_kilobytes * 1024,
        settings.query_depth,
        settings.query_aliases,
        settings.query_directives,
        settings.query_cost,
    )
