SELECT
    r[1] AS "GRANTOR",
    r[2] AS "GRANTEE",
    r[3] AS "GRANTED_TO",
    {database_name} AS "TABLE_CATALOG",
    r[4] AS "TABLE_SCHEMA",
    r[5] AS "TABLE_NAME",
    r[7] AS "PRIVILEGE_TYPE",
    r[8] AS "IS_GRANTABLE",
    'NO' AS "WITH_HIERARCHY",
    CAST(make_timestamp(CAST(r[9] AS BIGINT) * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "CREATED"
FROM (SELECT unnest(from_json(all_rows, '[["VARCHAR"]]')) AS r FROM (SELECT {rows} AS all_rows) AS given) AS known
