"""The table of the template has the layout of the engine."""

from pathlib import Path
from typing import Any

import pytest
from cfnlint.decode.cfn_yaml import load

from stratabase.store.dynamodb.table import table_definition

TEMPLATE = Path(__file__).parents[3] / "template.yaml"


@pytest.fixture(scope="module")
def table() -> Any:
    return load(str(TEMPLATE))["Resources"]["Table"]


def test_the_table_of_the_template_has_the_keys_and_indexes_of_the_engine(table: Any) -> None:
    expected = table_definition("x")

    for field in ("BillingMode", "KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes"):
        assert table["Properties"][field] == expected[field], field


def test_the_table_is_protected_against_deletion(table: Any) -> None:
    # A table of a stack whose creation fails is empty, so it is not kept.
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    assert table["Properties"]["DeletionProtectionEnabled"] is True
    assert table["Properties"]["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
