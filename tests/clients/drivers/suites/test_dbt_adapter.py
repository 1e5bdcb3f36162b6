"""The tests that dbt has for adapters, with dbt-snowflake: every class of the package that its adapter need not adapt.

Run with `-p dbt.tests.fixtures.project`, which has the fixtures.
"""

import importlib
import inspect
from pathlib import Path

import dbt.tests.adapter
import pytest

#: Parts of modules' names, with the reason why their classes are left out.
LEFT_OUT = {
    "python_model": "Python models need procedures in Python, which the server refuses by name",
    "materialized_view": "dynamic tables are refused by name",
    "catalog_integrations": "Iceberg catalogs are refused by name",
    "test_types": "written for PostgreSQL",
}


def classes():
    folder = Path(dbt.tests.adapter.__path__[0])
    for file in sorted(folder.rglob("*.py")):
        name = ".".join(("dbt.tests.adapter", *file.relative_to(folder).with_suffix("").parts))
        if file.stem == "__init__" or any(part in name for part in LEFT_OUT):
            continue
        module = importlib.import_module(name)
        own = [each for _, each in inspect.getmembers(module, inspect.isclass) if each.__module__ == module.__name__]
        own = [each for each in own if "Postgres" not in each.__name__ and "Posgres" not in each.__name__]
        complete = [each for each in own if each.__name__.startswith("Test")]
        extended = {base for each in complete for base in each.__mro__[1:]}
        bare = [each for each in own if each.__name__.startswith("Base") and each not in extended]
        for each in complete + bare:
            if any(name.startswith("test_") for name in dir(each)):
                yield each


@pytest.fixture(scope="class")
def dbt_profile_target(server):
    from urllib.parse import urlsplit

    address = urlsplit(server.url)
    server.execute("CREATE DATABASE IF NOT EXISTS DBT_ADAPTER")
    return {
        "type": "snowflake",
        "threads": 4,
        "account": server.account,
        "user": "ADMIN",
        "password": server.token,
        "role": "ACCOUNTADMIN",
        "host": address.hostname,
        "port": address.port,
        "protocol": "http",
        "database": "DBT_ADAPTER",
        "warehouse": "COMPUTE_WH",
    }


for each in classes():
    name = "Test" + each.__name__.removeprefix("Base").removeprefix("Test")
    globals()[name if name not in globals() else f"{name}2"] = type(name, (each,), {"__module__": __name__})
