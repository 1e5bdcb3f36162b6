SELECT
    {database_name} AS "STAGE_CATALOG",
    r[1] AS "STAGE_SCHEMA",
    r[2] AS "STAGE_NAME",
    r[3] AS "STAGE_URL",
    r[4] AS "STAGE_REGION",
    r[5] AS "STAGE_TYPE",
    r[6] AS "STAGE_OWNER",
    r[7] AS "COMMENT",
    CAST(make_timestamp(CAST(r[8] AS BIGINT) * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "CREATED",
    CAST(make_timestamp(CAST(r[8] AS BIGINT) * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "LAST_ALTERED"
FROM (SELECT unnest(from_json(all_rows, '[["VARCHAR"]]')) AS r FROM (SELECT {rows} AS all_rows) AS given) AS known
