"""All tests of the suite; which of them the dialect claims to support, its requirements say."""

from sqlalchemy.testing.suite import *  # noqa: F401,F403
