SELECT
    CAST(NULL AS VARCHAR) AS "GRANTOR",
    owner AS "GRANTEE",
    'ROLE' AS "GRANTED_TO",
    {database_name} AS "OBJECT_CATALOG",
    schema_name AS "OBJECT_SCHEMA",
    name AS "OBJECT_NAME",
    kind AS "OBJECT_TYPE",
    'OWNERSHIP' AS "PRIVILEGE_TYPE",
    'YES' AS "IS_GRANTABLE",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "CREATED"
FROM (
    SELECT o.schema_name, o.name, o.kind, o.owner, o.id, s.owner AS schema_owner, s.id AS schema_id, o.created_on_ms
    FROM {database}."__FIRN".objects AS o
    JOIN {database}."__FIRN".schemas AS s ON s.name = o.schema_name
    WHERE o.kind = 'SEQUENCE'
) AS known
WHERE {visible}
