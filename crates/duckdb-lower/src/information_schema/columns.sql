SELECT
    {database_name} AS "TABLE_CATALOG",
    schema_name AS "TABLE_SCHEMA",
    table_name AS "TABLE_NAME",
    name AS "COLUMN_NAME",
    CAST(position AS BIGINT) AS "ORDINAL_POSITION",
    -- `NEXTVAL('"D"."S"."Q"')` as people write it, with the quotes that a name in other letters needs.
    regexp_replace(
        regexp_replace(
            default_text,
            'NEXTVAL\(''"([A-Z_][A-Z0-9_$]*)"\."([A-Z_][A-Z0-9_$]*)"\."([A-Z_][A-Z0-9_$]*)"''\)',
            '\1.\2.\3.NEXTVAL',
            'g'
        ),
        'NEXTVAL\(''((?:"(?:[^"]|"")+"\.?)+)''\)',
        '\1.NEXTVAL',
        'g'
    ) AS "COLUMN_DEFAULT",
    CASE WHEN not_null THEN 'NO' ELSE 'YES' END AS "IS_NULLABLE",
    CASE type_name WHEN 'VARCHAR' THEN 'TEXT' WHEN 'INTEGER' THEN 'NUMBER' ELSE type_name END AS "DATA_TYPE",
    CASE type_name
        WHEN 'VARCHAR' THEN coalesce(first_argument, 16777216)
        WHEN 'BINARY' THEN coalesce(first_argument, 8388608)
    END AS "CHARACTER_MAXIMUM_LENGTH",
    CASE type_name
        WHEN 'VARCHAR' THEN least(coalesce(first_argument, 16777216) * 4, 16777216)
        WHEN 'BINARY' THEN coalesce(first_argument, 8388608)
    END AS "CHARACTER_OCTET_LENGTH",
    CASE type_name WHEN 'NUMBER' THEN first_argument WHEN 'INTEGER' THEN 38 END AS "NUMERIC_PRECISION",
    CASE type_name WHEN 'NUMBER' THEN 10 WHEN 'INTEGER' THEN 10 END AS "NUMERIC_PRECISION_RADIX",
    CASE type_name WHEN 'NUMBER' THEN second_argument WHEN 'INTEGER' THEN 0 END AS "NUMERIC_SCALE",
    CASE WHEN type_name IN ('TIME', 'TIMESTAMP_NTZ', 'TIMESTAMP_LTZ', 'TIMESTAMP_TZ') THEN first_argument END
        AS "DATETIME_PRECISION",
    CAST(NULL AS VARCHAR) AS "INTERVAL_TYPE",
    CAST(NULL AS VARCHAR) AS "INTERVAL_PRECISION",
    CAST(NULL AS VARCHAR) AS "CHARACTER_SET_CATALOG",
    CAST(NULL AS VARCHAR) AS "CHARACTER_SET_SCHEMA",
    CAST(NULL AS VARCHAR) AS "CHARACTER_SET_NAME",
    CAST(NULL AS VARCHAR) AS "COLLATION_CATALOG",
    CAST(NULL AS VARCHAR) AS "COLLATION_SCHEMA",
    collation_name AS "COLLATION_NAME",
    CAST(NULL AS VARCHAR) AS "DOMAIN_CATALOG",
    CAST(NULL AS VARCHAR) AS "DOMAIN_SCHEMA",
    CAST(NULL AS VARCHAR) AS "DOMAIN_NAME",
    CAST(NULL AS VARCHAR) AS "UDT_CATALOG",
    CAST(NULL AS VARCHAR) AS "UDT_SCHEMA",
    CAST(NULL AS VARCHAR) AS "UDT_NAME",
    CAST(NULL AS VARCHAR) AS "SCOPE_CATALOG",
    CAST(NULL AS VARCHAR) AS "SCOPE_SCHEMA",
    CAST(NULL AS VARCHAR) AS "SCOPE_NAME",
    CAST(NULL AS BIGINT) AS "MAXIMUM_CARDINALITY",
    CAST(NULL AS VARCHAR) AS "DTD_IDENTIFIER",
    'NO' AS "IS_SELF_REFERENCING",
    CASE WHEN autoincrement_start IS NULL THEN 'NO' ELSE 'YES' END AS "IS_IDENTITY",
    CASE WHEN autoincrement_start IS NOT NULL THEN 'BY DEFAULT' END AS "IDENTITY_GENERATION",
    CAST(autoincrement_start AS VARCHAR) AS "IDENTITY_START",
    CAST(autoincrement_increment AS VARCHAR) AS "IDENTITY_INCREMENT",
    CAST(NULL AS VARCHAR) AS "IDENTITY_MAXIMUM",
    CAST(NULL AS VARCHAR) AS "IDENTITY_MINIMUM",
    CAST(NULL AS VARCHAR) AS "IDENTITY_CYCLE",
    CASE WHEN autoincrement_start IS NOT NULL THEN 'NO' END AS "IDENTITY_ORDERED",
    CAST(NULL AS VARCHAR) AS "SCHEMA_EVOLUTION_RECORD",
    comment AS "COMMENT",
    CAST(NULL AS VARCHAR) AS "DATA_TYPE_ALIAS",
    CAST(NULL AS VARCHAR) AS "EXPRESSION",
    'COLUMN' AS "KIND"
FROM (
    SELECT c.schema_name, c.table_name, c.name, c.position, c.default_text, c.not_null, c.autoincrement_start,
        c.autoincrement_increment, c.comment, c.collation_name, o.owner, o.id, s.owner AS schema_owner, s.id AS schema_id,
        regexp_extract(c.declared_type, '^[A-Z_]+') AS type_name,
        TRY_CAST(regexp_extract(c.declared_type, '\((\d+)', 1) AS BIGINT) AS first_argument,
        TRY_CAST(regexp_extract(c.declared_type, ',(\d+)\)', 1) AS BIGINT) AS second_argument
    FROM {columns} AS c
    JOIN {objects} AS o ON o.schema_name = c.schema_name AND o.name = c.table_name
    JOIN {database}."__FIRN".schemas AS s ON s.name = c.schema_name
) AS known
WHERE {visible}
