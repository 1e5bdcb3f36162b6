SELECT
    r[1] AS "POLICY_DB",
    r[2] AS "POLICY_SCHEMA",
    r[3] AS "POLICY_NAME",
    r[4] AS "POLICY_KIND",
    r[5] AS "REF_DATABASE_NAME",
    r[6] AS "REF_SCHEMA_NAME",
    r[7] AS "REF_ENTITY_NAME",
    r[8] AS "REF_ENTITY_DOMAIN",
    r[9] AS "REF_COLUMN_NAME",
    r[10] AS "REF_ARG_COLUMN_NAMES",
    r[11] AS "TAG_DATABASE",
    r[12] AS "TAG_SCHEMA",
    r[13] AS "TAG_NAME",
    'ACTIVE' AS "POLICY_STATUS"
FROM (SELECT unnest(from_json(all_rows, '[["VARCHAR"]]')) AS r FROM (SELECT {rows} AS all_rows) AS given) AS known
