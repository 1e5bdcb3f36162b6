CREATE MACRO firn_length
    (value VARCHAR) AS length(value),
    (value BLOB) AS octet_length(value),
    (value BIGINT) AS length(CAST(value AS VARCHAR)),
    (value DOUBLE) AS length(firn_text(value));

CREATE MACRO firn_left(value, count) AS left(value, greatest(CAST(count AS BIGINT), 0));

CREATE MACRO firn_right(value, count) AS right(value, greatest(CAST(count AS BIGINT), 0));

CREATE MACRO firn_substr
    (value, start) AS CASE
        WHEN start < -length(value) THEN ''
        ELSE substr(value, CASE WHEN start = 0 THEN 1 ELSE start END) END,
    (value, start, count) AS CASE
        WHEN start < -length(value) THEN ''
        ELSE substr(value, CASE WHEN start = 0 THEN 1 ELSE start END, greatest(count, 0)) END;

CREATE MACRO firn_lpad
    (value, count) AS lpad(value, CAST(greatest(count, 0) AS INTEGER), ' '),
    (value, count, padding) AS CASE
        WHEN padding = '' THEN left(value, greatest(count, 0))
        ELSE lpad(value, CAST(greatest(count, 0) AS INTEGER), CASE WHEN padding = '' THEN ' ' ELSE padding END) END;

CREATE MACRO firn_rpad
    (value, count) AS rpad(value, CAST(greatest(count, 0) AS INTEGER), ' '),
    (value, count, padding) AS CASE
        WHEN padding = '' THEN left(value, greatest(count, 0))
        ELSE rpad(value, CAST(greatest(count, 0) AS INTEGER), CASE WHEN padding = '' THEN ' ' ELSE padding END) END;

CREATE MACRO firn_charindex
    (wanted, value) AS instr(value, wanted),
    (wanted, value, start) AS CASE
        WHEN instr(substr(value, greatest(start, 1)), wanted) = 0 THEN 0
        ELSE instr(substr(value, greatest(start, 1)), wanted) + greatest(start, 1) - 1 END;

CREATE MACRO firn_split_part(value, delimiter, part) AS CASE
    WHEN delimiter = '' THEN CASE WHEN part IN (0, 1, -1) THEN value ELSE '' END
    ELSE split_part(value, delimiter, CASE WHEN part = 0 THEN 1 ELSE part END) END;

CREATE MACRO firn_initcap
    (value) AS array_to_string(list_transform(string_split(lower(value), ''), lambda letter, place: CASE
        WHEN place = 1 OR contains(' !?@"^#$&~_,.:;+-*%/|\[](){}<>' || chr(9) || chr(10) || chr(13),
            substr(value, place - 1, 1))
        THEN upper(letter) ELSE letter END), ''),
    (value, delimiters) AS array_to_string(list_transform(string_split(lower(value), ''), lambda letter, place: CASE
        WHEN place = 1 OR contains(delimiters, substr(value, place - 1, 1)) THEN upper(letter) ELSE letter END), '');

CREATE MACRO firn_base64_encode
    (value VARCHAR) AS to_base64(encode(value)),
    (value BLOB) AS to_base64(value);

CREATE MACRO firn_replace
    (value, wanted) AS replace(value, wanted, ''),
    (value, wanted, other) AS replace(value, wanted, other);
