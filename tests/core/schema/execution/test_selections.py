"""Fields of a selection set, with fragments and conditions."""

from graphql import OperationDefinitionNode, parse

from stratabase.core.schema.execution.selections import Collected, Selections, fragments_of


def collected(query: str) -> Collected:
    document = parse(query)
    operation = document.definitions[0]
    assert isinstance(operation, OperationDefinitionNode)
    return Selections(fragments_of(document)).collect([operation.selection_set])


def test_a_fragment_counts_once_however_often_it_is_spread() -> None:
    """Otherwise fragments that spread one another twice would take twice as long with each of them."""
    doubling = "".join(f"fragment f{n} on T {{ ...f{n + 1} ...f{n + 1} }} " for n in range(8))
    (nodes,) = collected(f"{{ ...f0 ... {{ ...f0 }} }} {doubling} fragment f8 on T {{ a }}").values()
    assert len(nodes) == 1


def test_an_excluded_spread_does_not_count() -> None:
    found = collected("{ ...f @skip(if: true) b ...f } fragment f on T { a }")
    assert list(found) == ["b", "a"]


def test_each_selection_set_of_an_object_adds_its_fields_in_order() -> None:
    found = collected("{ b ...f a: c b } fragment f on T { a d }")
    assert {key: [node.name.value for node in nodes] for key, nodes in found.items()} == {
        "b": ["b", "b"],
        "a": ["a", "c"],
        "d": ["d"],
    }
