"""Lock and unlock objects on request of a member.

`lock` has the two operations, and the rule who may use them: members who may edit an object may lock it. A
lock stops the writes of others in the plan (`core/domain/write/checks`) and in the commit
(`core/store/layout/object_items`).
"""
