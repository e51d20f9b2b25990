"""Introspection, SDL and the errors of wrong requests show a profile what it may use, and nothing else."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from graphql import get_introspection_query, graphql_sync, parse, validate

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model, read_model_file
from stratabase.core.model.users import with_users
from stratabase.core.schema.execution.limits import ExecutionPolicy
from stratabase.core.schema.executor import ProfileSchemas, SchemaExecutor, print_sdl
from stratabase.core.schema.generate import generate_schema
from tests.core.schema.grants.random_model import random_model
from tests.fakes import ADMINISTRATOR, fake_services
from tests.rows import each_row
from tests.service import SAMPLE_MODEL
from tests.soak import count, seed

GOLDEN = Path(__file__).parents[1] / "golden"
STANDARD = get_introspection_query(
    specified_by_url=True,
    directive_is_repeatable=True,
    schema_description=True,
    input_value_deprecation=True,
    one_of=True,
)
PROFILES = (
    'extend schema @application(name: "Shop") @profile(name: "Administrator", administrator: true) '
    '@profile(name: "Clerk") @profile(name: "Guest") @profile(name: "Owner")'
)
SHOP = (
    PROFILES
    + """
type Article @unique(attributes: ["code"]) @class(versioned: true)
  @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE])
  @grant(profile: "Guest", allow: [READ], where: "listed")
  @grant(profile: "Owner", allow: [READ, CREATE, EDIT, DELETE]) {
  code: String!
  title: String!
  listed: Boolean
  stock: Int @grant(profile: "Guest", allow: [READ], where: "listed")
  margin: Real @grant(profile: "Clerk", allow: []) @grant(profile: "Guest", allow: [])
  grade: Grade @grant(profile: "Clerk", allow: []) @grant(profile: "Guest", allow: [])
  supplier: Supplier @association(opposite: "articles")
  pictures: [Picture!] @composition(whole: "article")
}
"Who delivers."
type Supplier @grant(profile: "Owner", allow: [READ, CREATE, EDIT, DELETE]) {
  name: String!
  secret_rate: Rate!
  articles: [Article!] @association(opposite: "supplier")
}
type Picture { caption: String! }
enum Grade { CHEAP FINE }
enum Rate { LOW HIGH }
"""
)
ANOTHER = (
    SHOP.replace("margin", "profit")
    .replace("grade: Grade", "rank: Band")
    .replace("enum Grade { CHEAP FINE }", "enum Band { A B C }")
    .replace("secret_rate: Rate!", "hidden: Int")
    .replace("enum Rate { LOW HIGH }", 'type Depot @unique(attributes: ["code"]) { code: String! }')
    .replace('"Who delivers."', '"Another text."')
)
"""The shop with another hidden side: what clerks and guests may see is the same."""


class Api:
    """The schema package over a model without objects."""

    def __init__(self, model: Model, **policy: Any) -> None:
        self.executor = SchemaExecutor(fake_services(model)[0], _fail, ExecutionPolicy(**policy))

    def body(self, profile: str, query: str, **variables: Any) -> bytes:
        caller = ADMINISTRATOR if profile == "Administrator" else Caller("2", "bob", profile)
        return self.executor.execute(query, variables, None, caller, "trace").body

    def ask(self, profile: str, query: str, **variables: Any) -> Any:
        return json.loads(self.body(profile, query, **variables))

    def messages(self, profile: str, query: str, **variables: Any) -> list[str]:
        return [error["message"] for error in self.ask(profile, query, **variables)["errors"]]

    def sdl(self, profile: str) -> str:
        return self.executor.sdl(Caller("2", "bob", profile))


def _fail(error: BaseException, _trace: str) -> None:
    raise error


@pytest.fixture(scope="module")
def shop() -> Api:
    return Api(read_model(SHOP, "shop"))


def test_a_member_of_the_sample_has_a_golden_schema() -> None:
    """make golden` writes it anew; read the difference before you commit it."""
    sample = with_users(read_model_file(SAMPLE_MODEL))
    schemas = ProfileSchemas(sample, generate_schema(sample))

    assert print_sdl(schemas.of("Member").load()) == (GOLDEN / "hr.Member.graphql").read_text()
    # Only administrators read users.
    assert print_sdl(schemas.of("Administrator").load()) == (GOLDEN / "hr.graphql").read_text()


def test_grants_that_permit_everything_show_everything(shop: Api) -> None:
    """The owner has a grant for each class, the administrator needs none."""
    assert shop.sdl("Owner") == shop.sdl("Administrator")
    assert shop.body("Owner", STANDARD) == shop.body("Administrator", STANDARD)


def test_profiles_with_equal_capabilities_share_a_schema() -> None:
    seller = SHOP.replace('@profile(name: "Owner")', '@profile(name: "Owner") @profile(name: "Seller")')
    for allowed in ("READ, CREATE, EDIT, DELETE", ""):
        grant = f'@grant(profile: "Clerk", allow: [{allowed}])'
        seller = seller.replace(grant, f"{grant} {grant.replace('Clerk', 'Seller')}")
    model = read_model(seller, "shop")
    schemas = ProfileSchemas(model, generate_schema(model))

    assert schemas.of("Seller").load() is schemas.of("Clerk").load()
    assert len({schemas.of(profile).key for profile in model.profiles}) == 4


@pytest.mark.parametrize("profile", ["Clerk", "Guest"])
def test_hidden_parts_of_a_model_leave_no_trace(shop: Api, profile: str) -> None:
    other = Api(read_model(ANOTHER, "another"))

    assert other.sdl("Administrator") != shop.sdl("Administrator")
    assert other.sdl(profile) == shop.sdl(profile)
    assert other.body(profile, STANDARD) == shop.body(profile, STANDARD)


def test_introspection_shows_what_the_profile_may_use(shop: Api) -> None:
    fields = """{ __type(name: "%s") {
      fields(includeDeprecated: true) { name } inputFields { name } enumValues { name } } }"""

    def names(profile: str, type_: str, key: str = "fields") -> Any:
        found = shop.ask(profile, fields % type_)["data"]["__type"]
        return None if found is None else {each["name"] for each in found[key] or ()}

    assert names("Clerk", "Article") >= {"_id", "title", "stock", "pictures", "_lock"}
    assert not names("Clerk", "Article") & {"margin", "grade", "supplier", "supplier___associables"}
    assert names("Clerk", "ArticleCreate", "inputFields") == {
        *("_clientId", "code", "title", "listed", "stock", "pictures")
    }
    assert {"stock", "stock___ASC", "margin", "margin___ASC"}.isdisjoint(
        names("Guest", "ArticleCursor", "inputFields") | names("Guest", "ArticleSort", "enumValues")
    )
    assert "stock" in names("Guest", "Article")
    for hidden in ("Supplier", "Grade", "Rate", "SupplierPage"):
        assert names("Clerk", hidden) is None
        assert names("Administrator", hidden) is not None
    assert names("Clerk", "EntityName", "enumValues") == {"Article", "Picture"}
    assert names("Guest", "EntityName", "enumValues") is None
    services = names("Guest", "Query")
    assert {each.partition("___")[2] for each in services} == {
        *("get", "getByCode", "getPage", "getVersion", "getVersionPage", "getVersionDiff"),
        "getDeletedPage",
    }
    assert names("Guest", "Mutation") is None


def test_a_service_whose_required_input_may_not_be_set_is_left_out() -> None:
    text = SHOP.replace("title: String!", 'title: String! @grant(profile: "Clerk", allow: [READ, EDIT])')
    fields = {each["name"] for each in _mutations(Api(read_model(text, "shop")), "Clerk")}

    assert "Article___update" in fields
    assert "Article___create" not in fields
    assert "Article___delete" in fields


@each_row(
    "hidden",
    ['cost: Int! @grant(profile: "Clerk", allow: [])', 'cost: Supplier! @grant(profile: "Clerk", allow: [])'],
)
@each_row(
    "service",
    ["mutation {{ Article___save({}) {{ _id }} }}", "{{ Article___previewCreate({}) {{ title }} }}"],
)
def test_what_a_draft_lacks_is_not_named_if_the_profile_may_not_set_it(hidden: str, service: str) -> None:
    api = Api(read_model(SHOP.replace("stock: Int", f"{hidden} stock: Int"), "shop"))
    (error,) = api.ask("Clerk", service.format('data: {code: "a"}'))["errors"]

    assert error["message"] == "The profile Clerk may not set all that a new Article requires."
    assert error["extensions"]["issueType"] == "ENTITY_GRANT_CREATE"
    assert "Article.cost" in str(api.messages("Administrator", service.format('data: {code: "a"}')))


def _mutations(api: Api, profile: str) -> Any:
    query = "{ __schema { mutationType { fields { name } } } }"
    return api.ask(profile, query)["data"]["__schema"]["mutationType"]["fields"]


def test_introspection_of_any_form_describes_the_same_schema(shop: Api) -> None:
    """With fragments, aliases, variables, and beside data."""
    query = """query($name: String = "Supplier") {
      ...A shop: __schema { queryType { name } mutationType { name } } none: __type(name: $name) { name }
      Article___getPage { totalCount }
    }
    fragment A on Query { a: __type(name: "Article") { ...F } }
    fragment F on __Type { fields { name type { ofType { name } name } } }"""
    for _times in range(3):
        data = shop.ask("Guest", query)["data"]
        assert data["shop"] == {"queryType": {"name": "Query"}, "mutationType": None}
        assert data["none"] is None
        assert data["Article___getPage"] == {"totalCount": 0}
        assert "margin" not in {each["name"] for each in data["a"]["fields"]}
    assert shop.ask("Administrator", query)["data"]["none"] == {"name": "Supplier"}


@pytest.mark.parametrize("profile", ["Clerk", "Guest", "Administrator"])
def test_introspection_is_that_of_the_profile_s_schema(shop: Api, profile: str) -> None:
    model = read_model(SHOP, "shop")
    schema = ProfileSchemas(model, generate_schema(model)).of(profile).load()

    assert shop.ask(profile, STANDARD)["data"] == graphql_sync(schema, STANDARD).data
    assert not validate(schema, parse("{ __typename }"))


def test_a_profile_that_may_use_nothing_sees_no_schema() -> None:
    text = SHOP.replace('@profile(name: "Guest")', '@profile(name: "Guest") @profile(name: "Nobody")')
    text += 'type Note @grant(profile: "Nobody", allow: []) { text: String }'
    (error,) = Api(read_model(text, "shop")).ask("Nobody", "{ __schema { queryType { name } } }")["errors"]

    assert error["extensions"]["issueType"] == "APPLICATION_ACCESS_FORBIDDEN"


WRONG = {
    "suggested attribute": "{ Article___getPage { items { margn } } }",
    "suggested service": "{ Supplier___gat(_id: 1) { _id } }",
    "suggested type": "query($a: Suplier) { Article___getPage { totalCount } }",
    "type of a role": "{ Article___getPage { items { supplier { nothing } } } }",
    "missing selection": "{ Article___getPage { items { supplier } } }",
    "required field": "mutation { Supplier___create(data: {name: 1}) { _id } }",
    "required argument": "{ Supplier___get { _id } }",
    "enum value": "{ Article___getPage(options: {filter: {grade___eq: FINEST}}) { totalCount } }",
    "enum value as text": '{ Article___getPage(options: {filter: {grade___in: ["FINE"]}}) { totalCount } }',
    "order": "{ Article___getPage(options: {orderBy: [margin___ASCENDING]}) { totalCount } }",
    "fragment": "{ Article___getPage { items { ... on Suppliers { name } } } }",
    "conflict": "{ Article___getPage { items { a: supplier { _id } a: pictures { totalCount } } } }",
    "lock": 'mutation { lock(locks: [{entityName: Suppliers, _id: "1"}]) { locked } }',
    "condition": '{ Article___getPage(options: {filter_exp: "margn > 1"}) { totalCount } }',
    "enum in a condition": '{ Article___getPage(options: {filter_exp: "FINE == 1"}) { totalCount } }',
    "type in a condition": "{ Article___getPage(options: {filter_exp: \"grade == 'FIN'\"}) { totalCount } }",
}
_FIND = "query($d: ArticleFilter!) { Article___getPage(options: {filter: $d}) { totalCount } }"
VARIABLES = {
    "required field": (
        "mutation($d: SupplierCreate!) { Supplier___create(data: $d) { _id } }",
        {"name": "x"},
    ),
    "enum value": (_FIND, {"grade___eq": "FINEST"}),
    "field": (_FIND, {"margin___equal": 1}),
    "order": (
        "query($d: ArticlePageOptions!) { Article___getPage(options: $d) { totalCount } }",
        {"orderBy": ["margin"]},
    ),
}
NAMES = (
    "margin",
    "grade",
    "Grade",
    "CHEAP",
    "FINE",
    "Supplier",
    "supplier",
    "secret_rate",
    "Rate",
    "articles",
)


def _told(messages: list[str], sent: str) -> list[str]:
    """Return the hidden names in messages that the request does not have."""
    return [name for name in NAMES for message in messages if name in message and name not in sent]


@each_row("query", WRONG.values())
@each_row("profile", ["Clerk", "Guest"])
def test_errors_name_nothing_that_the_profile_may_not_use(shop: Api, profile: str, query: str) -> None:
    for _times in range(2):
        assert _told(shop.messages(profile, query), query) == []


@each_row(("query", "value"), VARIABLES.values())
@each_row("profile", ["Clerk", "Guest"])
def test_errors_of_variables_name_nothing_that_the_profile_may_not_use(
    shop: Api, profile: str, query: str, value: Any
) -> None:
    assert _told(shop.messages(profile, query, d=value), query + json.dumps(value)) == []


def test_an_administrator_gets_the_suggestions_that_others_do_not(shop: Api) -> None:
    query = WRONG["suggested attribute"]
    assert "Did you mean 'margin'?" in shop.messages("Administrator", query)[0]
    assert "Did you mean" not in shop.messages("Clerk", query)[0]
    assert "Did you mean 'title' or 'listed'?" in shop.messages("Clerk", query.replace("margn", "titel"))[0]
    condition = WRONG["condition"]
    assert "margin" in shop.messages("Administrator", condition)[0]
    assert "stock" in shop.messages("Clerk", condition.replace("margn", "stok"))[0]


def test_only_the_errors_of_a_document_are_reported(shop: Api) -> None:
    """What the profile may not use is refused only when the document is right."""
    query = "{ Article___getPage { items { titel margin } } }"
    assert shop.messages("Clerk", query) == [
        "Cannot query field 'titel' on type 'Article'. Did you mean 'title' or 'listed'?"
    ]
    (error,) = shop.ask("Clerk", query.replace("titel", "title"))["errors"]
    assert error["extensions"]["issueType"] == "ATTRIBUTE_GRANT_READ"


ATTRIBUTES = {
    "Apple": ("level", "text", "other", "label", "one_text", "peer_count"),
    "Bush": ("level", "text", "other", "label", "count", "top", "deep"),
    "Seed": ("level", "text", "label", "up"),
}
TO_ONE = {"Apple": ("one", "pal"), "Bush": ("boss",), "Seed": ("friend", "apple")}
TO_MANY = {"Apple": ("peers", "peer_of", "seeds"), "Bush": ("many",), "Seed": ()}
INSTANT = "01-01-2020 12:00:00.000"
NUMBERS = frozenset({"level", "count", "peer_count"})


def _reads(name: str) -> list[str]:
    page = f"{{ {name}___getPage(options: {{%s}}) {{ totalCount }} }}"
    get = f'{{ {name}___get(_id: "x") {{ %s }} }}'
    return [
        get % "_id",
        get % "_lock { mine }",
        page % "",
        *(get % each for each in ATTRIBUTES[name]),
        *(get % f"{each} {{ _id }}" for each in TO_ONE[name]),
        *(get % f"{each} {{ totalCount }}" for each in TO_MANY[name]),
        *(
            get % f"{each}___associables {{ totalCount }}"
            for each in (*TO_ONE[name], *TO_MANY[name])
            if each not in {"seeds", "apple"}
        ),
        *(page % f"filter: {{{each}___null: true}}" for each in ATTRIBUTES[name]),
        *(page % f"orderBy: [{each}___DESC]" for each in ATTRIBUTES[name]),
        *(_other_reads(name) if name != "Seed" else ()),
    ]


def _other_reads(name: str) -> list[str]:
    """Return reads of versions, by unique values, and of drafts."""
    version = f'{{ {name}___getVersion(_id: "x", atVersion: "{INSTANT}") {{ %s }} }}'
    services = [
        f"{name}___getByLevel(level: 1) {{ _id }}",
        f'{name}___getVersionPage(_id: "x") {{ totalCount }}',
        f'{name}___getVersionDiff(_id: "x", from: "{INSTANT}", to: "{INSTANT}") {{ __typename }}',
        f"{name}___previewCreate(data: {{}}) {{ _id }}",
        f"{name}___preview(data: {{}}) {{ _id }}",
        f'{name}___previewUpdate(data: {{_id: "x" level: 1}}) {{ _id }}',
    ]
    return [
        *(f"{{ {each} }}" for each in services),
        *(version % each for each in ("_id", *ATTRIBUTES[name])),
        *(version % f"{each} {{ _id }}" for each in TO_ONE[name]),
        *(version % f"{each} {{ totalCount }}" for each in TO_MANY[name]),
    ]


def _writes(name: str) -> list[str]:
    create = f"{name}___create(data: {{%s}}) {{ _id }}"
    update = f'{name}___update(data: {{_id: "x"%s}}) {{ _id }}'
    bulk = f"""{name}___updateBulk(data: {{%s}},
      options: {{filter: {{_id___not___null: true}}}}) {{ totalCount }}"""
    texts = [each for each in ("text", "other", "level") if each in ATTRIBUTES[name]]
    values = [f"{each}: {1 if each in NUMBERS else json.dumps('x')}" for each in texts]
    single, several = [each for each in TO_ONE[name] if each != "apple"], [*TO_MANY[name]]
    links = [each for each in several if each != "seeds"]
    save = f"{name}___save(data: {{%s}}) {{ _id }}"
    parts = ['create: [{text: "x"}]', 'update: [{_id: "y", text: "x"}]', 'delete: ["y"]', "deleteAll: true"]
    operations = [
        create % "",
        *(create % each for each in values),
        *(create % f'{each}: "y"' for each in single),
        *(create % f'{each}: ["y"]' for each in links),
        *(create % f'{each}: [{{text: "x"}}]' for each in several if each == "seeds"),
        *(update % f", {each}" for each in values),
        *(update % f', {each}: {{set: "y"}}' for each in single),
        *(update % f', {each}: {{add: ["y"]}}' for each in links),
        *(update % f", {each}: {{{part}}}" for each in several if each == "seeds" for part in parts),
        *(bulk % each for each in values),
        *(save % each for each in ("", *values)),
        *(save % f'_id: "x" {each}' for each in ("", *values)),
        f'{name}___restoreVersion(_id: "x", atVersion: "{INSTANT}") {{ _id }}',
        f'{name}___delete(_id: "x") {{ deleted }}',
        f"{name}___deleteBulk(options: {{filter: {{_id___not___null: true}}}}) {{ deleted }}",
    ]
    locks = [
        f'mutation {{ {verb}(locks: [{{entityName: {name}, _id: "x"}}]) {{ locked }} }}' for verb in ("lock",)
    ]
    return [*(f"mutation {{ {each} }}" for each in operations if name != "Seed"), *locks]


CONDITION = "on some objects, but not on this one"
"""In the message about an object that doesn't meet the condition of a grant."""
KNOWN_WHEN_FOUND = ("{delete", "entityName: Seed", "___restoreVersion")
"""In requests whose rights depend on objects: on the wholes of parts, and on whether an object is deleted."""
SAVE = "___save"
"""In requests that create or update, so that their input has what the profile may use in either."""
PROBES = [query for name in ATTRIBUTES for query in (*_reads(name), *_writes(name))]


@pytest.mark.soak
@pytest.mark.parametrize("number", range(count(1, 150)))
def test_what_a_profile_sees_is_what_grants_do_not_refuse(number: int) -> None:
    """In a store without objects, where conditions of grants are evaluated only for new objects."""
    directives = '@class(versioned: true) @unique(attributes: ["level"])'
    model = random_model(Random(seed() + number), directives)
    api, wrong = Api(model), []
    try:
        schema = ProfileSchemas(model, generate_schema(model)).of("Member").load()
    except Refused:  # the profile may use nothing
        assert all(api.ask("Member", query).get("errors") for query in PROBES)
        return
    for query in PROBES:
        is_shown = not validate(schema, parse(query))
        errors = api.ask("Member", query).get("errors", [])
        refusals = [
            each["message"]
            for each in errors
            if "_GRANT_" in each["extensions"].get("issueType", "") and CONDITION not in each["message"]
        ]
        is_excused = SAVE in query if is_shown else any(text in query for text in KNOWN_WHEN_FOUND)
        if is_shown == bool(refusals) and not is_excused:
            wrong.append((query, is_shown, refusals))
    assert wrong == []
