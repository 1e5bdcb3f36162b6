"""Loads orders into the warehouse and reports on them, over its SQL API."""

import json
import os
import urllib.error
import urllib.request
import uuid
from decimal import Decimal


class WarehouseError(Exception):
    """A statement failed."""


class Warehouse:
    """Statements in one database and schema."""

    def __init__(self, url, token, database, schema="PUBLIC"):
        self.url, self.token = url, token
        self.context = {"database": database, "schema": schema}

    @classmethod
    def from_environment(cls):
        return cls(os.environ["WAREHOUSE_URL"], os.environ["WAREHOUSE_TOKEN"], os.environ["WAREHOUSE_DATABASE"])

    def run(self, statement, *values):
        """The rows of a statement, as texts and Nones."""
        kinds = {int: "FIXED", Decimal: "FIXED", str: "TEXT", list: "TEXT"}
        body = {"statement": statement, **self.context}
        body["bindings"] = {
            str(place): {"type": kinds[type(value)], "value": value if isinstance(value, list) else str(value)}
            for place, value in enumerate(values, start=1)
        }
        request = urllib.request.Request(
            f"{self.url}/api/v2/statements?requestId={uuid.uuid4()}",
            data=json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.token}",
                "Content-Type": "application/json",
                "Accept": "application/json",
                "User-Agent": "orders-report/1.0",
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["data"]
        except urllib.error.HTTPError as error:
            raise WarehouseError(json.load(error)["message"]) from None


def load_orders(warehouse, orders):
    """Inserts orders: (id, customer, time, amount, state)."""
    columns = [[str(order[place]) for order in orders] for place in range(5)]
    warehouse.run("insert into orders values (?, ?, ?::timestamp_ntz, ?, ?)", *columns)


def update_customer(warehouse, number, name, tags):
    """Adds a customer, or changes the one with this number."""
    warehouse.run(
        """merge into customers c
           using (select ? as id, ? as name, parse_json(?) as tags) n on c.id = n.id
           when matched then update set name = n.name, tags = n.tags
           when not matched then insert (id, name, tags) values (n.id, n.name, n.tags)""",
        number,
        name,
        json.dumps(tags),
    )


def revenue_by_month(warehouse):
    """What was paid, by month."""
    rows = warehouse.run(
        """select to_char(date_trunc(month, ordered_at), 'YYYY-MM') as month, sum(amount)
           from paid_orders group by all order by 1"""
    )
    return {month: Decimal(amount) for month, amount in rows}


def latest_order_of_each(warehouse, tag):
    """The latest order of every customer with this tag: name and amount."""
    rows = warehouse.run(
        """select c.name, o.amount
           from orders o join customers c on c.id = o.customer_id
           where array_contains(?::variant, c.tags:groups)
           qualify row_number() over (partition by o.customer_id order by o.ordered_at desc) = 1
           order by c.name""",
        tag,
    )
    return [(name, Decimal(amount)) for name, amount in rows]
