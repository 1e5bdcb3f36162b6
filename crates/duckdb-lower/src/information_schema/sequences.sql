SELECT
    {database_name} AS "SEQUENCE_CATALOG",
    schema_name AS "SEQUENCE_SCHEMA",
    name AS "SEQUENCE_NAME",
    owner AS "SEQUENCE_OWNER",
    'NUMBER' AS "DATA_TYPE",
    CAST(38 AS BIGINT) AS "NUMERIC_PRECISION",
    CAST(10 AS BIGINT) AS "NUMERIC_PRECISION_RADIX",
    CAST(0 AS BIGINT) AS "NUMERIC_SCALE",
    CAST(sequence_start AS VARCHAR) AS "START_VALUE",
    CAST(NULL AS VARCHAR) AS "MINIMUM_VALUE",
    CAST(NULL AS VARCHAR) AS "MAXIMUM_VALUE",
    CAST(next_value AS VARCHAR) AS "NEXT_VALUE",
    CAST(sequence_increment AS VARCHAR) AS "INCREMENT",
    'NO' AS "CYCLE_OPTION",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "CREATED",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "LAST_ALTERED",
    'YES' AS "ORDERED",
    comment AS "COMMENT"
FROM (
    SELECT o.schema_name, o.name, o.owner, o.id, s.owner AS schema_owner, s.id AS schema_id, o.comment, o.created_on_ms, o.sequence_start,
        o.sequence_increment, {next_value} AS next_value
    FROM {database}."__FIRN".objects AS o
    JOIN {database}."__FIRN".schemas AS s ON s.name = o.schema_name
    LEFT JOIN duckdb_sequences() AS q
        ON q.database_name = {database_name} AND q.schema_name = o.schema_name AND q.sequence_name = o.name
    WHERE o.kind = 'SEQUENCE'
) AS known
WHERE {visible}
