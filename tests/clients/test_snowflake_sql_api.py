"""PyPI `snowflake-sql-api`: key pair, partitions, every binding type, async, cancel, batches."""

import datetime
import io
from decimal import Decimal

import httpx
import pytest
from snowflake_sql_api import SnowflakeClient
from snowflake_sql_api.exceptions import ResultNotReady, SnowflakeAuthError, SnowflakeProgrammingError

NUMBERS = """SELECT A.D + 10 * B.D + 100 * C.D + 1000 * E.D AS N, 'text of row ' || (A.D + 10 * B.D) AS S
FROM DIGITS A, DIGITS B, DIGITS C, DIGITS E ORDER BY N"""
SLOW = "SELECT SUM(A.D * B.D) FROM " + ", ".join(f"DIGITS {name}" for name in "A B C D E F G H I J K L M N".split())


@pytest.fixture
def client(secure):
    with httpx.Client(verify=secure.tls, timeout=60) as http_client:
        with SnowflakeClient(
            "testaccount.some-region",
            "client",
            private_key=secure.key_pem,
            host=secure.host,
            http_client=http_client,
            poll_interval=0.05,
        ) as client:
            yield client


def test_a_result_of_many_partitions_arrives_whole(client):
    rows = client.query(NUMBERS)
    assert [row["N"] for row in rows] == list(range(10_000))


def test_partitions_are_streamed(client):
    batches = list(client.query_batches(NUMBERS, batch_size=3_000))
    assert [len(batch) for batch in batches] == [3_000, 3_000, 3_000, 1_000]
    output = io.StringIO()
    assert client.export_csv(NUMBERS, output) == 10_000
    assert output.getvalue().startswith("N,S\n") or output.getvalue().startswith("N,S\r\n")


BOUND = [
    42,
    -7.25,
    Decimal("12345.678"),
    "it's text",
    True,
    False,
    None,
    b"\xde\xad\xbe\xef",
    datetime.date(2026, 10, 9),
    datetime.date(1900, 1, 1),
    datetime.time(12, 34, 56, 123456),
    datetime.datetime(2026, 10, 9, 12, 34, 56, 123456),
    datetime.datetime(1969, 12, 31, 23, 59, 58, 500000),
    datetime.datetime(2026, 10, 9, 12, 0, tzinfo=datetime.timezone(datetime.timedelta(hours=-8))),
]


@pytest.mark.parametrize("value", BOUND, ids=repr)
def test_a_bound_value_comes_back_as_it_was(client, value):
    assert client.query_scalar("SELECT ? AS V", [value]) == value


def test_changes_return_how_many_rows(client):
    client.execute("CREATE OR REPLACE TABLE CHANGES (ID INT, S VARCHAR)")
    assert client.insert_many("CHANGES", ["ID", "S"], [[1, "a"], [2, None], [3, "c"]]) == 3
    assert client.execute("UPDATE CHANGES SET S = ? WHERE ID > ?", ["z", 1]) == 2
    assert client.execute("DELETE FROM CHANGES WHERE ID = ?", [1]) == 1
    assert client.query_column("SELECT S FROM CHANGES ORDER BY ID") == ["z", "z"]


def test_batches(client):
    client.execute("CREATE OR REPLACE TABLE BATCHES (ID INT, S VARCHAR)")
    client.insert_batches("BATCHES", ["ID", "S"], ((n, f"row {n}") for n in range(500)), max_rows=200)
    assert client.query_scalar("SELECT COUNT(*) FROM BATCHES") == 500


def test_submit_poll_and_collect(client):
    handle = client.submit("SELECT COUNT(*) AS N FROM DIGITS")
    assert handle.result(timeout=30) == [{"N": 10}]
    assert handle.status() == "SUCCESS"


def test_cancel(client):
    handle = client.submit(SLOW)
    with pytest.raises(ResultNotReady):
        handle.result(poll=False)
    handle.cancel()
    with pytest.raises(SnowflakeProgrammingError) as caught:
        handle.result(timeout=30)
    assert (caught.value.code, caught.value.sql_state) == ("000604", "57014")


def test_errors_carry_code_and_state(client):
    with pytest.raises(SnowflakeProgrammingError) as caught:
        client.query("SELECT * FROM NOWHERE")
    assert (caught.value.code, caught.value.sql_state) == ("002003", "42S02")
    assert caught.value.statement_handle


def test_the_time_zone_of_the_client(secure):
    with httpx.Client(verify=secure.tls) as http_client, SnowflakeClient(
        "testaccount", "client", private_key=secure.key_pem, host=secure.host, http_client=http_client,
        timezone="Asia/Tokyo", parameters={"QUERY_TAG": "tests"},
    ) as client:
        value = client.query_scalar("SELECT '2026-10-09 12:00:00'::TIMESTAMP_LTZ")
        assert value == datetime.datetime(2026, 10, 9, 3, 0, tzinfo=datetime.timezone.utc)


def test_a_foreign_key_is_refused(secure, plain):
    with httpx.Client(verify=secure.tls) as http_client, SnowflakeClient(
        "testaccount", "client", private_key=plain.key_pem, host=secure.host, http_client=http_client
    ) as client:
        with pytest.raises(SnowflakeAuthError):
            client.query("SELECT 1")
