"""The settings of the local server, beside its address."""

from ipaddress import IPv4Network, IPv6Network
from typing import Annotated

from stratabase.core.setting_values import Variable, one_of, parse_networks, whole_number
from stratabase.values.frozen import frozen

ACCESS_LOGS = ("off", "text", "json")


@frozen
class ServerSettings:
    """The settings of the local server, beside its address."""

    worker_timeout_seconds: Annotated[
        int,
        Variable(
            "STRATABASE_WORKER_TIMEOUT_SECONDS",
            whole_number(0, 3600),
            "After how many seconds of a blocked event loop `serve` stops a worker. 0 means never.",
        ),
    ] = 30
    trusted_proxies: Annotated[
        tuple[IPv4Network | IPv6Network, ...],
        Variable(
            "STRATABASE_TRUSTED_PROXIES",
            parse_networks,
            "The networks of the proxies whose forwarded addresses `serve` believes, separated by commas.",
        ),
    ] = ()
    address_connections: Annotated[
        int,
        Variable(
            "STRATABASE_ADDRESS_CONNECTIONS",
            whole_number(0, 1_000_000),
            "The maximum number of connections that a worker accepts from one address. 0 means no limit.",
        ),
    ] = 1000
    body_megabytes: Annotated[
        int,
        Variable(
            "STRATABASE_BODY_MEGABYTES",
            whole_number(16, 1_000_000),
            "The maximum number of megabytes of all request bodies that a worker has in memory.",
        ),
    ] = 256
    access_log: Annotated[
        str,
        Variable(
            "STRATABASE_ACCESS_LOG",
            one_of(ACCESS_LOGS),
            f"How `serve` logs each request: {', '.join(ACCESS_LOGS)}.",
        ),
    ] = "off"
    slow_request_milliseconds: Annotated[
        int,
        Variable(
            "STRATABASE_SLOW_REQUEST_MILLISECONDS",
            whole_number(0, 3_600_000),
            "From how many milliseconds on `serve` logs a request with its query plans. 0 means never.",
        ),
    ] = 0
