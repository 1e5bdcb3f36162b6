SELECT
    r[1] AS "ROLE_NAME",
    r[2] AS "ROLE_OWNER"
FROM (SELECT unnest(from_json({rows}, '[["VARCHAR"]]')) AS r) AS known
