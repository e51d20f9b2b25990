"""The questions in docs/graphql-and-sql.md have the answers that SQL gives for the same data."""

import json
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from stratabase.core.domain.objects.instant import format_instant
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.renamed_repository import open_repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.example_shops import DELETED, Objects, fill_service, fill_tables, music_shop, wholesaler
from tests.fakes import ADMINISTRATOR, FrozenClock, unlimited_budget
from tests.repository import ROOT

PAGE = ROOT / "docs" / "graphql-and-sql.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BEFORE, TODAY = 1_750_000_000_000, 1_788_000_000_000
"""2025-06-15 and 2026-08-29."""
NEVER = "9999"
DAY = 24 * 60 * 60 * 1_000


class Question(NamedTuple):
    """A question of the page."""

    title: str
    graphql: str
    sql: str


class Shop:
    """A service and tables with the same data."""

    def __init__(self, folder: Path, text: str, objects: Objects) -> None:
        self.model: Model = read_model(text, "model.graphql")
        self.engine = SqliteEngine(folder / f"{self.model.application}.db")
        self._clock = FrozenClock(BEFORE)
        services = Services(
            self.model,
            open_repository(self.engine, self.model),
            self._clock,
            TimeOrderedIds(self._clock.now),
            unlimited_budget,
        )
        self._executor = SchemaExecutor(services, _failed)
        self.ids = fill_service(self, self.model, objects)
        self.tables = sqlite3.connect(":memory:")
        for function in (fold, iso_week):
            self.tables.create_function(function.__name__, 1, function, deterministic=True)
        fill_tables(self.tables, self.model, objects)

    def ask(self, query: str, **variables: Any) -> Any:
        """Return the value of the only field of a response without errors."""
        body = json.loads(self._executor.execute(query, variables, None, ADMINISTRATOR, "t").body)
        assert "errors" not in body, body["errors"]
        return next(iter(body["data"].values()))

    def create(self, class_name: str, data: Mapping[str, Any]) -> str:
        """Create an object, and return its id."""
        query = f"mutation($data: {class_name}Create!) {{ {class_name}___create(data: $data) {{ _id }} }}"
        return str(self.ask(query, data=data)["_id"])

    def change_products(self) -> None:
        """Change the price of some products, and delete others. Keep what they were in a table."""
        self.tables.execute(
            "CREATE TABLE product_history AS SELECT *, ? valid_from, ? valid_to FROM product",
            [format_instant(BEFORE), NEVER],
        )
        self._clock.instant = TODAY
        now, ids = format_instant(TODAY), self.ids["Product"]
        for number in (*range(0, len(ids), 3), *range(len(ids) - DELETED, len(ids))):
            here = [now, NEVER, number]
            self.tables.execute("UPDATE product_history SET valid_to = ? WHERE valid_to = ? AND id = ?", here)
            if number >= len(ids) - DELETED:
                self.ask(f'mutation {{ Product___delete(_id: "{ids[number]}") {{ deleted }} }}')
                self.tables.execute("DELETE FROM product WHERE id = ?", [number])
            else:
                data = f'{{_id: "{ids[number]}", unit_price: "19.5"}}'
                self.ask(f"mutation {{ Product___update(data: {data}) {{ _id }} }}")
                self.tables.execute("UPDATE product SET unit_price = 19.5 WHERE id = ?", [number])
                self.tables.execute(
                    "INSERT INTO product_history SELECT *, ?, ? FROM product WHERE id = ?", here
                )

    def delete_customers(self) -> None:
        """Delete the last customers, one a day. Keep what they were in a table."""
        self.tables.execute("CREATE TABLE deleted_customer AS SELECT *, '' deleted_on FROM customer WHERE 0")
        ids = self.ids["Customer"]
        for number in range(len(ids) - DELETED, len(ids)):
            self._clock.instant += DAY
            self.ask(f'mutation {{ Customer___delete(_id: "{ids[number]}") {{ deleted }} }}')
            gone = [format_instant(self._clock.instant), number]
            self.tables.execute("INSERT INTO deleted_customer SELECT *, ? FROM customer WHERE id = ?", gone)
            self.tables.execute("DELETE FROM customer WHERE id = ?", [number])

    def close(self) -> None:
        self.engine.close()
        self.tables.close()


def _failed(error: BaseException, _: str) -> None:
    raise error


def fold(text: str) -> str:
    """Return a text without case and accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each for each in parts if not unicodedata.combining(each))


def iso_week(day: str) -> str:
    """Return the week of a day: `2026-W01`."""
    year, week, _ = date.fromisoformat(day).isocalendar()
    return f"{year}-W{week:02}"


def questions() -> Iterator[tuple[str, list[Question]]]:
    """Yield each model of the page, with the questions after it."""
    for part in re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        found = list[Question]()
        ((_, model), *_rest) = BLOCK.findall(part)
        for section in re.split(r"^### ", part, flags=re.MULTILINE)[1:]:
            (first, graphql), (second, sql) = BLOCK.findall(section)
            assert (first, second) == ("graphql", "sql")
            found.append(Question(section.partition("\n")[0], graphql, sql))
        yield model, found


def rows_of(answer: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Return an answer as rows: one for each object or group, or one for all totals."""
    beside = {name: value for name, value in answer.items() if name not in {"items", "groups"}}
    if "groups" in answer:
        return rows_of(answer["groups"])
    if "items" in answer:
        return [(*leaves(beside), *leaves(item)) for item in answer["items"]]
    return [tuple(leaves(beside))]


def leaves(value: Any) -> Iterator[Any]:
    """Yield the values of a response in their order."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from leaves(each)
    else:
        yield value


def comparable(value: Any) -> Any:
    """Return a value of a response or a table, so that equal ones are equal. Reals are texts in responses."""
    try:
        return round(Decimal(value), 6)
    except (InvalidOperation, TypeError):
        return value


@pytest.mark.parametrize(("part", "objects"), [(0, music_shop), (1, wholesaler)])
def test_graphql_and_sql_give_the_same_answers(
    tmp_path: Path, part: int, objects: Callable[[], Objects]
) -> None:
    model, asked = list(questions())[part]
    assert len(asked) > 3
    with closing(Shop(tmp_path, model, objects())) as shop:
        if "Product" in shop.ids:
            shop.change_products()
            shop.delete_customers()
        for question in asked:
            found = [tuple(map(comparable, row)) for row in rows_of(shop.ask(question.graphql))]
            expected = [tuple(map(comparable, row)) for row in shop.tables.execute(question.sql)]
            assert expected, question.title
            assert found == expected, question.title
