SELECT
    {database_name} AS "CATALOG_NAME",
    name AS "SCHEMA_NAME",
    owner AS "SCHEMA_OWNER",
    'NO' AS "IS_TRANSIENT",
    'NO' AS "IS_MANAGED_ACCESS",
    CAST(coalesce((SELECT max(days) FROM {database}."__FIRN".retention AS r WHERE r.schema_name = known.name),
        (SELECT max(days) FROM {database}."__FIRN".retention AS r WHERE r.schema_name = ''), 1) AS BIGINT)
        AS "RETENTION_TIME",
    CAST(NULL AS VARCHAR) AS "DEFAULT_CHARACTER_SET_CATALOG",
    CAST(NULL AS VARCHAR) AS "DEFAULT_CHARACTER_SET_SCHEMA",
    CAST(NULL AS VARCHAR) AS "DEFAULT_CHARACTER_SET_NAME",
    CAST(NULL AS VARCHAR) AS "SQL_PATH",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "CREATED",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "LAST_ALTERED",
    comment AS "COMMENT"
FROM (
    SELECT name, owner, owner AS schema_owner, id AS schema_id, comment, created_on_ms
    FROM {database}."__FIRN".schemas
    UNION ALL
    SELECT 'INFORMATION_SCHEMA', NULL, NULL, NULL, 'Views describing the contents of schemas in this database', NULL
) AS known
WHERE owner IS NULL OR {visible_schema}
