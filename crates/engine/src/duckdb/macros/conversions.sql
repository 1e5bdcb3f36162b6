CREATE MACRO firn_float_text(number) AS
    CASE
        WHEN isnan(number) THEN 'NaN'
        WHEN isinf(number) THEN CASE WHEN number > 0 THEN 'inf' ELSE '-inf' END
        WHEN number = trunc(number) AND abs(number) < 1e15 THEN CAST(CAST(number AS BIGINT) AS VARCHAR)
        ELSE CAST(number AS VARCHAR)
    END;

CREATE MACRO firn_offset_text(minutes) AS
    CASE WHEN minutes = 0 THEN 'Z'
         ELSE printf('%s%02d%02d', CASE WHEN minutes < 0 THEN '-' ELSE '+' END,
            CAST(abs(minutes) // 60 AS INTEGER), CAST(abs(minutes) % 60 AS INTEGER)) END;

CREATE MACRO firn_local_text(local, minutes) AS
    strftime(local, '%Y-%m-%d %H:%M:%S.%g ') || firn_offset_text(minutes);

CREATE MACRO firn_offset_field(value) AS CAST(regexp_extract(CAST(value AS VARCHAR), '''firn_offset'': (-?\d+)', 1) AS INTEGER);

CREATE MACRO firn_utc_field(value) AS
    CAST(regexp_extract(CAST(value AS VARCHAR), '''firn_utc'': ''?([^'',]+)''?', 1) AS TIMESTAMP);

CREATE MACRO firn_text(value) AS
    CASE typeof(value)
        WHEN 'VARCHAR' THEN CAST(value AS VARCHAR)
        WHEN 'JSON' THEN CAST(value AS JSON) ->> '$'
        WHEN 'DOUBLE' THEN firn_float_text(CAST(CAST(value AS VARCHAR) AS DOUBLE))
        WHEN 'FLOAT' THEN firn_float_text(CAST(CAST(value AS VARCHAR) AS DOUBLE))
        WHEN 'BLOB' THEN hex(CAST(CAST(value AS VARCHAR) AS BLOB))
        WHEN 'TIMESTAMP' THEN strftime(CAST(CAST(value AS VARCHAR) AS TIMESTAMP), '%Y-%m-%d %H:%M:%S.%g')
        WHEN 'TIMESTAMP WITH TIME ZONE' THEN firn_local_text(
            CAST(CAST(CAST(value AS VARCHAR) AS TIMESTAMPTZ) AS TIMESTAMP),
            date_diff('minute', timezone('UTC', CAST(CAST(value AS VARCHAR) AS TIMESTAMPTZ)),
                CAST(CAST(CAST(value AS VARCHAR) AS TIMESTAMPTZ) AS TIMESTAMP)))
        WHEN 'STRUCT(firn_utc TIMESTAMP, firn_offset SMALLINT)' THEN firn_local_text(
            firn_utc_field(value) + to_minutes(firn_offset_field(value)), firn_offset_field(value))
        ELSE CAST(value AS VARCHAR)
    END;

CREATE MACRO firn_text_within(value, length_max) AS
    CASE WHEN length(firn_text(value)) > length_max
         THEN error('firn:100078:String ''' || firn_text(value) || ''' is too long and would be truncated')
         ELSE firn_text(value) END;

CREATE MACRO firn_try_text_within(value, length_max) AS
    CASE WHEN length(firn_text(value)) > length_max THEN NULL ELSE firn_text(value) END;

CREATE MACRO firn_integer(value) AS
    CASE WHEN typeof(value) IN ('DOUBLE', 'FLOAT', 'JSON') THEN CAST(CAST(value AS DECIMAL(38,0)) AS BIGINT)
         ELSE CAST(value AS BIGINT) END;

CREATE MACRO firn_binary(value) AS
    CASE WHEN typeof(value) = 'BLOB' THEN CAST(CAST(value AS VARCHAR) AS BLOB) ELSE unhex(CAST(value AS VARCHAR)) END;

CREATE MACRO firn_bare(value) AS trim(trim(value, '"'));

CREATE MACRO firn_epoch_timestamp(amount) AS make_timestamp(CASE
    WHEN abs(amount) < 31536000000 THEN amount * 1000000
    WHEN abs(amount) < 31536000000000 THEN amount * 1000
    WHEN abs(amount) < 31536000000000000 THEN amount
    ELSE amount // 1000 END);

CREATE MACRO firn_from_epoch(amount, scale) AS
    make_timestamp(CAST(trunc(CAST(amount AS DECIMAL(38,0)) * CAST(1000000 AS HUGEINT) / power(10, scale)) AS BIGINT));

CREATE MACRO firn_joined_offset(value) AS
    regexp_replace(regexp_replace(value, '\s+([+-]\d)', '\1'), '([+-]\d{2})(\d{2})$', '\1:\2');

CREATE MACRO firn_read_timestamp(value) AS CASE
    WHEN regexp_full_match(firn_bare(value), '-?\d+') THEN firn_epoch_timestamp(CAST(firn_bare(value) AS BIGINT))
    WHEN regexp_full_match(firn_bare(value), '\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}:\d{2}')
        THEN strptime(firn_bare(value), '%m/%d/%Y %H:%M:%S')
    WHEN regexp_full_match(firn_bare(value), '\d{1,2}/\d{1,2}/\d{4}') THEN strptime(firn_bare(value), '%m/%d/%Y')
    WHEN regexp_full_match(firn_bare(value), '\d{1,2}-[A-Za-z]{3}-\d{4}') THEN strptime(firn_bare(value), '%d-%b-%Y')
    ELSE CAST(regexp_replace(firn_joined_offset(firn_bare(value)), '(:\d{2}(\.\d+)?)([+-]\d{2}(:\d{2})?|Z)$', '\1')
        AS TIMESTAMP) END;

CREATE MACRO firn_read_instant(value) AS CASE
    WHEN regexp_matches(firn_bare(value), ':\d{2}(\.\d+)?\s*([+-]\d{2}(:?\d{2})?|Z)$')
        THEN CAST(firn_joined_offset(firn_bare(value)) AS TIMESTAMPTZ)
    WHEN regexp_full_match(firn_bare(value), '-?\d+') THEN timezone('UTC', firn_read_timestamp(value))
    ELSE CAST(firn_read_timestamp(value) AS TIMESTAMPTZ) END;

CREATE MACRO firn_session_offset(instant) AS
    CAST(date_diff('minute', timezone('UTC', instant), CAST(instant AS TIMESTAMP)) AS SMALLINT);

CREATE MACRO firn_in_session_zone(instant) AS
    struct_pack(firn_utc := timezone('UTC', instant), firn_offset := firn_session_offset(instant));

CREATE MACRO firn_read_offset(value) AS CASE
    WHEN regexp_matches(value, ':\d{2}(\.\d+)?\s*Z$') THEN CAST(0 AS SMALLINT)
    WHEN regexp_matches(value, ':\d{2}(\.\d+)?\s*[+-]\d{2}(:?\d{2})?$') THEN CAST(
        (CASE WHEN regexp_extract(value, '([+-])\d{2}(:?\d{2})?$', 1) = '-' THEN -1 ELSE 1 END)
        * (CAST(regexp_extract(value, '[+-](\d{2})(:?\d{2})?$', 1) AS INTEGER) * 60
            + coalesce(TRY_CAST(regexp_extract(value, '[+-]\d{2}:?(\d{2})$', 1) AS INTEGER), 0)) AS SMALLINT)
    ELSE firn_session_offset(firn_read_instant(value)) END;

CREATE MACRO firn_date
    (value DATE) AS value,
    (value TIMESTAMP) AS CAST(value AS DATE),
    (value TIMESTAMPTZ) AS CAST(value AS DATE),
    (value STRUCT(firn_utc TIMESTAMP, firn_offset SMALLINT)) AS
        CAST(value.firn_utc + to_minutes(value.firn_offset) AS DATE),
    (value VARCHAR) AS CAST(firn_read_timestamp(value) AS DATE);

CREATE MACRO firn_timestamp_ntz
    (value TIMESTAMP) AS value,
    (value DATE) AS CAST(value AS TIMESTAMP),
    (value TIMESTAMPTZ) AS CAST(value AS TIMESTAMP),
    (value STRUCT(firn_utc TIMESTAMP, firn_offset SMALLINT)) AS value.firn_utc + to_minutes(value.firn_offset),
    (value VARCHAR) AS firn_read_timestamp(value);

CREATE MACRO firn_timestamp_ltz
    (value TIMESTAMPTZ) AS value,
    (value DATE) AS CAST(value AS TIMESTAMPTZ),
    (value TIMESTAMP) AS CAST(value AS TIMESTAMPTZ),
    (value STRUCT(firn_utc TIMESTAMP, firn_offset SMALLINT)) AS timezone('UTC', value.firn_utc),
    (value VARCHAR) AS firn_read_instant(value);

CREATE MACRO firn_timestamp_tz
    (value STRUCT(firn_utc TIMESTAMP, firn_offset SMALLINT)) AS value,
    (value TIMESTAMPTZ) AS firn_in_session_zone(value),
    (value DATE) AS firn_in_session_zone(CAST(value AS TIMESTAMPTZ)),
    (value TIMESTAMP) AS firn_in_session_zone(CAST(value AS TIMESTAMPTZ)),
    (value VARCHAR) AS struct_pack(
        firn_utc := timezone('UTC', firn_read_instant(value)), firn_offset := firn_read_offset(firn_bare(value)));

CREATE MACRO firn_time
    (value TIME) AS value,
    (value TIMESTAMP) AS CAST(value AS TIME),
    (value TIMESTAMPTZ) AS CAST(CAST(value AS TIMESTAMP) AS TIME),
    (value STRUCT(firn_utc TIMESTAMP, firn_offset SMALLINT)) AS
        CAST(value.firn_utc + to_minutes(value.firn_offset) AS TIME),
    (value VARCHAR) AS CAST(firn_bare(value) AS TIME);
