-- Questions that were answered, for feedback to refer to, and the feedback itself.
CREATE TABLE analyst_requests (
    request_id     TEXT PRIMARY KEY,
    user_id        INTEGER NOT NULL,
    role           TEXT NOT NULL,
    created_on_ms  INTEGER NOT NULL,
    question       TEXT NOT NULL,
    semantic_model TEXT NOT NULL,
    category       TEXT NOT NULL,
    sql            TEXT
);
CREATE INDEX analyst_requests_by_time ON analyst_requests (created_on_ms);

CREATE TABLE analyst_feedback (
    request_id    TEXT PRIMARY KEY REFERENCES analyst_requests (request_id) ON DELETE CASCADE,
    positive      INTEGER NOT NULL,
    message       TEXT,
    created_on_ms INTEGER NOT NULL
);
