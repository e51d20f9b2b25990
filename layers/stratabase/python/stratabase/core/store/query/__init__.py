"""The query engine: answers a page query with the plan that is estimated to read the fewest objects.

Read in this order:

1. pages: the entry; answers one query with one page.
2. schema: what the planner knows of a store: indexes, unique values, and the way back along roles.
3. planner: lists the plans that can answer a query, with their estimated costs, and chooses one. It keeps
   the choice for queries of the same shape (query_shape).
4. semi_join: finds objects by the objects that a role leads to.
5. plans: the three kinds of plans: in the order of ids, in the order of an index, or read all and sort.
6. filter_analysis: what a filter implies: ids, unique values, and a range of values for each attribute.
7. index_bounds: converts what filter_analysis found into the ranges of an index to read.
8. scan_strategy: how far the order of an index serves the order of the query, and where a scan starts.
9. index_scan: reads the ranges in the order of the query.
10. row_sources: reads rows by key, or from ranges of an index.
11. rows: a row, and the filter that rows must match.
12. index_entries: counts the matches for totals by the values in an index, without reading an object.
13. named_plans: records the plans of a request in the names of the model.

For example, take the filter `city = "Bern" AND age > 30` and an index by `city, age`. filter_analysis finds a
single value for `city` and a range of values for `age`. index_bounds combines both to one range of the index:
from just above `Bern, 30` to the end of `Bern`.

Imports engine, layout, indexes and read. Nothing here writes.
"""
