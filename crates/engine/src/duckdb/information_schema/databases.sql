SELECT
    {database_name} AS "DATABASE_NAME",
    CAST(NULL AS VARCHAR) AS "DATABASE_OWNER",
    'NO' AS "IS_TRANSIENT",
    CAST(NULL AS VARCHAR) AS "COMMENT",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "CREATED",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "LAST_ALTERED",
    CAST(1 AS BIGINT) AS "RETENTION_TIME",
    'STANDARD' AS "TYPE"
FROM (SELECT min(created_on_ms) AS created_on_ms FROM {database}."__FIRN".schemas) AS known
