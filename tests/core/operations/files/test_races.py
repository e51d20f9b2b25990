"""Members and the sweep use the same files at the same time: no file is lost, and none stays."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count as numbers
from pathlib import Path

import pytest

from stratabase.core.domain.files.pending_file import SWEEP_DELAY
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from tests.contract.engine.engine_calls import run_concurrently
from tests.core.operations.files import contests
from tests.core.operations.files.contests import DONE, NEW, OLD, OTHER, Contest, run
from tests.core.operations.files.interrupted_stores import STORES, OpenStores
from tests.core.operations.files.stored_files import check_no_bytes_are_missing, check_nothing_is_left
from tests.core.store.thread_switching import taking_turns
from tests.fakes import FrozenClock
from tests.soak import count, mostly

pytestmark = pytest.mark.soak

TIMES = count(3, 500)
"""How often the races for one upload run, but over the wire, where they take long."""
FEW_TIMES = count(2, 100)
"""How often all others run."""
GONE, NO_FILE, NO_UPLOAD = ["ENTITY_NOT_FOUND"], "FileNotFound", "PendingFileGone"
Operation = Callable[[Contest], object]


@pytest.fixture(params=mostly(["memory", "disk", "ministack"], "ministack"))
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStores]:
    """Empty stores that support concurrent callers."""
    with STORES[request.param](tmp_path) as opened, taking_turns():
        yield opened


def race(
    stores: OpenStores, *operations: Operation, times: int = FEW_TIMES
) -> Iterator[tuple[Contest, Sequence[object]]]:
    """Yield a contest after operations at the same time, and their results, many times."""
    for _ in range(min(times, FEW_TIMES) if isinstance(stores.engine, DynamoDBEngine) else times):
        contest = Contest(stores.engine, stores.blobs)
        yield contest, run_concurrently(*(partial(run, contest, operation) for operation in operations))
        check_no_bytes_are_missing(contest.scenario)
        for reference in {each.reference for each in contest.objects()}:
            contest.scenario.delete(reference)
        check_nothing_is_left(contest.scenario)
        assert contest.scenario.stored_keys() == set()


def test_of_two_writes_that_take_an_upload_one_gets_it(stores: OpenStores) -> None:
    for contest, results in race(stores, contests.create, contests.replace, contests.create, times=TIMES):
        assert sorted(results, key=str) == sorted([DONE, GONE, GONE], key=str)
        files, pending = contest.state()
        assert [content for _is_photo, content in files].count(NEW) == 1
        assert pending == [False, True]


@pytest.mark.parametrize("sweep", [contests.sweep, contests.sweep_ahead], ids=["due", "ahead"])
def test_a_write_takes_an_upload_or_the_sweep_removes_it(stores: OpenStores, sweep: Operation) -> None:
    for contest, (taken, _swept) in race(stores, contests.create, sweep, times=TIMES):
        assert taken in [DONE, GONE]
        files, pending = contest.state()
        assert (NEW in [content for _is_photo, content in files]) == (taken == DONE)
        assert pending == [False, False]


def test_a_write_takes_an_upload_or_its_member_withdraws_it(stores: OpenStores) -> None:
    for contest, (taken, _withdrawn) in race(stores, contests.replace, contests.withdraw, times=TIMES):
        assert taken in [DONE, GONE]
        assert contest.state() == ([(True, NEW if taken == DONE else OLD)], [False, True])


def test_two_replacements_follow_each_other(stores: OpenStores) -> None:
    for contest, results in race(stores, contests.replace, contests.replace_by_other):
        assert results == [DONE, DONE]
        assert contest.state() in [([(True, content)], [False, False]) for content in (NEW, OTHER)]


def test_clearing_and_replacing_follow_each_other(stores: OpenStores) -> None:
    for contest, results in race(stores, contests.clear, contests.replace):
        assert results == [DONE, DONE]
        assert contest.state() in [(files, [False, True]) for files in ([], [(True, NEW)])]


def test_deleting_and_replacing_follow_each_other(stores: OpenStores) -> None:
    for contest, (is_deleted, replaced) in race(stores, contests.delete, contests.replace):
        assert is_deleted is True
        assert replaced in [DONE, GONE]
        assert contest.state() == ([], [replaced == GONE, True])


def test_two_sweeps_remove_what_one_removes(stores: OpenStores) -> None:
    def sweep_again(contest: Contest) -> object:
        contest.scenario.sweep_once(FrozenClock(contest.new.expires + 2 * SWEEP_DELAY))
        return DONE

    for contest, results in race(stores, contests.sweep, sweep_again, contests.sweep, sweep_again):
        assert results == [DONE] * 4
        assert contest.state() == ([(True, OLD)], [False, False])


def test_an_upload_during_a_sweep_can_be_taken(stores: OpenStores) -> None:
    def upload_and_create(contest: Contest) -> bytes:
        photo = contest.scenario.create(picture=contest.scenario.upload(b"fresh"))
        return contest.scenario.download(photo.reference)

    for contest, results in race(stores, upload_and_create, contests.sweep, contests.create, contests.sweep):
        assert results[0] == b"fresh"
        assert (True, OLD) in contest.state()[0]


def test_a_download_of_a_file_that_is_replaced_has_one_of_both_whole(stores: OpenStores) -> None:
    def sweep_replaced(contest: Contest) -> object:
        for delay in (0, SWEEP_DELAY):
            contest.scenario.sweep_once(FrozenClock(contest.scenario.clock.instant + delay))
        return DONE

    racers = (contests.download, contests.replace, sweep_replaced, contests.download)
    for _contest, (one, _replaced, _swept, two) in race(stores, *racers):
        assert {str(one), str(two)} <= {str(OLD), str(NEW), NO_FILE}


def test_a_download_of_an_upload_that_is_taken_and_swept_has_it_or_nothing(stores: OpenStores) -> None:
    racers = (contests.download_pending, contests.create, contests.sweep, contests.sweep)
    for _contest, (downloaded, *_others) in race(stores, *racers):
        assert downloaded in [NEW, NO_UPLOAD]


def test_writes_and_sweeps_of_many_members_leave_nothing(stores: OpenStores) -> None:
    turns = numbers()

    def use(contest: Contest) -> object:
        scenario = contest.scenario
        for _ in range(3):
            reference = scenario.create(title=str(next(turns)), picture=scenario.upload(NEW)).reference
            scenario.update(reference, picture=scenario.upload(OTHER))
            scenario.sweep_once(FrozenClock(contest.new.expires * 2))
            scenario.delete(reference)
        return DONE

    for contest, results in race(stores, use, use, use, contests.sweep_ahead, times=count(1, 33)):
        # A remote store may be too busy for a member.
        assert set(map(str, results)) <= {DONE, str(GONE), "Unavailable"}
        assert (True, OLD) in contest.state()[0]
