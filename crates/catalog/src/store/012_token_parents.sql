-- The token that is tied to a role and that this one was made with; NULL of others and of tokens from before.
ALTER TABLE access_tokens ADD COLUMN made_with INTEGER;
