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

globals().update({name: each for name, each in vars(suite).items() if name not in WITH_INDEXES and not name.startswith("_")})
