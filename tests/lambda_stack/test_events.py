"""Every event of events/ gets its expected response from the deployed function."""

import gzip
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from stratabase.core.http.base.messages import Response
from stratabase.members.app.member_services import MemberServices
from stratabase_aws.functions import app
from tests.console_build import build_console
from tests.lambda_stack.functions import LambdaFunction, load_function
from tests.lambda_stack.gateway import FunctionRoutes, response_of
from tests.lambda_stack.template import read_template
from tests.repository import ROOT

TEMPLATE = read_template(ROOT / "template.yaml")
ROUTES = FunctionRoutes(TEMPLATE.routes)
EVENTS = {file.stem: json.loads(file.read_text()) for file in (ROOT / "events").glob("*.json")}

ANSWERS = {
    "graphql_query": (200, '"totalCount":'),
    "graphql_create": (200, '"full_name":"Ada"'),
    "graphql_get": (200, '"__typename":"Query"'),
    "graphql_introspection_in_gzip": (200, '"name":"EmployeePage"'),
    "graphql_options": (204, ""),
    "graphql_without_credentials": (401, "Unauthorized"),
    "graphql_with_a_wrong_password": (401, "Unauthorized"),
    "graphql_of_an_unknown_application": (404, "Nowhere"),
    "graphql_with_a_wrong_method": (405, "DELETE"),
    "graphql_with_a_wrong_media_type": (415, "application/json"),
    "graphql_with_broken_json": (400, "JSON"),
    "graphql_with_an_unknown_field": (400, "ValidationError"),
    "schema": (200, "type Employee"),
    "model_description": (200, '"name":"Employee"'),
    "service_report": (200, '"application":"Hr"'),
    "erase_an_unknown_object": (404, "has nothing of Employee"),
    "schema_without_credentials": (401, "Unauthorized"),
    "console": (200, '<base href="/live/console/">'),
    "console_deep_link": (200, '<base href="/live/console/">'),
    "console_file": (200, "Permission is hereby granted"),
    "console_unknown_file": (404, "nothing.js"),
    "graphiql": (200, "<title>GraphiQL · Hr</title>"),
    "graphiql_file": (200, "Permission is hereby granted"),
    "graphiql_unknown_file": (404, "nothing.js"),
    "health": (200, '"store":"reachable"'),
    "health_live": (200, '{"version":'),
    "health_with_a_wrong_method": (405, "POST"),
    "root": (200, '"application":"Hr"'),
    "reference": (200, "<title>API reference · Hr</title>"),
    "reference_file": (200, "swagger-ui-dist"),
    "unknown_address": (404, "/public/nothing"),
    "unknown_address_without_credentials": (401, "Unauthorized"),
    "token": (200, '"token_type":"Bearer"'),
    "token_in_xml": (200, "<token_type>Bearer</token_type>"),
    "token_with_a_wrong_password": (401, "The username or password is incorrect"),
    "token_without_a_password": (400, "password"),
    "sign_in_ways": (200, '[{"name":"password","label":"Username and password","url":'),
    "sign_in_ways_in_xml": (200, "<ways><way><name>password</name><label>Username and password</label><url>"),
    "sign_in_ways_with_a_wrong_method": (405, "PUT"),
    "sign_in_page": (200, '<form id="form" method="post" action="signIn"'),
    "sign_in_with_a_wrong_password": (401, "The username or password is incorrect."),
    "account_page": (200, "Your account"),
    "sign_in_with_an_unknown_provider": (404, "nowhere"),
    "sign_in_callback_of_another_browser": (400, "began in another browser"),
    "sign_out_of_an_unknown_provider": (404, "nowhere"),
    "exchange_of_an_unknown_code": (401, "This code is not valid"),
    "member_links_of_an_unknown_id": (404, "Not Found"),
    "member_link_removal_of_an_unknown_id": (404, "Not Found"),
    "refresh_with_a_password": (401, "To refresh a token"),
    "refresh_with_a_forged_token": (401, "Unauthorized"),
    "member": (200, '"username":"admin"'),
    "members": (200, "<users><user>"),
    "members_create": (201, '"id":'),
    "members_create_with_an_unknown_field": (400, "colour"),
    "member_of_an_unknown_id": (404, "Not Found"),
    "member_delete_of_an_unknown_id": (500, "does not exist"),
    "member_hand_over_to_nobody": (400, "must be the ID of a member"),
    "member_update_without_credentials": (401, "Authorization"),
    "reset_password_of_an_unknown_id": (404, "Not Found"),
    "audit": (200, '"kind":"memberCreated"'),
    "audit_in_xml": (200, "<entries><entry><id>"),
    "audit_with_a_wrong_limit": (400, "limit"),
    "key_end_of_an_unknown_id": (404, "Not Found"),
    "keys_create_without_a_name": (400, "name"),
    "keys_of_an_unknown_id": (404, "Not Found"),
    "session_end_of_an_unknown_id": (404, "Not Found"),
    "sessions_of_an_unknown_id": (404, "Not Found"),
    "set_password_page": (200, "<html"),
    "set_password_with_an_unknown_token": (401, "Unauthorized"),
    "forgot_password_page": (200, "<html"),
    "forgot_password_of_nobody": (202, "on its way"),
    "confirm_email_page": (200, "<html"),
    "confirm_email_with_an_unknown_token": (401, "Unauthorized"),
    "upload": (201, '"name":"resume.pdf","mimeType":"application/pdf","size":15,'),
    "upload_of_an_unknown_attribute": (404, "Not Found"),
    "upload_of_another_type": (415, "pdf"),
    "upload_without_a_file": (400, "no part named file"),
    "upload_without_credentials": (401, "Unauthorized"),
    "upload_options": (204, ""),
    "pending_file_head": (410, ""),
    "pending_file_options": (204, ""),
    "pending_file_with_a_wrong_method": (405, "PUT"),
    "download_of_a_malformed_version": (404, "A version is named by its start"),
    "download_without_credentials": (401, "Unauthorized"),
    "download_of_pending_without_credentials": (401, "Unauthorized"),
    "download_options": (204, ""),
    "openapi": (200, '"openapi":"3.1.0"'),
}


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, LambdaFunction]]:
    """The functions by name, from a cold start, with an administrator."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STRATABASE_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("STRATABASE_MODEL", str(ROOT / "layers/model/model.graphql"))
        patch.setenv("STRATABASE_ADMIN_PASSWORD", "correct horse battery staple")
        app.cache_clear()
        app().part(MemberServices).create_first_administrator()
        yield {declared.name: load_function(declared) for declared in TEMPLATE.functions}
        app().close()
        app.cache_clear()


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_each_event_gets_its_expected_response(name: str, functions: Mapping[str, LambdaFunction]) -> None:
    status, said = ANSWERS[name]
    if name.startswith("console"):
        build_console()
    event: Any = EVENTS[name]
    match = ROUTES.match(event["httpMethod"], event["path"])

    result = functions[match.function].handler(event, None)

    response = response_of(result, event["httpMethod"])
    assert response.status == status
    assert said in text_of(response)


def text_of(response: Response) -> str:
    """Return what a client reads."""
    if response.stream is not None:
        return b"".join(response.stream).decode()
    compressed = ("Content-Encoding", "gzip") in response.headers
    return (gzip.decompress(response.body) if compressed else response.body).decode()


def test_every_event_has_an_expected_response() -> None:
    assert EVENTS.keys() == ANSWERS.keys()


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_each_event_has_a_route_of_the_template(name: str) -> None:
    event = EVENTS[name]
    match = ROUTES.match(event["httpMethod"], event["path"])

    assert (event["resource"], event["pathParameters"]) == (match.resource, match.parameters)


def test_there_is_an_event_for_every_route() -> None:
    assert {event["resource"] for event in EVENTS.values()} == {route.resource for route in TEMPLATE.routes}
