"""External stages on a real S3-compatible server that checks who asks."""

import http.server
import json
import logging
import threading
import time
import urllib.error
import urllib.request
import uuid

import boto3
import pytest
from botocore.config import Config
from conftest import ADMIN_TOKEN, start, stop
from moto.server import ThreadedMotoServer

BUCKET = "lake"
POLICY = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
OBJECTS = {
    "in/a.csv": b"1,one\n2,two\n",
    "in/b c+d.csv": b"3,three\n",
    "in/sub/": b"",
    "in/sub/d.txt": b"4,four\n",
    "json/x.json": b'{"a": 1}\n{"a": 2}\n',
}


class Storage:
    """The storage, its address, and a client of its own that puts and reads objects."""

    def __init__(self, url: str):
        self.url = url
        self.host = url.split("//")[1]
        self.key_id, self.secret = "first", "first"
        iam = self.client("iam")
        iam.create_user(UserName="loader")
        iam.put_user_policy(UserName="loader", PolicyName="all", PolicyDocument=json.dumps(POLICY))
        key = iam.create_access_key(UserName="loader")["AccessKey"]
        self.key_id, self.secret = key["AccessKeyId"], key["SecretAccessKey"]
        plain = {"Content-Type": "text/plain"}
        request = urllib.request.Request(f"{url}/moto-api/reset-auth", data=b"0", headers=plain)
        urllib.request.urlopen(request, timeout=30).close()
        self.s3 = self.client("s3")
        self.s3.create_bucket(Bucket=BUCKET)
        self.s3.create_bucket(Bucket="closed")

    def client(self, service: str):
        return boto3.client(
            service,
            endpoint_url=self.url,
            aws_access_key_id=self.key_id,
            aws_secret_access_key=self.secret,
            region_name="us-east-1",
            config=Config(retries={"max_attempts": 1}),
        )

    @property
    def credentials(self) -> str:
        return f"CREDENTIALS = (AWS_KEY_ID = '{self.key_id}' AWS_SECRET_KEY = '{self.secret}')"

    def keys(self, prefix: str) -> list[str]:
        return [item["Key"] for item in self.s3.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])]


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """A storage that sends everyone on, says nothing, is busy at first, or whose lists do not end."""

    asked: list[str] = []

    def do_GET(self):
        self.asked.append(self.path)
        if self.path.startswith("/silent"):
            time.sleep(20)
            return
        if self.path.startswith("/busy"):
            first = len([path for path in self.asked if path.startswith("/busy")]) < 3
            self.answer(503 if first else 200, b"" if first else b"<ListBucketResult/>")
            return
        if self.path.startswith(("/repeating", "/empty")):
            token = len(self.asked) if self.path.startswith("/empty") else "again"
            content = "" if self.path.startswith("/empty") else "<Contents><Key>a</Key><Size>1</Size></Contents>"
            next_page = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{token}</NextContinuationToken>"
            self.answer(200, f"<ListBucketResult>{next_page}{content}</ListBucketResult>".encode())
            return
        self.answer(302, b"", Location=f"http://{self.headers['Host']}/stolen")

    def answer(self, status: int, content: bytes, **headers: str):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def storage():
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield Storage(f"http://{host}:{port}")
    server.stop()


@pytest.fixture(scope="module")
def elsewhere():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def firn(storage, elsewhere, tmp_path_factory):
    places = [
        f"{storage.url}/{BUCKET}",
        f"{storage.url}/missing",
        f"http://{elsewhere}/redirecting",
        f"http://{elsewhere}/silent",
        f"http://{elsewhere}/busy",
        f"http://{elsewhere}/repeating",
        f"http://{elsewhere}/empty",
    ]
    folder = tmp_path_factory.mktemp("external")
    server = start(folder / "data", FIRN_EXTERNAL_STAGES=",".join(places), FIRN_STAGE_FILE_BYTES_MAX="1MB")
    server.data = folder / "data"
    yield server
    stop(server)


@pytest.fixture()
def lake(firn, storage):
    """A schema of its own, a stage `S` on a folder of its own with the usual objects, and a table `T`."""
    folder = uuid.uuid4().hex
    for key, content in OBJECTS.items():
        storage.s3.put_object(Bucket=BUCKET, Key=f"{folder}/{key}", Body=content)
    firn.sql(f'CREATE SCHEMA FIRN."{folder}"')
    lake = Lake(firn, storage, folder)
    lake.run(f"CREATE STAGE S URL = 's3://{BUCKET}/{folder}/in/' {storage.credentials}")
    lake.run("CREATE TABLE T (N INT, W VARCHAR)")
    return lake


class Lake:
    def __init__(self, firn, storage, folder):
        self.firn, self.storage, self.folder = firn, storage, folder
        self.root = f"s3://{BUCKET}/{folder}/"

    def run(self, statement: str) -> list[list[str]]:
        return self.firn.sql(statement, database="FIRN", schema=self.folder, timeout=60)["data"]

    def refused(self, statement: str) -> tuple[str, str]:
        with pytest.raises(urllib.error.HTTPError) as error:
            self.run(statement)
        answer = json.load(error.value)
        assert error.value.code == 422, answer
        return answer["code"], answer["message"]


def test_files_are_listed_and_read(lake):
    listed = lake.run("LIST @S")
    assert [row[0] for row in listed] == [lake.root + key for key in ("in/a.csv", "in/b c+d.csv", "in/sub/d.txt")]
    head = lake.storage.s3.head_object(Bucket=BUCKET, Key=f"{lake.folder}/in/a.csv")
    assert listed[0][1:3] == ["12", head["ETag"].strip('"')]
    assert [row[0] for row in lake.run("LIST @S PATTERN = '.*/sub/.*'")] == [lake.root + "in/sub/d.txt"]
    assert lake.run("SELECT $2, METADATA$FILENAME FROM @S/sub/") == [["four", f"{lake.folder}/in/sub/d.txt"]]
    assert lake.run("SELECT COUNT(*) FROM @S") == [["4"]]
    assert lake.run("SELECT GET_STAGE_LOCATION(@S), GET_ABSOLUTE_PATH(@S, 'x')") == [
        [lake.root + "in/", lake.root + "in/x"]
    ]


def test_a_file_is_loaded_once_until_it_changes(lake):
    loaded = lake.run("COPY INTO T FROM @S PATTERN = '.*[.]csv'")
    assert [row[:4] for row in loaded] == [
        [lake.root + "in/a.csv", "LOADED", "2", "2"],
        [lake.root + "in/b c+d.csv", "LOADED", "1", "1"],
    ]
    assert lake.run("COPY INTO T FROM @S PATTERN = '.*[.]csv'") == [["Copy executed with 0 files processed."]]
    lake.run(f"CREATE STAGE AGAIN URL = '{lake.root}' {lake.storage.credentials}")
    assert lake.run("COPY INTO T FROM @AGAIN/in/a.csv")[0][1] == "LOAD_SKIPPED"
    lake.storage.s3.put_object(Bucket=BUCKET, Key=f"{lake.folder}/in/a.csv", Body=b"5,five\n")
    assert lake.run("COPY INTO T FROM @S FILES = ('a.csv')")[0][1:4] == ["LOADED", "1", "1"]
    assert lake.run("SELECT COUNT(*), SUM(N) FROM T") == [["4", "11"]]


def test_what_is_unloaded_can_be_loaded_again(lake):
    lake.run("INSERT INTO T VALUES (1, 'one'), (2, 'two'), (3, 'two')")
    assert lake.run("COPY INTO @S/out/ FROM T FILE_FORMAT = (TYPE = CSV)")[0][0] == "3"
    assert lake.storage.keys(f"{lake.folder}/in/out/") == [f"{lake.folder}/in/out/data_0_0_0.csv.gz"]
    assert lake.refused("COPY INTO @S/out/ FROM T FILE_FORMAT = (TYPE = CSV)")[0] == "001030"
    lake.run("COPY INTO @S/out/ FROM T FILE_FORMAT = (TYPE = CSV) OVERWRITE = TRUE")
    lake.run("CREATE TABLE BACK LIKE T")
    assert lake.run("COPY INTO BACK FROM @S/out/ PURGE = TRUE")[0][1:4] == ["LOADED", "3", "3"]
    assert lake.storage.keys(f"{lake.folder}/in/out/") == []
    lake.run("COPY INTO @S/parts/ FROM T PARTITION BY ('w=' || W) FILE_FORMAT = (TYPE = PARQUET) HEADER = TRUE")
    assert len(lake.storage.keys(f"{lake.folder}/in/parts/w=two/")) == 1
    lake.run("CREATE FILE FORMAT PQ TYPE = PARQUET")
    assert lake.run("SELECT SUM($1:N::INT) FROM @S/parts/ (FILE_FORMAT => 'PQ')") == [["6"]]
    columns = lake.run("SELECT COLUMN_NAME, TYPE FROM TABLE(INFER_SCHEMA(LOCATION => '@S/parts/', FILE_FORMAT => 'PQ'))")
    assert columns == [["N", "NUMBER(38, 0)"], ["W", "TEXT"]]
    lake.run("COPY INTO BACK FROM @S/parts/ FILE_FORMAT = (FORMAT_NAME = PQ) MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE")
    assert lake.run("SELECT COUNT(*) FROM BACK") == [["6"]]
    lake.run("COPY INTO @S/one.csv FROM T FILE_FORMAT = (TYPE = CSV COMPRESSION = NONE) SINGLE = TRUE")
    content = lake.storage.s3.get_object(Bucket=BUCKET, Key=f"{lake.folder}/in/one.csv")["Body"].read()
    assert sorted(content.splitlines()) == [b"1,one", b"2,two", b"3,two"]
    assert len(lake.run("REMOVE @S PATTERN = '.*parquet'")) == 2
    assert lake.storage.keys(f"{lake.folder}/in/parts/") == []


def test_errors_of_values_are_reported_as_on_any_stage(lake):
    lake.storage.s3.put_object(Bucket=BUCKET, Key=f"{lake.folder}/in/bad/x.csv", Body=b"1,a\nx,b\n")
    code, message = lake.refused("COPY INTO T FROM @S/bad/")
    assert code == "100038" and f"File '{lake.root}in/bad/x.csv', line 2" in message
    copied = lake.firn.sql("COPY INTO T FROM @S/bad/ ON_ERROR = CONTINUE", database="FIRN", schema=lake.folder)
    assert copied["data"][0][1:4] == ["PARTIALLY_LOADED", "2", "1"]
    handle = copied["statementHandle"]
    assert lake.run(f"SELECT LINE FROM TABLE(VALIDATE(T, JOB_ID => '{handle}'))") == [["2"]]
    errors = lake.run("COPY INTO T FROM @S/bad/ VALIDATION_MODE = RETURN_ERRORS FORCE = TRUE")
    assert len(errors) == 1


def test_an_address_stands_for_a_stage_in_copy(lake):
    options = f"{lake.storage.credentials} FILE_FORMAT = (TYPE = CSV)"
    assert lake.run(f"COPY INTO T FROM '{lake.root}in/a.csv' {options}")[0][:2] == [lake.root + "in/a.csv", "LOADED"]
    lake.run(f"COPY INTO '{lake.root}direct/' FROM T {options} ENCRYPTION = (TYPE = 'AWS_SSE_S3')")
    key = f"{lake.folder}/direct/data_0_0_0.csv.gz"
    assert lake.storage.s3.head_object(Bucket=BUCKET, Key=key)["ServerSideEncryption"] == "AES256"


def test_a_stage_with_an_endpoint(lake):
    lake.run(
        f"CREATE TEMPORARY STAGE U URL = 's3compat://{BUCKET}/{lake.folder}/json' "
        f"ENDPOINT = '{lake.storage.host}' {lake.storage.credentials}"
    )
    lake.run(
        f"CREATE STAGE U URL = 's3compat://{BUCKET}/{lake.folder}/json' ENDPOINT = '{lake.storage.host}' "
        f"{lake.storage.credentials} FILE_FORMAT = (TYPE = JSON)"
    )
    assert lake.run("SELECT $1:a::INT FROM @U/x.json ORDER BY 1") == [["1"], ["2"]]
    shown = lake.firn.sql("SHOW STAGES", database="FIRN", schema=lake.folder)
    names = [column["name"] for column in shown["resultSetMetaData"]["rowType"]]
    stages = {row[1]: dict(zip(names, row)) for row in shown["data"]}
    assert stages["U"]["url"] == f"s3compat://{BUCKET}/{lake.folder}/json"
    assert (stages["U"]["type"], stages["U"]["endpoint"]) == ("EXTERNAL", lake.storage.host)
    assert (stages["S"]["has_credentials"], stages["S"]["cloud"]) == ("Y", "AWS")


def test_a_long_list_comes_in_pages(lake):
    for number in range(1005):
        lake.storage.s3.put_object(Bucket=BUCKET, Key=f"{lake.folder}/in/many/{number:04}", Body=b"x\n")
    listed = lake.firn.sql("LIST @S/many/", database="FIRN", schema=lake.folder)
    assert listed["resultSetMetaData"]["numRows"] == 1005


def test_wrong_credentials_and_missing_buckets_are_reported_by_the_storage(lake):
    wrong = f"CREDENTIALS = (AWS_KEY_ID = '{lake.storage.key_id}' AWS_SECRET_KEY = 'wrong')"
    lake.run(f"ALTER STAGE S SET {wrong}")
    for statement in ["LIST @S", "SELECT $1 FROM @S", "COPY INTO T FROM @S", "COPY INTO @S/x FROM (SELECT 1)"]:
        code, message = lake.refused(statement)
        assert code == "091003" and "Status Code: 403" in message and "wrong" not in message, message
    assert "SignatureDoesNotMatch" in lake.refused("LIST @S")[1]
    lake.run(f"ALTER STAGE S SET {lake.storage.credentials}")
    assert len(lake.run("LIST @S")) == 3
    lake.run(f"CREATE STAGE GONE URL = 's3://missing/' {lake.storage.credentials}")
    assert "NoSuchBucket" in lake.refused("LIST @GONE")[1]


def test_places_that_are_not_named_are_not_reached(lake, elsewhere):
    for place in [
        "URL = 's3://closed/'",
        f"URL = 's3compat://closed/' ENDPOINT = '{lake.storage.host}'",
        "URL = 's3compat://lake/' ENDPOINT = '169.254.169.254'",
        "URL = 's3compat://lake/' ENDPOINT = 'localhost:80'",
        f"URL = 's3compat://lake/' ENDPOINT = '{elsewhere}'",
    ]:
        code, message = lake.refused(f"CREATE STAGE X {place}")
        assert code == "003001" and "external_stages" in message, message
    for place in ["s3://closed/x", "s3://other/x"]:
        assert lake.refused(f"COPY INTO T FROM '{place}'")[0] == "003001"
        assert lake.refused(f"COPY INTO '{place}' FROM T")[0] == "003001"
    assert lake.refused(f"ALTER STAGE S SET URL = 's3://closed/'")[0] == "003001"
    assert lake.storage.s3.list_objects_v2(Bucket="closed")["KeyCount"] == 0


def test_a_redirect_is_not_followed(lake):
    lake.run("CREATE STAGE R URL = 's3://redirecting/'")
    assert "302" in lake.refused("LIST @R")[1]
    assert not any("stolen" in path for path in Elsewhere.asked)


def test_a_storage_that_is_busy_is_asked_again(lake):
    lake.run("CREATE STAGE BUSY URL = 's3://busy/'")
    assert lake.run("LIST @BUSY") == []


@pytest.mark.parametrize("bucket, cause", [("repeating", "repeats a continuation token"), ("empty", "without objects")])
def test_a_list_that_does_not_end_is_refused(lake, bucket, cause):
    lake.run(f"CREATE STAGE ENDLESS URL = 's3://{bucket}/'")
    code, message = lake.refused("LIST @ENDLESS")
    assert code == "091003" and cause in message
    assert len([path for path in Elsewhere.asked if path.startswith(f"/{bucket}")]) < 200


def test_a_file_beyond_the_limit_is_not_fetched(lake):
    lake.storage.s3.put_object(Bucket=BUCKET, Key=f"{lake.folder}/in/big", Body=b"x" * 1_000_001)
    code, message = lake.refused("SELECT $1 FROM @S/big")
    assert code == "000603" and "stage_file_bytes_max" in message


def test_a_cancelled_statement_stops_waiting(lake):
    lake.run("CREATE STAGE SILENT URL = 's3://silent/'")
    headers = {"Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": "application/json", "User-Agent": "t/1.0"}

    def call(path: str, body: dict | None) -> dict:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(lake.firn.url + path, data=data, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            return json.load(error)

    begun = {"statement": "LIST @SILENT", "database": "FIRN", "schema": lake.folder}
    handle = call("/api/v2/statements?async=true", begun)["statementHandle"]
    while not any(path.startswith("/silent") for path in Elsewhere.asked):
        time.sleep(0.05)
    call(f"/api/v2/statements/{handle}/cancel", {})
    # The storage goes on being silent for many seconds; the statement does not wait for it.
    for _ in range(100):
        answer = call(f"/api/v2/statements/{handle}", None)
        if answer["code"] != "333334":
            break
        time.sleep(0.05)
    assert answer["code"] == "000604", answer


def test_secrets_stay_secret(lake):
    secret = lake.storage.secret
    texts = lake.run("SELECT QUERY_TEXT FROM TABLE(INFORMATION_SCHEMA.QUERY_HISTORY()) WHERE QUERY_TEXT ILIKE '%AWS_SECRET%'")
    assert texts and all("AWS_SECRET_KEY = '****'" in text for [text] in texts)
    assert secret not in json.dumps([lake.run("DESC STAGE S"), lake.run("SHOW STAGES")])
    for file in lake.firn.data.rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes(), file


def test_nothing_that_was_fetched_is_left(lake):
    lake.run("SELECT COUNT(*) FROM @S")
    assert list((lake.firn.data / "stages" / "incoming").iterdir()) == []


def test_files_by_themselves_are_refused(lake):
    url = f"{lake.firn.url}/api/v2/databases/FIRN/schemas/%22{lake.folder}%22/stages/S/files"
    for method, path in [("GET", ""), ("GET", "/a.csv"), ("PUT", "/x"), ("DELETE", "/a.csv")]:
        headers = {"Authorization": f"Bearer {ADMIN_TOKEN}", "User-Agent": "t/1.0"}
        data = b"x" if method == "PUT" else None
        request = urllib.request.Request(url + path, data=data, method=method, headers=headers)
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(request, timeout=30)
        assert error.value.code == 400 and "external stage" in error.value.read().decode()
    assert "external stage" in lake.refused("SELECT GET_PRESIGNED_URL(@S, 'a.csv')")[1]
    assert "external stage" in lake.refused("SELECT BUILD_STAGE_FILE_URL(@S, 'a.csv')")[1]


def test_without_the_setting_nothing_is_reached(storage, tmp_path):
    """The same data on a server that is configured without storage."""
    data = tmp_path / "data"
    server = start(data, FIRN_EXTERNAL_STAGES=f"{storage.url}/{BUCKET}")
    server.sql(f"CREATE STAGE FIRN.PUBLIC.S URL = 's3://{BUCKET}/' {storage.credentials}")
    stop(server)
    server = start(data)
    lake = Lake(server, storage, "PUBLIC")
    for statement in ["LIST @S", "CREATE STAGE X URL = 's3://lake/'", "ALTER STAGE S SET URL = 's3://lake/x/'"]:
        code, message = lake.refused(statement)
        assert code == "000002" and "external_stages" in message, message
    assert lake.run("DROP STAGE S") == [["S successfully dropped."]]
    stop(server)
