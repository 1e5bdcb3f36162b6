SELECT
    {database_name} AS "CONSTRAINT_CATALOG",
    schema_name AS "CONSTRAINT_SCHEMA",
    coalesce(json_extract_string(item, '$.name'), 'SYS_CONSTRAINT_' || md5(name || position)) AS "CONSTRAINT_NAME",
    {database_name} AS "TABLE_CATALOG",
    schema_name AS "TABLE_SCHEMA",
    name AS "TABLE_NAME",
    json_extract_string(item, '$.kind') AS "CONSTRAINT_TYPE",
    'NO' AS "IS_DEFERRABLE",
    'YES' AS "INITIALLY_DEFERRED",
    'NO' AS "ENFORCED",
    CAST(NULL AS VARCHAR) AS "COMMENT",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "CREATED",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "LAST_ALTERED",
    'NO' AS "RELY"
FROM (
    SELECT o.schema_name, o.name, o.owner, o.id, s.owner AS schema_owner, s.id AS schema_id, o.created_on_ms,
        unnest(json_extract(o.constraints, '$[*]')) AS item,
        generate_subscripts(json_extract(o.constraints, '$[*]'), 1) AS position
    FROM {objects} AS o
    JOIN {database}."__FIRN".schemas AS s ON s.name = o.schema_name
    WHERE o.kind = 'TABLE'
) AS known
WHERE {visible}
