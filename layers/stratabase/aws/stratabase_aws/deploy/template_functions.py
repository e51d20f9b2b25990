"""The functions that the template declares, beside those that this version of Stratabase serves."""

from pathlib import Path

from stratabase.core.features import FEATURES
from stratabase.terminal.command_error import CommandError
from stratabase_aws.deploy.template_parameters import TEMPLATE_FILE, read_template_document

_FUNCTION = "AWS::Serverless::Function"
_FOLDER = "functions"


def require_functions(path: Path = TEMPLATE_FILE) -> None:
    """Raise CommandError if a template of a project lacks functions, since it is of an earlier version.

    The roles in such a template can lack permissions, too, without which nobody can sign in.
    """
    resources = read_template_document(path).get("Resources") or {}
    folders = (each["Properties"].get("CodeUri") for each in resources.values() if each["Type"] == _FUNCTION)
    found = {Path(str(folder)).name for folder in folders if Path(str(folder)).parent.name == _FOLDER}
    served = list(dict.fromkeys(name for feature in FEATURES for name in feature.routes))
    missing = [name for name in served if name not in found]
    if found and missing:
        raise CommandError(
            f"{path.name} is of an earlier version of Stratabase: it has no function {', '.join(missing)}. "
            "The other functions may lack permissions that they need now. To take over what changed, create "
            "an empty project with this version, and compare: "
            "stratabase init --aws ../new && diff -r ../new ."
        )
