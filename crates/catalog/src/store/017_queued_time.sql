-- How long a statement waited for its turn on its warehouse.
ALTER TABLE statements ADD COLUMN queued_ms INTEGER;
