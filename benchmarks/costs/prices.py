"""The prices of AWS in us-east-1, in US dollars. Change a price here, and run `make costs`."""

from typing import NamedTuple

ASSUMED = "2026-11-23, not confirmed"
UNDATED = "a text without a date"


class Price(NamedTuple):
    """A price without free tiers and without discounts for quantities."""

    service: str
    dollars: float
    per: float
    """How many units the price is for."""
    unit: str
    seen: str
    """The date of the public text that states this price."""

    @property
    def each(self) -> float:
        """Return the price of one unit."""
        return self.dollars / self.per


MILLION = 1_000_000
PRICES = {
    "api_request": Price("API Gateway, REST", 3.50, MILLION, "requests", "2025-05-19"),
    "lambda_request": Price("Lambda", 0.20, MILLION, "requests", "2026-05-11"),
    "lambda_gb_second": Price("Lambda, arm64", 0.0000133334, 1, "GB-second", "2026-05-11"),
    "write_unit": Price("DynamoDB, on demand", 0.625, MILLION, "write request units", "2025-07-21"),
    "read_unit": Price("DynamoDB, on demand", 0.125, MILLION, "read request units", "2025-07-21"),
    "table_gb_month": Price("DynamoDB, storage", 0.25, 1, "GB and month", ASSUMED),
    "pitr_gb_month": Price("DynamoDB, point-in-time recovery", 0.20, 1, "GB and month", ASSUMED),
    "s3_put": Price("S3", 0.005, 1_000, "PUT, COPY, POST or LIST requests", UNDATED),
    "s3_get": Price("S3", 0.0004, 1_000, "GET requests", UNDATED),
    "s3_gb_month": Price("S3, storage", 0.023, 1, "GB and month", "2026-03-13"),
    "data_out_gb": Price("Data to the internet", 0.09, 1, "GB", "2025-05-19"),
    "log_gb": Price("CloudWatch, logs", 0.50, 1, "GB", "2026-06-13"),
    "metric_month": Price("CloudWatch, custom metrics", 0.30, 1, "metric and month", "2026-02-15"),
    "alarm_month": Price("CloudWatch, alarms", 0.10, 1, "alarm and month", ASSUMED),
    "dashboard_month": Price("CloudWatch, dashboards", 3.00, 1, "dashboard and month", "2026-06-13"),
    "secret_month": Price("Secrets Manager", 0.40, 1, "secret and month", UNDATED),
    "secret_call": Price("Secrets Manager", 0.05, 10_000, "calls", UNDATED),
    "appsync_operation": Price("AppSync", 4.00, MILLION, "queries and mutations", UNDATED),
    "fargate_vcpu_hour": Price("Fargate, arm64", 0.03238, 1, "vCPU and hour", UNDATED),
    "fargate_gb_hour": Price("Fargate, arm64", 0.00356, 1, "GB and hour", UNDATED),
    "db_micro_hour": Price("RDS for PostgreSQL, db.t4g.micro", 0.016, 1, "hour", "2026"),
    "db_medium_hour": Price("RDS for PostgreSQL, db.t4g.medium", 0.065, 1, "hour", "2026"),
    "db_gb_month": Price("RDS, gp3 storage", 0.115, 1, "GB and month", "2026-06"),
    "alb_hour": Price("Application Load Balancer", 0.0225, 1, "hour", "2026-05-08"),
    "lcu_hour": Price("Application Load Balancer", 0.008, 1, "capacity unit and hour", "2026-05-08"),
    "ipv4_hour": Price("Public IPv4 address", 0.005, 1, "hour", "2024-06-01"),
}
GROUPS = {
    "Gateway": ("api_request", "appsync_operation", "alb_hour", "lcu_hour", "ipv4_hour"),
    "Compute": ("lambda_request", "lambda_gb_second", "fargate_vcpu_hour", "fargate_gb_hour"),
    "Database": ("write_unit", "read_unit", "db_micro_hour", "db_medium_hour"),
    "Storage": ("table_gb_month", "pitr_gb_month", "s3_gb_month", "db_gb_month"),
    "Files": ("s3_put", "s3_get"),
    "Logs": ("log_gb",),
    "Monitoring and secret": (
        "metric_month",
        "alarm_month",
        "dashboard_month",
        "secret_month",
        "secret_call",
    ),
    "Data out": ("data_out_gb",),
}
"""The lines of a bill, with the prices that each one sums up."""
