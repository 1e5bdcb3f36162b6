-- Session policies have another time for sessions of browsers.
ALTER TABLE login_sessions ADD COLUMN of_browser INTEGER NOT NULL DEFAULT 0;

-- Password, session and authentication policies, which lie in schemas. The account and users refer to them by their ids.
CREATE TABLE login_policies (
    id            INTEGER PRIMARY KEY,
    kind          TEXT NOT NULL,
    database_name TEXT NOT NULL,
    schema_name   TEXT NOT NULL,
    name          TEXT NOT NULL,
    owner         TEXT NOT NULL,
    created_on_ms INTEGER NOT NULL,
    properties    TEXT NOT NULL,
    UNIQUE (kind, database_name, schema_name, name)
);
