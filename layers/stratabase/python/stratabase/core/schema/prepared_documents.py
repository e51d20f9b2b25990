"""The standard introspection of each profile and its SDL, prepared at build time and read on demand.

The file is a zip archive with the documents of each distinct set of capabilities, compressed by gzip. A
process opens it only to look up a document, so neither its start nor its memory depends on the number of
profiles.
"""

import json
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

import orjson
from graphql import (
    DocumentNode,
    FieldNode,
    FragmentSpreadNode,
    GraphQLSchema,
    OperationDefinitionNode,
    SelectionNode,
    execute_sync,
    get_introspection_query,
    parse,
    print_ast,
)

from stratabase.core.model.model import Model
from stratabase.core.model.prepared import text_identity
from stratabase.core.model.users import with_users
from stratabase.core.schema.execution.cache import gzip_compress
from stratabase.core.schema.execution.selections import fragments_of
from stratabase.core.schema.executor import ProfileSchemas, print_sdl
from stratabase.core.schema.generate import generate_schema

_IDENTITY, _SDL, _FULL = "identity.json", "sdl", "full"
_TYPE_WRAPPERS = 5
"""Types have at most three wrappers (`[T!]!`). Queries that ask for more have the same answer."""

STANDARD_QUERIES = (
    get_introspection_query(),
    get_introspection_query(schema_description=True, input_value_deprecation=True),
    get_introspection_query(
        specified_by_url=True,
        directive_is_repeatable=True,
        schema_description=True,
        input_value_deprecation=True,
        one_of=True,
    ),
)
"""What tools send: GraphQL.js by default, GraphiQL, and tools that ask for everything."""


def prepared_documents_file(model: Path) -> Path:
    """Return the path of the prepared documents of a model file: a file beside it."""
    return model.with_suffix(".documents.zip")


def prepare_documents(file: Path, model: Model, text: bytes) -> None:
    """Write the documents of all profiles of a model. Raises OSError, NothingServed.

    `text` is the text that the model was read from.
    """
    model = with_users(model)
    schemas = ProfileSchemas(model, generate_schema(model))
    seen = {schema.key: schema for schema in map(schemas.of, (None, *model.profiles))}
    with ZipFile(file, "w") as archive:
        _write(archive, _IDENTITY, json.dumps(text_identity(text)).encode())
        for key, schema in seen.items():
            if schema.is_served:
                for name, content in _documents(schema.load()):
                    _write(archive, _entry(key, name), gzip_compress(content))


def _write(archive: ZipFile, name: str, content: bytes) -> None:
    # Without the time of writing, so that equal models give equal files.
    archive.writestr(ZipInfo(name), content)


def _documents(schema: GraphQLSchema) -> Iterator[tuple[str, bytes]]:
    yield _SDL, print_sdl(schema).encode()
    for query in STANDARD_QUERIES:
        ast = parse(query)
        result = execute_sync(schema, ast)
        yield _name_of(ast), orjson.dumps({"data": result.data})


def _entry(key: str, name: str) -> str:
    return f"{key or _FULL}/{name}.gz"


class PreparedDocuments:
    """The prepared documents in a file, if they were made from the text of the model."""

    def __init__(self, file: Path, text: bytes) -> None:
        self._file = file
        self._identity = text_identity(text)

    def sdl(self, key: str) -> bytes | None:
        """Return the SDL that profiles with a key see, compressed by gzip; None if there is none."""
        return self._read(key, _SDL)

    def introspection(self, key: str, document: DocumentNode) -> bytes | None:
        """Return the compressed response to a standard introspection query; None for another document."""
        name = _name_of(document)
        return self._read(key, name) if name in _standard_names() else None

    def _read(self, key: str, name: str) -> bytes | None:
        try:
            with ZipFile(self._file) as archive:
                if json.loads(archive.read(_IDENTITY)) != self._identity:
                    return None
                return archive.read(_entry(key, name))
        except (OSError, BadZipFile, KeyError, ValueError):
            return None


@lru_cache(1)
def _standard_names() -> frozenset[str]:
    return frozenset(_name_of(parse(query)) for query in STANDARD_QUERIES)


def _name_of(document: DocumentNode) -> str:
    """Return a hash of what a document selects, whatever its fragments and the name of its operation are."""
    fragments = fragments_of(document)

    def selected(nodes: tuple[SelectionNode, ...], wrappers: int) -> Iterator[str]:
        for node in nodes:
            if isinstance(node, FragmentSpreadNode) and not node.directives:
                yield from selected(fragments[node.name.value].selection_set.selections, wrappers)
            elif not isinstance(node, FieldNode) or node.directives or node.alias:
                yield print_ast(node)
            elif node.name.value != "ofType" or wrappers < _TYPE_WRAPPERS:
                below = node.selection_set.selections if node.selection_set else ()
                arguments = ",".join(map(print_ast, node.arguments or ()))
                deeper = wrappers + 1 if node.name.value == "ofType" else 0
                yield f"{node.name.value}({arguments}){{{' '.join(selected(below, deeper))}}}"

    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    texts = [
        f"{each.operation.value} {' '.join(selected(each.selection_set.selections, 0))}"
        for each in operations
    ]
    return sha256("\n".join(texts).encode()).hexdigest()
