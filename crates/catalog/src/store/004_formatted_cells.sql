-- How the cells of the result were written: 1 where output formats made texts of them, 2 where NULL is a word; summed up.
ALTER TABLE statements ADD COLUMN formatted INTEGER;
