"""The connector for Python: logins, sessions, values, counts, binds, transactions, errors and large results."""

import datetime
import decimal
import threading

import pytest
import snowflake.connector
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from snowflake.connector.errors import DatabaseError, ProgrammingError


@pytest.fixture
def connection(place):
    with snowflake.connector.connect(**place.login) as connection:
        yield connection


def one(connection, sql, *parameters):
    return connection.cursor().execute(sql, *parameters).fetchone()


def user_with_key(place):
    """A user of the database alone, and the private key."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    name = f"USER_OF_{place.database.name}"
    place.rows(f"CREATE ROLE {name}")
    place.rows(f"GRANT OWNERSHIP ON DATABASE {place.database.name} TO ROLE {name}")
    place.rows(f"CREATE USER {name} DEFAULT_ROLE = {name} RSA_PUBLIC_KEY = '{''.join(public.decode().splitlines()[1:-1])}'")
    place.rows(f"GRANT ROLE {name} TO USER {name}")
    return name, key.private_bytes(
        serialization.Encoding.DER, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def test_a_programmatic_access_token_logs_in(place):
    login = place.login | {"authenticator": "PROGRAMMATIC_ACCESS_TOKEN", "token": place.server.token}
    del login["password"]
    with snowflake.connector.connect(**login) as connection:
        assert one(connection, "SELECT CURRENT_USER()") == ("ADMIN",)


def test_a_key_pair_logs_in(place):
    name, key = user_with_key(place)
    login = place.login | {"user": name, "private_key": key}
    del login["password"]
    with snowflake.connector.connect(**login) as connection:
        assert one(connection, "SELECT CURRENT_USER(), CURRENT_ROLE()") == (name, name)


def test_a_wrong_password_is_refused(place):
    with pytest.raises(DatabaseError) as refused:
        snowflake.connector.connect(**place.login | {"password": "wrong"}, login_timeout=10)
    assert "390100" in str(refused.value) or "ncorrect" in str(refused.value)


def test_a_schema_that_is_not_there_yet_is_no_error(place):
    with snowflake.connector.connect(**place.login | {"schema": "NOT_YET"}) as connection:
        assert one(connection, "SELECT 1") == (1,)
        assert one(connection, "SELECT CURRENT_SCHEMA()") == (None,)


def test_values_arrive_as_values_of_python(connection):
    row = one(
        connection,
        """SELECT 1, -12.50::NUMBER(10,2), 12345678901234567890123456789012345678::NUMBER(38,0), 1.5e300::FLOAT, TRUE, 'ä€𝄞',
                  NULL, '2024-02-29'::DATE, '13:14:15.123456'::TIME, '2024-02-29 13:14:15.123456'::TIMESTAMP_NTZ,
                  '2024-02-29 13:14:15.123 +0200'::TIMESTAMP_TZ, X'00FF', PARSE_JSON('{"a":[1,null]}'),
                  '1969-12-31 23:59:59.5'::TIMESTAMP_NTZ""",
    )
    assert row[:7] == (1, decimal.Decimal("-12.50"), 12345678901234567890123456789012345678, 1.5e300, True, "ä€𝄞", None)
    assert row[7:10] == (
        datetime.date(2024, 2, 29),
        datetime.time(13, 14, 15, 123456),
        datetime.datetime(2024, 2, 29, 13, 14, 15, 123456),
    )
    assert row[10] == datetime.datetime.fromisoformat("2024-02-29T13:14:15.123+02:00")
    assert row[10].utcoffset() == datetime.timedelta(hours=2)
    assert bytes(row[11]) == b"\x00\xff"
    assert "".join(row[12].split()) == '{"a":[1,null]}'
    assert row[13] == datetime.datetime(1969, 12, 31, 23, 59, 59, 500000)


def test_the_same_values_in_both_formats(place):
    sql = "SELECT N, N::NUMBER(10,3) / 7, N::FLOAT / 7, N % 2 = 0, 't' || N, DATEADD(day, N, '2024-01-01'::DATE), NULLIF(N, 3) FROM (SELECT SEQ4() AS N FROM TABLE(GENERATOR(ROWCOUNT => 50)))"
    found = []
    for form in ("JSON", "ARROW"):
        with snowflake.connector.connect(**place.login) as connection:
            cursor = connection.cursor()
            cursor.execute(f"ALTER SESSION SET PYTHON_CONNECTOR_QUERY_RESULT_FORMAT = '{form}'")
            found.append(cursor.execute(sql).fetchall())
    assert len(found[0]) == 50
    assert found[0] == found[1]


def test_columns_are_described_without_running(connection, place):
    cursor = connection.cursor()
    described = cursor.describe("SELECT 1::NUMBER(12,2) AS A, 'x'::VARCHAR(9) AS \"b\", CURRENT_DATE() AS C")
    assert [(column.name, column.precision, column.scale) for column in described] == [
        ("A", 12, 2),
        ("b", None, None),
        ("C", None, None),
    ]
    cursor.describe("CREATE TABLE NOT_MADE (A INT)")
    assert place.rows("SHOW TABLES LIKE 'NOT_MADE'") == []


def test_counts_of_changed_rows(connection):
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE T (A INT, B VARCHAR)")
    counts = []
    for sql in (
        "INSERT INTO T VALUES (1, 'a'), (2, 'b'), (3, 'c')",
        "UPDATE T SET B = 'x' WHERE A > 1",
        "MERGE INTO T USING (SELECT 3 AS A UNION ALL SELECT 4) S ON T.A = S.A WHEN MATCHED THEN UPDATE SET B = 'm' WHEN NOT MATCHED THEN INSERT VALUES (S.A, 'n')",
        "DELETE FROM T WHERE A = 1",
        "SELECT * FROM T",
    ):
        counts.append(cursor.execute(sql).rowcount)
    assert counts == [3, 2, 2, 1, 3]


def test_values_are_bound(place):
    with snowflake.connector.connect(**place.login, paramstyle="qmark") as connection:
        values = (
            7,
            decimal.Decimal("1.20"),
            2.5,
            "it's ä \\ \n",
            True,
            None,
            b"\x00\xff",
            datetime.date(2024, 2, 29),
            datetime.datetime(2024, 2, 29, 1, 2, 3, 456789),
        )
        row = one(connection, "SELECT " + ", ".join("?" * len(values)), values)
        assert row[0] == 7 and float(row[1]) == 1.2 and float(row[2]) == 2.5
        assert row[3:6] == ("it's ä \\ \n", True, None)
        assert bytes(row[6]) == b"\x00\xff" and row[7:] == values[7:]
        connection.cursor().execute("CREATE TABLE T (A INT, B VARCHAR)")
        assert one(connection, "SELECT COUNT(*) FROM IDENTIFIER(?)", ("T",)) == (0,)


def test_values_are_pasted_by_the_driver(connection):
    text = "it's ä \\ \n \" %"
    assert one(connection, "SELECT %s, %s, %s", (text, 5, None)) == (text, 5, None)
    assert one(connection, "SELECT %(name)s", {"name": text}) == (text,)


def test_many_rows_are_inserted_at_once(place):
    with snowflake.connector.connect(**place.login, paramstyle="qmark") as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE T (A INT, B VARCHAR, D DATE)")
        rows = [(number, f"row {number}", datetime.date(2024, 1, 1)) for number in range(500)]
        cursor.executemany("INSERT INTO T VALUES (?, ?, ?)", rows)
        assert cursor.rowcount == 500
        assert one(connection, "SELECT COUNT(*), SUM(A), MIN(D) FROM T") == (500, 124750, datetime.date(2024, 1, 1))


def test_a_session_lasts_from_statement_to_statement(connection, place):
    cursor = connection.cursor()
    cursor.execute("CREATE TEMPORARY TABLE HERE (A INT)")
    cursor.execute("INSERT INTO HERE VALUES (1)")
    cursor.execute("SET LIMIT_OF_T = 5")
    cursor.execute("CREATE SCHEMA ELSEWHERE")
    cursor.execute("USE SCHEMA ELSEWHERE")
    assert connection.schema == "ELSEWHERE"
    assert one(connection, "SELECT $LIMIT_OF_T, CURRENT_SCHEMA(), (SELECT A FROM PUBLIC.HERE)") == (5, "ELSEWHERE", 1)
    cursor.execute("SELECT 11 AS N")
    assert one(connection, "SELECT N FROM TABLE(RESULT_SCAN(LAST_QUERY_ID()))") == (11,)
    assert place.rows("SHOW TABLES LIKE 'HERE'") == []


def test_transactions(place):
    with snowflake.connector.connect(**place.login, autocommit=False) as writer:
        writer.cursor().execute("CREATE TABLE T (A INT)")
        writer.cursor().execute("INSERT INTO T VALUES (1)")
        assert place.rows("SELECT COUNT(*) FROM T") == [(0,)]
        writer.commit()
        assert place.rows("SELECT COUNT(*) FROM T") == [(1,)]
        writer.cursor().execute("DELETE FROM T")
        writer.rollback()
        assert one(writer, "SELECT COUNT(*) FROM T") == (1,)
        writer.autocommit(True)
        writer.cursor().execute("INSERT INTO T VALUES (2)")
        assert place.rows("SELECT COUNT(*) FROM T") == [(2,)]


def test_errors_have_their_numbers(connection):
    for sql, number, state in (
        ("SELECT * FROM NOT_THERE", 2003, "42S02"),
        ("SELEC 1", 1003, "42000"),
        ("SHOW TABLES IN SCHEMA NOT_THERE", 2043, "02000"),
    ):
        with pytest.raises(ProgrammingError) as failed:
            connection.cursor().execute(sql)
        assert (failed.value.errno, failed.value.sqlstate) == (number, state), sql
        assert failed.value.sfqid
    assert one(connection, "SELECT 1") == (1,)


def test_results_in_many_chunks(connection):
    cursor = connection.cursor()
    cursor.execute("SELECT SEQ8() AS N, REPEAT('x', 100) || N AS T FROM TABLE(GENERATOR(ROWCOUNT => 300000))")
    assert cursor.rowcount == 300_000
    total, count, last = 0, 0, -1
    for number, text in cursor:
        total, count, last = total + number, count + 1, number
        assert text == "x" * 100 + str(number)
    assert (count, total, last) == (300_000, 300_000 * 299_999 // 2, 299_999)


def test_rows_become_a_data_frame(connection):
    frame = connection.cursor().execute(
        "SELECT SEQ8() AS N, N / 4 AS Q, 't' || N AS T, DATEADD(second, N, '2024-01-01'::TIMESTAMP_NTZ) AS W, NULLIF(N, 1) AS M "
        "FROM TABLE(GENERATOR(ROWCOUNT => 100000))"
    ).fetch_pandas_all()
    assert list(frame.columns) == ["N", "Q", "T", "W", "M"]
    assert frame["N"].sum() == 100_000 * 99_999 // 2
    assert frame["T"].iloc[99_999] == "t99999"
    assert str(frame["W"].iloc[60]) == "2024-01-01 00:01:00"
    assert frame["M"].isna().sum() == 1


def test_no_rows_have_columns(connection):
    cursor = connection.cursor().execute("SELECT 1 AS A, 'x' AS B WHERE FALSE")
    assert cursor.fetchall() == [] and [column.name for column in cursor.description] == ["A", "B"]
    frame = connection.cursor().execute("SELECT 1 AS A, 'x' AS B WHERE FALSE").fetch_pandas_all()
    assert list(frame.columns) == ["A", "B"] and len(frame) == 0


def test_several_statements_in_one_text(connection):
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE T (A INT); INSERT INTO T VALUES (1), (2); SELECT SUM(A) FROM T", num_statements=3)
    found = [cursor.fetchall()]
    while cursor.nextset():
        found.append(cursor.fetchall())
    assert found[1:] == [[(2,)], [(3,)]]
    assert [cursor.fetchone() for cursor in connection.execute_string("SELECT 1; SELECT 2;")] == [(1,), (2,)]


def test_statements_run_without_being_waited_for(connection):
    cursor = connection.cursor()
    cursor.execute_async("SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 1000000))")
    handle = cursor.sfqid
    other = connection.cursor()
    other.get_results_from_sfqid(handle)
    assert other.fetchone() == (1_000_000,)
    assert not connection.is_still_running(connection.get_query_status(handle))


@pytest.mark.skipif(
    snowflake.connector.__version__.startswith("5."), reason="line 5 waits for the statement whatever its timeout"
)
def test_a_statement_is_stopped_when_its_time_is_over(connection):
    slow = "SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 100000)) A, TABLE(GENERATOR(ROWCOUNT => 100000)) B WHERE HASH(RANDOM()) = 1"
    with pytest.raises(ProgrammingError):
        connection.cursor().execute(slow, timeout=2)
    assert one(connection, "SELECT 1") == (1,)


def test_threads_share_a_connection(connection):
    found = []

    def ask(number):
        found.append(one(connection, f"SELECT {number}, COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 1000))"))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [(number, 1000) for number in range(8)]


def test_files_go_to_a_stage_and_come_back(connection, tmp_path):
    (tmp_path / "in.csv").write_text("1,one\n2,two\n")
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE T (A INT, B VARCHAR)")
    cursor.execute("CREATE STAGE S FILE_FORMAT = (TYPE = CSV)")
    sent = cursor.execute(f"PUT 'file://{tmp_path}/in.csv' @S/folder").fetchall()
    assert [(row[1], row[6]) for row in sent] == [("in.csv.gz", "UPLOADED")]
    cursor.execute("COPY INTO T FROM @S/folder")
    assert cursor.execute("SELECT * FROM T ORDER BY A").fetchall() == [(1, "one"), (2, "two")]
    (tmp_path / "out").mkdir()
    cursor.execute(f"GET @S/folder 'file://{tmp_path}/out'")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["in.csv.gz"]


def test_a_data_frame_becomes_a_table(connection):
    pandas = pytest.importorskip("pandas")
    from snowflake.connector.pandas_tools import write_pandas

    frame = pandas.DataFrame({"A": [1, 2, 3], "B": ["x", None, "z"], "C": [0.5, 1.5, 2.5]})
    success, chunks, rows, _ = write_pandas(connection, frame, "FRAME", auto_create_table=True)
    assert (success, chunks, rows) == (True, 1, 3)
    assert connection.cursor().execute("SELECT A, B, C FROM FRAME ORDER BY A").fetchall() == [
        (1, "x", 0.5),
        (2, None, 1.5),
        (3, "z", 2.5),
    ]
