"""Execute the GraphQL requests to one model, whose schema each profile sees in part.

Requests are validated against the full schema, so that the documents that clients have saved stay valid.
Introspection, SDL and the errors of invalid documents show only the services, fields and input fields that
the caller's profile may use.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from graphql import (
    DocumentNode,
    ExecutionResult,
    GraphQLError,
    GraphQLSchema,
    VariableDefinitionNode,
    execute_sync,
    get_operation_ast,
    print_schema,
)

from stratabase.core import waiting
from stratabase.core.domain.access.capabilities import Capabilities
from stratabase.core.domain.access.grants import Access, access_of
from stratabase.core.domain.access.visibility import check_any_right
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.idempotency import IdempotencyKey
from stratabase.core.model.model import Model
from stratabase.core.operations.context import Services
from stratabase.core.operations.graphql_port import GraphQLResponse, QueriesOnly
from stratabase.core.request_log import current_usage
from stratabase.core.schema.execution.cache import BoundedCache, gzip_compress, gzip_decompress
from stratabase.core.schema.execution.cost_estimate import MAX_KNOWN_SIZE, SizeOf
from stratabase.core.schema.execution.current_objects import render_current
from stratabase.core.schema.execution.document_hints import with_hint, with_suggestion
from stratabase.core.schema.execution.documents import (
    BoundDocument,
    DocumentCache,
    DocumentOperation,
)
from stratabase.core.schema.execution.errors import DocumentError, Report, of_first_kinds, with_advice
from stratabase.core.schema.execution.keyed_mutation import KeyedMutation
from stratabase.core.schema.execution.limits import ExecutionPolicy, excess_of_variables
from stratabase.core.schema.execution.literals import LiteralValues
from stratabase.core.schema.execution.responses import (
    ErrorRenderer,
    render_data,
    render_refusal,
    render_result,
    render_value_errors,
)
from stratabase.core.schema.execution.selections import Selections, document_with, fragments_of
from stratabase.core.schema.execution.validator import MAX_REPORTED_ERRORS
from stratabase.core.schema.execution.variables import coerce_variables, variable_errors
from stratabase.core.schema.generate import NothingServed, generate_schema
from stratabase.core.schema.introspection import IntrospectionCache
from stratabase.core.schema.request.context import Fallback, GraphQLContext, ProfileSchema
from stratabase.values.messages import _

if TYPE_CHECKING:
    from stratabase.core.schema.prepared_documents import PreparedDocuments

MAX_CACHED_SCHEMAS = 4
"""The number of schemas in memory, besides the full one."""


class ProfileSchemas:
    """The schemas that the profiles of a model see, each generated when it is first used."""

    def __init__(self, model: Model, full: GraphQLSchema) -> None:
        self._model = model
        self._full = ProfileSchema(lambda: full)
        self._by_profile: dict[str | None, ProfileSchema] = {}
        self._schemas: BoundedCache[str, GraphQLSchema] = BoundedCache(MAX_CACHED_SCHEMAS)

    def of(self, profile: str | None) -> ProfileSchema:
        """Return what a profile sees of the schema. None stands for full access."""
        found = self._by_profile.get(profile)
        return found or self._by_profile.setdefault(profile, self._make(profile))

    def _make(self, profile: str | None) -> ProfileSchema:
        access = access_of(self._model, profile)
        if access is None or profile is None:
            return self._full
        capabilities = Capabilities(self._model, access)
        generate = partial(_generate, self._model, capabilities, profile)
        return ProfileSchema(
            lambda: self._schemas.get_or_make(capabilities.key, generate), access, lambda: capabilities.key
        )


def _generate(model: Model, capabilities: Capabilities, profile: str) -> GraphQLSchema:
    try:
        return generate_schema(model, capabilities)
    except NothingServed:
        message = _(
            "The profile {profile} has no permissions in the application {application}. Ask an administrator "
            "for another profile.",
            profile=profile,
            application=model.application,
        )
        raise Refused([Issue(IssueType.APPLICATION_ACCESS_FORBIDDEN, message)]) from None


def print_sdl(schema: GraphQLSchema) -> str:
    """Return a schema in the schema definition language."""
    return print_schema(schema) + "\n"


MAX_CACHED_SDL = 4
"""In compressed texts, of profiles with different capabilities."""
MAX_VARIABLE_ERRORS = 50
"""To find in one request. Fewer are reported, because equal ones are one."""


class SchemaExecutor:
    """Parses and executes documents, and renders their responses."""

    def __init__(
        self,
        services: Services,
        report: Report,
        policy: ExecutionPolicy | None = None,
        *,
        compile_answers: bool = True,
        prepared: "PreparedDocuments | None" = None,
    ) -> None:
        """Make an executor. `prepared` has documents about the schema that were made at build time."""
        policy = policy or ExecutionPolicy()
        self.schema = generate_schema(services.model)
        self._services = services
        self._report = report
        self._suggestions = policy.suggestions
        self._compile = compile_answers
        self._documents = DocumentCache(self.schema, policy)
        self._introspections = IntrospectionCache()
        self.profiles = ProfileSchemas(services.model, self.schema)
        self._prepared = prepared
        self._sdl: BoundedCache[str, bytes] = BoundedCache(MAX_CACHED_SDL)

    def sdl(self, caller: Caller) -> str:
        """Return what the caller may use of the schema, in the schema definition language. Raises Refused."""
        seen = self.profiles.of(caller.profile)
        prepared = self._prepared.sdl(seen.key) if self._prepared else None
        compressed = prepared or self._sdl.get_or_make(
            seen.key, lambda: gzip_compress(print_sdl(seen.load()).encode())
        )
        return gzip_decompress(compressed).decode()

    def execute(  # noqa: PLR0913 - a GraphQL request, by whom, and how
        self,
        query: str,
        variables: Mapping[str, Any] | None,
        operation_name: str | None,
        caller: Caller,
        trace_id: str,
        *,
        base_url: str = "",
        queries_only: bool = False,
        read_key: Callable[[], IdempotencyKey] | None = None,
    ) -> GraphQLResponse:
        """Execute a request, and return its response, errors included.

        `read_key` returns the idempotency key of a mutation, if there is one. Raises QueriesOnly,
        IdempotencyKeyReused, Unavailable, and what `read_key` raises.
        """
        errors = ErrorRenderer(self._services.model, caller, trace_id, self._report)
        seen = self.profiles.of(caller.profile)
        forbidden = None if seen.access is None else check_any_right(seen.access)
        if forbidden is not None:
            return render_refusal([errors.render_issue(forbidden)])
        # 1. Parse and validate the document, or find it in the cache.
        document, literals = self._documents.read(query, seen, as_template=self._compile)
        if document.ast is None:
            return render_refusal([errors.render_request_error(error) for error in document.errors])
        operation, variables = document.operation(operation_name), variables or {}
        mutates = operation is not None and operation.mutates
        if queries_only and mutates:
            raise QueriesOnly(_("Mutations require the POST method."))
        # 2. Refuse what is too large or too expensive, before anything is read.
        size_of = partial(self._size_of, seen.access)
        excess = _excess(operation, variables, literals, size_of)
        if excess and literals.untyped:
            # The document of a template has no places in the text, which the error tells.
            document, literals = BoundDocument(self._documents.parse_valid(query))
            operation = document.operation(operation_name)
            excess = _excess(operation, variables, literals, size_of)
        if excess:
            return render_refusal([errors.render_request_error(DocumentError.of(excess))])
        _announce(operation)
        budget = self._services.new_budget()
        context = GraphQLContext(
            self._services,
            caller,
            trace_id,
            budget,
            seen,
            suggestions=self._suggestions,
            mutates=mutates,
            base_url=base_url,
        )
        # 3. Execute the compiled operation. `data` returns None unless all values are plainly correct.
        key = read_key() if read_key is not None and mutates else None
        compiled = operation.compiled if operation is not None and self._compile and key is None else None
        if compiled is not None:
            data = compiled.data(context, variables, literals.coerced, errors.report_fault)
            if data is not None:
                return render_data(data, (), errors, context)
        elif key is not None:
            context.fallback = Fallback.KEYED
        # 4. Otherwise, graphql-core executes the document. It reuses the results of root fields that have
        # already run, so that nothing is written twice.
        ast = self._documents.parse_valid(query).ast if literals.untyped else document.ast
        assert ast, "the document is valid"
        execute = partial(self._execute_by_graphql_core, ast, context, variables, operation_name, errors, key)
        if key or variables or operation is None or not operation.is_about_schema:
            return execute()
        return self._introspections.get_or_execute(
            (seen.key, query, operation_name), lambda: self._prepared_response(seen, ast) or execute()
        )

    def _prepared_response(self, seen: ProfileSchema, ast: DocumentNode) -> GraphQLResponse | None:
        """Return the response to a standard introspection query if it was made at build time."""
        prepared = self._prepared.introspection(seen.key, ast) if self._prepared else None
        return None if prepared is None else GraphQLResponse(gzip_decompress(prepared), gzipped=prepared)

    def _execute_by_graphql_core(  # noqa: PLR0913, PLR0917 - a GraphQL request, and its key
        self,
        ast: DocumentNode,
        context: GraphQLContext,
        variables: Mapping[str, Any],
        operation_name: str | None,
        errors: ErrorRenderer,
        key: IdempotencyKey | None,
    ) -> GraphQLResponse:
        """Return the response of graphql-core's executor.

        With a key, it executes only the fields of the mutation that the key has no answers of. Raises
        IdempotencyKeyReused, Unavailable.
        """
        if (usage := current_usage()) is not None:
            usage.graphql_core = context.fallback
        errors.read_context = lambda: context.read_context
        operation = get_operation_ast(ast, operation_name)
        definitions = (operation and operation.variable_definitions) or ()
        # To coerce many values takes a long time, so do it once, also if the compiled operation has done it.
        values = None
        if context.has_valid_variables is None:
            values = coerce_variables(self.schema, definitions, variables)
            context.has_valid_variables = values is not None
        waiting.give_way()
        if not context.has_valid_variables:
            wrong = self._variable_errors(definitions, variables, context.profile_schema)
            return render_value_errors(wrong, errors)
        execute = partial(self._run_graphql_core, variables=variables, operation_name=operation_name)
        if operation and key and values is not None:
            return KeyedMutation(ast, operation, context, execute, errors, key).response(values)
        result = self._run_graphql_core(ast, context, variables, operation_name)
        if operation and context.current:
            values = values or coerce_variables(self.schema, definitions, variables)
            fields = Selections(fragments_of(ast), values).collect([operation.selection_set])
            render_current(lambda key: document_with(ast, operation, fields[key]), context, execute, errors)
        return render_result(result, errors, context)

    def _run_graphql_core(
        self,
        ast: DocumentNode,
        context: GraphQLContext,
        variables: Mapping[str, Any],
        operation_name: str | None,
    ) -> ExecutionResult:
        return execute_sync(
            self.schema,
            ast,
            context_value=context,
            variable_values=dict(variables),
            operation_name=operation_name,
            hide_suggestions=True,
        )

    def _size_of(self, access: Access | None, class_name: str) -> int | None:
        """Return how many objects a class has at most, None if that is unknown.

        If the caller doesn't see all objects of the class, their number must not decide anything.
        """
        if access is not None and not access.sees_every_object(class_name):
            return None
        return self._services.entities.known_size(class_name, MAX_KNOWN_SIZE)

    def _variable_errors(
        self,
        definitions: Iterable[VariableDefinitionNode],
        variables: Mapping[str, Any],
        seen: ProfileSchema,
    ) -> Sequence[GraphQLError]:
        """Return the first errors of wrong variables without the names that the caller does not see."""
        try:
            wrong = variable_errors(seen.load(), definitions, variables, MAX_VARIABLE_ERRORS)
        except Refused:
            wrong = []
        found = [with_advice(error, seen.load) for error in of_first_kinds(wrong, MAX_REPORTED_ERRORS)]
        if found and self._suggestions:
            found = [with_hint(with_suggestion(error, seen.load()), seen.load()) for error in found]
        return found or [GraphQLError(_("The variables are not valid."))]


def _excess(
    operation: DocumentOperation | None,
    variables: Mapping[str, Any],
    literals: LiteralValues,
    size_of: SizeOf,
) -> GraphQLError | None:
    """Return the error if a request has too many values, or costs too much."""
    given = {**variables, **literals.untyped} if literals.untyped else variables
    excess = excess_of_variables(variables) if variables else None
    if excess is None and operation is not None:
        excess = operation.excess(given, size_of)
    return excess


def _announce(operation: DocumentOperation | None) -> None:
    """Tell the log which root fields a request has, and the server whether it only reads."""
    usage = current_usage()
    if usage is not None and operation is not None:
        for name in operation.root_fields:
            usage.add_operation(name)
    if operation is None or not operation.mutates:
        waiting.only_reads()
