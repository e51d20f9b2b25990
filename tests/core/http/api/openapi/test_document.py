"""The OpenAPI document describes the endpoints."""

import json
from typing import Any

import pytest
from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR

from stratabase.core.http.api.openapi.document import ServiceInfo, openapi_document, openapi_endpoint
from stratabase.core.http.base.endpoint import Endpoint, ErrorFormat, Operation, Parameter, ResponseSpec
from stratabase.core.http.base.messages import Response
from stratabase.core.http.base.shape import Field, ListShape, Shape
from tests.core.http.documented import SERVICE
from tests.core.http.fakes import FakeServices, endpoints

USER = Shape(
    "user", {"id": Field("An id.", required=True), "notes": Field("A text.", nullable=True, max_length=9)}
)


def operation(**fields: Any) -> Operation:
    return Operation(lambda *_: Response(200), "test", "What a test needs.", **fields)


def described(resource: str = "/auth/x/users", method: str = "GET", **fields: Any) -> Any:
    """Return the description of an operation, with all references resolved."""
    created = openapi_document(SERVICE, {resource: Endpoint({method: operation(**fields)})})
    OPENAPI_31_VALIDATOR.validate(created)
    return resolved(created["paths"][resource][method.lower()], created["components"])


def resolved(part: Any, components: Any) -> Any:
    if isinstance(part, list):
        return [resolved(each, components) for each in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        kind, name = part["$ref"].split("/")[2:]
        return resolved(components[kind][name], components)
    return {name: resolved(each, components) for name, each in part.items()}


def test_the_document_of_all_endpoints_is_valid_openapi(fakes: FakeServices) -> None:
    OPENAPI_31_VALIDATOR.validate(openapi_document(SERVICE, endpoints(fakes)))


def test_building_the_document_is_deterministic(fakes: FakeServices) -> None:
    created = [
        json.dumps(openapi_document(SERVICE, dict(order(endpoints(fakes).items()))))
        for order in (list, reversed)
    ]
    assert created[0] == created[1]


def test_the_document_has_title_version_and_schemes() -> None:
    created = openapi_document(SERVICE, {})
    assert (created["openapi"], created["info"]["title"], created["info"]["version"]) == (
        "3.1.0",
        "Stratabase: Hr",
        "1.2.3",
    )
    assert created["components"]["securitySchemes"]["Bearer"]["bearerFormat"] == "JWT"


def test_only_enabled_security_schemes_are_listed() -> None:
    created = openapi_document(
        ServiceInfo("Hr", "1", ("Bearer",)), {"/auth/x": Endpoint({"GET": operation()})}
    )
    assert list(created["components"]["securitySchemes"]) == ["Bearer"]
    assert created["paths"]["/auth/x"]["get"]["security"] == [{"Bearer": []}]


@pytest.mark.parametrize(
    ("resource", "security", "statuses"),
    [("/auth/x", [{"Bearer": []}, {"Basic": []}], {"401", "403"}), ("/public/x", [], set())],
)
def test_an_authenticated_operation_documents_its_security(
    resource: str, security: list[Any], statuses: set[str]
) -> None:
    said = described(resource)
    assert said["security"] == security
    assert {"401", "403"} & said["responses"].keys() == statuses


def test_a_shape_has_one_schema_for_json_and_xml() -> None:
    created = openapi_document(
        SERVICE,
        {
            "/auth/x": Endpoint({"POST": operation(body=USER, responses={200: ResponseSpec("It.", USER)})}),
            "/auth/xs": Endpoint(
                {"GET": operation(responses={200: ResponseSpec("All.", ListShape("users", USER))})}
            ),
        },
    )
    reference = {"schema": {"$ref": "#/components/schemas/User"}}
    several = {
        "schema": {"type": "array", "items": reference["schema"], "xml": {"name": "users", "wrapped": True}}
    }
    post, get = created["paths"]["/auth/x"]["post"], created["paths"]["/auth/xs"]["get"]
    assert post["requestBody"] == {
        "required": True,
        "content": {"application/json": reference, "application/xml": reference},
    }
    assert post["responses"]["200"]["content"] == post["requestBody"]["content"]
    assert get["responses"]["200"]["content"] == {"application/json": several, "application/xml": several}
    assert created["components"]["schemas"]["User"] == {
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "An id."},
            "notes": {"type": ["string", "null"], "description": "A text.", "maxLength": 9},
        },
        "required": ["id"],
        "additionalProperties": False,
        "xml": {"name": "user"},
    }


def test_a_response_only_shape_allows_additional_properties() -> None:
    created = openapi_document(
        SERVICE, {"/auth/x": Endpoint({"GET": operation(responses={200: ResponseSpec("It.", USER)})})}
    )
    assert "additionalProperties" not in created["components"]["schemas"]["User"]


def test_two_shapes_cannot_share_a_name() -> None:
    other = Operation(lambda *_: Response(200), "test", "", body=Shape("user"))
    with pytest.raises(ValueError, match="two shapes are called User"):
        openapi_document(SERVICE, {"/auth/x": Endpoint({"POST": other, "PUT": operation(body=USER)})})


@pytest.mark.parametrize(
    ("manner", "media"),
    [
        (ErrorFormat.PROBLEM, ["application/problem+json", "application/problem+xml"]),
        (ErrorFormat.PROBLEM_JSON, ["application/problem+json"]),
        (ErrorFormat.TEXT, ["text/plain"]),
    ],
)
def test_refusals_use_the_error_format_of_the_operation(manner: ErrorFormat, media: list[str]) -> None:
    said = described(error_format=manner, responses={404: ResponseSpec("None.")})
    assert list(said["responses"]["404"]["content"]) == media
    assert list(said["responses"]["401"]["content"]) == media
    assert "WWW-Authenticate" in said["responses"]["401"]["headers"]


@pytest.mark.parametrize(
    ("status", "media"),
    [("413", ["text/plain", "application/problem+json"]), ("431", ["application/problem+json"])],
)
def test_gateway_errors_are_json_even_for_text_operations(status: str, media: list[str]) -> None:
    said = described(error_format=ErrorFormat.TEXT)
    assert list(said["responses"][status]["content"]) == media


@pytest.mark.parametrize(
    ("fields", "there", "missing"),
    [
        ({}, {"400", "413", "429", "431", "500", "503"}, {"404", "415"}),
        ({"body": USER}, {"400", "415"}, set()),
        ({"has_format": False}, {"500"}, {"400"}),
        ({"has_format": False, "query": {"q": Parameter("A question.")}}, {"400"}, set()),
        ({"responses": {404: ResponseSpec("None.")}}, {"404"}, set()),
    ],
)
def test_each_operation_documents_its_statuses(
    fields: dict[str, Any], there: set[str], missing: set[str]
) -> None:
    statuses = set(described(**fields)["responses"])
    assert (there - statuses, missing & statuses) == (set(), set())


def test_path_and_query_parameters_are_documented() -> None:
    query = {"q": Parameter("A question.", required=True)}
    endpoint = Endpoint({"GET": operation(query=query)}, {"id": Parameter("An id.", example="7")})
    path = openapi_document(SERVICE, {"/auth/x/{id}": endpoint})["paths"]["/auth/x/{id}"]
    assert path["parameters"] == [
        {
            "name": "id",
            "in": "path",
            "description": "An id.",
            "required": True,
            "schema": {"type": "string"},
            "example": "7",
        }
    ]
    form, asked = path["get"]["parameters"]
    assert form == {"$ref": "#/components/parameters/format"}
    assert (asked["name"], asked["in"], asked["required"]) == ("q", "query", True)


def test_format_is_a_parameter_with_a_default() -> None:
    (form,) = described()["parameters"]
    assert (form["name"], form["schema"]["enum"], form["schema"]["default"]) == (
        "format",
        ["json", "xml"],
        "json",
    )


def test_a_documented_status_keeps_its_standard_headers() -> None:
    said = described(responses={503: ResponseSpec("Full.", headers={"Location": "Where else."})})
    assert said["responses"]["503"]["description"] == "Full."
    assert set(said["responses"]["503"]["headers"]) == {"Retry-After", "Location"}


def test_an_undocumented_path_parameter_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"/auth/x/\{id\} does not say what id is"):
        openapi_document(SERVICE, {"/auth/x/{id}": Endpoint({"GET": operation()})})


def test_the_document_contains_the_address_of_the_service(send: Any) -> None:
    reply = send("GET", "/public/openapi.json")
    created = reply.json()
    OPENAPI_31_VALIDATOR.validate(created)
    assert reply.status == 200
    assert created["servers"] == [{"url": "https://api.example.com/prod"}]
    assert "/public/openapi.json" in created["paths"]
    assert reply.headers["Cache-Control"] == ["no-cache"]


def test_a_client_with_the_current_document_gets_304(send: Any) -> None:
    (tag,) = send("GET", "/public/openapi.json").headers["ETag"]
    for kept in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        reply = send("GET", "/public/openapi.json", headers={"If-None-Match": kept})
        assert (reply.status, reply.body, reply.headers["ETag"]) == (304, "", [tag])
    assert send("GET", "/public/openapi.json", headers={"If-None-Match": '"other"'}).status == 200


def test_the_document_is_built_only_when_it_is_requested() -> None:
    def others() -> dict[str, Endpoint]:
        raise AssertionError

    assert list(openapi_endpoint(SERVICE, others).operations) == ["GET"]
