SELECT
    {database_name} AS "CONSTRAINT_CATALOG",
    schema_name AS "CONSTRAINT_SCHEMA",
    json_extract_string(item, '$.name') AS "CONSTRAINT_NAME",
    json_extract_string(item, '$.table[0]') AS "UNIQUE_CONSTRAINT_CATALOG",
    json_extract_string(item, '$.table[1]') AS "UNIQUE_CONSTRAINT_SCHEMA",
    json_extract_string(key, '$.name') AS "UNIQUE_CONSTRAINT_NAME",
    'FULL' AS "MATCH_OPTION",
    coalesce(json_extract_string(item, '$.on_update'), 'NO ACTION') AS "UPDATE_RULE",
    coalesce(json_extract_string(item, '$.on_delete'), 'NO ACTION') AS "DELETE_RULE",
    CAST(NULL AS VARCHAR) AS "COMMENT",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "CREATED",
    CAST(make_timestamp(created_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "LAST_ALTERED"
FROM (
    SELECT k.schema_name, k.owner, k.id, k.schema_owner, k.schema_id, k.created_on_ms, k.item, p.key
    FROM (
        SELECT o.schema_name, o.owner, o.id, s.owner AS schema_owner, s.id AS schema_id, o.created_on_ms,
            unnest(json_extract(o.constraints, '$[*]')) AS item
        FROM {database}."__FIRN".objects AS o
        JOIN {database}."__FIRN".schemas AS s ON s.name = o.schema_name
        WHERE o.kind = 'TABLE'
    ) AS k
    LEFT JOIN (
        SELECT o.schema_name, o.name, unnest(json_extract(o.constraints, '$[*]')) AS key
        FROM {database}."__FIRN".objects AS o
        WHERE o.kind = 'TABLE'
    ) AS p
        ON p.schema_name = json_extract_string(k.item, '$.table[1]')
        AND p.name = json_extract_string(k.item, '$.table[2]')
        AND json_extract_string(p.key, '$.kind') = 'PRIMARY KEY'
        AND json_extract_string(k.item, '$.table[0]') = {database_name}
    WHERE json_extract_string(k.item, '$.kind') = 'FOREIGN KEY'
) AS known
WHERE {visible}
