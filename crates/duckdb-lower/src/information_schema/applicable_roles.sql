SELECT
    r[1] AS "GRANTEE",
    r[2] AS "ROLE_NAME",
    r[3] AS "ROLE_OWNER",
    'NO' AS "IS_GRANTABLE"
FROM (SELECT unnest(from_json({rows}, '[["VARCHAR"]]')) AS r) AS known
