"""Binding of an uploaded file to an object, by a GraphQL update."""

import json
import re
from typing import Any

from stratabase.core.domain.files.pending_file import FileTarget
from stratabase.core.model.api_names import service_name
from stratabase.terminal.command_error import MISUSED, CommandError
from stratabase.transfer.client.connection import Connection, read_json

_OPENAPI_PATH = "/public/openapi.json"
_GRAPHQL_PATH = "/auth/api/graphql/{application}"
_NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]*", re.ASCII)


class Binding:
    """The attribute of an object that takes an uploaded file."""

    def __init__(
        self, connection: Connection, target: FileTarget, object_id: str, application: str | None
    ) -> None:
        """`application` is its name in the model. None means the only one that the instance serves."""
        for name in (*target, *([application] if application else [])):
            if not _NAME.fullmatch(name):
                raise CommandError(f'"{name}" is not a name in a model.', MISUSED)
        self._connection = connection
        self._target = target
        self._id = object_id
        self._application = application or self._find_application()

    def check(self) -> None:
        """Raise CommandError if the object does not exist. Call it before the upload, which can take long."""
        if self._read() is None:
            raise CommandError(f"{self._target.class_name} {self._id} does not exist.")

    def bind(self, reference: Any) -> None:
        """Make the object take an uploaded file. Raises CommandError."""
        class_name, attribute = self._target
        mutation = (
            "mutation($id: ID!, $file: PendingFileReference!) {"
            f" {service_name(class_name, 'update')}(data: {{_id: $id, {attribute}: $file}}) {{ _id }} }}"
        )
        try:
            self._execute(mutation, {"id": self._id, "file": reference})
        except CommandError:
            # If the response to the first attempt was lost, its repetition finds no pending file.
            if (self._read() or {}).get("fileId") != reference["fileId"]:
                raise

    def _read(self) -> Any:
        """Return the file that the object has, empty if it has none. None means that there is no object."""
        class_name, attribute = self._target
        service = service_name(class_name, "get")
        query = f"query($id: ID!) {{ {service}(_id: $id) {{ {attribute} {{ fileId }} }} }}"
        found = self._execute(query, {"id": self._id})[service]
        return None if found is None else found[attribute] or {}

    def _execute(self, document: str, variables: Any) -> Any:
        """Return the data of a GraphQL response. Raises CommandError with the messages of its errors."""
        url = self._connection.base_url + _GRAPHQL_PATH.format(application=self._application)
        body = json.dumps({"query": document, "variables": variables}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        response = read_json(self._connection.send("POST", url, (400,), headers=headers, body=lambda: body))
        errors = response.get("errors")
        if errors:
            messages = " ".join(str(each.get("message")) for each in errors)
            raise CommandError(f"{self._target.class_name} {self._id}: {messages}")
        return response["data"]

    def _find_application(self) -> str:
        """Return the application that the OpenAPI document of the instance names. Raises CommandError."""
        url = self._connection.base_url + _OPENAPI_PATH
        try:
            document = read_json(self._connection.send("GET", url))
            (parameter,) = document["paths"][_GRAPHQL_PATH]["parameters"]
            return str(parameter["example"])
        except (ValueError, LookupError, TypeError) as error:
            raise CommandError("The application is unknown. Name it with --application.") from error
