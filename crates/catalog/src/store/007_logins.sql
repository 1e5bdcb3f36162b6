-- Sessions that a password opened. A token is stored as its hash; `password_set_on_ms` says by which password it was opened.
CREATE TABLE login_sessions (
    token_hash         BLOB PRIMARY KEY,
    user_id            INTEGER NOT NULL,
    password_set_on_ms INTEGER NOT NULL,
    created_on_ms      INTEGER NOT NULL,
    expires_on_ms      INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE network_policies (
    name          TEXT PRIMARY KEY,
    owner         TEXT NOT NULL,
    created_on_ms INTEGER NOT NULL,
    properties    TEXT NOT NULL
) WITHOUT ROWID;

INSERT OR IGNORE INTO privilege_grants (database_id, object, kind, privilege, grantee, granted_by, grant_option, created_on_ms)
SELECT 0, '', 'ACCOUNT', 'CREATE NETWORK POLICY', name, '', 1, created_on_ms FROM roles WHERE name = 'SECURITYADMIN';
