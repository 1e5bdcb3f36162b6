SELECT
    r[1] AS "GRANTOR",
    r[2] AS "GRANTEE",
    r[3] AS "GRANTED_TO",
    {database_name} AS "OBJECT_CATALOG",
    r[4] AS "OBJECT_SCHEMA",
    r[5] AS "OBJECT_NAME",
    r[6] AS "OBJECT_TYPE",
    r[7] AS "PRIVILEGE_TYPE",
    r[8] AS "IS_GRANTABLE",
    CAST(make_timestamp(CAST(r[9] AS BIGINT) * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "CREATED"
FROM (SELECT unnest(from_json(all_rows, '[["VARCHAR"]]')) AS r FROM (SELECT {rows} AS all_rows) AS given) AS known
