"""SQLAlchemy with snowflake-sqlalchemy: engines, models, reflection and transactions."""

import datetime
import decimal

import pytest
from snowflake.sqlalchemy import URL
from sqlalchemy import (
    Boolean,
    Column,
    Date,
    Float,
    ForeignKey,
    Identity,
    Integer,
    MetaData,
    Numeric,
    Sequence,
    String,
    Table,
    create_engine,
    func,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import IntegrityError, ProgrammingError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship


@pytest.fixture
def engine(place):
    login = place.login
    # The connector takes the protocol as an argument only.
    protocol = login.pop("protocol")
    engine = create_engine(URL(**login), connect_args={"protocol": protocol})
    yield engine
    engine.dispose()


def test_an_engine_connects(engine, place):
    with engine.connect() as connection:
        assert connection.execute(text("SELECT CURRENT_DATABASE()")).scalar() == place.database.name
        assert connection.dialect.server_version_info >= (3, 0, 0)


def test_tables_are_made_filled_and_read(engine):
    metadata = MetaData()
    orders = Table(
        "orders",
        metadata,
        Column("id", Integer, Identity(start=1), primary_key=True),
        Column("name", String(40), nullable=False),
        Column("price", Numeric(10, 2)),
        Column("weight", Float),
        Column("ordered", Date),
        Column("paid", Boolean),
    )
    metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(
            orders.insert(),
            [
                {"name": "it's", "price": decimal.Decimal("1.20"), "weight": 0.5, "ordered": datetime.date(2024, 2, 29), "paid": True},
                {"name": "b", "price": None, "weight": None, "ordered": None, "paid": False},
            ],
        )
    with engine.connect() as connection:
        rows = connection.execute(select(orders).order_by(orders.c.name)).all()
        assert [(row.name, row.price, row.paid) for row in rows] == [("b", None, False), ("it's", decimal.Decimal("1.20"), True)]
        assert connection.execute(select(func.count()).where(orders.c.weight > 0)).scalar() == 1
    metadata.drop_all(engine)
    assert not inspect(engine).has_table("orders")


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "authors"
    id: Mapped[int] = mapped_column(Integer, Sequence("author_ids"), primary_key=True)
    name: Mapped[str] = mapped_column(String(40))
    books: Mapped[list["Book"]] = relationship(back_populates="author")


class Book(Base):
    __tablename__ = "books"
    id: Mapped[int] = mapped_column(Integer, Sequence("book_ids"), primary_key=True)
    title: Mapped[str] = mapped_column(String(80))
    author_id: Mapped[int] = mapped_column(ForeignKey("authors.id"))
    author: Mapped[Author] = relationship(back_populates="books")


def test_objects_are_stored(engine):
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add(Author(name="Ada", books=[Book(title="One"), Book(title="Two")]))
        session.commit()
    with Session(engine) as session:
        ada = session.scalars(select(Author).where(Author.name == "Ada")).one()
        assert sorted(book.title for book in ada.books) == ["One", "Two"]
        ada.name = "Grace"
        session.rollback()
        assert session.scalars(select(Author.name)).all() == ["Ada"]
        session.delete(ada.books[0])
        session.commit()
        assert session.scalar(select(func.count()).select_from(Book)) == 1


def test_a_schema_is_reflected(engine):
    with engine.begin() as connection:
        connection.execute(text("CREATE SEQUENCE q START 7"))
        connection.execute(text("CREATE TABLE parent (id INT PRIMARY KEY, code VARCHAR(10) UNIQUE, made TIMESTAMP_TZ)"))
        connection.execute(
            text(
                "CREATE TRANSIENT TABLE child (id INT DEFAULT q.NEXTVAL, parent_id INT NOT NULL REFERENCES parent (id), "
                "n NUMBER(10,2) DEFAULT 5, v VARIANT, \"Mixed\" VARCHAR COMMENT 'as written')"
            )
        )
        connection.execute(text("CREATE VIEW seen AS SELECT id FROM parent"))
    found = inspect(engine)
    assert set(found.get_table_names()) == {"parent", "child"}
    assert found.get_view_names() == ["seen"]
    assert "SELECT id FROM parent" in found.get_view_definition("seen")
    assert found.get_sequence_names() == ["q"]
    assert found.get_pk_constraint("parent")["constrained_columns"] == ["id"]
    assert [unique["column_names"] for unique in found.get_unique_constraints("parent")] == [["code"]]
    key = found.get_foreign_keys("child")[0]
    assert (key["constrained_columns"], key["referred_table"], key["referred_columns"]) == (["parent_id"], "parent", ["id"])
    assert found.get_indexes("child") == []
    columns = {column["name"]: column for column in found.get_columns("child")}
    assert list(columns) == ["id", "parent_id", "n", "v", "Mixed"]
    assert not columns["parent_id"]["nullable"] and columns["Mixed"]["comment"] == "as written"
    assert columns["n"]["default"] == "5" and columns["id"]["default"].endswith(".Q.NEXTVAL")
    reflected = Table("child", MetaData(), autoload_with=engine)
    assert [str(key.target_fullname) for key in reflected.foreign_keys] == ["parent.id"]


def test_transactions_are_taken_back(engine):
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE t (a INT NOT NULL)"))
    with engine.connect() as connection:
        connection.execute(text("INSERT INTO t VALUES (1)"))
        connection.rollback()
        assert connection.execute(text("SELECT COUNT(*) FROM t")).scalar() == 0
        connection.rollback()
        transaction = connection.begin()
        connection.execute(text("INSERT INTO t VALUES (:a)"), [{"a": 1}, {"a": 2}])
        transaction.commit()
    with engine.connect() as connection:
        assert connection.execute(text("SELECT SUM(a) FROM t")).scalar() == 3


def test_errors_are_those_of_sqlalchemy(engine):
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE t (a INT NOT NULL)"))
    with engine.connect() as connection:
        with pytest.raises(ProgrammingError, match="does not exist or not authorized"):
            connection.execute(text("SELECT * FROM not_there"))
        with pytest.raises(IntegrityError):
            connection.execute(text("INSERT INTO t VALUES (NULL)"))
