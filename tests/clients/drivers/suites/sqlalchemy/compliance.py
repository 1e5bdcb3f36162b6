"""The tests of the suite, but those whose tables have indexes: the dialect makes these of hybrid tables alone, and refuses them
before it asks the server."""

from sqlalchemy.testing import suite

WITH_INDEXES = {
    "BizarroCharacterTest",
    "ComponentReflectionTest",
    "ComponentReflectionTestExtra",
    "HasIndexTest",
    "LongNameBlowoutTest",
    "QuotedNameArgumentTest",
}

# Its sequences are made with NO MINVALUE, which the warehouse does not know either.
WITH_LIMITS = {"HasSequenceTest", "HasSequenceTestEmpty"}

left_out = WITH_INDEXES | WITH_LIMITS
globals().update({name: each for name, each in vars(suite).items() if name not in left_out and not name.startswith("_")})
