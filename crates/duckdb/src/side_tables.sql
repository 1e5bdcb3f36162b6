CREATE SCHEMA {database}."__FIRN";

CREATE TABLE {database}."__FIRN".database (
    name VARCHAR,
    names_in_views VARCHAR,
    id BIGINT
);

CREATE TABLE {database}."__FIRN".schemas (
    name VARCHAR,
    owner VARCHAR,
    comment VARCHAR,
    created_on_ms BIGINT,
    id BIGINT
);

CREATE TABLE {database}."__FIRN".objects (
    schema_name VARCHAR,
    name VARCHAR,
    kind VARCHAR,
    owner VARCHAR,
    comment VARCHAR,
    created_on_ms BIGINT,
    persistence VARCHAR,
    constraints VARCHAR,
    view_text VARCHAR,
    view_query VARCHAR,
    sequence_start BIGINT,
    sequence_increment BIGINT,
    options VARCHAR,
    id BIGINT
);

CREATE TABLE {database}."__FIRN".columns (
    schema_name VARCHAR,
    table_name VARCHAR,
    position INTEGER,
    name VARCHAR,
    declared_type VARCHAR,
    not_null BOOLEAN,
    default_text VARCHAR,
    autoincrement_start BIGINT,
    autoincrement_increment BIGINT,
    sequence_name VARCHAR,
    comment VARCHAR,
    collation_name VARCHAR,
    id BIGINT
);

CREATE TABLE IF NOT EXISTS {database}."__FIRN".routines (
    schema_name VARCHAR,
    name VARCHAR,
    kind VARCHAR,
    signature VARCHAR,
    owner VARCHAR,
    comment VARCHAR,
    created_on_ms BIGINT,
    definition VARCHAR,
    id BIGINT
);

CREATE TABLE IF NOT EXISTS {database}."__FIRN".drops (
    id VARCHAR,
    kind VARCHAR,
    schema_name VARCHAR,
    name VARCHAR,
    engine_schema VARCHAR,
    database_name VARCHAR,
    owner VARCHAR,
    comment VARCHAR,
    created_on_ms BIGINT,
    dropped_on_ms BIGINT,
    days INTEGER,
    expires_on_ms BIGINT,
    object_id BIGINT
);

CREATE TABLE IF NOT EXISTS {database}."__FIRN".retention (
    schema_name VARCHAR,
    days INTEGER
);

CREATE TABLE IF NOT EXISTS {database}."__FIRN".schema_options (
    schema_name VARCHAR,
    transient BOOLEAN,
    managed_access BOOLEAN,
    tags VARCHAR
);

CREATE TABLE IF NOT EXISTS {database}."__FIRN".statement_outcomes (
    query_id VARCHAR,
    outcome VARCHAR
);
