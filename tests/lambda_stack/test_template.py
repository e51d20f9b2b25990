"""The functions, routes and errors of template.yaml."""

import json
import re
from http import HTTPStatus
from pathlib import Path

import pytest

from stratabase.server.http.errors import HttpError
from stratabase.server.http.responses import problem
from tests.lambda_stack.template import FunctionDeclaration, read_template
from tests.repository import ROOT

OURS = read_template(ROOT / "template.yaml")

SMALL = """
Globals:
  Function:
    Timeout: 7
    Handler: app.handler
    Layers: [!Ref Shared]
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
      Layers: [!Ref Own]
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
    """Tags of CloudFormation are no obstacle, and neither are events that are not routes."""
    template = read_template(written(tmp_path, SMALL))

    assert template.functions == (
        FunctionDeclaration("Pets", tmp_path / "code/pets/shop.py", "sell", 7.0, 256, ("Shared", "Own")),
        FunctionDeclaration("Rest", tmp_path / "app.py", "handler", 7.0, 128, ("Shared",)),
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


def test_every_path_has_a_route_in_our_template() -> None:
    routes = {(route.resource, route.method) for route in OURS.routes}

    assert routes == {
        ("/auth/api/graphql/{application}", "ANY"),
        ("/auth/api/schema/{application}", "ANY"),
        ("/auth/api/model/{application}", "ANY"),
        ("/auth/file/{class}/{name}", "ANY"),
        ("/auth/file/{class}/{name}/{attribute}", "ANY"),
        ("/auth/file/{class}/{name}/pending", "ANY"),
        ("/auth/file/{class}/{name}/pending/{pendingFileId}", "ANY"),
        ("/auth/file/{class}/{name}/pending/{pendingFileId}", "GET"),
        ("/console", "ANY"),
        ("/console/{proxy+}", "ANY"),
        ("/console/assets/{file}", "ANY"),
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
        ("/public/signIn", "ANY"),
        ("/public/signIn", "POST"),
        ("/public/account", "ANY"),
        ("/public/signIn/{provider}", "ANY"),
        ("/public/signIn/{provider}/callback", "ANY"),
        ("/public/signIn/{provider}/signOut", "ANY"),
        ("/public/token/exchange", "ANY"),
        ("/public/token/exchange", "POST"),
        ("/auth/administration/members/{id}/links", "ANY"),
        ("/auth/administration/members/{id}/links/{provider}", "ANY"),
        ("/auth/administration/member", "ANY"),
        ("/auth/administration/members", "ANY"),
        ("/auth/administration/members/{id}", "ANY"),
        ("/auth/administration/members/{id}/keys", "ANY"),
        ("/auth/administration/members/{id}/keys/{key}", "ANY"),
        ("/auth/administration/members/{id}/resetPassword", "ANY"),
        ("/auth/administration/members/{id}/sessions", "ANY"),
        ("/auth/administration/members/{id}/sessions/{session}", "ANY"),
        ("/auth/administration/members/{id}/handOver", "ANY"),
        ("/auth/administration/audit", "ANY"),
        ("/auth/administration/service", "ANY"),
        ("/auth/administration/erasure/{class}/{id}", "ANY"),
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


@pytest.mark.parametrize(
    ("response_type", "status"),
    [
        ("MISSING_AUTHENTICATION_TOKEN", HTTPStatus.METHOD_NOT_ALLOWED),
        ("REQUEST_TOO_LARGE", HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
        ("DEFAULT_5XX", HTTPStatus.BAD_GATEWAY),
        ("INTEGRATION_TIMEOUT", HTTPStatus.GATEWAY_TIMEOUT),
    ],
)
def test_an_error_of_api_gateway_equals_that_of_the_local_server(
    response_type: str, status: HTTPStatus
) -> None:
    """What differs is the text of some errors, and the headers for other origins, which the template adds."""
    declared, local = OURS.responses[response_type], problem(HttpError(status, "why"), "id-1")
    body = json.loads(
        (declared.body or "")
        .replace("$context.error.messageString", '"why"')
        .replace("$context.requestId", "id-1")
    )

    assert declared.status == status
    assert {**body, "detail": "why"} == json.loads(local.body)
    own = {name.decode(): value.decode() for name, value in local.headers}
    assert {**declared.headers, **own} == {**declared.headers}


def test_other_errors_use_the_defaults_of_the_template() -> None:
    """This covers refusals by API Gateway that the local server does not have."""
    declared = OURS.responses["DEFAULT_4XX"]
    assert declared.headers["Content-Type"] == "application/problem+json"
    assert re.search(r'"title": "\$context\.error\.responseType"', declared.body or "")
