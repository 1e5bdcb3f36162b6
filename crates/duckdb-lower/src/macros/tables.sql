CREATE MACRO firn_split(value, delimiter) AS CASE
    WHEN delimiter IS NULL THEN NULL
    WHEN delimiter = '' THEN [value]
    ELSE string_split(firn_splittable(value, delimiter), delimiter) END;

CREATE MACRO firn_strtok_split(value, delimiters) AS list_filter(
    string_split_regex(firn_tokenizable(value, coalesce(delimiters, ' ')), '[' || regexp_replace(coalesce(delimiters, ' '), '([\]\[\\^-])', '\\\1', 'g') || ']+'),
    lambda piece: piece <> '');

CREATE MACRO firn_is_there(value) AS value IS NOT NULL;

CREATE MACRO firn_is_missing(value) AS value IS NULL;

CREATE MACRO firn_circle_mark(mark, hash, level) AS CASE
    WHEN mark = hash THEN error('firn:100252:CONNECT BY runs in a circle: a row is its own ancestor')
    WHEN (level & (level + 1)) = 0 THEN hash
    ELSE mark END;
