"""PyPI `snowflake-sql-api-client`: the generated client, its JWT helper, async, nullable, cancel."""

import time
import uuid

import pytest
import snowflake_sql_api_client
from snowflake_sql_api_client.rest import ApiException
from snowflake_sql_api_client.utilities.sql_api_utils import SqlApiUtils

SLOW = "SELECT SUM(A.D * B.D) FROM " + ", ".join(f"DIGITS {name}" for name in "A B C D E F G H I J K L M N".split())


@pytest.fixture
def statements(plain):
    return SqlApiUtils().get_api_instance("testaccount", "client", plain.url, plain.key_pem.decode(), "")


@pytest.fixture
def handles(statements):
    return snowflake_sql_api_client.Apiv2statementsStatementHandleApi(statements.api_client)


COMMON = {
    "user_agent": "firn-tests/1.0",
    "x_snowflake_authorization_token_type": "KEYPAIR_JWT",
    "accept": "application/json",
}


def submit(statements, statement, **arguments):
    body = {"statement": statement, "timeout": 60}
    return statements.api_v2_statements_post(body=body, content_type="application/json", **COMMON, **arguments)


def outcome(handles, handle):
    for _ in range(200):
        answer = handles.api_v2_statements_statement_handle_get(handle, **COMMON)
        if answer["code"] != "333334":
            return answer
        time.sleep(0.05)
    raise AssertionError("the statement did not finish")


def test_a_statement(statements):
    answer = submit(statements, "SELECT COUNT(*) AS N FROM DIGITS", request_id=str(uuid.uuid4()))
    assert answer["code"] == "090001"
    assert answer["data"] == [["10"]]
    assert answer["resultSetMetaData"]["rowType"][0]["name"] == "N"


def test_nullable(statements):
    assert submit(statements, "SELECT NULL AS N")["data"] == [[None]]
    assert submit(statements, "SELECT NULL AS N", nullable="false")["data"] == [["null"]]


def test_asynchronous(statements, handles):
    answer = submit(statements, "SELECT COUNT(*) AS N FROM DIGITS", _async="true")
    assert answer["code"] == "333334"
    assert outcome(handles, answer["statementHandle"])["data"] == [["10"]]


def test_partitions(statements, handles):
    answer = submit(statements, "SELECT A.D AS N, 'some text to fill the row' AS S FROM DIGITS A, DIGITS B, DIGITS C, DIGITS E")
    partitions = answer["resultSetMetaData"]["partitionInfo"]
    assert len(partitions) > 1
    assert sum(partition["rowCount"] for partition in partitions) == 10_000
    last = handles.api_v2_statements_statement_handle_get(
        answer["statementHandle"], partition=len(partitions) - 1, _preload_content=False, **COMMON
    )
    assert len(last.data) > 0


def test_cancel(statements, handles):
    handle = submit(statements, SLOW, _async="true")["statementHandle"]
    answer = handles.api_v2_statements_statement_handle_cancel_post(handle, **COMMON)
    assert answer["code"] == "000604"
    with pytest.raises(ApiException) as caught:
        outcome(handles, handle)
    assert caught.value.status == 422


def test_an_error(statements):
    with pytest.raises(ApiException) as caught:
        submit(statements, "SELECT * FROM NOWHERE")
    assert caught.value.status == 422
    assert "002003" in str(caught.value.body)
