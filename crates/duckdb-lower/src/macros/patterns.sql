CREATE MACRO firn_matches
    (value, pattern) AS regexp_full_match(value, pattern),
    (value, pattern, parameters) AS firn_regexp_like(value, pattern, parameters);

CREATE MACRO firn_pattern_count
    (value, pattern) AS firn_regexp_count(value, pattern, 1, 'c'),
    (value, pattern, start) AS firn_regexp_count(value, pattern, CAST(start AS BIGINT), 'c'),
    (value, pattern, start, parameters) AS firn_regexp_count(value, pattern, CAST(start AS BIGINT), parameters);

CREATE MACRO firn_pattern_replace
    (value, pattern) AS firn_regexp_replace(value, pattern, '', 1, 0, 'c'),
    (value, pattern, other) AS firn_regexp_replace(value, pattern, other, 1, 0, 'c'),
    (value, pattern, other, start) AS firn_regexp_replace(value, pattern, other, CAST(start AS BIGINT), 0, 'c'),
    (value, pattern, other, start, occurrence) AS
        firn_regexp_replace(value, pattern, other, CAST(start AS BIGINT), CAST(occurrence AS BIGINT), 'c'),
    (value, pattern, other, start, occurrence, parameters) AS
        firn_regexp_replace(value, pattern, other, CAST(start AS BIGINT), CAST(occurrence AS BIGINT), parameters);

CREATE MACRO firn_pattern_place
    (value, pattern) AS firn_regexp_instr(value, pattern, 1, 1, 0, 'c', -1),
    (value, pattern, start) AS firn_regexp_instr(value, pattern, CAST(start AS BIGINT), 1, 0, 'c', -1),
    (value, pattern, start, occurrence) AS
        firn_regexp_instr(value, pattern, CAST(start AS BIGINT), CAST(occurrence AS BIGINT), 0, 'c', -1),
    (value, pattern, start, occurrence, option) AS firn_regexp_instr(
        value, pattern, CAST(start AS BIGINT), CAST(occurrence AS BIGINT), CAST(option AS BIGINT), 'c', -1),
    (value, pattern, start, occurrence, option, parameters) AS firn_regexp_instr(
        value, pattern, CAST(start AS BIGINT), CAST(occurrence AS BIGINT), CAST(option AS BIGINT), parameters, -1),
    (value, pattern, start, occurrence, option, parameters, place) AS firn_regexp_instr(value, pattern,
        CAST(start AS BIGINT), CAST(occurrence AS BIGINT), CAST(option AS BIGINT), parameters, CAST(place AS BIGINT));

CREATE MACRO firn_pattern_text
    (value, pattern) AS firn_regexp_substr(value, pattern, 1, 1, 'c', -1),
    (value, pattern, start) AS firn_regexp_substr(value, pattern, CAST(start AS BIGINT), 1, 'c', -1),
    (value, pattern, start, occurrence) AS
        firn_regexp_substr(value, pattern, CAST(start AS BIGINT), CAST(occurrence AS BIGINT), 'c', -1),
    (value, pattern, start, occurrence, parameters) AS
        firn_regexp_substr(value, pattern, CAST(start AS BIGINT), CAST(occurrence AS BIGINT), parameters, -1),
    (value, pattern, start, occurrence, parameters, place) AS firn_regexp_substr(value, pattern,
        CAST(start AS BIGINT), CAST(occurrence AS BIGINT), parameters, CAST(place AS BIGINT));

CREATE MACRO firn_pattern_texts
    (value, pattern) AS firn_regexp_substr_all(value, pattern, 1, 1, 'c', -1),
    (value, pattern, start) AS firn_regexp_substr_all(value, pattern, CAST(start AS BIGINT), 1, 'c', -1),
    (value, pattern, start, occurrence) AS
        firn_regexp_substr_all(value, pattern, CAST(start AS BIGINT), CAST(occurrence AS BIGINT), 'c', -1),
    (value, pattern, start, occurrence, parameters) AS
        firn_regexp_substr_all(value, pattern, CAST(start AS BIGINT), CAST(occurrence AS BIGINT), parameters, -1),
    (value, pattern, start, occurrence, parameters, place) AS firn_regexp_substr_all(value, pattern,
        CAST(start AS BIGINT), CAST(occurrence AS BIGINT), parameters, CAST(place AS BIGINT));
