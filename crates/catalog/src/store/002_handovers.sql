-- Roles whose objects inside the database files still carry a name that is gone.
CREATE TABLE handovers (
    id            INTEGER PRIMARY KEY,
    former_owner  TEXT NOT NULL,
    owner         TEXT NOT NULL,
    created_on_ms INTEGER NOT NULL
);
