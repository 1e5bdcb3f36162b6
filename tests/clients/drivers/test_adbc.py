"""ADBC, which is the driver for Go: queries in Arrow, transactions, metadata and ingestion."""

import adbc_driver_snowflake.dbapi as adbc
import pyarrow
import pytest


def options(place):
    return {
        "username": "ADMIN",
        "password": place.server.token,
        "adbc.snowflake.sql.account": place.server.account,
        "adbc.snowflake.sql.uri.protocol": "http",
        "adbc.snowflake.sql.uri.host": place.host,
        "adbc.snowflake.sql.uri.port": str(place.port),
        "adbc.snowflake.sql.db": place.database.name,
        "adbc.snowflake.sql.schema": "PUBLIC",
        "adbc.snowflake.sql.warehouse": "COMPUTE_WH",
        "adbc.snowflake.sql.client_option.use_high_precision": "false",
    }


@pytest.fixture
def connection(place):
    with adbc.connect(db_kwargs=options(place), autocommit=True) as connection:
        yield connection


def table(connection, sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetch_arrow_table()


def test_results_are_arrow(connection):
    found = table(
        connection,
        "SELECT 1 AS N, 1.5::FLOAT AS F, 'ä' AS T, TRUE AS B, NULL::VARCHAR AS Z, '2024-02-29'::DATE AS D, "
        "'2024-02-29 01:02:03.5'::TIMESTAMP_NTZ AS W",
    )
    row = found.to_pylist()[0]
    assert (row["N"], row["F"], row["T"], row["B"], row["Z"]) == (1, 1.5, "ä", True, None)
    assert row["D"].isoformat() == "2024-02-29" and row["W"].isoformat().startswith("2024-02-29T01:02:03.5")


def test_results_in_many_chunks(connection):
    found = table(connection, "SELECT SEQ8() AS N, REPEAT('x', 100) AS T FROM TABLE(GENERATOR(ROWCOUNT => 300000))")
    assert found.num_rows == 300_000
    assert pyarrow.compute.sum(found["N"]).as_py() == 300_000 * 299_999 // 2


def test_changes_are_committed_or_taken_back(place):
    place.rows("CREATE TABLE T (A INT)")
    with adbc.connect(db_kwargs=options(place)) as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO T VALUES (1)")
        connection.rollback()
        cursor.execute("INSERT INTO T VALUES (2)")
        assert place.rows("SELECT A FROM T") == []
        connection.commit()
    assert place.rows("SELECT A FROM T") == [(2,)]


def test_values_are_bound(connection):
    with connection.cursor() as cursor:
        cursor.execute("SELECT ?, ?", (7, "it's"))
        assert cursor.fetchone() == (7, "it's")


def test_metadata(connection, place):
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE PARENT (ID INT PRIMARY KEY, CODE VARCHAR(10) UNIQUE)")
        cursor.execute("CREATE TABLE CHILD (ID INT, PARENT_ID INT REFERENCES PARENT (ID))")
    objects = connection.adbc_get_objects(
        depth="all", catalog_filter=place.database.name, db_schema_filter="PUBLIC"
    ).read_all().to_pylist()
    schema = objects[0]["catalog_db_schemas"][0]
    tables = {found["table_name"]: found for found in schema["db_schema_tables"]}
    assert set(tables) == {"PARENT", "CHILD"}
    assert [column["column_name"] for column in tables["PARENT"]["table_columns"]] == ["ID", "CODE"]
    assert "FOREIGN KEY" in {constraint["constraint_type"] for constraint in tables["CHILD"]["table_constraints"]}
    described = connection.adbc_get_table_schema("PARENT")
    assert described.names == ["ID", "CODE"]
    assert "TABLE" in connection.adbc_get_table_types()


def test_a_table_is_ingested(connection, place):
    rows = pyarrow.table({"A": list(range(1000)), "B": [f"row {number}" for number in range(1000)]})
    with connection.cursor() as cursor:
        assert cursor.adbc_ingest("TAKEN_IN", rows, mode="create") == 1000
        cursor.adbc_ingest("TAKEN_IN", rows, mode="append")
    assert place.rows("SELECT COUNT(*), SUM(A), MAX(B) FROM TAKEN_IN") == [(2000, 999000, "row 999")]


def test_errors_are_named(connection):
    with pytest.raises(Exception, match="does not exist or not authorized"):
        table(connection, "SELECT * FROM NOT_THERE")
