"""The requests that are compared with PostGraphile do what their rows say."""

from itertools import islice

from graphql import parse

from benchmarks import staff
from benchmarks.peer.rows import OWN, THEIRS, Words, rows
from stratabase.core.model.reading import read_model
from stratabase.core.schema.execution.limits import ExecutionPolicy
from stratabase.core.schema.execution.literals import split_literals
from stratabase.core.schema.execution.validator import Validator
from stratabase.core.schema.generate import generate_schema
from tests.rows import each_row

IDS = [f"id{number}" for number in range(300)]


@each_row("words", [OWN, THEIRS])
def test_rows_differ_in_what_their_names_say(words: Words) -> None:
    for name, bodies in rows(words, IDS).items():
        sent = list(islice(bodies, 200))
        texts = {text for text, _ in sent}
        templates = [split_literals(text) for text in texts]
        shapes = {template and template.parts for template in templates}
        is_written, is_new = "in the text" in name, "new selection" in name
        assert len({repr(body) for body in sent}) == 200
        assert len(texts) == (200 if is_written else 1)
        assert len(shapes) == (200 if is_new else 1)
        assert (None in shapes) != is_written


def test_own_requests_are_valid() -> None:
    validator = Validator(generate_schema(read_model(staff.MODEL, "staff")), ExecutionPolicy())
    for bodies in rows(OWN, IDS).values():
        assert validator.errors(parse(next(bodies)[0])) == []
