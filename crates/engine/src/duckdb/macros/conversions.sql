CREATE MACRO firn_text
    (value FIRN_TIMESTAMP_TZ) AS firn_zoned_text(value),
    (value) AS
        CASE WHEN typeof(value) IN ('DOUBLE', 'FLOAT', 'BLOB', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE')
            THEN firn_written(typeof(value), CAST(value AS VARCHAR))
            ELSE CAST(value AS VARCHAR) END;

CREATE MACRO firn_text_base64(value) AS CASE WHEN typeof(value) = 'BLOB'
    THEN to_base64(CAST(CAST(value AS VARCHAR) AS BLOB)) ELSE firn_text(value) END;

CREATE MACRO firn_text_utf8(value) AS CASE WHEN typeof(value) = 'BLOB'
    THEN decode(CAST(CAST(value AS VARCHAR) AS BLOB)) ELSE firn_text(value) END;

CREATE MACRO firn_too_long(value, length_max) AS CASE WHEN length(value) > length_max
    THEN error('firn:100078:String ''' || value || ''' is too long and would be truncated') ELSE value END;

CREATE MACRO firn_text_within(value, length_max) AS firn_too_long(firn_text(value), length_max);

CREATE MACRO firn_try_text_within(value, length_max) AS
    CASE WHEN length(firn_text(value)) > length_max THEN NULL ELSE firn_text(value) END;

CREATE MACRO firn_plain
    (value FIRN_VARIANT) AS CAST(value AS VARCHAR),
    (value) AS value;

CREATE MACRO firn_numeric
    (value FIRN_VARIANT) AS firn_numeric_text(value),
    (value) AS value;

CREATE MACRO firn_truth
    (value FIRN_VARIANT) AS firn_boolean_of(value),
    (value) AS value;

CREATE MACRO firn_integer
    (value FIRN_VARIANT) AS CAST(CAST(firn_numeric_text(value) AS DECIMAL(38,0)) AS BIGINT),
    (value) AS CASE WHEN typeof(value) IN ('DOUBLE', 'FLOAT') THEN CAST(CAST(value AS DECIMAL(38,0)) AS BIGINT)
        ELSE CAST(value AS BIGINT) END;

CREATE MACRO firn_number
    (value FIRN_VARIANT) AS CAST(value AS DOUBLE),
    (value) AS value;

CREATE MACRO firn_binary(value) AS
    CASE WHEN typeof(value) = 'BLOB' THEN CAST(CAST(value AS VARCHAR) AS BLOB) ELSE unhex(CAST(value AS VARCHAR)) END;

CREATE MACRO firn_binary_within(value, length_max) AS CASE WHEN octet_length(firn_binary(value)) > length_max
    THEN error('firn:100145:Binary ''' || hex(firn_binary(value)) || ''' is too long and would be truncated')
    ELSE firn_binary(value) END;

CREATE MACRO firn_try_binary(value) AS TRY(firn_binary(value));

CREATE MACRO firn_try_binary_within(value, length_max) AS
    CASE WHEN octet_length(firn_try_binary(value)) > length_max THEN NULL ELSE firn_try_binary(value) END;

CREATE MACRO firn_from_epoch(amount, scale) AS
    make_timestamp(CAST(trunc(CAST(amount AS DECIMAL(38,0)) * CAST(1000000 AS HUGEINT) / power(10, scale)) AS BIGINT));

CREATE MACRO firn_read_timestamp(value) AS CAST(firn_canonical_timestamp(value) AS TIMESTAMP);

CREATE MACRO firn_read_instant(value) AS CAST(firn_canonical_instant(value) AS TIMESTAMPTZ);

CREATE MACRO firn_session_offset(instant) AS
    CAST(date_diff('minute', timezone('UTC', instant), CAST(instant AS TIMESTAMP)) AS SMALLINT);

CREATE MACRO firn_in_session_zone(instant) AS firn_zoned(timezone('UTC', instant), firn_session_offset(instant));

CREATE MACRO firn_wall
    (value FIRN_TIMESTAMP_TZ) AS firn_utc(value) + to_minutes(firn_offset(value)),
    (value) AS value;

CREATE MACRO firn_moment
    (value FIRN_TIMESTAMP_TZ) AS timezone('UTC', firn_utc(value)),
    (value) AS value;

CREATE MACRO firn_date
    (value DATE) AS value,
    (value TIMESTAMP) AS CAST(value AS DATE),
    (value TIMESTAMPTZ) AS CAST(value AS DATE),
    (value FIRN_TIMESTAMP_TZ) AS CAST(firn_wall(value) AS DATE),
    (value VARCHAR) AS CAST(firn_canonical_date(value) AS DATE);

CREATE MACRO firn_timestamp_ntz
    (value TIMESTAMP) AS value,
    (value DATE) AS CAST(value AS TIMESTAMP),
    (value TIMESTAMPTZ) AS CAST(value AS TIMESTAMP),
    (value FIRN_TIMESTAMP_TZ) AS firn_wall(value),
    (value VARCHAR) AS firn_read_timestamp(value);

CREATE MACRO firn_timestamp_ltz
    (value TIMESTAMPTZ) AS value,
    (value DATE) AS CAST(value AS TIMESTAMPTZ),
    (value TIMESTAMP) AS CAST(value AS TIMESTAMPTZ),
    (value FIRN_TIMESTAMP_TZ) AS firn_moment(value),
    (value VARCHAR) AS firn_read_instant(value);

CREATE MACRO firn_timestamp_tz
    (value FIRN_TIMESTAMP_TZ) AS value,
    (value TIMESTAMPTZ) AS firn_in_session_zone(value),
    (value DATE) AS firn_in_session_zone(CAST(value AS TIMESTAMPTZ)),
    (value TIMESTAMP) AS firn_in_session_zone(CAST(value AS TIMESTAMPTZ)),
    (value VARCHAR) AS firn_zoned(timezone('UTC', firn_read_instant(value)),
        coalesce(CAST(firn_given_offset(value) AS SMALLINT), firn_session_offset(firn_read_instant(value))));

CREATE MACRO firn_time
    (value TIME) AS value,
    (value TIMESTAMP) AS CAST(value AS TIME),
    (value TIMESTAMPTZ) AS CAST(CAST(value AS TIMESTAMP) AS TIME),
    (value FIRN_TIMESTAMP_TZ) AS CAST(firn_wall(value) AS TIME),
    (value VARCHAR) AS CAST(trim(value, '"') AS TIME);

CREATE MACRO firn_order
    (value FIRN_VARIANT) AS firn_sort_key(value),
    (value FIRN_OBJECT) AS firn_sort_key(value),
    (value FIRN_ARRAY) AS firn_sort_key(value),
    (value) AS value;

CREATE MACRO firn_instant
    (value FIRN_TIMESTAMP_TZ) AS firn_utc(value),
    (value TIMESTAMPTZ) AS timezone('UTC', value),
    (value DATE) AS timezone('UTC', CAST(value AS TIMESTAMPTZ)),
    (value TIMESTAMP) AS timezone('UTC', CAST(value AS TIMESTAMPTZ)),
    (value VARCHAR) AS timezone('UTC', firn_read_instant(value));
