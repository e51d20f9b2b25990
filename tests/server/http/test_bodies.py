"""Bodies in memory: how much of them is kept, and how many fit."""

from stratabase.server.http.bodies import BodyMemory, BodyTerms, RequestBody
from stratabase.server.http.errors import MAX_BODY
from tests.rows import each_row

KILOBYTE = 1024


def received(memory: BodyMemory, size: int, member: str = "") -> RequestBody:
    body = RequestBody(memory)
    body.add(b"x" * min(KILOBYTE, size))
    body.accept(BodyTerms(member=member))
    for start in range(KILOBYTE, size, KILOBYTE):
        body.add(b"x" * min(KILOBYTE, size - start))
    return body


@each_row("size", [0, 1, 64 * KILOBYTE, 200_001])
def test_a_body_is_all_its_pieces(size: int) -> None:
    body = received(BodyMemory(MAX_BODY), size)

    assert body.content == b"x" * size
    body.add(b"y")
    assert body.content == b"x" * size + b"y"


def test_memory_is_free_again_when_a_body_is_dropped_or_forgotten() -> None:
    memory = BodyMemory(MAX_BODY)
    bodies = [received(memory, 1000), received(memory, 2000)]
    assert memory.used == 3000

    bodies[1].drop()
    assert memory.used == 1000
    bodies.clear()
    assert memory.used == 0


def test_a_body_that_does_not_fit_is_refused_and_takes_no_memory() -> None:
    memory = BodyMemory(100 * KILOBYTE)
    first, second = received(memory, 60 * KILOBYTE), received(memory, 60 * KILOBYTE)

    assert first.error is None
    assert second.error is not None
    assert second.error.status == 503
    assert memory.used == 60 * KILOBYTE


def test_large_bodies_leave_a_quarter_of_the_memory_to_small_ones() -> None:
    memory = BodyMemory(400 * KILOBYTE)
    large = received(memory, 300 * KILOBYTE)
    one_more = received(memory, 65 * KILOBYTE)
    small = received(memory, 64 * KILOBYTE)

    assert large.error is None
    assert one_more.error is not None
    assert small.error is None


def test_a_member_leaves_half_of_the_memory_for_large_bodies_to_others() -> None:
    memory = BodyMemory(8 * MAX_BODY)
    of_one = [received(memory, MAX_BODY, "ann") for _ in range(4)]
    small = received(memory, 64 * KILOBYTE, "ann")
    of_others = [received(memory, MAX_BODY, "bob"), received(memory, MAX_BODY)]

    assert [each.error is None for each in of_one] == [True, True, True, False]
    assert of_one[3].error is not None
    assert "You send too many large requests" in of_one[3].error.detail
    assert [each.error for each in (small, *of_others)] == [None, None, None]
    del of_one[0]
    assert received(memory, MAX_BODY, "ann").error is not None
    small.drop()
    assert received(memory, MAX_BODY, "ann").error is None


def test_a_member_can_send_the_largest_body_with_the_least_memory() -> None:
    assert received(BodyMemory(16 * KILOBYTE * KILOBYTE), MAX_BODY, "ann").error is None


def test_of_a_body_with_more_bytes_than_the_function_wants_the_rest_is_not_kept() -> None:
    body = RequestBody(BodyMemory(MAX_BODY))
    body.accept(BodyTerms(1500))
    for _ in range(5):
        body.add(b"x" * 1000)

    assert (body.size, len(body.content)) == (5000, 2000)


def test_a_body_that_nobody_wants_is_refused_if_it_never_ends() -> None:
    body = RequestBody(BodyMemory(MAX_BODY))
    body.accept(BodyTerms(0))
    for _ in range(MAX_BODY // KILOBYTE):
        body.add(b"x" * KILOBYTE)
    assert body.error is None

    body.add(b"x")

    assert body.error is not None
    assert body.error.status == 413
