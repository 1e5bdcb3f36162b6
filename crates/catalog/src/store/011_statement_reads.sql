-- What a statement read, by the identities of the objects, as JSON; NULL of statements from before.
ALTER TABLE statements ADD COLUMN reads TEXT;
