-- The number of the kept session that a statement ran in.
ALTER TABLE statements ADD COLUMN session INTEGER;
