"""dbt: a project with every kind of model, twice, with its tests, snapshots and documents."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent / "dbt_project"


#: Else the model that is made batch by batch has one for every month until today.
BATCHES = ("--event-time-start", "2024-01-01", "--event-time-end", "2024-02-01")


@pytest.fixture
def dbt(place, tmp_path):
    project = shutil.copytree(PROJECT, tmp_path / "project")
    login = place.login
    target = {
        "type": "snowflake",
        "role": "ACCOUNTADMIN",
        "schema": "MADE",
        "threads": 4,
        **{key: login[key] for key in ("account", "user", "password", "host", "port", "protocol", "database", "warehouse")},
    }
    profile = {"firn": {"target": "test", "outputs": {"test": target}}}
    (project / "profiles.yml").write_text(json.dumps(profile))

    def run(*arguments):
        command = [Path(sys.executable).with_name("dbt"), "--no-use-colors", *arguments]
        ran = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=300)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    run.project = project
    return run


def test_a_project(dbt, place):
    place.rows("CREATE ROLE IF NOT EXISTS DBT_READER")
    assert "All checks passed" in dbt("debug")
    dbt("seed")
    dbt("run", *BATCHES)
    # The second run finds all that the first one made.
    (dbt.project / "seeds/raw_orders.csv").write_text(
        "id,customer,amount,ordered_on\n1,ada,12.50,2024-01-01\n2,grace,7.25,2024-01-02\n3,ada,4.00,2024-01-03\n4,linus,1.00,2024-01-04\n"
    )
    dbt("snapshot")
    dbt("seed")
    dbt("run", *BATCHES)
    dbt("snapshot")
    assert place.rows("SELECT SPENT, ORDERS FROM MADE.CUSTOMERS ORDER BY CUSTOMER") == [(16.5, 2), (7.25, 1), (1, 1)]
    for model in ("BY_MERGE", "BY_DELETEINSERT"):
        found = place.rows(f"SELECT ID, AMOUNT, ADDED FROM MADE.{model} ORDER BY ID")
        assert [(row[0], float(row[1]), row[2]) for row in found] == [(1, 12.5, None), (2, 7.25, None), (3, 4, "later"), (4, 1, "later")]
    assert place.rows("SELECT COUNT(*) FROM MADE.BY_APPEND") == [(5,)]
    assert place.rows("SELECT COUNT(*) FROM MADE.BY_INSERTOVERWRITE") == [(4,)]
    assert place.rows("SELECT COUNT(*), COUNT(DISTINCT ID) FROM MADE.BY_MICROBATCH") == [(4, 4)]
    assert place.rows("SELECT COUNT(*), COUNT(DBT_VALID_TO) FROM MADE.ORDER_HISTORY") == [(5, 1)]
    assert "ERROR=0" in dbt("test")
    assert "PASS" in dbt("source", "freshness")
    dbt("docs", "generate")
    catalog = json.loads((dbt.project / "target/catalog.json").read_text())
    assert "model.orders.customers" in catalog["nodes"] and not catalog["errors"]
    shown = place.database.execute("SHOW GRANTS ON TABLE MADE.CUSTOMERS").dicts
    assert ("SELECT", "DBT_READER") in {(grant["privilege"], grant["grantee_name"]) for grant in shown}
    assert place.rows("SELECT COMMENT FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = 'ORDERS' AND TABLE_SCHEMA = 'MADE'") == [("All orders, each once",)]
    tagged = place.rows("SELECT COUNT(*) > 0 FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY(RESULT_LIMIT => 1000)) WHERE QUERY_TAG = 'nightly'")
    assert tagged == [(True,)]
    assert "linus" in dbt("show", "--inline", "select * from {{ ref('orders') }} where id = 4")
    dbt("run-operation", "list_relations_without_caching", "--args", "{schema_relation: " + f"{place.database.name}.MADE" + "}")
