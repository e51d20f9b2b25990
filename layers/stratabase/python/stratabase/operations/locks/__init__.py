"""Locking and unlocking objects by hand; how locks stop a write is in the domain (`domain/write/locks`).

`lock` has the two services, `permissions` what grants say of them: who may edit an object may reserve it.
"""
