"""The tests that dbt has for adapters, with dbt-snowflake: every class of the package that its adapter need not adapt.

Run with `-p dbt.tests.fixtures.project`, which has the fixtures.
"""

import importlib
import inspect
import os
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

#: Classes whose expectations are another database's, and which an adapter replaces by its own in its repository.
OF_ANOTHER = {
    "BaseConstraintsRuntimeDdlEnforcement": "expects the DDL of PostgreSQL",
    "BaseCurrentTimestampNaive": "is for adapters whose instants have no offset",
    "BaseDocsGenReferences": "expects the catalog of PostgreSQL",
    "BaseDocsGenerate": "expects the catalog of PostgreSQL",
    "BaseEphemeralMulti": "expects the SQL of PostgreSQL",
    "BaseEphemeralNested": "expects the SQL of PostgreSQL",
    "BaseGetCatalogForSingleRelation": "is for adapters that implement it",
    "BaseHookRefs": "needs a file of the adapter's repository",
    "BaseIncrementalBadStrategy": "looks for a strategy when there is no table yet, which the adapter does not",
    "BaseIncrementalContractSqlHeader": "sets a parameter of PostgreSQL",
    "BaseMacroArgsQueryComments": "expects comments before the text, and the adapter puts them behind",
    "BaseMacroQueryComments": "expects comments before the text, and the adapter puts them behind",
    "BaseModelConstraintsRuntimeEnforcement": "expects the DDL of PostgreSQL",
    "BasePersistDocs": "expects names in lower case",
    "BasePersistDocsColumnMissing": "expects names in lower case",
    "BasePrePostModelHooks": "needs a file of the adapter's repository",
    "BasePrePostModelHooksInConfig": "needs a file of the adapter's repository",
    "BasePrePostModelHooksInConfigKwargs": "needs a file of the adapter's repository",
    "BasePrePostModelHooksInConfigWithCount": "needs a file of the adapter's repository",
    "BasePrePostModelHooksUnderscores": "needs a file of the adapter's repository",
    "BasePrePostRunHooks": "needs a file of the adapter's repository",
    "BaseTestEmptySeedFlag": "needs an option that this version of dbt does not have",
    "BaseQueryComments": "expects comments before the text, and the adapter puts them behind",
    "BaseShowDoesNotHandleDoubleLimit": "expects the message of PostgreSQL",
    "BaseTableContractSqlHeader": "sets a parameter of PostgreSQL",
}

#: What others are made of; these have nothing to compare.
ABSTRACT = {"BaseArrayUtils", "BaseDataTypeMacro", "BaseUtils"}

#: Whom the tests of grants grant to: roles, where PostgreSQL has users.
for number in (1, 2, 3):
    os.environ[f"DBT_TEST_USER_{number}"] = f"dbt_test_role_{number}"


class WarehouseTypes:
    """What the tests of contracts take for the types of the database."""

    @pytest.fixture
    def int_type(self):
        return "FIXED"

    @pytest.fixture
    def schema_int_type(self):
        return "INT"

    @pytest.fixture
    def data_types(self, int_type, schema_int_type, string_type):
        return [
            ["1", schema_int_type, int_type],
            ["'1'", string_type, string_type],
            ["cast('2019-01-01' as date)", "date", "DATE"],
            ["true", "boolean", "BOOLEAN"],
            ["'2013-11-03 00:00:00-07'::timestamptz", "timestamp_tz", "TIMESTAMP_TZ"],
            ["'2013-11-03 00:00:00-07'::timestamp", "timestamp", "TIMESTAMP_NTZ"],
            ["array_construct('a', 'b', 'c')", "array", "ARRAY"],
            ["to_geography('POINT(-122.35 37.55)')", "geography", "GEOGRAPHY"],
            ["to_geometry('POINT(1820.12 890.56)')", "geometry", "GEOMETRY"],
            ["object_construct('key', 'value')", "object", "OBJECT"],
            ["to_variant(1)", "variant", "VARIANT"],
        ]


class WarehouseMessages:
    @pytest.fixture(scope="class")
    def expected_error_messages(self):
        return ["NULL result in a non-nullable column"]


class RefusedGrants:
    def grantee_does_not_exist_error(self):
        return "does not exist or not authorized"

    def privilege_does_not_exist_error(self):
        return "unexpected"


#: Adaptations by a part of the class's name.
ADAPTED = {
    "InvalidGrants": RefusedGrants,
    "ConstraintsColumnsEqual": WarehouseTypes,
    "ConstraintsRollback": WarehouseMessages,
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
            is_ours = each.__name__ not in ABSTRACT and not any(parent.__name__ in OF_ANOTHER for parent in each.__mro__)
            if is_ours and any(name.startswith("test_") for name in dir(each)):
                yield each


@pytest.fixture(scope="class")
def dbt_profile_target(server):
    from urllib.parse import urlsplit

    address = urlsplit(server.url)
    server.execute("CREATE DATABASE IF NOT EXISTS DBT_ADAPTER")
    for number in (1, 2, 3):
        server.execute(f"CREATE ROLE IF NOT EXISTS DBT_TEST_ROLE_{number}")
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
    adaptations = tuple(adapted for part, adapted in ADAPTED.items() if part in each.__name__)
    globals()[name if name not in globals() else f"{name}2"] = type(name, (*adaptations, each), {"__module__": __name__})
