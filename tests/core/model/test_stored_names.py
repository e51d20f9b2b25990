"""The stored model has the first name of everything, whatever the present names are."""

from stratabase.core.model.attribute import Origin
from stratabase.core.model.model import Model, Unique
from stratabase.core.model.reading import read_model
from stratabase.core.model.stored_names import StoredNames

HEAD = 'extend schema @application(name: "Hr")\n'
BEFORE = """
enum Colour { RED GREEN }
type Worker @unique(attributes: ["mail"]) @index(attributes: ["first", "last"]) {
  mail: String first: String last: String colour: Colour @default(value: "RED")
  group: Group @association(opposite: "workers") places: [Place!] @composition
}
type Group { name: String workers: [Worker!] @association(opposite: "group") }
type Place { street: String }
"""
AFTER = """
enum Colour { CRIMSON @renamed(from: "RED") GREEN }
type Employee @renamed(from: "Worker") @unique(attributes: ["email"]) @index(attributes: ["last", "first"]) {
  email: String @renamed(from: "mail")
  last: String @renamed(from: "first") first: String @renamed(from: "last")
  colour: Colour @default(value: "CRIMSON")
  mail: String @derived(expression: "lower(email)")
  team: Team @renamed(from: "group") @association(opposite: "members")
  addresses: [Address!] @renamed(from: "places") @composition
}
type Team @renamed(from: "Group") {
  name: String members: [Employee!] @renamed(from: "workers") @association(opposite: "team")
}
type Address @renamed(from: "Place") { street: String }
"""


def _model(text: str) -> Model:
    return read_model(HEAD + text, "m")


def test_the_stored_model_of_a_renamed_model_is_the_model_before() -> None:
    before, stored = _model(BEFORE), StoredNames(_model(AFTER)).stored_model
    assert list(stored.classes) == list(before.classes)
    for name, class_ in before.classes.items():
        found = stored.classes[name]
        native = {key: each for key, each in found.attributes.items() if each.origin is not Origin.DERIVED}
        assert [(each.name, each.type.name, each.default) for each in native.values()] == [
            (each.name, each.type.name, each.default) for each in class_.attributes.values()
        ]
        assert dict(found.roles) == dict(class_.roles)
        assert (found.uniques, found.indexes) == (class_.uniques, class_.indexes)
    assert list(stored.enumerations["Colour"].values) == ["RED", "GREEN"]
    assert stored.classes["Worker"].attributes["=mail"].origin is Origin.DERIVED


def test_swapped_attributes_are_stored_under_each_others_name() -> None:
    names = StoredNames(_model(AFTER)).classes["Employee"]
    assert (names.to_stored["first"], names.to_stored["last"]) == ("last", "first")
    assert (names.from_stored["first"], names.from_stored["last"]) == ("last", "first")


def test_values_of_renamed_enum_values() -> None:
    names = StoredNames(_model(AFTER)).by_stored_name["Worker"]
    assert [names.value_to_stored("colour", value) for value in ("CRIMSON", "GREEN", None)] == [
        "RED",
        "GREEN",
        None,
    ]
    assert names.value_to_stored("first", "CRIMSON") == "CRIMSON"


def test_a_model_without_renames_is_its_own_stored_model() -> None:
    model = _model(BEFORE)
    names = StoredNames(model)
    assert names.is_identity
    assert names.stored_model is model
    assert model.classes["Worker"].uniques == (Unique(("mail",)),)


def test_the_first_name_of_a_role_back() -> None:
    """Its default follows the class, so it keeps the default for the first name of the class."""
    stored = StoredNames(
        _model(
            """
            type Person @renamed(from: "Worker") {
              a: [A!] @composition b: [B!] @composition(whole: "owner")
              c: [C!] @composition(whole: "owner", wholeFrom: "worker_")
            }
            type A { x: Int }
            type B { x: Int }
            type C { x: Int }
            """
        )
    ).stored_model
    assert [list(stored.classes[name].roles) for name in "ABC"] == [["worker_"], ["owner"], ["worker_"]]
