CREATE MACRO firn_length
    (value VARCHAR) AS length(value),
    (value BLOB) AS octet_length(value),
    (value BIGINT) AS length(CAST(value AS VARCHAR)),
    (value DOUBLE) AS length(firn_text(value));

CREATE MACRO firn_joinable
    (value BLOB) AS value,
    (value) AS CAST(value AS VARCHAR);

CREATE MACRO firn_left
    (value BLOB, count) AS firn_bytes_piece(value, 1, CAST(count AS BIGINT)),
    (value, count) AS CASE WHEN count IS NOT NULL THEN left(value, greatest(CAST(count AS BIGINT), 0)) END;

CREATE MACRO firn_piece
    (value BLOB, start) AS firn_bytes_piece(value, start, 67108864),
    (value BLOB, start, count) AS firn_bytes_piece(value, start, count),
    (value, start) AS substr(value, start),
    (value, start, count) AS substr(value, start, count);

CREATE MACRO firn_right
    (value BLOB, count) AS firn_bytes_right(value, CAST(count AS BIGINT)),
    (value, count) AS CASE WHEN count IS NOT NULL THEN right(value, greatest(CAST(count AS BIGINT), 0)) END;

CREATE MACRO firn_substr
    (value BLOB, start) AS firn_bytes_piece(value, CAST(start AS BIGINT), 67108864),
    (value BLOB, start, count) AS firn_bytes_piece(value, CAST(start AS BIGINT), CAST(count AS BIGINT)),
    (value, start) AS CASE
        WHEN start IS NULL THEN NULL
        WHEN start < -length(value) THEN ''
        ELSE substr(value, CASE WHEN start = 0 THEN 1 ELSE least(CAST(start AS BIGINT), 4294967295) END) END,
    (value, start, count) AS CASE
        WHEN count IS NULL OR start IS NULL THEN NULL
        WHEN start < -length(value) THEN ''
        ELSE substr(value, CASE WHEN start = 0 THEN 1 ELSE least(CAST(start AS BIGINT), 4294967295) END,
            least(greatest(CAST(count AS BIGINT), 0), 4294967295)) END;

CREATE MACRO firn_repeat(value, count) AS firn_repeated(value, CAST(count AS BIGINT));

CREATE MACRO firn_lpad
    (value BLOB, count, padding) AS firn_bytes_lpad(value, CAST(count AS BIGINT), padding),
    (value, count) AS firn_padded_left(value, CAST(count AS BIGINT), ' '),
    (value, count, padding) AS firn_padded_left(value, CAST(count AS BIGINT), CAST(padding AS VARCHAR));

CREATE MACRO firn_rpad
    (value BLOB, count, padding) AS firn_bytes_rpad(value, CAST(count AS BIGINT), padding),
    (value, count) AS firn_padded_right(value, CAST(count AS BIGINT), ' '),
    (value, count, padding) AS firn_padded_right(value, CAST(count AS BIGINT), CAST(padding AS VARCHAR));

CREATE MACRO firn_charindex
    (wanted BLOB, value BLOB) AS firn_bytes_place(wanted, value, 1),
    (wanted BLOB, value BLOB, start) AS firn_bytes_place(wanted, value, CAST(start AS BIGINT)),
    (wanted, value) AS instr(value, wanted),
    (wanted, value, start) AS CASE
        WHEN start IS NULL THEN NULL
        WHEN instr(substr(value, greatest(start, 1)), wanted) = 0 THEN 0
        ELSE instr(substr(value, greatest(start, 1)), wanted) + greatest(start, 1) - 1 END;

CREATE MACRO firn_split_part(value, delimiter, part) AS firn_split_piece(value, delimiter, CAST(part AS BIGINT));

CREATE MACRO firn_upper(value) AS CASE WHEN strlen(value) = length(value) THEN upper(value) ELSE firn_capitals(value) END;

CREATE MACRO firn_replace
    (value BLOB, wanted BLOB) AS firn_bytes_replace(value, wanted, ''::BLOB),
    (value BLOB, wanted BLOB, other) AS firn_bytes_replace(value, wanted, other),
    (value, wanted) AS replace(value, wanted, ''),
    (value, wanted, other) AS firn_replaced(value, wanted, other);

CREATE MACRO firn_reverse
    (value BLOB) AS firn_bytes_reverse(value),
    (value) AS reverse(firn_text(value));

CREATE MACRO firn_rtrimmed_length(value) AS length(rtrim(value));

CREATE MACRO firn_octet_length
    (value VARCHAR) AS strlen(value),
    (value BLOB) AS octet_length(value);

-- The text of more bytes would be longer than any may be.
CREATE MACRO firn_hex_of(value, bytes) AS CASE WHEN bytes > 67108864
    THEN firn_raised('firn:100082:Max LOB size (134217728) exceeded, actual size of parsed column is '
        || CAST(2 * bytes AS VARCHAR))
    ELSE hex(value) END;

CREATE MACRO firn_hex_encode
    (value BLOB) AS firn_hex_of(value, octet_length(value)),
    (value VARCHAR) AS firn_hex_of(value, strlen(value)),
    (value BLOB, letter_case) AS CASE WHEN letter_case = 0 THEN lower(firn_hex_of(value, octet_length(value)))
        ELSE firn_hex_of(value, octet_length(value)) END,
    (value VARCHAR, letter_case) AS CASE WHEN letter_case = 0 THEN lower(firn_hex_of(value, strlen(value)))
        ELSE firn_hex_of(value, strlen(value)) END;

CREATE MACRO firn_bit_length
    (value VARCHAR) AS strlen(value) * 8,
    (value BLOB) AS octet_length(value) * 8;

CREATE MACRO firn_insert
    (value BLOB, start, count, other) AS CASE
    WHEN start < 1 OR count < 0 THEN CAST(firn_raised('firn:100048:Invalid position or length for INSERT') AS BLOB)
    ELSE firn_bytes_piece(value, 1, CAST(start AS BIGINT) - 1) || other
        || firn_bytes_piece(value, CAST(start AS BIGINT) + CAST(count AS BIGINT), 67108864) END,
    (value, start, count, other) AS CASE
    WHEN start < 1 OR count < 0 THEN firn_raised('firn:100048:Invalid position or length for INSERT')
    ELSE left(CAST(value AS VARCHAR), CAST(start AS BIGINT) - 1) || CAST(other AS VARCHAR) || substr(value, CAST(start AS BIGINT) + CAST(count AS BIGINT)) END;

CREATE MACRO firn_chr(code) AS CASE WHEN code BETWEEN 0 AND 55295 OR code BETWEEN 57344 AND 1114111
    THEN chr(CAST(code AS INTEGER))
    WHEN code IS NOT NULL THEN firn_raised('firn:100048:Invalid character code ' || code || ' in the CHR input') END;

CREATE MACRO firn_space(count) AS firn_repeat(' ', count);

CREATE MACRO firn_token
    (value) AS firn_strtok(value, ' ', 1),
    (value, delimiters) AS firn_strtok(value, delimiters, 1),
    (value, delimiters, place) AS firn_strtok(value, delimiters, CAST(place AS BIGINT));

CREATE MACRO firn_tokens
    (value) AS firn_strtok_to_array(value, ' '),
    (value, delimiters) AS firn_strtok_to_array(value, delimiters);

CREATE MACRO firn_unicode(value) AS CASE WHEN value = '' THEN 0 ELSE unicode(value) END;

CREATE MACRO firn_edit_distance
    (first, second) AS firn_editdistance(first, second, -1),
    (first, second, distance_max) AS CASE WHEN distance_max IS NOT NULL THEN
        firn_editdistance(first, second, CAST(greatest(distance_max, 0) AS BIGINT)) END;

CREATE MACRO firn_url
    (value) AS firn_parse_url(value, 0),
    (value, permissive) AS firn_parse_url(value, CAST(permissive AS BIGINT));

CREATE MACRO firn_ip
    (value, kind) AS firn_parse_ip(value, kind, 0),
    (value, kind, permissive) AS firn_parse_ip(value, kind, CAST(permissive AS BIGINT));

CREATE MACRO firn_contains
    (value BLOB, wanted BLOB) AS firn_bytes_place(wanted, value, 1) > 0,
    (value, wanted) AS contains(CAST(value AS VARCHAR), CAST(wanted AS VARCHAR));

CREATE MACRO firn_starts
    (value BLOB, wanted BLOB) AS firn_bytes_piece(value, 1, octet_length(wanted)) = wanted,
    (value, wanted) AS starts_with(value, wanted);

CREATE MACRO firn_ends
    (value BLOB, wanted BLOB) AS firn_bytes_right(value, octet_length(wanted)) = wanted,
    (value, wanted) AS ends_with(value, wanted);

CREATE MACRO firn_joined(elements, delimiter) AS
    array_to_string(list_transform(elements, lambda element: firn_text(element)), delimiter);
