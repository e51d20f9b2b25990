"""The paths of a condition, and what it reads at each of their nodes."""

from stratabase.core.model.dependencies import PathNode, paths_of
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.model.reading import read_model
from stratabase.core.model.users import with_users
from tests.rows import each_row

MODEL = with_users(
    read_model(
        """extend schema @application(name: "Shop")
        type Customer @class(platform: [CREATED_BY]) {
          name: String
          limit: Int
          keeper: _User @association
          label: String @derived(expression: "name + keeper.username")
          count: Int @derived(path: "orders", aggregate: COUNT)
          total: Int @derived(path: "orders.total", aggregate: SUM)
          largest: Int @derived(path: "orders.lines.price", aggregate: MAX)
          orders: [Order!] @association(opposite: "customer")
        }
        type Order {
          discount: Int
          sum: Int @derived(path: "lines.price", aggregate: SUM)
          total: Int @derived(expression: "sum - discount")
          customer: Customer @association(opposite: "orders")
          lines: [Line!] @composition(whole: "order")
        }
        type Line { price: Int }""",
        "shop.graphql",
    )
)


def shown(node: PathNode) -> dict[str, object]:
    """Return what is read of the objects of a node, and what lies behind their roles."""
    below = {name: shown(child) for name, child in node.children.items()}
    return {each: below.get(each) for each in sorted(node.names)}


@each_row(
    ("class_name", "condition", "expected"),
    [
        ("Customer", "limit > 5", {"limit": None}),
        ("Customer", "count > 5", {"orders": {}}),
        (
            "Customer",
            "total > limit",
            {"limit": None, "orders": {"discount": None, "lines": {"price": None}}},
        ),
        ("Customer", "largest > 5", {"orders": {"lines": {"price": None}}}),
        ("Customer", "label == 'x'", {"keeper": None, "name": None}),
        ("Customer", "_createdby == caller.username", {"_createdby": None}),
        ("Line", "order.customer.limit < price", {"order": {"customer": {"limit": None}}, "price": None}),
    ],
)
def test_a_condition_reads_the_stored_values_behind_its_names(
    class_name: str, condition: str, expected: dict[str, object]
) -> None:
    paths = expressions_of(MODEL).condition(class_name, condition).paths

    assert shown(paths_of(MODEL, class_name, paths)) == expected
