"""`@unique` and `@index` name comparable attributes."""

from collections.abc import Callable

import pytest

from stratabase.model.model import Model

WORLD = """
type A @class(platform: [CREATED_ON]) {directives} {
  x: Int y: String a_B: Int a: Int b: Int insight: Int file: File b_s: [B!]
  sum: Int @derived(expression: "x + a") p: [A!] @association p2: P @composition
}
type B { x: Int }
type P {part} { x: Int }
"""
UNIQUE_CASES = {
    "none": ("@unique(attributes: ¦[])", "@unique needs at least one attribute."),
    "unknown": ('@unique(attributes: ["x", ¦"xx"])', 'A has no attribute xx. Did you mean "x"?'),
    "twice in one": ('@unique(attributes: ["x", "y", ¦"x"])', "x is listed more than once. Remove one."),
    "the same again": (
        '@unique(attributes: ["x", "y"]) ¦@unique(attributes: ["y", "x"])',
        "The @unique on line 3 has the same attributes. Remove one.",
    ),
    "a role": ('@unique(attributes: [¦"b_s"])', "A.b_s is a role, but @unique takes only attributes."),
    "a file": ('@unique(attributes: [¦"file"])', "A.file is a File, so it can't be unique."),
    "derived": (
        '@unique(attributes: [¦"sum"])',
        "A.sum is derived, so it can't be unique. Use the attributes that it is derived from.",
    ),
    "of the platform": (
        '@unique(attributes: [¦"_createdon"])',
        "_createdon is set by Stratabase, so it can't be unique.",
    ),
    "an argument of the service": (
        '@unique(attributes: [¦"insight"])',
        "A.insight can't be unique: its getBy service already has an argument insight.",
    ),
    "one service for two": (
        '@unique(attributes: ["a_B"]) ¦@unique(attributes: ["a", "b"])',
        "The service getByA_B would be generated twice: for a_B, and for a and b.",
    ),
}
INDEX_CASES = {
    "unknown": ('@index(attributes: [¦"fiel"])', 'A has no attribute fiel. Did you mean "file"?'),
    "a file": ('@index(attributes: [¦"file"])', "A.file is a File, so it can't be indexed."),
    "derived": (
        '@index(attributes: [¦"sum"])',
        "A.sum is derived, so it can't be indexed. Use the attributes that it is derived from.",
    ),
    "of the platform, but not recorded": (
        '@index(attributes: ["_createdon", ¦"_ownedby"])',
        "A doesn't record _ownedby. Add @class(platform: [OWNED_BY]).",
    ),
    "twice": (
        '@index(attributes: ["x"]) @index(attributes: ["x", "y"]) ¦@index(attributes: ["x"])',
        "A already has this @index. Remove one.",
    ),
    "an eighth": (
        "\n".join(
            f'@index(attributes: ["x"{", ".join(["", *one])}])'
            for one in ([], ['"a"'], ['"b"'], ['"y"'], ['"a"', '"b"'], ['"a"', '"y"'], ['"b"', '"a"'])
        )
        + '\n¦@index(attributes: ["y"])',
        "A has more than 7 indexes. Keep those that are used most.",
    ),
}
CASES = {f"unique: {name}": case for name, case in UNIQUE_CASES.items()} | {
    f"index: {name}": case for name, case in INDEX_CASES.items()
}


@pytest.mark.parametrize(("written", "message"), CASES.values(), ids=CASES)
def test_invalid_uniques_and_indexes_are_refused(
    complains: Callable[..., None], written: str, message: str
) -> None:
    complains(WORLD.replace("{directives}", written).replace("{part}", ""), message)


def test_the_role_to_a_whole_cannot_be_indexed(complains: Callable[..., None]) -> None:
    world = WORLD.replace("{directives}", "").replace("{part}", '@index(attributes: [¦"a_"])')
    complains(world, "P.a_ is a role, but @index takes only attributes.")


def test_a_part_may_be_unique(reads: Callable[[str], Model]) -> None:
    model = reads(WORLD.replace("{directives}", "").replace("{part}", '@unique(attributes: ["x"])'))
    assert model.classes["P"].uniques[0].attributes == ("x",)
