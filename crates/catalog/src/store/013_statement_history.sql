-- The operator tree of a statement that was profiled, as JSON, and whether a client sent the statement for itself.
ALTER TABLE statements ADD COLUMN profile TEXT;
ALTER TABLE statements ADD COLUMN client_generated INTEGER NOT NULL DEFAULT 0;

-- A statement whose result has expired stays in the history without it.
ALTER TABLE statements ADD COLUMN result_expired INTEGER NOT NULL DEFAULT 0;
DROP INDEX statements_by_expiry;
CREATE INDEX statements_by_expiry ON statements (expires_on_ms) WHERE expires_on_ms IS NOT NULL AND result_expired = 0;
CREATE INDEX statements_in_history ON statements (finished_on_ms) WHERE result_expired = 1;
CREATE INDEX statements_by_user ON statements (user_id);
CREATE INDEX statements_inside ON statements (parent) WHERE parent IS NOT NULL;
