"""SQLAlchemy's own suite for dialects: its plugin for pytest."""

from sqlalchemy import event
from sqlalchemy.dialects import registry
from sqlalchemy.engine import Engine

# The suite asks for the driver by its own name too.
for name in ("snowflake", "snowflake.snowflake"):
    registry.register(name, "snowflake.sqlalchemy", "dialect")


@event.listens_for(Engine, "do_connect")
def over_http(dialect, record, arguments, parameters):
    # The suite has an address alone, and there the protocol cannot be told.
    parameters["protocol"] = "http"


from sqlalchemy.testing import asyncio  # noqa: E402,F401  the plugin looks for it
from sqlalchemy.testing.plugin.pytestplugin import *  # noqa: E402,F401,F403
