CREATE MACRO firn_whole(value) AS CAST(value AS HUGEINT);

CREATE MACRO firn_bitand
    (first BLOB, second BLOB, side) AS firn_bytes_and(first, second, side),
    (first BLOB, second BLOB) AS firn_bytes_and(first, second, ''),
    (first, second) AS firn_whole(first) & firn_whole(second);

CREATE MACRO firn_bitor
    (first BLOB, second BLOB, side) AS firn_bytes_or(first, second, side),
    (first BLOB, second BLOB) AS firn_bytes_or(first, second, ''),
    (first, second) AS firn_whole(first) | firn_whole(second);

CREATE MACRO firn_bitxor
    (first BLOB, second BLOB, side) AS firn_bytes_xor(first, second, side),
    (first BLOB, second BLOB) AS firn_bytes_xor(first, second, ''),
    (first, second) AS xor(firn_whole(first), firn_whole(second));

CREATE MACRO firn_bitnot
    (value BLOB) AS firn_bytes_not(value),
    (value) AS ~firn_whole(value);

CREATE MACRO firn_shift_left
    (value BLOB, places) AS firn_bytes_shift_left(value, CAST(places AS BIGINT)),
    (value, places) AS firn_bitshiftleft(firn_whole(value), CAST(places AS BIGINT));

CREATE MACRO firn_shift_right
    (value BLOB, places) AS firn_bytes_shift_right(value, CAST(places AS BIGINT)),
    (value, places) AS firn_bitshiftright(firn_whole(value), CAST(places AS BIGINT));

CREATE MACRO firn_bit(value, place) AS firn_getbit(firn_whole(value), CAST(place AS BIGINT));

CREATE MACRO firn_bitmap_bucket_number(value) AS CAST(CASE WHEN value > 0
    THEN (CAST(value AS BIGINT) - 1) // 32768 + 1 ELSE -((-CAST(value AS BIGINT)) // 32768) END AS BIGINT);

CREATE MACRO firn_bitmap_bit_position(value) AS CAST(CASE WHEN value > 0
    THEN (CAST(value AS BIGINT) - 1) % 32768 ELSE (-CAST(value AS BIGINT)) % 32768 END AS BIGINT);
