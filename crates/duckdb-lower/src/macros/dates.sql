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
    (part, value TIME) AS CASE WHEN part IN ('year', 'quarter', 'month', 'week', 'day')
        THEN CAST(firn_raised('firn:001007:SQL compilation error:' || chr(10) || 'DATE_TRUNC of a TIME to the ' || part) AS TIME)
        ELSE CAST(date_trunc(part, DATE '1970-01-01' + value) AS TIME) END,
    (part, value VARCHAR) AS date_trunc(part, firn_read_timestamp(value));

CREATE MACRO firn_last_day(part, value) AS CAST(
    CASE part
        WHEN 'week' THEN date_trunc('week', CAST(value AS TIMESTAMP)) + INTERVAL 6 DAY
        WHEN 'quarter' THEN date_trunc('quarter', CAST(value AS TIMESTAMP)) + INTERVAL 3 MONTH - INTERVAL 1 DAY
        WHEN 'year' THEN date_trunc('year', CAST(value AS TIMESTAMP)) + INTERVAL 1 YEAR - INTERVAL 1 DAY
        ELSE date_trunc('month', CAST(value AS TIMESTAMP)) + INTERVAL 1 MONTH - INTERVAL 1 DAY
    END AS DATE);

CREATE MACRO firn_whole_microseconds(nanoseconds) AS CASE WHEN CAST(round(nanoseconds) AS BIGINT) % 1000 = 0
    THEN CAST(round(nanoseconds) AS BIGINT) // 1000
    WHEN nanoseconds IS NOT NULL THEN CAST(firn_raised('firn:000002:Unsupported feature ''DATEADD of nanoseconds '
        || 'that are no whole microseconds; add microseconds''.') AS BIGINT) END;

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

CREATE MACRO firn_months_apart(later, earlier) AS CAST(firn_months_between(later, earlier) AS DECIMAL(38,6));

CREATE MACRO firn_weekday(name) AS CASE lower(left(trim(name), 2))
    WHEN 'mo' THEN 1 WHEN 'tu' THEN 2 WHEN 'we' THEN 3 WHEN 'th' THEN 4 WHEN 'fr' THEN 5 WHEN 'sa' THEN 6 WHEN 'su' THEN 7
    ELSE CAST(firn_raised('firn:100048:Invalid day of the week ''' || name || '''') AS INTEGER) END;

CREATE MACRO firn_next_day(value, name) AS
    CAST(CAST(firn_wall(value) AS DATE)
        + CAST((firn_weekday(name) - isodow(CAST(firn_wall(value) AS DATE)) + 6) % 7 + 1 AS INTEGER) AS DATE);

CREATE MACRO firn_previous_day(value, name) AS
    CAST(CAST(firn_wall(value) AS DATE)
        - CAST((isodow(CAST(firn_wall(value) AS DATE)) - firn_weekday(name) + 6) % 7 + 1 AS INTEGER) AS DATE);

CREATE MACRO firn_time_of_day(hours, minutes, seconds, nanoseconds) AS to_microseconds(
    CAST(hours AS BIGINT) * 3600000000 + CAST(minutes AS BIGINT) * 60000000 + CAST(seconds AS BIGINT) * 1000000
        + firn_floor_divide(CAST(nanoseconds AS BIGINT), 1000));

CREATE MACRO firn_time_from_parts
    (hours, minutes, seconds) AS CAST(TIMESTAMP '1970-01-01' + firn_time_of_day(hours, minutes, seconds, 0) AS TIME),
    (hours, minutes, seconds, nanoseconds) AS
        CAST(TIMESTAMP '1970-01-01' + firn_time_of_day(hours, minutes, seconds, nanoseconds) AS TIME);

CREATE MACRO firn_timestamp_from_parts
    (day, clock) AS CAST(day AS DATE) + CAST(clock AS TIME),
    (years, months, days, hours, minutes, seconds) AS CAST(firn_date_from_parts(years, months, days) AS TIMESTAMP)
        + firn_time_of_day(hours, minutes, seconds, 0),
    (years, months, days, hours, minutes, seconds, nanoseconds) AS
        CAST(firn_date_from_parts(years, months, days) AS TIMESTAMP)
            + firn_time_of_day(hours, minutes, seconds, nanoseconds);

CREATE MACRO firn_timestamp_ltz_from_parts
    (years, months, days, hours, minutes, seconds) AS
        CAST(firn_timestamp_from_parts(years, months, days, hours, minutes, seconds) AS TIMESTAMPTZ),
    (years, months, days, hours, minutes, seconds, nanoseconds) AS
        CAST(firn_timestamp_from_parts(years, months, days, hours, minutes, seconds, nanoseconds) AS TIMESTAMPTZ);

CREATE MACRO firn_slice_start(count, length, bound) AS
    (firn_floor_divide(CAST(count AS BIGINT), CAST(length AS BIGINT)) + bound) * CAST(length AS BIGINT);

CREATE MACRO firn_slice_months
    (value DATE, length, bound) AS CAST(DATE '1970-01-01' + to_months(CAST(firn_slice_start(
        (year(value) - 1970) * 12 + month(value) - 1, length, bound) AS INTEGER)) AS DATE),
    (value TIMESTAMP, length, bound) AS TIMESTAMP '1970-01-01' + to_months(CAST(firn_slice_start(
        (year(value) - 1970) * 12 + month(value) - 1, length, bound) AS INTEGER)),
    (value VARCHAR, length, bound) AS TIMESTAMP '1970-01-01' + to_months(CAST(firn_slice_start(
        (year(firn_read_timestamp(value)) - 1970) * 12 + month(firn_read_timestamp(value)) - 1, length, bound) AS INTEGER));

CREATE MACRO firn_slice_microseconds
    (value DATE, length, bound, base) AS CASE WHEN length % 86400000000 = 0
        THEN CAST(make_timestamp(CAST(firn_slice_start(
            epoch_us(CAST(value AS TIMESTAMP)) - base, length, bound) + base AS BIGINT)) AS DATE)
        ELSE CAST(firn_raised('firn:001007:SQL compilation error:' || chr(10)
            || 'TIME_SLICE of a DATE into slices that are shorter than a day') AS DATE) END,
    (value TIMESTAMP, length, bound, base) AS
        make_timestamp(CAST(firn_slice_start(epoch_us(value) - base, length, bound) + base AS BIGINT)),
    (value VARCHAR, length, bound, base) AS make_timestamp(CAST(firn_slice_start(
        epoch_us(firn_read_timestamp(value)) - base, length, bound) + base AS BIGINT));

CREATE MACRO firn_in_zone(source, target, value) AS timezone(target, timezone(source, CAST(value AS TIMESTAMP)));

CREATE MACRO firn_with_offset_of(zone, instant) AS firn_zoned(timezone('UTC', instant),
    CAST(date_diff('minute', timezone('UTC', instant), timezone(zone, instant)) AS SMALLINT));

CREATE MACRO firn_convert_timezone
    (zone, value TIMESTAMPTZ) AS firn_with_offset_of(zone, value),
    (zone, value TIMESTAMP) AS firn_with_offset_of(zone, CAST(value AS TIMESTAMPTZ)),
    (zone, value DATE) AS firn_with_offset_of(zone, CAST(value AS TIMESTAMPTZ)),
    (zone, value VARCHAR) AS firn_with_offset_of(zone, firn_read_instant(value)),
    (zone, value FIRN_TIMESTAMP_TZ) AS firn_with_offset_of(zone, firn_moment(value));

CREATE MACRO firn_timestamp_tz_from_parts
    (years, months, days, hours, minutes, seconds) AS
        firn_in_session_zone(firn_timestamp_ltz_from_parts(years, months, days, hours, minutes, seconds)),
    (years, months, days, hours, minutes, seconds, nanoseconds) AS
        firn_in_session_zone(firn_timestamp_ltz_from_parts(years, months, days, hours, minutes, seconds, nanoseconds)),
    (years, months, days, hours, minutes, seconds, nanoseconds, zone) AS firn_with_offset_of(zone,
        timezone(zone, firn_timestamp_from_parts(years, months, days, hours, minutes, seconds, nanoseconds)));

CREATE MACRO firn_timezone_hour
    (value FIRN_TIMESTAMP_TZ) AS CAST(trunc(firn_offset(value) / 60) AS BIGINT),
    (value TIMESTAMPTZ) AS CAST(trunc(firn_session_offset(value) / 60) AS BIGINT);

CREATE MACRO firn_timezone_minute
    (value FIRN_TIMESTAMP_TZ) AS CAST(firn_offset(value) % 60 AS BIGINT),
    (value TIMESTAMPTZ) AS CAST(firn_session_offset(value) % 60 AS BIGINT);

CREATE MACRO firn_days_into_week(value, start) AS CAST((isodow(value) - start + 7) % 7 AS INTEGER);

CREATE MACRO firn_week_floor
    (value DATE, start) AS value - firn_days_into_week(value, start),
    (value TIMESTAMP, start) AS date_trunc('day', value) - to_days(firn_days_into_week(value, start)),
    (value TIMESTAMPTZ, start) AS date_trunc('day', value) - to_days(firn_days_into_week(value, start)),
    (value VARCHAR, start) AS date_trunc('day', firn_read_timestamp(value))
        - to_days(firn_days_into_week(firn_read_timestamp(value), start));

CREATE MACRO firn_week_end(value, start) AS
    CAST(value AS DATE) - firn_days_into_week(CAST(value AS DATE), start) + 6;

CREATE MACRO firn_day_of_week(value, start) AS firn_days_into_week(CAST(value AS DATE), start) + 1;

CREATE MACRO firn_middle_of_week(value, start) AS
    CAST(value AS DATE) - firn_days_into_week(CAST(value AS DATE), start) + 3;

CREATE MACRO firn_week_of_four_days(value, start) AS (dayofyear(firn_middle_of_week(value, start)) - 1) // 7 + 1;

CREATE MACRO firn_year_of_four_days(value, start) AS year(firn_middle_of_week(value, start));

CREATE MACRO firn_week_of_january(value, start) AS (dayofyear(CAST(value AS DATE)) - 1
    + firn_days_into_week(CAST(date_trunc('year', CAST(value AS DATE)) AS DATE), start)) // 7 + 1;

CREATE MACRO firn_whole_weeks(days) AS days // 7;
