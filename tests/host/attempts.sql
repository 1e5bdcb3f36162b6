-- Attempts to reach the host from SQL, one per line. Each must be refused with 422.
-- {bait} is a readable file, {scratch} a writable folder, {data} the server's own data folder.

-- Files read by functions.
SELECT * FROM read_csv('{bait}')
SELECT * FROM read_csv_auto('{bait}')
SELECT * FROM READ_CSV('{bait}')
SELECT * FROM "read_csv"('{bait}')
SELECT * FROM "READ_CSV"('{bait}')
SELECT * FROM TABLE(read_csv('{bait}'))
SELECT * FROM TABLE(READ_TEXT('{bait}'))
SELECT * FROM LATERAL read_csv('{bait}')
SELECT * FROM read_csv(['{bait}'])
SELECT * FROM read_text('{bait}')
SELECT * FROM read_blob('{bait}')
SELECT read_text('{bait}')
SELECT * FROM read_json('{bait}')
SELECT * FROM read_json_auto('{bait}')
SELECT * FROM read_json_objects('{bait}')
SELECT * FROM read_ndjson('{bait}')
SELECT * FROM read_ndjson_auto('{bait}')
SELECT * FROM read_ndjson_objects('{bait}')
SELECT * FROM read_parquet('{bait}')
SELECT * FROM parquet_scan('{bait}')
SELECT * FROM parquet_metadata('{bait}')
SELECT * FROM parquet_schema('{bait}')
SELECT * FROM parquet_file_metadata('{bait}')
SELECT * FROM parquet_kv_metadata('{bait}')
SELECT * FROM sniff_csv('{bait}')
SELECT * FROM glob('{scratch}/*')
SELECT * FROM read_csv('/etc/passwd')
SELECT * FROM read_text('/proc/self/environ')
SELECT * FROM read_text('{data}/catalog.sqlite')
SELECT * FROM read_duckdb('{data}/x.duckdb')
SELECT * FROM seq_scan('X')
SELECT * FROM arrow_scan(1, 2, 3)
SELECT * FROM sqlite_scan('{data}/catalog.sqlite', 'users')
SELECT * FROM sqlite_attach('{data}/catalog.sqlite')
SELECT * FROM postgres_scan('host=127.0.0.1', 'public', 't')
SELECT * FROM postgres_query('x', 'SELECT 1')
SELECT * FROM mysql_query('x', 'SELECT 1')
SELECT * FROM iceberg_scan('{scratch}')
SELECT * FROM delta_scan('{scratch}')
SELECT * FROM st_read('{bait}')
SELECT * FROM read_xlsx('{bait}')

-- Files as relations.
SELECT * FROM '/etc/passwd'
SELECT * FROM '{bait}'
SELECT * FROM "{bait}"
SELECT * FROM "/etc/passwd"
SELECT * FROM "x.csv"
SELECT * FROM 'x.parquet'
SELECT * FROM "data.json"
SELECT * FROM 'http://127.0.0.1:9/x.csv'
SELECT * FROM "https://127.0.0.1:9/x.parquet"
SELECT * FROM 's3://bucket/x.parquet'
SELECT * FROM DIGITS, "{bait}"
SELECT * FROM DIGITS JOIN '{bait}' ON TRUE

-- Network.
SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')
SELECT * FROM read_parquet('s3://bucket/x.parquet')
SELECT * FROM read_text('https://127.0.0.1:9/')
SELECT http_get('http://127.0.0.1:9/')

-- Writing.
COPY DIGITS TO '{scratch}/out.csv'
COPY (SELECT 1) TO '{scratch}/out.parquet'
COPY (SELECT 1) TO '{scratch}/out.csv' (FORMAT CSV)
COPY DIGITS FROM '{bait}'
COPY INTO '{scratch}/out.csv' FROM DIGITS
COPY INTO DIGITS FROM 'file://{bait}'
COPY INTO 's3://bucket/x' FROM DIGITS
EXPORT DATABASE '{scratch}/out'
EXPORT DATABASE T_HOST TO '{scratch}/out'
IMPORT DATABASE '{scratch}/out'
CHECKPOINT
FORCE CHECKPOINT
VACUUM
ANALYZE
SELECT * FROM write_csv('{scratch}/out.csv')
SELECT write_log('x')

-- Attaching and extending.
ATTACH '{scratch}/new.duckdb' AS NEW
ATTACH '{data}/catalog.sqlite' AS STATE (TYPE SQLITE)
ATTACH DATABASE '{scratch}/new.duckdb'
ATTACH 'postgres:host=127.0.0.1' AS PG
ATTACH ':memory:' AS M
ATTACH OR REPLACE '{scratch}/new.duckdb' AS NEW
DETACH T_HOST
USE memory
INSTALL httpfs
INSTALL '{scratch}/x.duckdb_extension'
FORCE INSTALL httpfs
INSTALL httpfs FROM 'http://127.0.0.1:9'
LOAD httpfs
LOAD '{scratch}/x.duckdb_extension'
UPDATE EXTENSIONS
SELECT * FROM duckdb_extensions()
CREATE SECRET S (TYPE S3, KEY_ID 'x', SECRET 'y')
CREATE PERSISTENT SECRET S (TYPE S3)
DROP SECRET S
SELECT * FROM duckdb_secrets()
SELECT * FROM which_secret('s3://x', 's3')
SELECT load_aws_credentials()

-- The engine's settings.
PRAGMA database_list
PRAGMA table_info('DIGITS')
PRAGMA enable_profiling
PRAGMA disable_checkpoint_on_shutdown
PRAGMA profiling_output = '{scratch}/profile.json'
PRAGMA version
SET enable_external_access = true
SET memory_limit = '1GB'
SET threads = 1
SET GLOBAL threads = 1
SET SESSION threads = 1
SET temp_directory = '{scratch}'
SET home_directory = '{scratch}'
SET extension_directory = '{scratch}'
SET autoinstall_known_extensions = true
SET lock_configuration = true
SET allowed_directories = ['/']
SET log_query_path = '{scratch}/queries.log'
SET schema = 'memory.main'
SET search_path = 'memory'
RESET enable_external_access
RESET GLOBAL memory_limit
SELECT current_setting('enable_external_access')
SELECT current_setting('allowed_directories')
SELECT * FROM duckdb_settings()
SELECT * FROM pragma_database_list()
SELECT * FROM pragma_version()
SELECT * FROM pragma_storage_info('DIGITS')
SELECT * FROM pragma_user_agent()
SELECT * FROM pragma_platform()
SELECT * FROM duckdb_databases()
SELECT * FROM duckdb_tables()
SELECT * FROM duckdb_columns()
SELECT * FROM duckdb_views()
SELECT * FROM duckdb_functions()
SELECT * FROM duckdb_memory()
SELECT * FROM duckdb_temporary_files()
SELECT * FROM duckdb_logs()
SELECT * FROM duckdb_keywords()
SELECT * FROM duckdb_types()
SELECT * FROM duckdb_schemas()
SELECT * FROM duckdb_sequences()
SELECT * FROM duckdb_constraints()
SELECT * FROM duckdb_variables()
SELECT * FROM duckdb_optimizers()
SELECT * FROM checkpoint()
SELECT * FROM force_checkpoint('T_HOST')
CALL pragma_version()
CALL enable_logging()
CALL checkpoint()
CALL duckdb_settings()

-- The environment and the engine itself.
SELECT getenv('HOME')
SELECT getenv('FIRN_ADMIN_TOKEN')
SELECT GETENV('PATH')
SELECT "getenv"('PATH')
SELECT current_query()
SELECT txid_current()
SELECT in_search_path('a', 'b')
SELECT error('x')
SELECT sleep_ms(1)
SELECT nextval('X')
SELECT currval('X')
SELECT parse_path('/etc/passwd')
SELECT pg_typeof(1)
SELECT add_parquet_key('k', 'v')
SELECT version()
SELECT current_schemas(true)

-- Queries made of text.
SELECT * FROM query('SELECT 1')
SELECT * FROM query('SELECT * FROM read_text(''{bait}'')')
SELECT * FROM query_table('DIGITS')
SELECT * FROM query_table(['DIGITS'])
SELECT * FROM TABLE(query('SELECT 1'))
SELECT json_execute_serialized_sql(json_serialize_sql('SELECT 1'))
SELECT * FROM json_execute_serialized_sql('{}')
SELECT json_serialize_sql('SELECT 1')
SELECT json_serialize_plan('SELECT 1')
PRAGMA json_execute_serialized_sql('{}')
PREPARE p AS SELECT 1
EXECUTE p
DEALLOCATE p
EXECUTE IMMEDIATE 'SELECT * FROM read_text(''{bait}'')'

-- Names of the engine's own databases and schemas.
SELECT * FROM memory.main.x
SELECT * FROM system.main.duckdb_tables
SELECT * FROM system.information_schema.tables
SELECT * FROM temp.main.x
SELECT * FROM "memory"."main"."x"
SELECT * FROM "system"."main"."duckdb_settings"
SELECT * FROM sqlite_master
SELECT * FROM sqlite_schema
SELECT * FROM main.sqlite_master
SELECT * FROM pg_catalog.pg_class
SELECT * FROM pg_catalog.pg_settings
SELECT * FROM T_HOST.pg_catalog.pg_tables
SELECT * FROM T_HOST.main.x
SELECT * FROM T_HOST."__FIRN".COLUMNS
SELECT * FROM T_HOST.__FIRN.OBJECTS
SELECT * FROM "__FIRN".COLUMNS
SELECT * FROM T_HOST."__firn".objects
CREATE TABLE "__FIRN".X (N INT)
CREATE TABLE T_HOST."__FIRN".X (N INT)
CREATE TABLE memory.main.X (N INT)
CREATE TABLE temp.main.X (N INT)
CREATE TABLE system.main.X (N INT)
CREATE SCHEMA "__FIRN"
CREATE SCHEMA T_HOST."__FIRN"
CREATE SCHEMA memory.x
DROP SCHEMA "__FIRN"
DROP SCHEMA T_HOST.INFORMATION_SCHEMA
CREATE DATABASE memory
CREATE DATABASE "memory"
CREATE DATABASE system
CREATE DATABASE temp
CREATE DATABASE ""
DROP DATABASE memory
DROP DATABASE system
ALTER DATABASE T_HOST RENAME TO "memory"
DELETE FROM T_HOST."__FIRN".OBJECTS
UPDATE T_HOST."__FIRN".OBJECTS SET OWNER = 'X'
INSERT INTO T_HOST."__FIRN".OBJECTS SELECT 1

-- Hidden inside other statements.
WITH X AS (SELECT * FROM read_text('{bait}')) SELECT * FROM X
SELECT (SELECT content FROM read_text('{bait}'))
SELECT * FROM (SELECT * FROM read_csv('{bait}')) Y
SELECT * FROM DIGITS WHERE EXISTS (SELECT 1 FROM read_text('{bait}'))
SELECT * FROM DIGITS WHERE D IN (SELECT 1 FROM glob('*'))
SELECT 1 UNION ALL SELECT * FROM read_text('{bait}')
SELECT CASE WHEN TRUE THEN getenv('PATH') END
SELECT COALESCE(NULL, getenv('PATH'))
SELECT MAX(getenv('PATH')) OVER ()
SELECT D FROM DIGITS ORDER BY getenv('PATH')
SELECT D FROM DIGITS QUALIFY ROW_NUMBER() OVER (ORDER BY getenv('PATH')) = 1
SELECT D FROM DIGITS GROUP BY getenv('PATH'), D
SELECT D FROM DIGITS HAVING getenv('PATH') = 'x'
SELECT D FROM DIGITS LIMIT getenv('PATH')
SELECT * FROM DIGITS JOIN DIGITS B ON getenv('PATH') = 'x'
SELECT * FROM (VALUES (getenv('PATH'))) V
CREATE VIEW HIDDEN AS SELECT * FROM read_text('{bait}')
CREATE VIEW HIDDEN AS SELECT getenv('PATH') AS P
CREATE TABLE HIDDEN AS SELECT * FROM read_csv('{bait}')
CREATE TABLE HIDDEN (P VARCHAR DEFAULT getenv('PATH'))
CREATE TABLE HIDDEN (P VARCHAR DEFAULT (SELECT content FROM read_text('{bait}')))
CREATE TABLE HIDDEN (P VARCHAR CHECK (getenv('PATH') = 'x'))
CREATE TABLE HIDDEN (P VARCHAR AS (getenv('PATH')))
ALTER TABLE DIGITS ADD COLUMN P VARCHAR DEFAULT getenv('PATH')
INSERT INTO DIGITS SELECT 1 FROM read_text('{bait}')
INSERT INTO DIGITS VALUES ((SELECT COUNT(*) FROM glob('*')))
UPDATE DIGITS SET D = (SELECT COUNT(*) FROM glob('*'))
UPDATE DIGITS SET D = 1 FROM read_text('{bait}') X
DELETE FROM DIGITS WHERE D = (SELECT COUNT(*) FROM glob('*'))
DELETE FROM DIGITS USING read_text('{bait}') X WHERE TRUE
MERGE INTO DIGITS T USING (SELECT * FROM read_text('{bait}')) S ON TRUE WHEN MATCHED THEN DELETE
MERGE INTO DIGITS T USING DIGITS S ON getenv('PATH') = 'x' WHEN MATCHED THEN DELETE
MERGE INTO DIGITS T USING DIGITS S ON TRUE WHEN MATCHED THEN UPDATE SET D = (SELECT COUNT(*) FROM glob('*'))
EXPLAIN SELECT * FROM read_text('{bait}')
EXPLAIN ANALYZE SELECT getenv('PATH')
SUMMARIZE DIGITS
DESCRIBE SELECT * FROM read_csv('{bait}')
FROM read_text('{bait}')
FROM DIGITS
TABLE DIGITS
PIVOT DIGITS ON D USING COUNT(*)
SELECT * FROM DIGITS USING SAMPLE 1
SELECT COLUMNS(*) FROM DIGITS
SELECT DIGITS FROM DIGITS
SELECT main.getenv('PATH')
SELECT system.main.getenv('PATH')
SELECT * FROM system.main.read_text('{bait}')
SELECT * FROM pg_catalog.read_text('{bait}')
SELECT 'PATH'.getenv()
SELECT list_transform([1], x -> getenv('PATH'))
SELECT 1 /*! FROM read_text('{bait}') */ FROM read_text('{bait}')
CREATE MACRO M(X) AS X
CREATE FUNCTION M(X) AS getenv(X)
CREATE TYPE T AS ENUM ('a')
CREATE INDEX I ON DIGITS (D)
CREATE TRIGGER T
DO $$ BEGIN END $$

-- Through stages: the stage S exists, and holds nothing.
SELECT $1 FROM '@S/../../catalog.sqlite'
SELECT $1 FROM '@S/..'
SELECT $1 FROM '@S//etc/passwd'
SELECT $1 FROM @S/../x
SELECT $1 FROM '@~/../user-1/x'
SELECT $1 FROM '@S/a/../../b'
SELECT $1 FROM '@S/a\\..\\b'
SELECT $1 FROM '@/etc/passwd'
SELECT $1 FROM @file:///etc/passwd
SELECT $1 FROM '@"../../databases"/T_HOST.duckdb'
LIST '@S/../..'
LIST '@/'
REMOVE '@S/../../databases/'
COPY INTO DIGITS FROM '{bait}'
COPY INTO DIGITS FROM 'file://{bait}'
COPY INTO DIGITS FROM '@S/../../{bait}'
COPY INTO DIGITS FROM @S FILES = ('../../catalog.sqlite')
COPY INTO DIGITS FROM @S FILES = ('{bait}')
COPY INTO DIGITS FROM (SELECT $1 FROM read_csv('{bait}'))
COPY INTO DIGITS FROM (SELECT read_text('{bait}') FROM @S)
COPY INTO DIGITS FROM 's3://bucket/x.csv'
COPY INTO DIGITS FROM 'http://127.0.0.1:9/x.csv'
COPY INTO '{scratch}/x.csv' FROM DIGITS
COPY INTO 'file://{scratch}/x.csv' FROM DIGITS
COPY INTO '@S/../../x.csv' FROM DIGITS
COPY INTO @S FROM DIGITS PARTITION BY ('../../' || D)
COPY INTO @S FROM (SELECT * FROM read_csv('{bait}'))
COPY INTO @S FROM DIGITS FILE_FORMAT = (TYPE = CSV FILE_EXTENSION = '/../../x')
CREATE STAGE X URL = 'file://{scratch}'
CREATE STAGE X URL = '{scratch}'
CREATE STAGE X URL = 's3://bucket/'
PUT file://{bait} @S
GET @S file://{scratch}/
CREATE STAGE X URL = 's3compat://bucket/' ENDPOINT = '127.0.0.1:9'
CREATE STAGE X URL = 's3compat://latest/meta-data/' ENDPOINT = '169.254.169.254'
CREATE STAGE X URL = 'http://169.254.169.254/latest/'
CREATE TEMPORARY STAGE X URL = 's3://bucket/' CREDENTIALS = (AWS_KEY_ID = 'k' AWS_SECRET_KEY = 's')
ALTER STAGE S SET URL = 's3://bucket/'
COPY INTO 's3://bucket/x' FROM DIGITS CREDENTIALS = (AWS_KEY_ID = 'k' AWS_SECRET_KEY = 's')
