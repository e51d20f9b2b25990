"""The template as AWS deploys it: what SAM makes of template.yaml."""

import warnings
from functools import cache
from pathlib import Path
from typing import Any

import boto3
from cfnlint.decode.cfn_yaml import load

ROOT = Path(__file__).parent.parent
POLICY = "arn:aws:iam::aws:policy"


class _ManagedPolicies:
    """The ARNs of AWS's own policies, which SAM adds to the roles of functions."""

    def load(self) -> dict[str, str]:
        return {}


def sam_template() -> Any:
    """Return template.yaml before the transformation."""
    return _plain(load(str(ROOT / "template.yaml")))


@cache
def transformed_template() -> Any:
    """Return template.yaml after the transformation, with the default of each parameter."""
    with warnings.catch_warnings():
        # It uses an interface of jsonschema or pydantic that is deprecated, which is not ours to correct.
        warnings.simplefilter("ignore", DeprecationWarning)
        from samtranslator.parser.parser import Parser  # noqa: PLC0415 - see above
        from samtranslator.translator.translator import Translator  # noqa: PLC0415 - see above

        session = boto3.Session(region_name="eu-south-1")
        source = _without_local_folders(sam_template())
        translator = Translator(_ManagedPolicies().load(), Parser(), boto_session=session)
        return translator.translate(source, parameter_values={})


def _plain(node: Any) -> Any:
    """Return a node without the positions in the file that the linter adds."""
    if isinstance(node, dict):
        return {str(name): _plain(value) for name, value in node.items()}
    if isinstance(node, list):
        return [_plain(value) for value in node]
    return str(node) if isinstance(node, str) else node


def _without_local_folders(template: Any) -> Any:
    """Return a template with addresses in S3 in place of folders, as `sam package` does."""
    for resource in template["Resources"].values():
        for name in ("CodeUri", "ContentUri"):
            if name in resource.get("Properties", {}):
                resource["Properties"][name] = "s3://bucket/key"
    return template
