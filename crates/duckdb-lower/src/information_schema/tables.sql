SELECT
    {database_name} AS "TABLE_CATALOG",
    schema_name AS "TABLE_SCHEMA",
    name AS "TABLE_NAME",
    owner AS "TABLE_OWNER",
    CASE WHEN json_extract_string(options, '$.materialized') = 'true' THEN 'MATERIALIZED VIEW'
        WHEN kind = 'VIEW' THEN 'VIEW' WHEN persistence = 'TEMPORARY' THEN 'LOCAL TEMPORARY' ELSE 'BASE TABLE' END AS "TABLE_TYPE",
    CASE persistence WHEN 'TRANSIENT' THEN 'YES' ELSE 'NO' END AS "IS_TRANSIENT",
    'LINEAR(' || json_extract_string(options, '$.cluster_by') || ')' AS "CLUSTERING_KEY",
    row_count AS "ROW_COUNT",
    bytes AS "BYTES",
    CASE WHEN kind = 'VIEW' THEN NULL WHEN persistence = 'PERMANENT' THEN days ELSE least(days, 1) END
        AS "RETENTION_TIME",
    CAST(NULL AS VARCHAR) AS "SELF_REFERENCING_COLUMN_NAME",
    CAST(NULL AS VARCHAR) AS "REFERENCE_GENERATION",
    CAST(NULL AS VARCHAR) AS "USER_DEFINED_TYPE_CATALOG",
    CAST(NULL AS VARCHAR) AS "USER_DEFINED_TYPE_SCHEMA",
    CAST(NULL AS VARCHAR) AS "USER_DEFINED_TYPE_NAME",
    CASE kind WHEN 'VIEW' THEN 'NO' ELSE 'YES' END AS "IS_INSERTABLE_INTO",
    'YES' AS "IS_TYPED",
    CAST(NULL AS VARCHAR) AS "COMMIT_ACTION",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "CREATED",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "LAST_ALTERED",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "LAST_DDL",
    CAST(NULL AS VARCHAR) AS "LAST_DDL_BY",
    'NO' AS "AUTO_CLUSTERING_ON",
    comment AS "COMMENT",
    CASE persistence WHEN 'TEMPORARY' THEN 'YES' ELSE 'NO' END AS "IS_TEMPORARY",
    'NO' AS "IS_ICEBERG",
    'NO' AS "IS_DYNAMIC",
    'NO' AS "IS_IMMUTABLE",
    'NO' AS "IS_HYBRID"
FROM (
    SELECT o.schema_name, o.name, o.kind, o.owner, o.id, s.owner AS schema_owner, s.id AS schema_id, o.comment, o.created_on_ms, o.persistence,
        o.options, CAST(c.r[3] AS BIGINT) AS row_count, CAST(c.r[4] AS BIGINT) AS bytes,
        CAST(coalesce(CAST(json_extract_string(o.options, '$.retention_days') AS BIGINT),
            (SELECT max(days) FROM {database}."__FIRN".retention AS r WHERE r.schema_name = o.schema_name),
            (SELECT max(days) FROM {database}."__FIRN".retention AS r WHERE r.schema_name = ''), 1) AS BIGINT) AS days
    FROM {objects} AS o
    JOIN {database}."__FIRN".schemas AS s ON s.name = o.schema_name
    LEFT JOIN (SELECT unnest(from_json(all_rows, '[["VARCHAR"]]')) AS r FROM (SELECT {rows} AS all_rows) AS given) AS c
        ON c.r[1] = o.schema_name AND c.r[2] = o.name
    WHERE o.kind IN ('TABLE', 'VIEW')
) AS known
WHERE {visible}
