"""The page docs/costs.md, from the measured figures and the prices."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.costs.bill import (
    HOURS,
    LARGE,
    MIX,
    NOT_IN_APPSYNC,
    SMALL,
    Bill,
    Container,
    Month,
    Row,
    Usage,
    by_group,
    dollars,
    times,
)
from benchmarks.costs.markdown import exact, money, quantity, rounded, table, wrapped
from benchmarks.costs.prices import GROUPS, MILLION, PRICES

PEAK = 4
"""How many times the mean rate of requests a container must bear."""
UTILIZATION = 0.5
"""The share of its CPU that a container should use at most."""


def render(bill: Bill) -> str:
    """Return the page."""
    parts = (_introduction(bill), _operations(bill), _months(bill), _assumptions(bill), _prices())
    return "\n".join(wrapped(text) for part in parts for text in part)


def _introduction(bill: Bill) -> Iterator[str]:
    measured = bill.measured
    yield f"""<!-- Generated: run `make costs`. To measure anew first: `make costs MEASURE=1`. -->

# Costs on AWS

This page estimates what requests cost on AWS in us-east-1. It is generated from three files in
`benchmarks/costs`: the measured figures (`measured.json`), the prices (`prices.py`), and the assumptions
(`bill.py`). To change a price or an assumption, edit its file and run `make costs`. To measure again, run
`make costs MEASURE=1`.

**Check the prices before you rely on them.** They change, and differ between Regions. [The table of
prices](#prices) says which of them no public source confirmed. Free tiers, discounts, support plans and
taxes aren't included. Nothing on this page was measured on a real AWS account.

The figures are from {measured["date"]} ({measured["machine"]}, load average {measured["load"]}). The
deployed functions ran in AWS's runtime client with the packages of the layers, over an emulator of AWS,
with `AwsClient=signed`.{_later(measured)} The default, botocore's client, takes 1 to 2 ms of CPU time
more for a request: 0.03 to 0.05 dollars for a million.
"""


def _later(measured: Mapping[str, Any]) -> str:
    """Return a sentence about rows that were measured after the others, if there are any."""
    later = measured.get("later")
    if later is None:
        return ""
    return (
        f" The {later['rows']} rows of sign-ins, API keys and the console, and the sweep, are from "
        f"{later['date']}, with a load average of {later['load']}, which makes CPU times longer."
    )


def _operations(bill: Bill) -> Iterator[str]:
    yield f"""## What was measured

Objects have about 500 bytes and are in one index, unless the table says otherwise. Round trips that run
in parallel count as one. Read and write units are those of DynamoDB, computed from the sizes of the
items. The CPU time is the mean of {bill.measured["requests"]} requests in a warm process, or of 40 for
files and sign-ins. The billed time is an [estimate](#assumptions). The size of the answer includes its
headers; answers are compressed.
"""
    yield from table(
        ("operation", *("round trips", "read units", "write units", "S3 requests", "CPU, ms", "billed, ms")),
        (_measured_row(bill, row) for row in bill.rows.values()),
        last=("answer, bytes",),
    )
    yield """
A sign-in begins a session in the record of the member, with an entry of the audit trail, in one commit.
With a provider, the browser leaves and comes back, and the front end exchanges the code: three requests.
Each session makes the record larger, up to 50 of them. A record of more than 1 KB costs more write units,
and one of more than 4 KB more read units.

To open the console is to load its page and its files. Browsers keep the files until a new version has
others. What the console shows are operations of this table.

Caches are warm: a process keeps a member for a few seconds, so most requests don't pay for
authentication. Add the row *authenticating a request* to each request whose member is in no cache. Upload
and bind belong together.

## A million of each operation

US dollars. *Gateway* is API Gateway, and *files* are requests to S3. The last column is the same
operation with AppSync, [as described below](#appsync-with-dynamodb).
"""
    groups = ("Gateway", "Compute", "Database", "Files", "Logs", "Data out")
    yield from table(
        ("operation", *groups, "total"),
        (_cost_row(bill, row, groups) for row in bill.rows.values()),
        last=("AppSync",),
    )
    yield ""
    yield from _operations_in_words(bill)


def _measured_row(bill: Bill, row: Row) -> Sequence[str]:
    files = sum(count for name, count in row["calls"].items() if name.startswith("s3:"))
    numbers = (row["round_trips"], row["read_units"], row["write_units"], files, row["cpu_ms"])
    size = f"{row['response_bytes']:,}" if row["response_bytes"] else ""
    return (row["name"], *(f"{number:g}" for number in numbers), str(bill.billed_ms(row)), size)


def _cost_row(bill: Bill, row: Row, groups: Sequence[str]) -> Sequence[str]:
    usage = times(MILLION, bill.request(row))
    each = by_group(usage)
    other = dollars(times(MILLION, bill.appsync_request(row)))
    shown = (*(each[group] for group in groups), dollars(usage))
    return (
        row["name"],
        *map(money, shown),
        "" if row["name"] in NOT_IN_APPSYNC else money(other),
    )


def _operations_in_words(bill: Bill) -> Iterator[str]:
    compared = [row for name, row in bill.rows.items() if name not in NOT_IN_APPSYNC]
    more = [row for row in compared if dollars(bill.request(row)) > dollars(bill.appsync_request(row))]
    get = bill.rows["get by id"]
    parts = by_group(bill.request(get))
    gateway = parts["Gateway"] / sum(parts.values())
    count = "All" if len(more) == len(compared) else f"{len(more)} of"
    numbers = f"{count} {len(compared)} operations"
    yield f"""The gateway is {gateway:.0%} of the cost of a get. {numbers} cost more with Stratabase than with
AppSync{_worst(bill, more)}. An operation of AppSync costs half a dollar a million more than a request of
API Gateway, but it needs no Lambda function, which also writes lines to the log.
"""


def _worst(bill: Bill, rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    row = max(rows, key=lambda each: dollars(bill.request(each)) - dollars(bill.appsync_request(each)))
    own, other = (dollars(times(MILLION, usage(row))) for usage in (bill.request, bill.appsync_request))
    return f". The largest difference is *{row['name']}*: {money(own)} and {money(other)} dollars a million"


def _months(bill: Bill) -> Iterator[str]:
    yield """## A month

Both services have the same mix of requests:
"""
    yield from table(
        ("operation", "share of the requests"), ((name, f"{share:.0%}") for name, share in MIX.items())
    )
    for month in (SMALL, LARGE):
        yield from _month(bill, month)
    yield from _without_requests(bill)
    yield from _others(bill)


def _month(bill: Bill, month: Month) -> Iterator[str]:
    container = month.container
    yield f"""
### A {month.name} service: {month.requests:,.0f} requests

{month.table_gb:,.0f} GB in the tables with their indexes, {month.files_gb:,.0f} GB of files.
{month.cold:.1%} of the requests start a process, and {month.uncached:.0%} read their member. US dollars a
month:
"""
    single = _alone(container)
    columns: Sequence[Usage] = (
        bill.month(month),
        bill.appsync_month(month),
        bill.container_month(month, container),
        bill.container_month(month, single),
    )
    groups = [by_group(usage) for usage in columns]
    names = ("Stratabase", "AppSync", "containers", "one container")
    rows = [(name, *(money(each[name]) for each in groups)) for name in GROUPS]
    totals = [dollars(usage) for usage in columns]
    yield from table(("", *names), (*rows, ("**total**", *(f"**{money(each)}**" for each in totals))))
    yield ""
    yield _compared(totals, names)


def _compared(totals: Sequence[float], names: Sequence[str]) -> str:
    own, *others = totals
    cheaper = [name for name, amount in zip(names[1:], others, strict=True) if amount < own]
    if not cheaper:
        return "Stratabase costs the least."
    words = " and ".join([", ".join(cheaper[:-1]), cheaper[-1]] if len(cheaper) > 1 else cheaper)
    return f"Stratabase costs more than {words}."


def _without_requests(bill: Bill) -> Iterator[str]:
    idle = bill.idle()
    metrics = idle["metric_month"]
    sweep = dollars(
        idle, ("lambda_request", "lambda_gb_second", "read_unit", "write_unit", "log_gb", "s3_get")
    )
    pair, single = (_break_even(bill, each) for each in (SMALL.container, _alone(SMALL.container)))
    yield f"""
### What a month costs without requests

{money(dollars(idle))} dollars, plus the storage. {money(dollars(idle, ("metric_month",)))} of them are
{metrics:.0f} custom metrics, which the request lines of the functions publish. CloudWatch bills a metric
only for the hours in which it has values, so a service without requests costs less. The dashboard, the
alarms, which are billed by the metrics that they watch, and the secret cost
{money(dollars(idle, ("dashboard_month", "alarm_month", "secret_month")))} dollars, and the sweep every
five minutes {money(sweep)} dollars. Two alarms are queries, of which CloudWatch bills the metrics that they
read. These exist only once DynamoDB has refused requests; here, they all count. The free tier of CloudWatch
includes 10 metrics, 10 alarms that aren't queries, and 3 dashboards.

With the figures of the small service, the two containers become cheaper at about {rounded(pair)} requests
a month, and one container without a standby at about {rounded(single)}, as long as these containers can
bear the load.
"""


def _alone(container: Container) -> Container:
    """Return the same container without a second task and without a standby."""
    return replace(container, tasks=1, databases=1)


def _break_even(bill: Bill, container: Container) -> float:
    """Return the number of requests at which a container costs as much as the small service."""
    empty = replace(SMALL, requests=0)
    own, other = dollars(bill.month(empty)), dollars(bill.container_month(empty, container))
    own_requests = dollars(bill.month(SMALL)) - own
    other_requests = dollars(bill.container_month(SMALL, container)) - other
    return SMALL.requests * (other - own) / (own_requests - other_requests)


def _others(bill: Bill) -> Iterator[str]:
    mean = bill.cpu_ms_per_request()
    rate = LARGE.requests / (HOURS * 3600)
    vcpus = rate * mean / 1000 * PEAK / UTILIZATION
    large, small = LARGE.container, SMALL.container
    yield f"""### AppSync with DynamoDB

AppSync resolves each request directly in DynamoDB, without Lambda. The estimate assumes that its
resolvers read and write the same items, so that the units are the same. Files move with signed URLs, so
the requests to S3 are the same too. It also assumes a log line of the same size. AppSync has no locks, no
history, no cardinalities and no grants: you would write these as resolvers. Users, with their passwords
and tokens, would be in Cognito, whose price per active user isn't included. For operations with many
objects, direct resolvers may need several steps, or a Lambda function.

### Containers with PostgreSQL

Fargate tasks behind an Application Load Balancer, and PostgreSQL on RDS with a standby in another zone.
The column *one container* has one task and no standby, so each failure and each maintenance interrupts
the service.

- The small service: {small.tasks} tasks of {small.vcpus:g} vCPU and {small.gigabytes:g} GB, db.t4g.micro,
  {small.database_gb:g} GB.
- The large service: {large.tasks} tasks of {large.vcpus:g} vCPU and {large.gigabytes:g} GB,
  db.t4g.medium, {large.database_gb:g} GB. {LARGE.requests:,.0f} requests a month are {rate:.0f} a second.
  With the mean CPU time of the mix ({mean:.1f} ms), {PEAK} times the mean rate at peak, and
  {UTILIZATION:.0%} utilization, they need {vcpus:.1f} vCPU. The size of the database is a guess: nothing
  was measured with PostgreSQL.
- Tasks have public addresses. NAT gateways cost more.
- Containers don't scale to peaks beyond the assumed one, and someone has to update and watch them. A
  service that you write yourself may need less or more CPU time than Stratabase.
"""


def _assumptions(bill: Bill) -> Iterator[str]:
    given = bill.assumptions
    cold, log_bytes = bill.measured["cold_cpu_ms"], bill.rows["get by id"]["log_bytes"]
    yield f"""## Assumptions

- Lambda bills the time of a request: its CPU time divided by the share of a vCPU that the function has,
  plus its round trips. A function with {given.vcpu_megabytes:,.0f} MB has one vCPU. The functions have
  the memory that `template.yaml` gave by default when measured, so 1,024 MB are 0.58 vCPU.
- A vCPU of Lambda is as fast as a core of the measuring machine (factor {given.cpu_factor:g}). Two runs
  on the same day differed by up to a third, and other work on the machine makes the CPU times longer
  rather than shorter.
- A round trip to DynamoDB takes {given.dynamodb_ms:g} ms, and one to S3 {given.s3_ms:g} ms. These are
  typical values, not measured.
- A download takes as long as the function needs for it. A slow client makes it longer, because API
  Gateway and Lambda buffer only a part.
- The first request of a process costs {cold["graphql"]} ms of CPU time in the function graphql
  ({cold["tokens"]} ms in tokens, {cold["signin"]} ms in signin, {cold["files"]} ms in files,
  {cold["download"]} ms in download, {cold["console"]} ms in console). Lambda bills it. Loading
  the code from the layers isn't included.
- Lambda bills the time for which the function signin waits for an identity provider, too. It isn't
  included.
- Each request logs its own line ({log_bytes} bytes for a get), {given.runtime_log_bytes} bytes by Lambda
  and {given.access_log_bytes} bytes by API Gateway. Storage of the logs isn't included, nor are traces,
  the web ACL, KMS keys and provisioned concurrency, which are off by default.
- Requests are no retries, and no refusals by conflicts. A write that DynamoDB refuses costs units too.
- TLS and the headers of API Gateway aren't in the size of answers. Data into AWS is free. A GB has 10⁹
  bytes.
- API Gateway bills a streamed answer of more than 10 MB as one request for each 10 MB. The download of 1
  MB is one request.

If one of these assumptions changes, the large service no longer costs {money(dollars(bill.month(LARGE)))}
dollars a month, but:
"""
    changes: Mapping[str, Mapping[str, Any]] = {
        "a vCPU of Lambda takes twice the CPU time": {"cpu_factor": 2 * given.cpu_factor},
        "a round trip to DynamoDB takes twice as long": {"dynamodb_ms": 2 * given.dynamodb_ms},
        "Lambda and API Gateway log nothing": {"runtime_log_bytes": 0, "access_log_bytes": 0},
    }
    changed = {name: replace(bill, assumptions=replace(given, **each)) for name, each in changes.items()}
    months = {name: each.month(LARGE) for name, each in changed.items()}
    months["each request reads its member"] = bill.month(replace(LARGE, uncached=1))
    months["a hundredth of the requests starts a process"] = bill.month(replace(LARGE, cold=0.01))
    yield from table(("change", "dollars"), ((name, money(dollars(each))) for name, each in months.items()))
    yield ""


def _prices() -> Iterator[str]:
    yield """## Prices

us-east-1, US dollars, the first tier. The date is that of the public text in which the price was read.
For those that are not confirmed, none was found.
"""
    yield from table(
        ("service", "price", "for", "date"),
        (
            (
                price.service,
                exact(price.dollars),
                quantity(price.per, price.unit),
                price.seen,
            )
            for price in PRICES.values()
        ),
    )
    yield ""
