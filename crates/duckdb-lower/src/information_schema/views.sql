SELECT
    {database_name} AS "TABLE_CATALOG",
    schema_name AS "TABLE_SCHEMA",
    name AS "TABLE_NAME",
    owner AS "TABLE_OWNER",
    CASE WHEN json_extract_string(options, '$.secure') = 'true' AND NOT {owned} THEN NULL ELSE view_text END AS "VIEW_DEFINITION",
    'NONE' AS "CHECK_OPTION",
    'NO' AS "IS_UPDATABLE",
    'NO' AS "INSERTABLE_INTO",
    CASE WHEN json_extract_string(options, '$.secure') = 'true' THEN 'YES' ELSE 'NO' END AS "IS_SECURE",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "CREATED",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "LAST_ALTERED",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "LAST_DDL",
    CAST(NULL AS VARCHAR) AS "LAST_DDL_BY",
    comment AS "COMMENT"
FROM (
    SELECT o.schema_name, o.name, o.owner, o.id, s.owner AS schema_owner, s.id AS schema_id, o.comment, o.created_on_ms, o.view_text, o.options
    FROM {objects} AS o
    JOIN {database}."__FIRN".schemas AS s ON s.name = o.schema_name
    WHERE o.kind = 'VIEW'
) AS known
WHERE {visible}
