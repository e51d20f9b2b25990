"""The OpenAPI document describes the endpoints."""

import json
from typing import Any

import pytest
from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR

from stratabase.core.http.api.openapi.document import ServiceInfo, openapi_document, openapi_endpoint
from stratabase.core.http.base.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.core.http.base.messages import Response
from stratabase.core.http.base.shape import Field, ListShape, Shape
from tests.core.http.documented import SERVICE
from tests.core.http.fakes import FakeServices, endpoints

USER = Shape(
    "user", {"id": Field("An id.", required=True), "notes": Field("A text.", nullable=True, max_length=9)}
)


def operation(**fields: Any) -> Operation:
    return Operation(lambda *_: Response(200), "test", "What a test needs.", **fields)


def test_the_document_of_all_endpoints_is_valid_openapi(fakes: FakeServices) -> None:
    OPENAPI_31_VALIDATOR.validate(openapi_document(SERVICE, endpoints(fakes)))


def test_building_the_document_is_deterministic(fakes: FakeServices) -> None:
    created = [
        json.dumps(openapi_document(SERVICE, dict(order(endpoints(fakes).items()))))
        for order in (list, reversed)
    ]
    assert created[0] == created[1]


def test_only_enabled_security_schemes_are_listed() -> None:
    created = openapi_document(
        ServiceInfo("Hr", "1", ("Bearer",)), {"/auth/x": Endpoint({"GET": operation()})}
    )
    assert list(created["components"]["securitySchemes"]) == ["Bearer"]
    assert created["paths"]["/auth/x"]["get"]["security"] == [{"Bearer": []}]


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
