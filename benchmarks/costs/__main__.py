"""Prints the page on costs: `python -m benchmarks.costs > docs/costs.md`, or `make costs`."""

from benchmarks.costs.bill import Bill
from benchmarks.costs.page import render

if __name__ == "__main__":
    print(render(Bill()), end="")
