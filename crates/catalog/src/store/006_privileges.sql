-- Privileges are granted on identities, so that a grant never applies to another object of the same name.
ALTER TABLE databases ADD COLUMN id INTEGER NOT NULL DEFAULT 0;
UPDATE databases SET id = abs(random() % 9000000000000000) + 1;
ALTER TABLE semantic_views ADD COLUMN id INTEGER NOT NULL DEFAULT 0;
UPDATE semantic_views SET id = abs(random() % 9000000000000000) + 1;

-- Whether the privileges on what runs with the rights of the former owner end with the change: they do when a role is dropped.
ALTER TABLE handovers ADD COLUMN ends_grants INTEGER NOT NULL DEFAULT 0;

CREATE TABLE database_roles (
    database_id   INTEGER NOT NULL,
    name          TEXT NOT NULL,
    owner         TEXT NOT NULL,
    comment       TEXT,
    created_on_ms INTEGER NOT NULL,
    PRIMARY KEY (database_id, name)
) WITHOUT ROWID;

-- `object` is the number of an object of the database, or the name of an object of the account. `grantee` is the key of a
-- role, a database role or a user.
CREATE TABLE privilege_grants (
    database_id   INTEGER NOT NULL,
    object        TEXT NOT NULL,
    kind          TEXT NOT NULL,
    privilege     TEXT NOT NULL,
    grantee       TEXT NOT NULL,
    granted_by    TEXT NOT NULL,
    grant_option  INTEGER NOT NULL,
    created_on_ms INTEGER NOT NULL,
    PRIMARY KEY (database_id, object, kind, privilege, grantee, granted_by)
) WITHOUT ROWID;
CREATE INDEX privilege_grants_by_grantee ON privilege_grants (grantee);

-- Of objects that will be created. `schema_id` is 0 for those of the whole database.
CREATE TABLE future_grants (
    database_id   INTEGER NOT NULL,
    schema_id     INTEGER NOT NULL,
    kind          TEXT NOT NULL,
    privilege     TEXT NOT NULL,
    grantee       TEXT NOT NULL,
    granted_by    TEXT NOT NULL,
    grant_option  INTEGER NOT NULL,
    created_on_ms INTEGER NOT NULL,
    PRIMARY KEY (database_id, schema_id, kind, privilege, grantee)
) WITHOUT ROWID;
