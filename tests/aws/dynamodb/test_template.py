"""The table of the template has the layout of the engine."""

from typing import Any

import pytest
from cfnlint.decode.cfn_yaml import load

from stratabase_aws.dynamodb.table import table_definition
from tests.repository import ROOT

TEMPLATE = ROOT / "template.yaml"


@pytest.fixture(scope="module")
def table() -> Any:
    return load(str(TEMPLATE))["Resources"]["Table"]


def test_the_table_of_the_template_has_the_keys_and_indexes_of_the_engine(table: Any) -> None:
    expected = table_definition("x")

    for field in ("BillingMode", "KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes"):
        assert table["Properties"][field] == expected[field], field


def test_the_table_is_kept_by_its_stack(table: Any) -> None:
    # A table of a stack whose creation fails is empty, so it is not kept. Protection against deletion would
    # keep it too, so the deployment switches it on afterwards.
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    assert "DeletionProtectionEnabled" not in table["Properties"]
    assert table["Properties"]["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
