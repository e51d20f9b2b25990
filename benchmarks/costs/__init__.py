"""What requests cost on AWS: the page docs/costs.md and the measurements behind it.

1. operations, service, recorder, measure: run each operation on the deployed functions, and write its
   figures to measured.json.
2. prices, bill: what the figures cost, with assumptions about what was not measured.
3. page, markdown: the text.
"""
