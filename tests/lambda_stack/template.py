"""What tests need of template.yaml: the functions, their routes, and the gateway responses."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stratabase_aws.deploy.template_parameters import TemplateReference, read_template_document

FUNCTION = "AWS::Serverless::Function"
API = "AWS::Serverless::Api"


@dataclass(frozen=True, slots=True)
class FunctionDeclaration:
    """The declaration of a Lambda function in the template."""

    name: str
    file: Path
    entry: str
    """The name of the handler function in the file."""
    timeout: float
    """In seconds."""
    memory: int
    """In megabytes."""
    layers: tuple[str, ...] = ()
    """The logical IDs of its layers."""


@dataclass(frozen=True, slots=True)
class RouteDeclaration:
    """A route: a resource (`/auth/api/graphql/{application}`), a method or ANY, and its function."""

    resource: str
    method: str
    function: str


@dataclass(frozen=True, slots=True)
class GatewayResponse:
    """The response of the gateway to one type of error. `body` is a response template."""

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """The parts of the template that the gateway uses. `responses` has gateway responses by response type."""

    functions: tuple[FunctionDeclaration, ...]
    routes: tuple[RouteDeclaration, ...]
    responses: Mapping[str, GatewayResponse]


def read_template(path: Path) -> Template:
    """Read a template. Raises CommandError if it does not exist or is invalid."""
    document = _with_defaults(read_template_document(path))
    resources = document.get("Resources") or {}
    shared = (document.get("Globals") or {}).get("Function") or {}
    functions = {name: _merged(shared, each) for name, each in _of_type(resources, FUNCTION)}
    return Template(
        tuple(_function(name, each, path.parent) for name, each in functions.items()),
        tuple(route for name, each in functions.items() for route in _routes(name, each)),
        {kind: _response(each) for kind, each in _responses(resources)},
    )


def _with_defaults(document: dict[str, Any]) -> dict[str, Any]:
    """Return the template with the defaults of its parameters in place of references to them."""
    parameters = document.get("Parameters") or {}

    def resolved(node: Any) -> Any:
        if isinstance(node, TemplateReference):
            return (parameters.get(node) or {}).get("Default", str(node))
        if isinstance(node, dict):
            return {name: resolved(each) for name, each in node.items()}
        return [*map(resolved, node)] if isinstance(node, list) else node

    return {**document, **{name: resolved(document.get(name)) for name in ("Globals", "Resources")}}


def _merged(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of a function as SAM does: its layers come after those of all functions."""
    layers = (*shared.get("Layers", ()), *own.get("Layers", ()))
    return {**shared, **own, "Layers": layers}


def _of_type(resources: Mapping[str, Any], kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, resource in resources.items():
        if resource.get("Type") == kind:
            yield name, resource.get("Properties") or {}


def _function(name: str, properties: Mapping[str, Any], root: Path) -> FunctionDeclaration:
    module, _, entry = str(properties.get("Handler", "app.handler")).rpartition(".")
    return FunctionDeclaration(
        name=name,
        file=root / str(properties.get("CodeUri", ".")) / f"{module.replace('.', '/')}.py",
        entry=entry,
        timeout=float(properties.get("Timeout", 3)),
        memory=int(properties.get("MemorySize", 128)),
        layers=tuple(map(str, properties["Layers"])),
    )


def _routes(function: str, properties: Mapping[str, Any]) -> Iterator[RouteDeclaration]:
    for event in (properties.get("Events") or {}).values():
        if event.get("Type") == "Api":
            route = event["Properties"]
            yield RouteDeclaration(route["Path"], str(route["Method"]).upper(), function)


def _responses(resources: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for _, properties in _of_type(resources, API):
        yield from (properties.get("GatewayResponses") or {}).items()


def _response(properties: Mapping[str, Any]) -> GatewayResponse:
    status = properties.get("StatusCode")
    headers = (properties.get("ResponseParameters") or {}).get("Headers") or {}
    return GatewayResponse(
        None if status is None else int(status),
        {name: str(value).strip("'") for name, value in headers.items()},
        (properties.get("ResponseTemplates") or {}).get("application/json"),
    )
