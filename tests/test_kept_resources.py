"""No later edit of the template makes anew what holds data: tables, files, and the keys that sign tokens."""

import json
from pathlib import Path
from typing import Any

import pytest
from cfnlint.schema.manager import PROVIDER_SCHEMA_MANAGER

from tests.transformed_template import Resources, read_template_file, transform

RECORD = Path(__file__).parent / "kept_resources.json"
"""What each kept resource is from the first release on. After it, only a new resource changes this file."""
REGENERATING = {
    "AWS::SecretsManager::Secret": ["GenerateSecretString"],
    "AWS::DynamoDB::Table": [
        "KeySchema",
        "AttributeDefinitions",
        "LocalSecondaryIndexes",
        "GlobalSecondaryIndexes",
    ],
}
"""Properties whose change replaces content or an index, although the schema of the type does not say so."""


@pytest.fixture(scope="module")
def resources() -> Resources:
    transformed: Resources = transform()["Resources"]
    return transformed


def properties_that_replace(type_: str) -> list[str]:
    """Return the properties of a type whose change makes a new resource."""
    schema = PROVIDER_SCHEMA_MANAGER.get_resource_schema("us-east-1", type_).schema
    paths = [*schema.get("createOnlyProperties", ()), *schema.get("conditionalCreateOnlyProperties", ())]
    names = [path.split("/")[2] for path in paths]
    assert names, type_
    return sorted({*names, *REGENERATING.get(type_, ())})


def essence(resource: Any) -> Any:
    """Return what of a resource may never change."""
    properties = resource["Properties"]
    kept = {name: properties.get(name) for name in properties_that_replace(resource["Type"])}
    return {"Type": resource["Type"], "Condition": resource.get("Condition"), "Properties": kept}


def test_what_is_kept_is_what_was_deployed_first(resources: Resources) -> None:
    recorded = json.loads(RECORD.read_text())
    assert {name: essence(resources[name]) for name in recorded} == recorded


def test_everything_that_holds_data_is_recorded_and_kept(resources: Resources) -> None:
    types = {"AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SecretsManager::Secret"}
    holding = {name: each for name, each in resources.items() if each["Type"] in types}
    assert holding.keys() == json.loads(RECORD.read_text()).keys()
    for each in holding.values():
        policies = each["DeletionPolicy"], each["UpdateReplacePolicy"]
        assert policies == ("RetainExceptOnCreate", "Retain")


def test_a_change_that_makes_the_keys_anew_is_noticed(resources: Resources) -> None:
    changed = json.loads(json.dumps(resources["SigningKeys"]))
    changed["Properties"]["GenerateSecretString"]["PasswordLength"] = 128
    assert essence(changed) != essence(resources["SigningKeys"])
    renamed = json.loads(json.dumps(resources["Table"]))
    renamed["Properties"]["TableName"] = "objects"
    assert essence(renamed) != essence(resources["Table"])


def test_a_new_version_of_a_layer_makes_new_versions_of_functions() -> None:
    """Otherwise, a changed model or package would not reach the alias that the API calls."""
    template = read_template_file()
    layers = [each for each in template["Resources"].values() if each["Type"].endswith("LayerVersion")]
    assert len(layers) == 4
    before = transform()["Resources"]
    after = transform(contents={"ModelLayer": "s3://bucket/another"})["Resources"]
    versions = [{name for name in each if "FunctionVersion" in name} for each in (before, after)]
    assert len(versions[0]) == 11
    assert versions[0].isdisjoint(versions[1])
