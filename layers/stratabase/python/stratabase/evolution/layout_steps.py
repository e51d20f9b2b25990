"""The steps between the layouts of stores, which `stratabase store upgrade` performs.

There is only one layout yet. To add another one:

1. Make the code read both layouts, and write that of `StoreMark.written_layout`.
2. Add the step here. `convert_items` (evolution/backfill/layout_conversion.py) converts the items of objects.
3. Raise `KNOWN_LAYOUTS` in core/domain/store_mark.py. Keep the older layout for at least one release.
"""

from stratabase.evolution.layout_upgrade import LayoutStep

LAYOUT_STEPS: tuple[LayoutStep, ...] = ()
"""The steps, in the order of the layouts of each kind of store."""
