"""Results as Arrow: the connector reads the same values from them as from JSON, and so does whoever reads them otherwise."""

import decimal
import json
import urllib.request

import pytest
import snowflake.connector

FORMAT = "PYTHON_CONNECTOR_QUERY_RESULT_FORMAT"

EXPRESSIONS = [
    "1::NUMBER(38,0)", "-9223372036854775807", "12.34::NUMBER(4,2)", "-0.05::NUMBER(9,2)", "99999999999999.9999::NUMBER(18,4)",
    "12345678901234567890123456789012345678::NUMBER(38,0)", "-1234567890123456789012345678.0123456789::NUMBER(38,10)",
    "1.5::FLOAT", "1e300::FLOAT", "-2.5e-10::FLOAT", "''", "'say \"hi\", 日本語'", "REPEAT('x', 10000)", "TRUE", "FALSE",
    "'1900-02-28'::DATE", "'9999-12-31'::DATE", "'23:59:59.123456'::TIME", "'23:59:59'::TIME(0)", "'01:02:03.4'::TIME(3)",
    "'1969-12-31 23:59:59.5'::TIMESTAMP_NTZ", "'2026-01-09 12:00:00.123456'::TIMESTAMP_NTZ",
    "'2026-01-09 12:00:00.25'::TIMESTAMP_NTZ(3)", "'2026-01-09 12:00:00'::TIMESTAMP_NTZ(0)",
    "'2026-07-09 12:00:00.25 +00:00'::TIMESTAMP_LTZ", "'2026-01-09 12:00:00.123 -08:00'::TIMESTAMP_LTZ(3)",
    "'2026-01-09 12:00:00.123456 +05:30'::TIMESTAMP_TZ", "'1969-12-31 23:59:59.5 -08:00'::TIMESTAMP_TZ(3)",
    "'2026-01-09 12:00:00 +01:00'::TIMESTAMP_TZ(0)", "TO_BINARY('DEADBEEF')", "TO_BINARY('')",
    "PARSE_JSON('{\"a\": [1, null, \"x\"]}')", "'x'::VARIANT", "OBJECT_CONSTRUCT('a', 1)", "ARRAY_CONSTRUCT(1, NULL, 'three')",
    "TO_GEOGRAPHY('POINT(1 2)')", "TO_GEOMETRY('POINT(1 2)')", "NULL",
]  # fmt: skip

MANY = """
    SELECT SEQ8() AS N, IFF(N % 7 = 0, NULL, 'text number ' || N) AS S, (N / 4)::NUMBER(12,2) AS M, N % 2 = 0 AS B,
           DATEADD(SECOND, N, '2026-01-01'::TIMESTAMP_NTZ) AS T
    FROM TABLE(GENERATOR(ROWCOUNT => {rows})) ORDER BY N
"""


@pytest.fixture
def connection(place):
    with snowflake.connector.connect(**place.login) as connection:
        connection.cursor().execute("ALTER SESSION SET TIMEZONE = 'Europe/Paris', USE_CACHED_RESULT = FALSE")
        yield connection


def run(connection, sql, result_format="ARROW"):
    connection.cursor().execute(f"ALTER SESSION SET {FORMAT} = '{result_format}'")
    return connection.cursor().execute(sql)


def rows(cursor):
    return [tuple(bytes(cell) if isinstance(cell, bytearray) else cell for cell in row) for row in cursor.fetchall()]


def require(cursor, result_format):
    """From version 5 on the connector does not tell in which format rows have come."""
    if int(snowflake.connector.__version__.split(".")[0]) < 5:
        assert {type(batch).__name__ for batch in cursor.get_result_batches()} == {f"{result_format}ResultBatch"}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_type_is_read_as_from_json(connection, expression):
    sql = f"SELECT V, {expression} AS W, N FROM (VALUES (0), (1), (2)) T(N) LEFT JOIN (SELECT {expression} AS V) ON N <> 1 ORDER BY N"
    json_cursor = run(connection, sql, "JSON")
    arrow_cursor = run(connection, sql)
    require(json_cursor, "JSON")
    require(arrow_cursor, "Arrow")
    assert arrow_cursor.description == json_cursor.description
    from_json, from_arrow = rows(json_cursor), rows(arrow_cursor)
    assert from_arrow == from_json
    assert arrow_cursor.rowcount == 3


def test_vectors_are_json_texts(connection):
    assert rows(run(connection, "SELECT [1.5, 2]::VECTOR(FLOAT, 2), [1, 2]::VECTOR(INT, 2)")) == [("[1.500000,2.000000]", "[1,2]")]


def test_data_frames_have_numbers(connection):
    frame = run(
        connection,
        """SELECT N, N / 4 AS Q, SUM(N) OVER () AS S, SUM(N::NUMBER(12,2)) OVER () AS M, N::FLOAT AS F, 'x' AS T, N > 1 AS B,
           '2026-01-09 12:00:00'::TIMESTAMP_NTZ AS NTZ, 12345678901234567890123456789::NUMBER(38,0) AS W
           FROM (VALUES (1), (2)) T(N) ORDER BY N""",
    ).fetch_pandas_all()
    kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
    assert kinds["NTZ"].startswith("datetime64")
    del kinds["NTZ"], kinds["T"]
    assert kinds == {
        "N": "int64", "Q": "float64", "S": "int64", "M": "float64", "F": "float64", "B": "bool", "W": "object",
    }  # fmt: skip
    assert frame["S"].tolist() == [3, 3] and frame["M"].tolist() == [3.0, 3.0] and frame["T"].tolist() == ["x", "x"]
    assert frame["W"].tolist() == [decimal.Decimal("12345678901234567890123456789")] * 2


def test_a_result_without_rows_has_its_columns(connection):
    cursor = run(connection, "SELECT 1 AS N, 'x' AS S WHERE FALSE")
    assert cursor.fetchall() == [] and [column.name for column in cursor.description] == ["N", "S"]
    frame = run(connection, "SELECT 1 AS N, 'x' AS S WHERE FALSE").fetch_pandas_all()
    assert list(frame.columns) == ["N", "S"] and len(frame) == 0


def test_many_rows_come_in_chunks(connection):
    count = 1_000_000
    cursor = run(connection, MANY.format(rows=count))
    batches = cursor.get_result_batches()
    assert len(batches) > 3
    require(cursor, "Arrow")
    assert sum(batch.rowcount for batch in batches) == cursor.rowcount == count
    frame = cursor.fetch_pandas_all()
    assert len(frame) == count
    assert (frame["N"].diff().dropna() == 1).all() and frame["N"].iloc[0] == 0
    assert (frame["S"][frame["N"] % 7 != 0] == "text number " + frame["N"][frame["N"] % 7 != 0].astype(str)).all()
    assert frame["S"][frame["N"] % 7 == 0].isna().all()
    assert ((frame["M"] * 4 - frame["N"]).abs() < 0.1).all() and (frame["B"] == (frame["N"] % 2 == 0)).all()
    table = run(connection, MANY.format(rows=count)).fetch_arrow_all()
    assert table.num_rows == count


def test_chunks_are_read_as_from_json(connection):
    sql = MANY.format(rows=40_000)
    assert rows(run(connection, sql)) == rows(run(connection, sql, "JSON"))


def whole(place, handle, path=""):
    request = urllib.request.Request(
        f"{place.server.url}/api/v2/statements/{handle}{path}",
        headers={"Authorization": f"Bearer {place.server.token}", "User-Agent": "firn-tests/1.0"},
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return response.read()


def all_partitions(place, handle):
    answer = json.loads(whole(place, handle))
    assert answer["resultSetMetaData"]["format"] == "jsonv2"
    partitions = answer["resultSetMetaData"]["partitionInfo"]
    data = answer["data"]
    for number in range(1, len(partitions)):
        later = json.loads(whole(place, handle, f"?partition={number}"))["data"]
        assert len(later) == partitions[number]["rowCount"]
        data += later
    return data


def test_others_read_the_rows_of_the_statement_api(connection, place):
    sql = MANY.format(rows=40_000)
    arrow, in_json = (run(connection, sql, result_format).sfqid for result_format in ("ARROW", "JSON"))
    rows_of_json = all_partitions(place, in_json)
    assert len(rows_of_json) == 40_000 and all_partitions(place, arrow) == rows_of_json
    for format_name in ("csv", "jsonl", "parquet"):
        path = f"/download?format={format_name}"
        assert read_file(whole(place, arrow, path), format_name) == read_file(whole(place, in_json, path), format_name)
    everything = f"SELECT COUNT(*), SUM(N), COUNT(S), SUM(M), COUNT_IF(B), MAX(T) FROM TABLE(RESULT_SCAN('{arrow}'))"
    direct = f"SELECT COUNT(*), SUM(N), COUNT(S), SUM(M), COUNT_IF(B), MAX(T) FROM ({sql})"
    assert rows(run(connection, everything)) == rows(run(connection, direct))


def read_file(content, format_name):
    if format_name != "parquet":
        return content
    import io

    import pandas

    frame = pandas.read_parquet(io.BytesIO(content))
    return frame.astype(object).where(frame.notna(), None).values.tolist()


def test_lists_and_counts_are_json_unless_arrow_is_forced(connection, place):
    connection.cursor().execute("CREATE TABLE T (A INT, B VARCHAR)")
    listings = [
        "SHOW TABLES", "DESCRIBE TABLE T", "SHOW WAREHOUSES", "SHOW COLUMNS", "SHOW ROLES", "SHOW USERS", "SHOW SCHEMAS",
        "SHOW DATABASES", "SHOW VIEWS", "SHOW SESSIONS",
    ]  # fmt: skip
    for sql in listings:
        in_json, arrow = run(connection, sql), run(connection, sql, "ARROW_FORCE")
        require(in_json, "JSON")
        require(arrow, "Arrow")
        assert arrow.fetchall() == in_json.fetchall(), sql
    inserted = run(connection, "INSERT INTO T VALUES (1, 'x'), (2, 'y')", "ARROW_FORCE")
    assert inserted.rowcount == 2


def test_the_same_query_in_another_format_is_not_taken_from_the_cache(connection):
    connection.cursor().execute("ALTER SESSION SET USE_CACHED_RESULT = TRUE")
    connection.cursor().execute("CREATE TABLE C (A INT) AS SELECT 7")
    for result_format in ["ARROW", "JSON", "ARROW", "JSON"]:
        cursor = run(connection, "SELECT A FROM C", result_format)
        require(cursor, "Arrow" if result_format == "ARROW" else "JSON")
        assert cursor.fetchall() == [(7,)]
