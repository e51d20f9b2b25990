"""The query engine: answers a page query with the plan that is estimated to read the fewest objects.

Read in this order:

1. pages: the entry; answers one query with one page.
2. planner: lists the plans that can answer a query, with their estimated costs, and chooses one.
3. plans: the three kinds of plans: in the order of ids, in the order of an index, or read all and sort.
4. filter_analysis: what a filter implies: ids, and a range of values for each attribute.
5. index_bounds: converts what filter_analysis found into the ranges of an index to read.
6. scan_strategy: how far the order of an index serves the order of the query, and where a scan starts.
7. index_scan: reads the ranges in the order of the query.
8. row_sources: reads rows by key, or from ranges of an index.
9. rows: a row, and the filter that rows must match.

For example, take the filter `city = "Bern" AND age > 30` and an index by `city, age`. filter_analysis finds a
single value for `city` and a range of values for `age`. index_bounds combines both to one range of the index:
from just above `Bern, 30` to the end of `Bern`.

Imports engine, layout and indexes. Nothing here writes.
"""
