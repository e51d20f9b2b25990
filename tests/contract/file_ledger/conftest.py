"""Runs each test of this suite on every engine."""

from tests.contract.engine.engines import KINDS, engine_fixture
from tests.soak import mostly

engine = engine_fixture(mostly(KINDS, "dynamodb-moto"))
