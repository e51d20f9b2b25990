"""Records become the items that they were made of."""

from stratabase.core.store.engine.port import IndexKey, Item, Key
from stratabase_aws.dynamodb.records import item_of, record_of
from tests.rows import each_row

PLACES = {"index2": IndexKey("Thing#2", "b"), "index8": IndexKey("Thing#8", "h")}


@each_row(
    "item",
    [
        Item(Key("Thing#1", "V#~")),
        Item(Key("Thing#1", "V#~"), {}, ""),
        Item(Key("Thing#1", "V#~"), {"versionStart": -1, "commitIds": ["a", "b"]}, "{}", PLACES),
        Item(Key("Thing#1", "V#~"), {"pk": "own", "p1": None, "blank": True, "=": False, "big": 10**37}),
    ],
)
def test_an_item_is_the_same_after_storing_it(item: Item) -> None:
    found = item_of(record_of(item))
    assert found == item
    assert [*found.places] == [*item.places]
    assert [type(value) for value in found.attributes.values()] == [
        type(value) for value in item.attributes.values()
    ]


@each_row(("text", "number"), [("100", 100), ("-7", -7), ("1E+2", 100), ("1e2", 100)])
def test_numbers_are_read_in_every_notation(text: str, number: int) -> None:
    record = {"pk": {"S": "a"}, "sk": {"S": "b"}, "n": {"N": text}}
    assert item_of(record).attributes == {"n": number}
