CREATE MACRO firn_days(amount, factor) AS to_days(CAST(CAST(round(amount) AS BIGINT) * factor AS INTEGER));

CREATE MACRO firn_months(amount, factor) AS to_months(CAST(CAST(round(amount) AS BIGINT) * factor AS INTEGER));

CREATE MACRO firn_microseconds(amount, factor) AS to_microseconds(CAST(round(amount) AS BIGINT) * factor);

CREATE MACRO firn_from_wall(wall, offset_minutes) AS firn_zoned(wall - to_minutes(offset_minutes), offset_minutes);

CREATE MACRO firn_add_days
    (value DATE, amount, factor) AS value + CAST(CAST(round(amount) AS BIGINT) * factor AS INTEGER),
    (value TIMESTAMP, amount, factor) AS value + firn_days(amount, factor),
    (value TIMESTAMPTZ, amount, factor) AS value + firn_days(amount, factor),
    (value FIRN_TIMESTAMP_TZ, amount, factor) AS
        firn_zoned(firn_utc(value) + firn_days(amount, factor), firn_offset(value)),
    (value VARCHAR, amount, factor) AS firn_read_timestamp(value) + firn_days(amount, factor);

CREATE MACRO firn_add_months
    (value DATE, amount, factor) AS CAST(value + firn_months(amount, factor) AS DATE),
    (value TIMESTAMP, amount, factor) AS value + firn_months(amount, factor),
    (value TIMESTAMPTZ, amount, factor) AS value + firn_months(amount, factor),
    (value FIRN_TIMESTAMP_TZ, amount, factor) AS
        firn_from_wall(firn_wall(value) + firn_months(amount, factor), firn_offset(value)),
    (value VARCHAR, amount, factor) AS firn_read_timestamp(value) + firn_months(amount, factor);

CREATE MACRO firn_add_microseconds
    (value DATE, amount, factor) AS CAST(value AS TIMESTAMP) + firn_microseconds(amount, factor),
    (value TIMESTAMP, amount, factor) AS value + firn_microseconds(amount, factor),
    (value TIMESTAMPTZ, amount, factor) AS value + firn_microseconds(amount, factor),
    (value TIME, amount, factor) AS value + firn_microseconds(amount, factor),
    (value FIRN_TIMESTAMP_TZ, amount, factor) AS
        firn_zoned(firn_utc(value) + firn_microseconds(amount, factor), firn_offset(value)),
    (value VARCHAR, amount, factor) AS firn_read_timestamp(value) + firn_microseconds(amount, factor);

CREATE MACRO firn_add_calendar_months
    (value DATE, amount) AS CASE
        WHEN value = last_day(value) THEN last_day(CAST(value + firn_months(amount, 1) AS DATE))
        ELSE CAST(value + firn_months(amount, 1) AS DATE) END,
    (value TIMESTAMP, amount) AS CASE
        WHEN CAST(value AS DATE) = last_day(value)
        THEN last_day(value + firn_months(amount, 1)) + CAST(value AS TIME)
        ELSE value + firn_months(amount, 1) END,
    (value FIRN_TIMESTAMP_TZ, amount) AS firn_from_wall(CASE
        WHEN CAST(firn_wall(value) AS DATE) = last_day(firn_wall(value))
        THEN last_day(firn_wall(value) + firn_months(amount, 1)) + CAST(firn_wall(value) AS TIME)
        ELSE firn_wall(value) + firn_months(amount, 1) END, firn_offset(value)),
    (value VARCHAR, amount) AS CASE
        WHEN CAST(firn_read_timestamp(value) AS DATE) = last_day(firn_read_timestamp(value))
        THEN last_day(firn_read_timestamp(value) + firn_months(amount, 1)) + CAST(firn_read_timestamp(value) AS TIME)
        ELSE firn_read_timestamp(value) + firn_months(amount, 1) END;

CREATE MACRO firn_weeks_between(earlier, later) AS
    date_diff('day', date_trunc('week', CAST(earlier AS TIMESTAMP)), date_trunc('week', CAST(later AS TIMESTAMP))) // 7;

CREATE MACRO firn_date_trunc
    (part, value DATE) AS CAST(date_trunc(part, value) AS DATE),
    (part, value TIMESTAMP) AS date_trunc(part, value),
    (part, value TIMESTAMPTZ) AS date_trunc(part, value),
    (part, value FIRN_TIMESTAMP_TZ) AS firn_from_wall(date_trunc(part, firn_wall(value)), firn_offset(value)),
    (part, value VARCHAR) AS date_trunc(part, firn_read_timestamp(value));

CREATE MACRO firn_last_day(part, value) AS CAST(
    CASE part
        WHEN 'week' THEN date_trunc('week', CAST(value AS TIMESTAMP)) + INTERVAL 6 DAY
        WHEN 'quarter' THEN date_trunc('quarter', CAST(value AS TIMESTAMP)) + INTERVAL 3 MONTH - INTERVAL 1 DAY
        WHEN 'year' THEN date_trunc('year', CAST(value AS TIMESTAMP)) + INTERVAL 1 YEAR - INTERVAL 1 DAY
        ELSE date_trunc('month', CAST(value AS TIMESTAMP)) + INTERVAL 1 MONTH - INTERVAL 1 DAY
    END AS DATE);

CREATE MACRO firn_floor_divide(amount, unit) AS (amount - ((amount % unit) + unit) % unit) // unit;

CREATE MACRO firn_epoch
    (value DATE, unit) AS firn_floor_divide(epoch_us(CAST(value AS TIMESTAMP)), unit),
    (value TIMESTAMP, unit) AS firn_floor_divide(epoch_us(value), unit),
    (value TIMESTAMPTZ, unit) AS firn_floor_divide(epoch_us(value), unit),
    (value FIRN_TIMESTAMP_TZ, unit) AS firn_floor_divide(epoch_us(firn_utc(value)), unit),
    (value VARCHAR, unit) AS firn_floor_divide(epoch_us(firn_read_timestamp(value)), unit);

CREATE MACRO firn_nanosecond(value) AS (microsecond(value) % 1000000) * 1000;

CREATE MACRO firn_date_from_parts(years, months, days) AS CAST(
    make_date(CAST(years AS BIGINT), 1, 1) + to_months(CAST(months AS INTEGER) - 1) + to_days(CAST(days AS INTEGER) - 1)
    AS DATE);

CREATE MACRO firn_months_between(later, earlier) AS round(CASE
    WHEN day(CAST(later AS TIMESTAMP)) = day(CAST(earlier AS TIMESTAMP))
        OR (CAST(later AS DATE) = last_day(CAST(later AS DATE)) AND CAST(earlier AS DATE) = last_day(CAST(earlier AS DATE)))
    THEN CAST(date_diff('month', CAST(earlier AS TIMESTAMP), CAST(later AS TIMESTAMP)) AS DOUBLE)
    ELSE date_diff('month', CAST(earlier AS TIMESTAMP), CAST(later AS TIMESTAMP))
        + (day(CAST(later AS TIMESTAMP)) - day(CAST(earlier AS TIMESTAMP))
            + (epoch(CAST(CAST(later AS TIMESTAMP) AS TIME)) - epoch(CAST(CAST(earlier AS TIMESTAMP) AS TIME))) / 86400) / 31
    END, 6);

CREATE MACRO firn_in_zone(source, target, value) AS timezone(target, timezone(source, CAST(value AS TIMESTAMP)));

CREATE MACRO firn_with_offset_of(zone, instant) AS firn_zoned(timezone('UTC', instant),
    CAST(date_diff('minute', timezone('UTC', instant), timezone(zone, instant)) AS SMALLINT));

CREATE MACRO firn_convert_timezone
    (zone, value TIMESTAMPTZ) AS firn_with_offset_of(zone, value),
    (zone, value TIMESTAMP) AS firn_with_offset_of(zone, CAST(value AS TIMESTAMPTZ)),
    (zone, value DATE) AS firn_with_offset_of(zone, CAST(value AS TIMESTAMPTZ)),
    (zone, value VARCHAR) AS firn_with_offset_of(zone, firn_read_instant(value)),
    (zone, value FIRN_TIMESTAMP_TZ) AS firn_with_offset_of(zone, firn_moment(value));
