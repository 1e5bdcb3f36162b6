SELECT
    r[1] AS "TAG_DATABASE",
    r[2] AS "TAG_SCHEMA",
    r[3] AS "TAG_NAME",
    r[4] AS "TAG_VALUE",
    'MANUAL' AS "APPLY_METHOD",
    r[5] AS "LEVEL",
    r[6] AS "OBJECT_DATABASE",
    r[7] AS "OBJECT_SCHEMA",
    r[8] AS "OBJECT_NAME",
    r[5] AS "DOMAIN",
    r[9] AS "COLUMN_NAME"
FROM (SELECT unnest(from_json(all_rows, '[["VARCHAR"]]')) AS r FROM (SELECT {rows} AS all_rows) AS given) AS known
