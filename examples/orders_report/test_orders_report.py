from decimal import Decimal

import pytest

from orders_report import WarehouseError, latest_order_of_each, load_orders, revenue_by_month, update_customer

ORDERS = [
    (1, 7, "2026-01-05 10:00:00", "10.00", "paid"),
    (2, 7, "2026-01-20 10:00:00", "2.50", "paid"),
    (3, 8, "2026-02-01 10:00:00", "99.00", "open"),
    (4, 8, "2026-02-02 10:00:00", "20.00", "paid"),
]


def test_revenue_counts_what_was_paid(warehouse):
    load_orders(warehouse, ORDERS)
    assert revenue_by_month(warehouse) == {"2026-01": Decimal("12.50"), "2026-02": Decimal("20.00")}


def test_there_is_no_revenue_without_orders(warehouse):
    assert revenue_by_month(warehouse) == {}


def test_a_customer_is_changed_and_not_added_twice(warehouse, firn_database):
    update_customer(warehouse, 7, "Anna", {"groups": ["early"]})
    update_customer(warehouse, 7, "Anne", {"groups": ["early", "loyal"]})
    rows = firn_database.execute("select id, name, tags from customers").rows
    assert rows == [(7, "Anne", {"groups": ["early", "loyal"]})]


def test_the_latest_order_of_each_loyal_customer(warehouse):
    load_orders(warehouse, ORDERS)
    update_customer(warehouse, 7, "Anna", {"groups": ["loyal"]})
    update_customer(warehouse, 8, "Bert", {"groups": ["new"]})
    assert latest_order_of_each(warehouse, "loyal") == [("Anna", Decimal("2.50"))]


def test_an_order_needs_an_amount(warehouse):
    with pytest.raises(WarehouseError, match="(?i)null"):
        warehouse.run("insert into orders (id, customer_id, ordered_at) values (1, 1, current_timestamp())")
