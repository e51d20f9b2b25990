"""Lock and unlock objects on request of a member.

`lock` has the two operations, and the rule who may use them: members who may edit an object may lock it. How
a lock stops the writes of others is in `core/domain/write/locks`.
"""
