-- Databases whose tables are in a catalog of a cluster: the id of the database, and the catalog integration.
CREATE TABLE linked_databases (
    database_id INTEGER PRIMARY KEY,
    integration TEXT NOT NULL
) STRICT;
