"""Addresses of AWS are those that botocore's own clients use."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from stratabase.core.unusable_store import UnusableStore
from stratabase_aws.addresses import ServiceAddress, find_address
from stratabase_aws.endpoint import AwsEndpoint, new_session

FIPS = {"AWS_USE_FIPS_ENDPOINT": "true"}
DUAL_STACK = {"AWS_USE_DUALSTACK_ENDPOINT": "true"}
SWITCHES: tuple[Mapping[str, str], ...] = (
    {},
    FIPS,
    DUAL_STACK,
    FIPS | DUAL_STACK,
    {"AWS_ENDPOINT_URL": "https://proxy.example.com:8443"},
    FIPS | {"AWS_ENDPOINT_URL": "https://proxy.example.com"},
    {"AWS_ENDPOINT_URL": "http://all.test", "AWS_ENDPOINT_URL_DYNAMODB": "http://dynamodb.test"},
    {"AWS_ENDPOINT_URL_S3": "http://s3.test"},
    {"AWS_ENDPOINT_URL": "http://all.test", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"},
)
REGIONS_OF_SWITCHES = (
    "us-east-1",
    "eu-south-1",
    "ca-central-1",
    "us-gov-west-1",
    "cn-north-1",
    "us-iso-east-1",
    "eusc-de-east-1",
    "local",
    "xx-new-9",
)


def all_regions() -> list[str]:
    session = new_session()
    partitions = session.get_component("data_loader").load_data("partitions")["partitions"]
    return sorted({region for each in partitions for region in each["regions"] if "global" not in region})


@pytest.fixture(autouse=True)
def _nothing_is_configured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = {name for switches in SWITCHES for name in switches} | {"AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE"}
    proxies = {"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"}
    for name in names | proxies | {"AWS_PROFILE", "AWS_DEFAULT_REGION"}:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))


class Unsent(Exception):
    """A request that was caught before it was sent."""


def botocore_address(region: str) -> ServiceAddress:
    """Return where botocore's client of DynamoDB sends a request."""
    caught: list[Any] = []

    def catch(request: Any, **_: Any) -> AWSResponse:
        caught.append(request)
        raise Unsent

    client = new_session().create_client(
        "dynamodb",
        region_name=region,
        aws_access_key_id="key",
        aws_secret_access_key="secret",
        config=Config(retries={"total_max_attempts": 1}),
    )
    client.meta.events.register("before-send.dynamodb", catch)
    with pytest.raises(Unsent):
        client.list_tables()
    session = client._endpoint.http_session
    (request,) = caught
    scope = request.headers["Authorization"].decode().split("Credential=")[1].split(",")[0]
    url = request.url.removesuffix("/")
    proxy = session._proxy_config.proxy_url_for(url)
    certificates = None if session._verify is True else session._verify
    client.close()
    return ServiceAddress(url, scope.split("/")[2], certificates, proxy)


@pytest.mark.parametrize("switches", SWITCHES, ids=" ".join)
def test_addresses_equal_those_of_botocore(
    switches: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in switches.items():
        monkeypatch.setenv(name, value)
    regions = REGIONS_OF_SWITCHES if switches else (*all_regions(), *REGIONS_OF_SWITCHES)
    for region in regions:
        assert outcome(lambda: find_address("dynamodb", AwsEndpoint(region))) == outcome(  # noqa: B023
            lambda: botocore_address(region)  # noqa: B023
        ), region


def outcome(find: Any) -> ServiceAddress | None:
    """Return the address, None if there is none."""
    try:
        found: ServiceAddress = find()
    except (UnusableStore, BotoCoreError):
        return None
    return found


def test_all_regions_of_botocore_are_tried() -> None:
    assert {"us-east-1", "cn-north-1", "us-gov-east-1", "us-isob-east-1"} < {*all_regions()}


def test_the_endpoint_of_the_settings_precedes_all_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://other.test")
    monkeypatch.setenv("AWS_USE_FIPS_ENDPOINT", "true")

    found = find_address("dynamodb", AwsEndpoint("eu-south-1", "http://127.0.0.1:4566"))

    assert found == ServiceAddress("http://127.0.0.1:4566", "eu-south-1")


def test_a_profile_configures_addresses(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("[default]\nuse_fips_endpoint = true\n")
    assert find_address("dynamodb", AwsEndpoint("us-east-2")) == botocore_address("us-east-2")
    assert "fips" in find_address("dynamodb", AwsEndpoint("us-east-2")).url


@pytest.mark.parametrize("name", ["AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE"])
def test_certificates_and_proxies_equal_those_of_botocore(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = tmp_path / "bundle.pem"
    bundle.write_text("")
    monkeypatch.setenv(name, str(bundle))
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret@proxy.test:3128")
    monkeypatch.setenv("NO_PROXY", ".amazonaws.com.cn")

    found = find_address("dynamodb", AwsEndpoint("eu-south-1"))

    assert found == botocore_address("eu-south-1")
    assert found.certificates == str(bundle)
    assert found.proxy == "http://me:secret@proxy.test:3128"
    assert find_address("dynamodb", AwsEndpoint("cn-north-1")).proxy is None


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("AWS_CA_BUNDLE", "/nowhere.pem", "AWS_CA_BUNDLE: the file /nowhere.pem does not exist."),
        ("HTTPS_PROXY", "https://proxy.test", "set STRATABASE_AWS_CLIENT=botocore"),
    ],
)
def test_what_cannot_work_is_named(
    name: str, value: str, error: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(UnusableStore, match=error):
        find_address("dynamodb", AwsEndpoint("us-east-1"))


def test_a_region_that_is_no_host_name_is_named() -> None:
    with pytest.raises(UnusableStore, match=r"AWS_REGION: AWS has no address for dynamodb in \"us east\""):
        find_address("dynamodb", AwsEndpoint("us east"))
