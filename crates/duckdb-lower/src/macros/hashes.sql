CREATE MACRO firn_bytes(value) AS CASE WHEN typeof(value) = 'BLOB'
    THEN CAST(CAST(value AS VARCHAR) AS BLOB) ELSE encode(CAST(value AS VARCHAR)) END;

CREATE MACRO firn_md5_binary(value) AS unhex(md5(value));

CREATE MACRO firn_md5_number(value) AS
    CAST(CAST('0x' || left(md5(value), 16) AS UBIGINT) AS UHUGEINT) * 18446744073709551616
        + CAST('0x' || right(md5(value), 16) AS UBIGINT);

CREATE MACRO firn_md5_lower(value) AS CAST('0x' || right(md5(value), 16) AS UBIGINT);

CREATE MACRO firn_md5_upper(value) AS CAST('0x' || left(md5(value), 16) AS UBIGINT);

CREATE MACRO firn_sha1_binary(value) AS unhex(sha1(value));

CREATE MACRO firn_sha2_binary
    (value) AS firn_sha2(firn_bytes(value), 256),
    (value, size) AS firn_sha2(firn_bytes(value), CAST(size AS BIGINT));

CREATE MACRO firn_sha2_hex
    (value) AS lower(hex(firn_sha2(firn_bytes(value), 256))),
    (value, size) AS lower(hex(firn_sha2(firn_bytes(value), CAST(size AS BIGINT))));

CREATE MACRO firn_base64_encode
    (value) AS firn_base64_encode_bytes(firn_bytes(value), 0, ''),
    (value, line_length) AS firn_base64_encode_bytes(firn_bytes(value), CAST(line_length AS BIGINT), ''),
    (value, line_length, alphabet) AS
        firn_base64_encode_bytes(firn_bytes(value), CAST(line_length AS BIGINT), alphabet);

CREATE MACRO firn_base64_binary
    (value) AS firn_base64_decode(value, ''),
    (value, alphabet) AS firn_base64_decode(value, alphabet);

CREATE MACRO firn_base64_text
    (value) AS decode(firn_base64_decode(value, '')),
    (value, alphabet) AS decode(firn_base64_decode(value, alphabet));

CREATE MACRO firn_hex_binary(value) AS firn_read_binary(CAST(value AS VARCHAR), 'HEX');

CREATE MACRO firn_try_hex_binary(value) AS TRY(firn_hex_binary(value));

CREATE MACRO firn_hex_text(value) AS decode(firn_hex_binary(value));
