"""Names are not reserved, too long, duplicate, or equal to generated names."""

from collections.abc import Callable

from stratabase.core.model.api_names import FIXED_TYPES, SEPARATOR, GeneratedType
from stratabase.core.model.reading.rules.names import GRAPHQL_LITERALS
from tests.rows import each_row


def test_reserved_names_are_refused(complains: Callable[..., None]) -> None:
    service = "begins with _, which is reserved for Stratabase. Use another name."
    generated = "contains ___, which is reserved for generated names."
    complains(
        "type ¦_A { ¦_id: Int ¦a___eq: Int }\nenum ¦B___C { ¦_D ¦E___ }",
        f"_A {service}",
        f"_id {service}",
        f"a___eq {generated}",
        f"B___C {generated}",
        f"_D {service}",
        f"E___ {generated}",
    )


def test_too_long_names_are_refused(complains: Callable[..., None]) -> None:
    name = "a" * 101
    complains(f"type A {{ ¦{name}: Int }}", f"{'a' * 100}… is too long. Use at most 100 characters.")


def test_duplicate_names_are_refused(complains: Callable[..., None]) -> None:
    case = " (case is ignored)"
    complains(
        "type A { x: Int\n¦X: Int\n¦x: Int }\ntype ¦a { y: Int }\nenum ¦A { B }\ntype ¦date { y: Int }",
        f"The name A.X is taken: A.x is on line 2{case}.",
        "The name A.x is taken: A.x is on line 2.",
        f"The name a is taken: A is on line 2{case}.",
        "The name A is taken: A is on line 2.",
        f"The name date is taken: Date is an attribute type{case}.",
    )


def test_the_name_of_the_role_to_a_whole_is_refused_for_another_member(
    complains: Callable[..., None],
) -> None:
    write = 'Use another name: @composition(whole: "…").'
    complains(
        'type A { p: [P!] @composition(whole: ¦"Whole") ¦q: P @composition r: P @composition(whole: "a") }\n'
        "type P { whole: Int a_: Int }",
        f"The role back from P through A.p can't be called Whole: P.whole is a field. {write}",
        f"The role back from P through A.q can't be called a_: P.a_ is a field. {write}",
    )
    complains(
        "type A { p: [P!] @composition ¦q: P @composition }\ntype P { x: Int }",
        f"The role back from P through A.q can't be called a_: "
        f"the role back through A.p has that name. {write}",
    )


def test_invalid_names_of_roles_to_a_whole_are_refused(complains: Callable[..., None]) -> None:
    complains(
        'type A { p: P @composition(whole: ¦"a b") q: P @composition(whole: ¦"_a")\n'
        'r: P @composition(whole: ¦"") }\n'
        "type P { x: Int }",
        '"a b" is not a valid name. Use letters, digits, and _, and begin with a letter.',
        "_a begins with _, which is reserved for Stratabase. Use another name.",
        '"" is not a valid name. Use letters, digits, and _, and begin with a letter.',
    )


@each_row("suffix", [each.value for each in GeneratedType if each.value and SEPARATOR not in each.value])
def test_the_name_of_a_generated_type_is_refused_for_a_class(
    complains: Callable[..., None], suffix: str
) -> None:
    message = f"The type A{suffix} is generated for the class A. Use another name."
    complains(f"type A {{ x: Int }} type ¦A{suffix} {{ x: Int }}", message)
    complains(f"enum ¦A{suffix} {{ X }} type A {{ x: Int }}", message)


@each_row("name", sorted(FIXED_TYPES))
def test_the_name_of_a_fixed_type_is_refused_for_a_class(complains: Callable[..., None], name: str) -> None:
    message = f"Every generated schema has a type {name}. Use another name."
    complains(f"type ¦{name} {{ x: Int }}", message)


@each_row("name", sorted(GRAPHQL_LITERALS))
def test_a_class_name_invalid_as_an_enum_value_is_refused(complains: Callable[..., None], name: str) -> None:
    """There is an enum with a value for each class."""
    message = f"A class can't be called {name}: a GraphQL enum can't have that value."
    complains(f"type ¦{name} {{ x: Int }}", message)


def test_invalid_enum_values_are_refused(complains: Callable[..., None]) -> None:
    complains("type A { x: E } enum E { A ¦A B }", "E already has the value A. Remove one.")
    complains("type A { x: Int } enum ¦E", "The enum E has no values. Add at least one.")


def test_the_names_that_combine_filters_are_refused_for_attributes_and_roles(
    complains: Callable[..., None],
) -> None:
    taken = "can't be the name of an attribute or role: it combines filters. Use another name."
    complains(
        'type A { ¦AND: Int ¦OR: B parts: [P!] @composition(whole: ¦"NOT") }\n'
        "type B { and: Int }\ntype P { or: Int }\nenum E { AND }",
        f"AND {taken}",
        f"OR {taken}",
        f"NOT {taken}",
    )
