SELECT
    schema_name AS "SCHEMA_NAME",
    file AS "FILE_NAME",
    table_name AS "TABLE_NAME",
    CAST(make_timestamp(loaded_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "LAST_LOAD_TIME",
    replace(status, '_', ' ') AS "STATUS",
    CAST(rows_loaded AS BIGINT) AS "ROW_COUNT",
    CAST(rows_parsed AS BIGINT) AS "ROW_PARSED",
    regexp_replace(regexp_replace(first_error, '''(?s:.*)''', '''***'''), '\bvalue [^'' ]+', 'value ***') AS "FIRST_ERROR_MESSAGE",
    CAST(first_error_line AS BIGINT) AS "FIRST_ERROR_LINE_NUMBER",
    CAST(first_error_character AS BIGINT) AS "FIRST_ERROR_CHARACTER_POSITION",
    first_error_column AS "FIRST_ERROR_COL_NAME",
    CAST(errors AS BIGINT) AS "ERROR_COUNT",
    CAST(error_limit AS BIGINT) AS "ERROR_LIMIT"
FROM (
    SELECT l.*, o.owner, o.id, s.owner AS schema_owner, s.id AS schema_id
    FROM {database}."__FIRN".loads AS l
    JOIN {database}."__FIRN".objects AS o ON o.schema_name = l.schema_name AND o.name = l.table_name
    JOIN {database}."__FIRN".schemas AS s ON s.name = l.schema_name
    WHERE l.loaded_on_ms > epoch_ms(now()) - 14 * 86400000
) AS known
WHERE {visible}
ORDER BY loaded_on_ms DESC
LIMIT 10000
