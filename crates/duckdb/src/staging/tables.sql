CREATE TABLE IF NOT EXISTS {database}."__FIRN".staging (
    kind VARCHAR,
    schema_name VARCHAR,
    name VARCHAR,
    owner VARCHAR,
    comment VARCHAR,
    created_on_ms BIGINT,
    folder VARCHAR,
    definition VARCHAR,
    id BIGINT
);

CREATE TABLE IF NOT EXISTS {database}."__FIRN".loads (
    schema_name VARCHAR,
    table_name VARCHAR,
    folder VARCHAR,
    path VARCHAR,
    checksum VARCHAR,
    bytes BIGINT,
    file VARCHAR,
    stage VARCHAR,
    status VARCHAR,
    loaded_on_ms BIGINT,
    rows_parsed BIGINT,
    rows_loaded BIGINT,
    error_limit BIGINT,
    errors BIGINT,
    first_error VARCHAR,
    first_error_line BIGINT,
    first_error_character BIGINT,
    first_error_column VARCHAR
);

CREATE TABLE IF NOT EXISTS {database}."__FIRN".directory (
    folder VARCHAR,
    path VARCHAR,
    bytes BIGINT,
    modified_ms BIGINT,
    checksum VARCHAR
);
