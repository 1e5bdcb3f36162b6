SELECT
    r[1] AS "ROLE_NAME",
    r[2] AS "ROLE_OWNER"
FROM (SELECT unnest(from_json(all_rows, '[["VARCHAR"]]')) AS r FROM (SELECT {rows} AS all_rows) AS given) AS known
