"""dlt: a pipeline that loads, merges and replaces."""

import dlt
import pytest


@pytest.fixture
def pipeline(place, tmp_path, monkeypatch):
    monkeypatch.setenv("RUNTIME__DLTHUB_TELEMETRY", "false")
    login = place.login
    credentials = {
        "database": login["database"],
        "username": login["user"],
        "password": login["password"],
        "host": login["account"],
        "warehouse": login["warehouse"],
        "role": "ACCOUNTADMIN",
        "query": {"host": place.host, "port": str(place.port), "protocol": "http"},
    }
    destination = dlt.destinations.snowflake(credentials=credentials)
    return dlt.pipeline("orders", pipelines_dir=str(tmp_path), destination=destination, dataset_name="LOADED")


def test_rows_are_loaded_merged_and_replaced(pipeline, place):
    rows = [{"id": 1, "name": "ada", "tags": ["x", "y"]}, {"id": 2, "name": "grace", "tags": []}]
    pipeline.run(rows, table_name="people")
    assert place.rows("SELECT ID, NAME FROM LOADED.PEOPLE ORDER BY ID") == [(1, "ada"), (2, "grace")]
    assert place.rows("SELECT COUNT(*) FROM LOADED.PEOPLE__TAGS") == [(2,)]
    pipeline.run([{"id": 2, "name": "Grace"}, {"id": 3, "name": "linus"}], table_name="people", write_disposition="merge", primary_key="id")
    assert place.rows("SELECT NAME FROM LOADED.PEOPLE ORDER BY ID") == [("ada",), ("Grace",), ("linus",)]
    pipeline.run([{"id": 9, "name": "only", "late": 1.5}], table_name="people", write_disposition="replace")
    assert place.rows("SELECT NAME, LATE FROM LOADED.PEOPLE") == [("only", 1.5)]
