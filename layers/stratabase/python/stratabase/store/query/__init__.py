"""Finds a page of objects: which plan reads the least, and how it reads.

Read in this order: pages (the entry: one query, one page), planner (the plans that could serve a query, and
their estimated cost), plans (what a plan does: in the order of the ids, in the order of an index, or sort
all), filter_analysis (what a filter says of single attributes), index_bounds (the ranges of an index that
it leaves), scan_order (how the order of an index serves a query, and where a scan starts), index_scan (the
scan itself), row_sources (rows by key or by ranges of an index), rows (a row, and the filter that rows
pass).

Imports engine, layout and indexes. Nothing here writes.
"""
