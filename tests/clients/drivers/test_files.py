"""Files that the connector for Python carries: PUT and GET of every kind of stage, and what is built on them."""

import gzip
import hashlib
import os

import pytest
import snowflake.connector
from snowflake.connector.errors import Error


@pytest.fixture
def connection(place):
    with snowflake.connector.connect(**place.login) as connection:
        yield connection


@pytest.fixture
def cursor(connection):
    with connection.cursor() as cursor:
        yield cursor


@pytest.fixture
def folder(tmp_path):
    """Three small files, and a folder to fetch them to."""
    for name, text in [("a.csv", "1,one\n2,two\n"), ("b.csv", "3,three\n"), ("c.txt", "4,four\n")]:
        (tmp_path / name).write_text(text)
    (tmp_path / "out").mkdir()
    return tmp_path


def statuses(cursor, sql):
    """What a PUT says of each file: its name on the stage, and what became of it."""
    rows = cursor.execute(sql).fetchall()
    return {row[1]: row[6] for row in rows}


def listed(cursor, stage):
    return {row[0]: row[1] for row in cursor.execute(f"LIST {stage}")}


def test_files_are_compressed_on_the_way(cursor, folder):
    cursor.execute("CREATE STAGE S")
    assert statuses(cursor, f"PUT file://{folder}/*.csv @S/in/") == {"a.csv.gz": "UPLOADED", "b.csv.gz": "UPLOADED"}
    assert set(listed(cursor, "@S")) == {"s/in/a.csv.gz", "s/in/b.csv.gz"}
    cursor.execute("CREATE TABLE T (N INT, W TEXT)")
    loaded = cursor.execute("COPY INTO T FROM @S/in").fetchall()
    assert {row[0]: row[3] for row in loaded} == {"s/in/a.csv.gz": 2, "s/in/b.csv.gz": 1}
    assert cursor.execute("SELECT N, W FROM T ORDER BY N").fetchall() == [(1, "one"), (2, "two"), (3, "three")]


def test_files_stay_as_they_are(cursor, folder):
    cursor.execute("CREATE STAGE S")
    put = f"PUT 'file://{folder}/a.csv' @S/in AUTO_COMPRESS = FALSE PARALLEL = 2 SOURCE_COMPRESSION = 'NONE'"
    assert statuses(cursor, put) == {"a.csv": "UPLOADED"}
    assert listed(cursor, "@S") == {"s/in/a.csv": 12}
    got = cursor.execute(f"GET @S/in 'file://{folder}/out/'").fetchall()
    assert [(row[0], row[1], row[2]) for row in got] == [("a.csv", 12, "DOWNLOADED")]
    assert (folder / "out/a.csv").read_text() == "1,one\n2,two\n"


def test_a_file_that_is_there_is_kept_or_replaced(cursor, folder):
    cursor.execute("CREATE STAGE S")
    put = f"PUT file://{folder}/a.csv @S AUTO_COMPRESS = FALSE"
    statuses(cursor, put)
    (folder / "a.csv").write_text("9,nine\n")
    # Drivers that are given addresses cannot ask whether a file is there.
    assert statuses(cursor, put)["a.csv"] in ("SKIPPED", "UPLOADED")
    assert listed(cursor, "@S") == {"s/a.csv": 12}
    assert statuses(cursor, f"{put} OVERWRITE = TRUE") == {"a.csv": "UPLOADED"}
    assert listed(cursor, "@S") == {"s/a.csv": 7}


@pytest.mark.parametrize(
    ("created", "stage", "shown"),
    [
        ("CREATE TEMPORARY STAGE S", "@S/x", "s/x/a.csv"),
        ("CREATE STAGE S", "@S", "s/a.csv"),
        ('CREATE STAGE "my stage"', "'@\"my stage\"/a folder'", "my stage/a folder/a.csv"),
        ("CREATE TABLE T (N INT)", "@%T/x", "x/a.csv"),
        ('CREATE TABLE "t" (N INT)', "'@\"PUBLIC\".\"%t\"/\"17.x\"'", "17.x/a.csv"),
        ("CREATE TEMPORARY TABLE T (N INT)", "@%T", "a.csv"),
        ("SELECT 1", "@~/of a driver", "of a driver/a.csv"),
    ],
)
def test_every_kind_of_stage_takes_files(cursor, folder, created, stage, shown):
    cursor.execute(created)
    stage = stage if stage.startswith("'") or " " not in stage else f"'{stage}'"
    assert statuses(cursor, f"PUT file://{folder}/a.csv {stage} AUTO_COMPRESS=FALSE, OVERWRITE=TRUE, PARALLEL=4") == {
        "a.csv": "UPLOADED"
    }
    assert shown in listed(cursor, stage)
    cursor.execute(f"GET {stage} file://{folder}/out")
    assert (folder / "out/a.csv").read_text() == "1,one\n2,two\n"
    cursor.execute(f"REMOVE {stage}")


def test_files_are_chosen_by_a_pattern(cursor, folder):
    cursor.execute("CREATE STAGE S")
    statuses(cursor, f"PUT file://{folder}/*.* @S/in/deep AUTO_COMPRESS=FALSE")
    got = cursor.execute(f"GET @S/in file://{folder}/out PATTERN = '.*[.]csv'").fetchall()
    assert sorted(os.path.basename(row[0]) for row in got) == ["a.csv", "b.csv"]
    found = [os.path.join(place, name) for place, _, names in os.walk(folder / "out") for name in names]
    assert sorted(os.path.basename(path) for path in found) == ["a.csv", "b.csv"]
    with pytest.raises(Error):
        cursor.execute(f"GET @S/none file://{folder}/out")


def test_a_large_file_arrives_as_it_was(cursor, folder):
    cursor.execute("CREATE STAGE S")
    content = os.urandom(1 << 20) * 64 + b"end"
    (folder / "large.bin").write_bytes(content)
    statuses(cursor, f"PUT file://{folder}/large.bin @S AUTO_COMPRESS=FALSE")
    assert cursor.execute("LIST @S").fetchone()[1:3] == (len(content), hashlib.md5(content).hexdigest())
    cursor.execute(f"GET @S/large.bin file://{folder}/out")
    assert (folder / "out/large.bin").read_bytes() == content


def test_names_of_files_are_taken_as_they_are(cursor, folder):
    cursor.execute("CREATE STAGE S")
    for name in ["with blank.csv", "ümläut €.csv", "100%.csv", "a+b&c=d?.csv", "#1.csv"]:
        (folder / name).write_text("1,x\n")
        statuses(cursor, f"PUT 'file://{folder}/{name.replace('?', '[?]')}' '@S/a b' AUTO_COMPRESS=FALSE")
        assert f"s/a b/{name}" in listed(cursor, "@S")
        cursor.execute(f"GET '@S/a b/{name}' 'file://{folder}/out'")
        assert (folder / "out" / name).read_text() == "1,x\n"


def test_what_cannot_be_carried_is_refused(cursor, folder):
    cursor.execute("CREATE STAGE S")
    for sql in [
        f"PUT file://{folder}/a.csv @NONE",
        f"PUT file://{folder}/none.csv @S",
        f"PUT file://{folder}/a.csv @S COLOUR = 1",
        f"GET @NONE file://{folder}/out",
    ]:
        with pytest.raises(Error):
            cursor.execute(sql)
    assert listed(cursor, "@S") == {}


def test_a_transaction_stays_open_around_files(connection, folder):
    cursor = connection.cursor()
    cursor.execute("CREATE STAGE S")
    cursor.execute("CREATE TABLE T (N INT)")
    cursor.execute("BEGIN")
    cursor.execute("INSERT INTO T VALUES (1)")
    statuses(cursor, f"PUT file://{folder}/a.csv @S")
    cursor.execute(f"GET @S file://{folder}/out")
    cursor.execute("ROLLBACK")
    assert cursor.execute("SELECT COUNT(*) FROM T").fetchone() == (0,)
    assert gzip.decompress((folder / "out/a.csv.gz").read_bytes()) == b"1,one\n2,two\n"


def test_frames_are_written(connection):
    pandas = pytest.importorskip("pandas")
    from snowflake.connector.pandas_tools import write_pandas

    frame = pandas.DataFrame({"N": range(1000), "T": [None if n % 7 == 0 else f"text {n}" for n in range(1000)]})
    success, chunks, rows, _ = write_pandas(connection, frame, "FRAME", auto_create_table=True, chunk_size=300)
    assert (success, chunks, rows) == (True, 4, 1000)
    cursor = connection.cursor()
    assert cursor.execute("SELECT COUNT(*), SUM(N), COUNT(T) FROM FRAME").fetchone() == (1000, 499500, 857)
    write_pandas(connection, frame, "FRAME", overwrite=True)
    assert cursor.execute("SELECT COUNT(*) FROM FRAME").fetchone() == (1000,)


def test_many_bound_rows_go_through_a_stage(place):
    login = place.login | {"session_parameters": {"CLIENT_STAGE_ARRAY_BINDING_THRESHOLD": 100}, "paramstyle": "qmark"}
    with snowflake.connector.connect(**login) as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE T (N INT, W TEXT, D DATE, F FLOAT, B BOOLEAN)")
        rows = [(n, f'text, "{n}"\n', None, n / 4, n % 2 == 0) for n in range(500)] + [(None, "", None, None, None)]
        cursor.executemany("INSERT INTO T VALUES (?, ?, ?, ?, ?)", rows)
        assert cursor.rowcount == 501
        said = cursor.execute("SELECT COUNT(*), SUM(N), SUM(F), COUNT_IF(B), COUNT(W) FROM T").fetchone()
        assert said == (501, 124750, 31187.5, 250, 501)
        assert cursor.execute("SELECT W FROM T WHERE N = 3").fetchone() == ('text, "3"\n',)
        assert cursor.execute("SELECT W FROM T WHERE N IS NULL").fetchone() == ("",)
