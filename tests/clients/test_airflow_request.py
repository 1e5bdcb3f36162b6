"""The request a well-known scheduler's SQL-API hook sends, and how it follows up."""

import time
import uuid

import requests
from conftest import ADMIN_TOKEN

HEADERS = {
    "Content-Type": "application/json",
    "Authorization": f"Bearer {ADMIN_TOKEN}",
    "Accept": "application/json",
    "User-Agent": "snowflakeSQLAPI/1.0",
    "X-Snowflake-Authorization-Token-Type": "PROGRAMMATIC_ACCESS_TOKEN",
}


def submit(server, sql: str, count: int):
    return requests.post(
        f"{server.url}/api/v2/statements",
        params={"requestId": str(uuid.uuid4()), "async": True, "pageSize": 10},
        headers=HEADERS,
        json={
            "statement": sql,
            "resultSetMetaData": {"format": "json"},
            "database": None,
            "schema": None,
            "warehouse": None,
            "role": None,
            "bindings": {},
            "parameters": {"MULTI_STATEMENT_COUNT": count, "query_tag": ""},
        },
        timeout=60,
    )


def finished(server, handle: str):
    for _ in range(200):
        answer = requests.get(f"{server.url}/api/v2/statements/{handle}", headers=HEADERS, timeout=60)
        if answer.status_code != 202:
            return answer
        time.sleep(0.05)
    raise AssertionError("the statement did not finish")


def test_one_statement(plain):
    answer = submit(plain, "SELECT 1", 1)
    assert answer.status_code == 202
    body = finished(plain, answer.json()["statementHandle"]).json()
    assert body["message"] == "Statement executed successfully."
    assert body["data"] == [["1"]]


def test_several_statements(plain):
    answer = submit(plain, "SELECT 1; SELECT 2;", 2)
    body = finished(plain, answer.json()["statementHandle"]).json()
    assert len(body["statementHandles"]) == 2
    for number, handle in enumerate(body["statementHandles"], start=1):
        assert finished(plain, handle).json()["data"] == [[str(number)]]


def test_a_failure(plain):
    answer = submit(plain, "SELECT * FROM NOWHERE", 1)
    body = finished(plain, answer.json()["statementHandle"])
    assert body.status_code == 422
    assert body.json()["message"]
