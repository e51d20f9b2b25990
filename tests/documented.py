"""Compares responses with the OpenAPI document."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from stratabase.core.http.api.openapi.document import documented_address
from stratabase.core.http.base.response_body import ProxyResponse

ANY_MEDIA_TYPE = "*/*"
"""The documented media type of files, whose content no schema describes."""


class Documented:
    """An OpenAPI document that checks responses against itself."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document

    def check(self, method: str, resource: str, answer: ProxyResponse) -> None:
        """Assert that a response is as documented. A method that is not documented must get status 405."""
        path = self.document["paths"].get(documented_address(resource))
        if path is None or method == "OPTIONS":
            return
        operation = path.get("get" if method == "HEAD" else method.lower())
        status = answer["statusCode"]
        if operation is None:
            assert status in (401, 405), f"{method} {resource} answers {status}, but is not documented"
            return
        response = self._resolved(operation["responses"].get(str(status), {}))
        assert response, f"{method} {resource} answers {status}, which is not documented"
        headers = answer["multiValueHeaders"]
        assert {
            "Location",
            "Retry-After",
            "ETag",
            "WWW-Authenticate",
            "Allow",
        } & headers.keys() <= response.get("headers", {}).keys()
        if method != "HEAD":
            self._check_body(answer, response.get("content", {}))

    def _check_body(self, answer: ProxyResponse, content: Mapping[str, Any]) -> None:
        if not answer["body"]:
            assert content == {} or ANY_MEDIA_TYPE in content, "a body is documented, and there is none"
            return
        media = answer["multiValueHeaders"]["Content-Type"][0].partition(";")[0]
        if media not in content and ANY_MEDIA_TYPE in content:
            return
        assert media in content, f"{media} is not documented, but {', '.join(content)}"
        schema = content[media].get("schema", {})
        if media.endswith("json"):
            self._validate(json.loads(answer["body"]), schema)
        elif media.endswith("xml"):
            self._validate(self._from_xml(ET.fromstring(answer["body"]), self._resolved(schema)), schema)

    def _validate(self, content: Any, schema: Mapping[str, Any]) -> None:
        jsonschema_rs.validate({**schema, "components": self._strict()}, content)

    def _strict(self) -> Any:
        """Return the components with schemas that allow only documented properties."""
        schemas = self.document["components"]["schemas"]
        return {
            "schemas": {name: {**schema, "additionalProperties": False} for name, schema in schemas.items()}
        }

    def _from_xml(self, element: ET.Element, schema: Mapping[str, Any]) -> Any:
        """Return the value of an XML element, with the names and types of a schema."""
        xml = schema["xml"]
        namespace = f"{{{xml['namespace']}}}" if "namespace" in xml else ""
        assert element.tag == namespace + xml["name"]
        if schema["type"] == "array":
            return [self._from_xml(item, self._resolved(schema["items"])) for item in element]
        fields = {field.tag.removeprefix(namespace): field.text for field in element}
        assert len(fields) == len(element), "an element comes twice"
        properties = schema["properties"]
        return {name: _value(text, properties.get(name, {}).get("type")) for name, text in fields.items()}

    def _resolved(self, part: Mapping[str, Any]) -> Any:
        if "$ref" not in part:
            return part
        _, components, kind, name = part["$ref"].split("/")
        return self.document[components][kind][name]


def _value(text: str | None, types: Any) -> object:
    if text is None:
        return None if "null" in types else ""
    if types in ("integer", "boolean"):
        return json.loads(text)
    return text
