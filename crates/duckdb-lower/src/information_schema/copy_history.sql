SELECT
    path AS "FILE_NAME",
    CASE WHEN {owned} THEN stage END AS "STAGE_LOCATION",
    CAST(make_timestamp(loaded_on_ms * 1000) AT TIME ZONE 'UTC' AS TIMESTAMPTZ) AS "LAST_LOAD_TIME",
    CAST(rows_loaded AS BIGINT) AS "ROW_COUNT",
    CAST(rows_parsed AS BIGINT) AS "ROW_PARSED",
    CAST(bytes AS BIGINT) AS "FILE_SIZE",
    regexp_replace(regexp_replace(first_error, '''(?s:.*)''', '''***'''), '\bvalue [^'' ]+', 'value ***') AS "FIRST_ERROR_MESSAGE",
    CAST(first_error_line AS BIGINT) AS "FIRST_ERROR_LINE_NUMBER",
    CAST(first_error_character AS BIGINT) AS "FIRST_ERROR_CHARACTER_POS",
    first_error_column AS "FIRST_ERROR_COLUMN_NAME",
    CAST(errors AS BIGINT) AS "ERROR_COUNT",
    CAST(error_limit AS BIGINT) AS "ERROR_LIMIT",
    CASE status WHEN 'LOADED' THEN 'Loaded' WHEN 'PARTIALLY_LOADED' THEN 'Partially loaded' ELSE 'Load failed' END AS "STATUS",
    {database_name} AS "TABLE_CATALOG_NAME",
    schema_name AS "TABLE_SCHEMA_NAME",
    table_name AS "TABLE_NAME",
    CAST(NULL AS VARCHAR) AS "PIPE_CATALOG_NAME",
    CAST(NULL AS VARCHAR) AS "PIPE_SCHEMA_NAME",
    CAST(NULL AS VARCHAR) AS "PIPE_NAME",
    CAST(NULL AS TIMESTAMPTZ) AS "PIPE_RECEIVED_TIME",
    CAST(NULL AS BIGINT) AS "BYTES_BILLED"
FROM (
    SELECT l.*, o.owner, o.id, s.owner AS schema_owner, s.id AS schema_id
    FROM {database}."__FIRN".loads AS l
    JOIN {database}."__FIRN".objects AS o ON o.schema_name = l.schema_name AND o.name = l.table_name
    JOIN {database}."__FIRN".schemas AS s ON s.name = l.schema_name
    WHERE l.loaded_on_ms > epoch_ms(now()) - 14 * 86400000
) AS known
WHERE {visible}
