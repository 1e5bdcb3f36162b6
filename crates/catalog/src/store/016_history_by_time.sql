-- The history is read by time, of everybody or of one user.
CREATE INDEX statements_by_time ON statements (created_on_ms);
DROP INDEX statements_by_user;
CREATE INDEX statements_by_user ON statements (user_id, created_on_ms);
-- What ended within a time began within it or shortly before; these are the others.
CREATE INDEX statements_long ON statements (finished_on_ms) WHERE finished_on_ms - created_on_ms > 3600000;
CREATE INDEX statements_by_session ON statements (session) WHERE session IS NOT NULL;
