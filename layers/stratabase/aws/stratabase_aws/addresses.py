"""The address of an AWS service: its URL, the region of its signatures, its certificates, and its proxy.

Botocore's own clients find all of this themselves. A client that signs its requests itself asks here, so that
the variables and files that configure AWS have the same effect on all clients: `AWS_ENDPOINT_URL`,
`AWS_ENDPOINT_URL_DYNAMODB`, `AWS_USE_FIPS_ENDPOINT`, `AWS_USE_DUALSTACK_ENDPOINT`, `AWS_CA_BUNDLE`,
`HTTPS_PROXY`, and the same in a profile.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stratabase.core.unusable_store import UnusableStore
from stratabase_aws.endpoint import AwsEndpoint, new_session


class ServiceAddress(NamedTuple):
    """Where a service is, and how to reach it."""

    url: str
    signing_region: str
    """The region in the signatures of requests."""
    certificates: str | None = None
    """The path of a file with the certificate authorities to trust. None stands for those of the machine."""
    proxy: str | None = None
    """The URL of the HTTP proxy to use."""


def find_address(service: str, endpoint: AwsEndpoint) -> ServiceAddress:
    """Return the address of a service such as `dynamodb`. `endpoint.url` precedes all other configuration.

    Raises UnusableStore if the service has no such address, such as a FIPS address in most regions.
    """
    session = new_session()
    configured = endpoint.url or _configured_url(session, service)
    url, signing_region = (
        (configured, endpoint.region) if configured else _resolve(session, service, endpoint.region)
    )
    return ServiceAddress(url, signing_region, _certificates(session), _proxy(url))


def _configured_url(session: Any, service: str) -> str | None:
    from botocore.configprovider import ConfiguredEndpointProvider  # noqa: PLC0415 - loaded by now

    if session.get_config_variable("ignore_configured_endpoint_urls"):
        return None
    provider = ConfiguredEndpointProvider(
        full_config=session.full_config, scoped_config=session.get_scoped_config(), client_name=service
    )
    url: str | None = provider.provide()
    return url


def _resolve(session: Any, service: str, region: str) -> tuple[str, str]:
    """Return the URL of AWS, and the region of the signatures, by botocore's rules for the service."""
    from botocore.endpoint_provider import EndpointProvider  # noqa: PLC0415 - loaded by now
    from botocore.exceptions import EndpointProviderError, InvalidRegionError  # noqa: PLC0415
    from botocore.utils import validate_region_name  # noqa: PLC0415

    loader = session.get_component("data_loader")
    provider = EndpointProvider(
        ruleset_data=loader.load_service_model(service, "endpoint-rule-set-1"),
        partition_data=loader.load_data("partitions"),
    )
    try:
        validate_region_name(region)
        found = provider.resolve_endpoint(
            Region=region,
            UseFIPS=bool(session.get_config_variable("use_fips_endpoint")),
            UseDualStack=bool(session.get_config_variable("use_dualstack_endpoint")),
        )
    except (EndpointProviderError, InvalidRegionError) as error:
        raise UnusableStore(
            f'AWS_REGION: AWS has no address for {service} in "{region}": {error} Check the region, '
            "AWS_USE_FIPS_ENDPOINT and AWS_USE_DUALSTACK_ENDPOINT."
        ) from error
    schemes: Sequence[Any] = found.properties.get("authSchemes") or ({},)
    return found.url, schemes[0].get("signingRegion", region)


def _certificates(session: Any) -> str | None:
    path: str | None = (
        session.get_config_variable("ca_bundle") or os.environ.get("REQUESTS_CA_BUNDLE") or None
    )
    if path is not None and not Path(path).exists():
        raise UnusableStore(f"AWS_CA_BUNDLE: the file {path} does not exist.")
    return path


def _proxy(url: str) -> str | None:
    from botocore.utils import get_environ_proxies  # noqa: PLC0415 - loaded by now

    proxy: str | None = get_environ_proxies(url).get(url.partition(":")[0])
    if proxy and "://" not in proxy:
        return f"http://{proxy}"
    if proxy and not proxy.startswith("http://"):
        raise UnusableStore(
            "HTTPS_PROXY: Stratabase needs a proxy whose address begins with http:// to reach DynamoDB. "
            "Use such a proxy, or set STRATABASE_AWS_CLIENT=botocore."
        )
    return proxy
