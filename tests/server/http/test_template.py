"""The template defines functions and routes, locally as on AWS."""

import json
import re
from pathlib import Path

import pytest

from stratabase.server.http.errors import ErrorType, GatewayError
from stratabase.server.http.responses import ErrorResponses
from stratabase.server.http.template import FunctionDeclaration, read_template
from stratabase.terminal.command_error import CommandError
from tests.repository import ROOT

OURS = read_template(ROOT / "template.yaml")

SMALL = """
Globals:
  Function:
    Timeout: 7
    Handler: app.handler
Resources:
  Api:
    Type: AWS::Serverless::Api
    Properties:
      StageName: !Ref Stage
      BinaryMediaTypes: [!Sub "${All}", '*/*']
      Name: !If [Test, {Ref: A}, !GetAtt B.C]
  Other:
    Type: AWS::S3::Bucket
  Pets:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: code/pets
      Handler: shop.sell
      MemorySize: 256
      Events:
        Feed: {Type: Api, Properties: {Path: "/pets/{id}", Method: post, RestApiId: !Ref Api}}
        Night: {Type: Schedule, Properties: {Schedule: rate(1 day)}}
  Rest:
    Type: AWS::Serverless::Function
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "template.yaml"
    file.write_text(text)
    return file


def test_functions_and_routes_are_read_and_globals_hold_for_all(tmp_path: Path) -> None:
    """Tags of CloudFormation are no obstacle, and neither are events that are no routes."""
    template = read_template(written(tmp_path, SMALL))

    assert template.functions == (
        FunctionDeclaration("Pets", tmp_path / "code/pets/shop.py", "sell", 7.0, 256),
        FunctionDeclaration("Rest", tmp_path / "app.py", "handler", 7.0, 128),
    )
    assert [(route.resource, route.method, route.function) for route in template.routes] == [
        ("/pets/{id}", "POST", "Pets")
    ]


def test_references_to_parameters_are_their_defaults(tmp_path: Path) -> None:
    text = "Parameters: {Memory: {Default: 512}, Name: {Type: String}}\n" + SMALL.replace(
        "256", "!Ref Memory"
    )
    (pets, _) = read_template(written(tmp_path, text)).functions
    assert pets.memory == 512


@pytest.mark.parametrize(
    ("text", "said"),
    [("a: [", "is not valid YAML"), ("- a list", "not a CloudFormation template"), ("", "not a Cloud")],
)
def test_an_invalid_template_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        read_template(written(tmp_path, text))


def test_a_missing_template_is_reported_with_advice(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="--template"):
        read_template(tmp_path / "nowhere.yaml")


def test_every_path_has_a_route_in_our_template() -> None:
    routes = {(route.resource, route.method) for route in OURS.routes}

    assert routes == {
        ("/auth/api/graphql/{application}", "ANY"),
        ("/auth/api/schema/{application}", "ANY"),
        ("/auth/file/{class}/{name}", "ANY"),
        ("/auth/file/{class}/{name}/{attribute}", "ANY"),
        ("/auth/file/{class}/{name}/pending", "ANY"),
        ("/auth/file/{class}/{name}/pending/{pendingFileId}", "ANY"),
        ("/auth/file/{class}/{name}/pending/{pendingFileId}", "GET"),
        ("/public/health", "ANY"),
        ("/public/health/live", "ANY"),
        ("/public/graphiql", "ANY"),
        ("/public/graphiql/{file}", "ANY"),
        ("/public/openapi.json", "ANY"),
        ("/public/reference", "ANY"),
        ("/public/reference/{file}", "ANY"),
        ("/public/token/getJwtToken", "ANY"),
        ("/public/token/getJwtToken", "POST"),
        ("/auth/token/refreshJwtToken", "ANY"),
        ("/auth/administration/member", "ANY"),
        ("/auth/administration/members", "ANY"),
        ("/auth/administration/members/{id}", "ANY"),
        ("/auth/administration/members/{id}/resetPassword", "ANY"),
        ("/auth/administration/members/{id}/handOver", "ANY"),
        ("/public/administration/setPassword", "ANY"),
        ("/public/administration/setPassword", "POST"),
        ("/public/administration/confirmEmail", "ANY"),
        ("/public/administration/forgotPassword", "ANY"),
        ("/public/administration/forgotPassword", "POST"),
        ("/", "ANY"),
        ("/{proxy+}", "ANY"),
    }


def test_every_function_of_our_template_has_a_file_and_a_sufficient_timeout() -> None:
    for function in OURS.functions:
        assert function.file.is_file()
        assert function.timeout > 29


@pytest.mark.parametrize("error_type", ErrorType)
def test_every_error_of_our_gateway_is_a_problem(error_type: ErrorType) -> None:
    """It uses the text of the template, if there is one, with all variables filled in."""
    response = ErrorResponses(OURS.responses).response(GatewayError(error_type, 'because "so"'), "id-1")

    problem = json.loads(response.body)
    assert (b"Content-Type", b"application/problem+json") in response.headers
    assert response.content_length == len(response.body)
    assert problem["status"] == response.status
    assert problem["title"] == error_type.title or error_type is ErrorType.NO_ROUTE
    assert problem["traceId"] == "id-1"
    assert b"$" not in response.body
    assert error_type is ErrorType.NO_ROUTE or problem["detail"] == 'because "so"'


def test_a_method_without_a_route_is_405_with_what_is_allowed() -> None:
    response = ErrorResponses(OURS.responses).response(GatewayError(ErrorType.NO_ROUTE, "no"), "id-1")

    assert response.status == 405
    assert dict(response.headers)[b"Allow"] == b"DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"


def test_other_errors_use_the_defaults_of_the_template() -> None:
    """This covers refusals by API Gateway that the local gateway does not imitate."""
    for response_type in ("DEFAULT_4XX", "DEFAULT_5XX"):
        declared = OURS.responses[response_type]
        assert declared.headers["Content-Type"] == "application/problem+json"
        assert re.search(r'"title": "\$context\.error\.responseType"', declared.body or "")
