"""Credentials, and members as JSON and XML, for requests to the member endpoints."""

import base64
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from typing import Any


def credentials(username: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{username}:right".encode()).decode()}


def as_xml(fields: Mapping[str, Any]) -> str:
    root = ET.Element("user")
    for name, value in fields.items():
        ET.SubElement(root, name).text = str(value).lower() if isinstance(value, bool) else value
    return ET.tostring(root, encoding="unicode")


def from_xml(text: str) -> Any:
    root = ET.fromstring(text)
    if root.tag == "users":
        return [fields(user) for user in root]
    return fields(root)


def fields(user: ET.Element) -> dict[str, object]:
    values = {each.tag: each.text or "" for each in user}
    return {name: value == "true" if name == "disabled" else value for name, value in values.items()}


WRITERS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {"json": json.dumps, "xml": as_xml}
READERS: Mapping[str, Callable[[str], Any]] = {"json": json.loads, "xml": from_xml}
