"""Snowpark: data frames, tables, files and large uploads."""

import pandas
import pytest
from snowflake.snowpark import Session
from snowflake.snowpark.exceptions import SnowparkSQLException
from snowflake.snowpark.functions import avg, col, count, lit, row_number, sum as sum_, upper, when
from snowflake.snowpark.types import IntegerType, StringType, StructField, StructType
from snowflake.snowpark.window import Window


@pytest.fixture
def session(place):
    session = Session.builder.configs(place.login).create()
    yield session
    session.close()


def rows(frame):
    return [tuple(row) for row in frame.collect()]


def test_frames_of_values(session):
    frame = session.create_dataframe([[1, "a"], [2, None], [3, "c"]], schema=["N", "T"])
    assert rows(frame.filter(col("N") > 1).select((col("N") * 2).alias("D"), upper("T"))) == [(4, None), (6, "C")]
    assert frame.count() == 3
    assert [field.name for field in frame.schema.fields] == ["N", "T"]
    assert rows(session.range(5).agg(sum_("ID"), avg("ID"))) == [(10, 2.0)]


def test_frames_are_joined_grouped_and_windowed(session):
    orders = session.create_dataframe([[1, "x", 5], [2, "y", 7], [3, "x", 1]], schema=["ID", "K", "N"])
    names = session.create_dataframe([["x", "ex"], ["y", "why"]], schema=["K", "NAME"])
    joined = orders.join(names, "K").group_by("NAME").agg(sum_("N").alias("S"), count("*").alias("C")).sort("NAME")
    assert rows(joined) == [("ex", 6, 2), ("why", 7, 1)]
    ranked = orders.select("ID", row_number().over(Window.partition_by("K").order_by(col("N").desc())).alias("R"))
    assert sorted(rows(ranked)) == [(1, 1), (2, 1), (3, 2)]
    assert rows(orders.select(when(col("N") > 4, lit("big")).otherwise(lit("small")).alias("S")).distinct().sort("S")) == [("big",), ("small",)]
    assert rows(orders.union_all(orders).sample(frac=1.0).agg(count("*"))) == [(6,)]


def test_tables_are_written_changed_and_read(session):
    frame = session.create_dataframe([[1, "a"], [2, "b"]], schema=StructType([StructField("N", IntegerType()), StructField("T", StringType())]))
    frame.write.save_as_table("T", mode="overwrite")
    frame.write.save_as_table("T", mode="append")
    table = session.table("T")
    assert table.count() == 4
    assert table.update({"T": lit("z")}, col("N") == 1).rows_updated == 2
    assert table.delete(col("N") == 2).rows_deleted == 2
    assert rows(table) == [(1, "z"), (1, "z")]
    frame.write.save_as_table("TEMPORARY_ONE", table_type="temporary")
    frame.create_or_replace_view("V")
    frame.create_or_replace_temp_view("TV")
    assert session.table("V").count() == session.table("TV").count() == 2
    frame.cache_result().show()
    assert rows(session.sql("SELECT ?, ?", params=[1, "x"])) == [(1, "x")]


def test_many_rows_and_pandas(session):
    assert session.create_dataframe([[number, str(number)] for number in range(2000)], schema=["N", "T"]).count() == 2000
    frame = session.sql("SELECT SEQ8() AS N, N / 2 AS H FROM TABLE(GENERATOR(ROWCOUNT => 50000))").to_pandas()
    assert frame["N"].sum() == 50_000 * 49_999 // 2
    taken = session.create_dataframe(pandas.DataFrame({"A": [1, 2], "B": ["x", "y"]}))
    assert rows(taken.sort("A")) == [(1, "x"), (2, "y")]


def test_files(session, tmp_path):
    (tmp_path / "in.csv").write_text("1,one\n2,two\n")
    session.sql("CREATE STAGE S").collect()
    assert session.file.put(str(tmp_path / "in.csv"), "@S", auto_compress=False)[0].status == "UPLOADED"
    schema = StructType([StructField("N", IntegerType()), StructField("T", StringType())])
    assert rows(session.read.schema(schema).csv("@S/in.csv").sort("N")) == [(1, "one"), (2, "two")]
    session.file.get("@S/in.csv", str(tmp_path / "out"))
    assert (tmp_path / "out/in.csv").read_text() == "1,one\n2,two\n"


def test_errors_and_transactions(session):
    with pytest.raises(SnowparkSQLException, match="does not exist or not authorized"):
        session.table("NOT_THERE").collect()
    session.sql("CREATE TABLE T (A INT)").collect()
    session.sql("BEGIN").collect()
    session.sql("INSERT INTO T VALUES (1)").collect()
    session.sql("ROLLBACK").collect()
    assert session.table("T").count() == 0
    session.query_tag = "of a test"
    assert session.query_tag == "of a test"
    assert session.get_current_schema() == '"PUBLIC"'
