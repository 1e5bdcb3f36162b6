CREATE MACRO firn_now() AS coalesce(
    timezone('UTC', make_timestamp(CAST(getvariable('firn_moment') AS BIGINT))), now());

CREATE MACRO firn_text
    (value FIRN_TIMESTAMP_TZ) AS firn_zoned_text(value),
    (value) AS
        CASE WHEN typeof(value) IN ('DOUBLE', 'FLOAT', 'BLOB', 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE')
            THEN firn_written(typeof(value), CAST(value AS VARCHAR))
            WHEN typeof(value) = 'TIME' THEN substr(CAST(value AS VARCHAR), 1, 8)
            ELSE CAST(value AS VARCHAR) END;

CREATE MACRO firn_textual
    (value VARCHAR) AS value,
    (value BLOB) AS value,
    (value FIRN_VARIANT) AS CAST(value AS VARCHAR),
    (value FIRN_TIMESTAMP_TZ) AS firn_zoned_text(value),
    (value) AS firn_text(value);

CREATE MACRO firn_too_long(value, length_max) AS CASE WHEN length(value) > length_max
    THEN firn_raised('firn:100078:String ''' || CASE WHEN strlen(value) > 4000 THEN left(value, 1000) || '...'
        ELSE value END || ''' is too long and would be truncated') ELSE value END;

CREATE MACRO firn_text_storable(value) AS CASE WHEN strlen(firn_text(value)) > 16777216
    THEN firn_too_long(firn_text(value), 16777216) ELSE firn_text(value) END;

CREATE MACRO firn_text_within(value, length_max) AS firn_too_long(firn_text(value), length_max);

CREATE MACRO firn_try_text_within(value, length_max) AS
    CASE WHEN length(firn_text(value)) > length_max THEN NULL ELSE firn_text(value) END;

CREATE MACRO firn_is_other_numeral(value) AS contains(value, '_') OR contains(lower(value), 'x')
    OR contains(lower(value), 'b') OR contains(lower(value), 'o');

CREATE MACRO firn_numeral(value) AS
    CASE WHEN firn_is_other_numeral(value) THEN firn_refused_numeral(value) ELSE value END;

CREATE MACRO firn_numeric
    (value "NULL") AS value,
    (value FIRN_VARIANT) AS firn_numeric_text(value),
    (value VARCHAR) AS firn_numeral(value),
    (value) AS value;

CREATE MACRO firn_try_numeric
    (value "NULL") AS value,
    (value FIRN_VARIANT) AS firn_try_numeric_text(value),
    (value VARCHAR) AS CASE WHEN firn_is_other_numeral(value) THEN NULL ELSE value END,
    (value) AS value;

CREATE MACRO firn_as_number
    (value "NULL") AS value,
    (value FIRN_VARIANT) AS CAST(value AS DOUBLE),
    (value VARCHAR) AS CAST(firn_numeral(value) AS DECIMAL(18,5)),
    (value) AS value;

CREATE MACRO firn_as_float
    (value "NULL") AS value,
    (value FIRN_VARIANT) AS CAST(value AS DOUBLE),
    (value VARCHAR) AS CAST(firn_numeral(value) AS DOUBLE),
    (value) AS value;

CREATE MACRO firn_truth
    (value FIRN_VARIANT) AS firn_boolean_of(value),
    (value) AS value;

CREATE MACRO firn_integer
    (value "NULL") AS value,
    (value FIRN_VARIANT) AS CAST(CAST(firn_numeric_text(value) AS DECIMAL(38,0)) AS BIGINT),
    (value VARCHAR) AS CAST(firn_numeral(value) AS BIGINT),
    (value) AS CASE WHEN typeof(value) IN ('DOUBLE', 'FLOAT') THEN CAST(CAST(value AS DECIMAL(38,0)) AS BIGINT)
        ELSE CAST(value AS BIGINT) END;

CREATE MACRO firn_wide_integer
    (value "NULL") AS value,
    (value FIRN_VARIANT) AS CAST(CAST(firn_numeric_text(value) AS DECIMAL(38,0)) AS HUGEINT),
    (value VARCHAR) AS CAST(firn_numeral(value) AS HUGEINT),
    (value) AS CASE WHEN typeof(value) IN ('DOUBLE', 'FLOAT') THEN CAST(CAST(value AS DECIMAL(38,0)) AS HUGEINT)
        ELSE CAST(value AS HUGEINT) END;

-- The engine computes with decimals of up to 18 digits in 64 bits; one of more digits makes it use all 38.
CREATE MACRO firn_wide
    (value BIGINT) AS CAST(value AS HUGEINT),
    (value HUGEINT) AS value,
    (value DATE) AS value,
    (value TIME) AS value,
    (value TIMESTAMP) AS value,
    (value TIMESTAMPTZ) AS value,
    (value INTERVAL) AS value,
    (value FIRN_TIMESTAMP_TZ) AS value,
    (value FIRN_VARIANT) AS value,
    (value) AS value + CAST(0 AS DECIMAL(19,0));

CREATE MACRO firn_number
    (value FIRN_VARIANT) AS CAST(value AS DOUBLE),
    (value) AS value;

CREATE MACRO firn_exact
    (value FIRN_VARIANT) AS CAST(firn_numeric_text(value) AS DECIMAL(38,12)),
    (value) AS value;

CREATE MACRO firn_binary(value) AS
    CASE WHEN typeof(value) = 'BLOB' THEN CAST(CAST(value AS VARCHAR) AS BLOB)
        ELSE firn_read_binary(CAST(value AS VARCHAR), coalesce(CAST(getvariable('firn_binary_input') AS VARCHAR), 'HEX')) END;

CREATE MACRO firn_binary_within(value, length_max) AS CASE WHEN octet_length(firn_binary(value)) > length_max
    THEN CAST(firn_raised('firn:100145:Binary ''' || hex(firn_binary(value)) || ''' is too long and would be truncated') AS BLOB)
    ELSE firn_binary(value) END;

CREATE MACRO firn_try_binary(value) AS TRY(firn_binary(value));

CREATE MACRO firn_try_binary_within(value, length_max) AS
    CASE WHEN octet_length(firn_try_binary(value)) > length_max THEN NULL ELSE firn_try_binary(value) END;

CREATE MACRO firn_boolean
    (value BOOLEAN) AS value,
    (value DOUBLE) AS CASE WHEN isfinite(value) THEN value <> 0
        WHEN value IS NOT NULL THEN CAST(firn_raised('firn:100037:Boolean value ''' || firn_text(value)
            || ''' is not recognized') AS BOOLEAN) END,
    (value VARCHAR) AS firn_read_boolean(value);

CREATE MACRO firn_part_by(value, format, part) AS firn_read_formatted(CAST(value AS VARCHAR), format, part,
    CAST(coalesce(getvariable('firn_century_start'), 1970) AS BIGINT));

CREATE MACRO firn_date_by(value, format) AS CAST(firn_part_by(value, format, 'date') AS DATE);

CREATE MACRO firn_time_by(value, format) AS CAST(firn_part_by(value, format, 'time') AS TIME);

CREATE MACRO firn_timestamp_ntz_by(value, format) AS CAST(firn_part_by(value, format, 'timestamp') AS TIMESTAMP);

CREATE MACRO firn_timestamp_ltz_by(value, format) AS CAST(firn_part_by(value, format, 'instant') AS TIMESTAMPTZ);

CREATE MACRO firn_binary_by(value, format) AS firn_read_binary(CAST(value AS VARCHAR), format);

CREATE MACRO firn_day_count(days) AS CAST(days AS INTEGER);

CREATE MACRO firn_from_epoch(amount, scale) AS make_timestamp(CASE
    WHEN scale = 0 THEN CAST(CAST(amount AS DECIMAL(28,6)) * 1000000 AS BIGINT)
    ELSE CAST(trunc(CAST(amount AS DECIMAL(38,0)) * CAST(1000000 AS HUGEINT) / power(10, scale)) AS BIGINT) END);

CREATE MACRO firn_read_date(value) AS CAST(CASE WHEN getvariable('firn_date_input') IS NULL
    THEN firn_canonical_date(value)
    ELSE firn_part_by(value, CAST(getvariable('firn_date_input') AS VARCHAR), 'date') END AS DATE);

CREATE MACRO firn_read_time(value) AS CAST(CASE WHEN getvariable('firn_time_input') IS NULL
    THEN firn_canonical_time(value)
    ELSE firn_part_by(value, CAST(getvariable('firn_time_input') AS VARCHAR), 'time') END AS TIME);

CREATE MACRO firn_read_timestamp(value) AS CAST(CASE WHEN getvariable('firn_timestamp_input') IS NULL
    THEN firn_canonical_timestamp(value)
    ELSE firn_part_by(value, CAST(getvariable('firn_timestamp_input') AS VARCHAR), 'timestamp') END AS TIMESTAMP);

CREATE MACRO firn_read_instant(value) AS CAST(CASE WHEN getvariable('firn_timestamp_input') IS NULL
    THEN firn_canonical_instant(value)
    ELSE firn_part_by(value, CAST(getvariable('firn_timestamp_input') AS VARCHAR), 'instant') END AS TIMESTAMPTZ);

CREATE MACRO firn_read_offset(value) AS CAST(CASE WHEN getvariable('firn_timestamp_input') IS NULL
    THEN firn_given_offset(value)
    ELSE firn_part_by(value, CAST(getvariable('firn_timestamp_input') AS VARCHAR), 'offset') END AS SMALLINT);

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
    (value BIGINT) AS CAST(firn_from_epoch(value, 0) AS DATE),
    (value VARCHAR) AS firn_read_date(value);

CREATE MACRO firn_timestamp_ntz
    (value TIMESTAMP) AS value,
    (value DATE) AS CAST(value AS TIMESTAMP),
    (value TIMESTAMPTZ) AS CAST(value AS TIMESTAMP),
    (value FIRN_TIMESTAMP_TZ) AS firn_wall(value),
    (value BIGINT) AS firn_from_epoch(value, 0),
    (value DOUBLE) AS firn_from_epoch(value, 0),
    (value FIRN_VARIANT) AS CASE WHEN firn_typeof(value) = 'INTEGER'
        THEN CAST(CAST(firn_canonical_instant(CAST(value AS VARCHAR)) AS TIMESTAMPTZ) AS TIMESTAMP)
        ELSE firn_read_timestamp(CAST(value AS VARCHAR)) END,
    (value VARCHAR) AS firn_read_timestamp(value);

CREATE MACRO firn_timestamp_ltz
    (value TIMESTAMPTZ) AS value,
    (value DATE) AS CAST(value AS TIMESTAMPTZ),
    (value TIMESTAMP) AS CAST(value AS TIMESTAMPTZ),
    (value FIRN_TIMESTAMP_TZ) AS firn_moment(value),
    (value BIGINT) AS timezone('UTC', firn_from_epoch(value, 0)),
    (value DOUBLE) AS timezone('UTC', firn_from_epoch(value, 0)),
    (value VARCHAR) AS firn_read_instant(value);

CREATE MACRO firn_timestamp_tz
    (value FIRN_TIMESTAMP_TZ) AS value,
    (value TIMESTAMPTZ) AS firn_in_session_zone(value),
    (value DATE) AS firn_in_session_zone(CAST(value AS TIMESTAMPTZ)),
    (value TIMESTAMP) AS firn_in_session_zone(CAST(value AS TIMESTAMPTZ)),
    (value BIGINT) AS firn_in_session_zone(timezone('UTC', firn_from_epoch(value, 0))),
    (value DOUBLE) AS firn_in_session_zone(timezone('UTC', firn_from_epoch(value, 0))),
    (value VARCHAR) AS firn_zoned(timezone('UTC', firn_read_instant(value)),
        coalesce(firn_read_offset(value), firn_session_offset(firn_read_instant(value))));

CREATE MACRO firn_timestamp_tz_by(value, format) AS firn_zoned(timezone('UTC', firn_timestamp_ltz_by(value, format)),
    coalesce(CAST(firn_part_by(value, format, 'offset') AS SMALLINT),
        firn_session_offset(firn_timestamp_ltz_by(value, format))));

CREATE MACRO firn_time
    (value TIME) AS value,
    (value TIMESTAMP) AS CAST(value AS TIME),
    (value TIMESTAMPTZ) AS CAST(CAST(value AS TIMESTAMP) AS TIME),
    (value FIRN_TIMESTAMP_TZ) AS CAST(firn_wall(value) AS TIME),
    (value VARCHAR) AS firn_read_time(value);

CREATE MACRO firn_truncated
    (value FIRN_TIMESTAMP_TZ, unit) AS firn_zoned(
        firn_utc(value) - to_microseconds(((epoch_us(firn_utc(value)) % unit) + unit) % unit), firn_offset(value)),
    (value, unit) AS value - to_microseconds(((epoch_us(value) % unit) + unit) % unit);

CREATE MACRO firn_fit_date
    (value BIGINT) AS value,
    (value FIRN_VARIANT) AS firn_date(CAST(value AS VARCHAR)),
    (value VARCHAR) AS firn_date(value),
    (value FIRN_TIMESTAMP_TZ) AS firn_date(value),
    (value) AS value;

CREATE MACRO firn_fit_time
    (value BIGINT) AS value,
    (value FIRN_VARIANT) AS firn_time(CAST(value AS VARCHAR)),
    (value VARCHAR) AS firn_time(value),
    (value FIRN_TIMESTAMP_TZ) AS firn_time(value),
    (value) AS value;

CREATE MACRO firn_fit_timestamp_ntz
    (value BIGINT) AS value,
    (value FIRN_VARIANT) AS firn_timestamp_ntz(value),
    (value VARCHAR) AS firn_timestamp_ntz(value),
    (value FIRN_TIMESTAMP_TZ) AS firn_timestamp_ntz(value),
    (value) AS value;

CREATE MACRO firn_order
    (value FIRN_VARIANT) AS firn_sort_key(value),
    (value FIRN_OBJECT) AS firn_sort_key(value),
    (value FIRN_ARRAY) AS firn_sort_key(value),
    (value) AS value;

CREATE MACRO firn_unless_json_null
    (value FIRN_VARIANT) AS CASE WHEN value <> firn_parse_json('null') THEN value END,
    (value) AS value;

CREATE MACRO firn_instant
    (value FIRN_TIMESTAMP_TZ) AS firn_utc(value),
    (value TIMESTAMPTZ) AS timezone('UTC', value),
    (value DATE) AS timezone('UTC', CAST(value AS TIMESTAMPTZ)),
    (value TIMESTAMP) AS timezone('UTC', CAST(value AS TIMESTAMPTZ)),
    (value VARCHAR) AS timezone('UTC', firn_read_instant(value));

CREATE MACRO firn_comparable
    (value FIRN_TIMESTAMP_TZ) AS firn_utc(value),
    (value) AS value;

CREATE MACRO firn_written_as
    (value FIRN_TIMESTAMP_TZ, format) AS firn_formatted('TIMESTAMP', CAST(firn_wall(value) AS VARCHAR)
        || CASE WHEN firn_offset(value) < 0 THEN '-' ELSE '+' END
        || format('{:02d}:{:02d}', abs(firn_offset(value)) // 60, abs(firn_offset(value)) % 60), format),
    (value, format) AS firn_formatted(typeof(value), CAST(value AS VARCHAR), format);

CREATE MACRO firn_text_by
    (value "NULL", bytes, date, clock, ntz, ltz, tz) AS CAST(value AS VARCHAR),
    (value VARCHAR, bytes, date, clock, ntz, ltz, tz) AS value,
    (value BLOB, bytes, date, clock, ntz, ltz, tz) AS firn_written_as(value, bytes),
    (value FIRN_VARIANT, bytes, date, clock, ntz, ltz, tz) AS CAST(value AS VARCHAR),
    (value FIRN_TIMESTAMP_TZ, bytes, date, clock, ntz, ltz, tz) AS
        CASE WHEN tz = 'AUTO' THEN firn_zoned_text(value) ELSE firn_written_as(value, tz) END,
    (value DATE, bytes, date, clock, ntz, ltz, tz) AS firn_written_as(value, date),
    (value TIME, bytes, date, clock, ntz, ltz, tz) AS
        CASE WHEN clock = 'AUTO' THEN firn_text(value) ELSE firn_written_as(value, clock) END,
    (value TIMESTAMP, bytes, date, clock, ntz, ltz, tz) AS firn_written_as(value, ntz),
    (value TIMESTAMPTZ, bytes, date, clock, ntz, ltz, tz) AS firn_written_as(value, ltz),
    (value, bytes, date, clock, ntz, ltz, tz) AS firn_text(value);

CREATE MACRO firn_textual_by
    (value "NULL", bytes, date, clock, ntz, ltz, tz) AS CAST(value AS VARCHAR),
    (value VARCHAR, bytes, date, clock, ntz, ltz, tz) AS value,
    (value BLOB, bytes, date, clock, ntz, ltz, tz) AS value,
    (value FIRN_VARIANT, bytes, date, clock, ntz, ltz, tz) AS CAST(value AS VARCHAR),
    (value FIRN_TIMESTAMP_TZ, bytes, date, clock, ntz, ltz, tz) AS
        CASE WHEN tz = 'AUTO' THEN firn_zoned_text(value) ELSE firn_written_as(value, tz) END,
    (value DATE, bytes, date, clock, ntz, ltz, tz) AS firn_written_as(value, date),
    (value TIME, bytes, date, clock, ntz, ltz, tz) AS
        CASE WHEN clock = 'AUTO' THEN firn_text(value) ELSE firn_written_as(value, clock) END,
    (value TIMESTAMP, bytes, date, clock, ntz, ltz, tz) AS firn_written_as(value, ntz),
    (value TIMESTAMPTZ, bytes, date, clock, ntz, ltz, tz) AS firn_written_as(value, ltz),
    (value, bytes, date, clock, ntz, ltz, tz) AS firn_text(value);

CREATE MACRO firn_type_name
    (value FIRN_TIMESTAMP_TZ) AS 'TIMESTAMP_TZ(9)[SB16]',
    (value) AS CASE
        WHEN typeof(value) LIKE 'DECIMAL(%' THEN replace(typeof(value), 'DECIMAL(', 'NUMBER(')
            || CASE WHEN CAST(regexp_extract(typeof(value), '[0-9]+') AS INTEGER) <= 2 THEN '[SB1]'
                WHEN CAST(regexp_extract(typeof(value), '[0-9]+') AS INTEGER) <= 4 THEN '[SB2]'
                WHEN CAST(regexp_extract(typeof(value), '[0-9]+') AS INTEGER) <= 9 THEN '[SB4]'
                WHEN CAST(regexp_extract(typeof(value), '[0-9]+') AS INTEGER) <= 18 THEN '[SB8]' ELSE '[SB16]' END
        WHEN typeof(value) LIKE 'FLOAT[%' THEN 'VECTOR(FLOAT, ' || regexp_extract(typeof(value), '[0-9]+') || ')[VECTOR]'
        WHEN typeof(value) LIKE 'INTEGER[%' THEN 'VECTOR(INT, ' || regexp_extract(typeof(value), '[0-9]+') || ')[VECTOR]'
        ELSE CASE typeof(value)
            WHEN 'TINYINT' THEN 'NUMBER(38,0)[SB16]'
            WHEN 'SMALLINT' THEN 'NUMBER(38,0)[SB16]'
            WHEN 'INTEGER' THEN 'NUMBER(38,0)[SB16]'
            WHEN 'INTEGER_LITERAL' THEN 'NUMBER(38,0)[SB16]'
            WHEN 'BIGINT' THEN 'NUMBER(38,0)[SB16]'
            WHEN 'UBIGINT' THEN 'NUMBER(38,0)[SB16]'
            WHEN 'HUGEINT' THEN 'NUMBER(38,0)[SB16]'
            WHEN 'DOUBLE' THEN 'FLOAT[DOUBLE]'
            WHEN 'FLOAT' THEN 'FLOAT[DOUBLE]'
            WHEN 'VARCHAR' THEN 'VARCHAR(16777216)[LOB]'
            WHEN 'BLOB' THEN 'BINARY(8388608)[LOB]'
            WHEN 'BOOLEAN' THEN 'BOOLEAN[SB1]'
            WHEN 'DATE' THEN 'DATE[SB4]'
            WHEN 'TIME' THEN 'TIME(9)[SB8]'
            WHEN 'TIMESTAMP' THEN 'TIMESTAMP_NTZ(9)[SB16]'
            WHEN 'TIMESTAMP WITH TIME ZONE' THEN 'TIMESTAMP_LTZ(9)[SB16]'
            WHEN 'FIRN_VARIANT' THEN 'VARIANT[LOB]'
            WHEN 'FIRN_GEOGRAPHY' THEN 'GEOGRAPHY[LOB]'
            WHEN 'FIRN_GEOMETRY' THEN 'GEOMETRY[LOB]'
            WHEN 'FIRN_OBJECT' THEN 'OBJECT[LOB]'
            WHEN 'FIRN_ARRAY' THEN 'ARRAY[LOB]'
            ELSE 'NULL[LOB]' END END;
