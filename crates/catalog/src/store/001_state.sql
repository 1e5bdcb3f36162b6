-- The account's one-off settings (its name) and what ALTER ACCOUNT SET set.
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE account_parameters (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- AUTOINCREMENT: an id never returns, so a user made anew is never taken for the old one.
CREATE TABLE users (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL UNIQUE,
    owner         TEXT NOT NULL,
    created_on_ms INTEGER NOT NULL,
    properties    TEXT NOT NULL
);

CREATE TABLE roles (
    name          TEXT PRIMARY KEY,
    owner         TEXT NOT NULL,
    comment       TEXT,
    created_on_ms INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE role_grants_to_roles (
    role          TEXT NOT NULL,
    grantee       TEXT NOT NULL,
    granted_by    TEXT NOT NULL,
    created_on_ms INTEGER NOT NULL,
    PRIMARY KEY (role, grantee)
) WITHOUT ROWID;

CREATE TABLE role_grants_to_users (
    role          TEXT NOT NULL,
    user_id       INTEGER NOT NULL,
    granted_by    TEXT NOT NULL,
    created_on_ms INTEGER NOT NULL,
    PRIMARY KEY (role, user_id)
) WITHOUT ROWID;

CREATE TABLE access_tokens (
    id               INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id          INTEGER NOT NULL,
    name             TEXT NOT NULL,
    secret_hash      BLOB NOT NULL UNIQUE,
    role_restriction TEXT,
    created_on_ms    INTEGER NOT NULL,
    expires_on_ms    INTEGER NOT NULL,
    created_by       TEXT NOT NULL,
    comment          TEXT,
    disabled         INTEGER NOT NULL DEFAULT 0,
    rotated_to       TEXT,
    UNIQUE (user_id, name)
);

CREATE TABLE integrations (
    name          TEXT PRIMARY KEY,
    owner         TEXT NOT NULL,
    created_on_ms INTEGER NOT NULL,
    properties    TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE warehouses (
    name          TEXT PRIMARY KEY,
    owner         TEXT NOT NULL,
    created_on_ms INTEGER NOT NULL,
    suspended     INTEGER NOT NULL,
    properties    TEXT NOT NULL
) WITHOUT ROWID;

-- The engine takes names that differ only in case for one, hence the collation.
CREATE TABLE databases (
    name          TEXT PRIMARY KEY COLLATE NOCASE,
    file_name     TEXT NOT NULL UNIQUE,
    owner         TEXT NOT NULL,
    comment       TEXT,
    created_on_ms INTEGER NOT NULL
);

-- Columns from finished_on_ms on are null while the statement runs.
CREATE TABLE statements (
    id             INTEGER PRIMARY KEY,
    handle         BLOB NOT NULL UNIQUE,
    user_id        INTEGER NOT NULL,
    request_id     BLOB,
    parent         BLOB,
    children       BLOB,
    created_on_ms  INTEGER NOT NULL,
    role           TEXT NOT NULL,
    warehouse      TEXT,
    database_name  TEXT,
    schema_name    TEXT,
    query_tag      TEXT,
    finished_on_ms INTEGER,
    expires_on_ms  INTEGER,
    state          INTEGER,
    code           TEXT,
    sql_state      TEXT,
    message        TEXT,
    result_rows    INTEGER,
    stored_under   BLOB,
    stored_bytes   INTEGER,
    partitions     BLOB,
    stats          TEXT,
    row_type       TEXT,
    text           TEXT NOT NULL,
    inline_rows    BLOB
);
CREATE INDEX statements_by_request ON statements (user_id, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX statements_running ON statements (id) WHERE state IS NULL;
CREATE INDEX statements_by_expiry ON statements (expires_on_ms) WHERE expires_on_ms IS NOT NULL;
CREATE INDEX statements_on_disk ON statements (stored_under, stored_bytes) WHERE stored_bytes > 0;
