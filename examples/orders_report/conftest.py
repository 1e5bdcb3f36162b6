from pathlib import Path

import pytest

from orders_report import Warehouse


@pytest.fixture(scope="session")
def firn_seed():
    """Every test's database begins with the program's own tables."""
    files = sorted((Path(__file__).parent / "migrations").glob("*.sql"))
    return "\n".join(file.read_text() for file in files)


@pytest.fixture
def warehouse(firn_database, monkeypatch):
    """The program, configured as in production: by its variables."""
    monkeypatch.setenv("WAREHOUSE_URL", firn_database.server.url)
    monkeypatch.setenv("WAREHOUSE_TOKEN", firn_database.server.token)
    monkeypatch.setenv("WAREHOUSE_DATABASE", firn_database.name)
    return Warehouse.from_environment()
