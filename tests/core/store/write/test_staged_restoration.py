"""On every engine, an order with more lines than one commit holds is deleted, restored and cleared."""

from stratabase.core.domain.objects.entity import Reference
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.layout import keys
from tests.core.operations.write.interfering_engine import InterferingEngine
from tests.core.operations.write.large_orders import LINES, MINUTE, PartReader, Shop, VisibleParts


def test_staged_parts_are_invisible_until_the_restoration_is_complete(engine: Engine) -> None:
    meddling = InterferingEngine(engine)
    shop = Shop(meddling)
    product = shop.product()
    order = shop.order(product)
    ids, there = shop.lines(order), shop.clock.instant
    reader, seen = PartReader(engine, shop.clock), list[VisibleParts]()
    shop.clock.instant += MINUTE
    full = reader.read_all(order, ids, product)[:-2]

    for end in (shop.delete, shop.clear):
        end(order)
        shop.clock.instant += MINUTE
        ended = reader.read_all(order, ids, product)[:-2]
        assert sum(ended[1:-2]) == 0
        seen.clear()
        meddling.before = lambda _: seen.append(reader.read_all(order, ids, product)[:-2])
        shop.restore(order, there)
        meddling.calm()
        assert seen[:3] == [ended] * 3
        assert reader.read_all(order, ids, product)[:-2] == full
        assert {str(each) for each in seen} == {str(ended), str(full)}
        lines = shop.entities.read([order, *(Reference("Line", id_) for id_ in ids)])
        assert {line and line.start for line in lines} == {shop.clock.instant}
        assert not any(engine.range(keys.LISTING, keys.PURGES))
        shop.clock.instant += MINUTE

    assert len(ids) == LINES
