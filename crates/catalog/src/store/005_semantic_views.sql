-- Semantic views, each as the YAML of its model.
CREATE TABLE semantic_views (
    database_name TEXT NOT NULL,
    schema_name   TEXT NOT NULL,
    name          TEXT NOT NULL,
    owner         TEXT NOT NULL,
    comment       TEXT,
    created_on_ms INTEGER NOT NULL,
    yaml          TEXT NOT NULL,
    PRIMARY KEY (database_name, schema_name, name)
);
