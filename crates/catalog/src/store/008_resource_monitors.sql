-- Resource monitors, and what was used of their quotas in the period that began at `period_on_ms`.
CREATE TABLE resource_monitors (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL UNIQUE,
    owner         TEXT NOT NULL,
    created_on_ms INTEGER NOT NULL,
    properties    TEXT NOT NULL
);

CREATE TABLE resource_monitor_usage (
    monitor_id      INTEGER PRIMARY KEY,
    period_on_ms    INTEGER NOT NULL,
    used_credits    REAL NOT NULL,
    -- The highest percentage whose triggers have fired, 0 before any.
    fired_percent   INTEGER NOT NULL,
    fired_on_ms     INTEGER
);
