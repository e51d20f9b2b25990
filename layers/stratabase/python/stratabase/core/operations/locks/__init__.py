"""Lock and unlock objects on request of a member.

`services` has the two operations, and the rule who may use them: members who may edit an object may lock it.
They are names of the package, such as `locks.unlock`, and imported on first use.

A lock stops the writes of others in the plan (`core/domain/write/checks`) and in the commit
(`core/store/layout/object_items`).
"""

from typing import TYPE_CHECKING

from stratabase.values.first_use import on_first_use

if TYPE_CHECKING:
    from stratabase.core.operations.locks.services import lock, unlock

__all__ = ["lock", "unlock"]

__getattr__ = on_first_use(__name__, dict.fromkeys(__all__, "services"))
