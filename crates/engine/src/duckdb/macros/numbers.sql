CREATE MACRO firn_divide(dividend, divisor) AS
    CASE WHEN divisor = 0 THEN error('firn:100051:Division by zero') ELSE dividend / divisor END;

CREATE MACRO firn_modulo(dividend, divisor) AS
    CASE WHEN divisor = 0 THEN error('firn:100051:Division by zero') ELSE dividend % divisor END;
CREATE MACRO firn_random() AS CAST(CAST(hash(random()) AS HUGEINT) - 9223372036854775808 AS BIGINT);

CREATE MACRO firn_div0(dividend, divisor) AS
    CASE WHEN divisor = 0 THEN 0 ELSE dividend / divisor END;

CREATE MACRO firn_ceil
    (value) AS ceil(value),
    (value, scale) AS ceil(value * power(10, scale)) / power(10, scale);

CREATE MACRO firn_floor
    (value) AS floor(value),
    (value, scale) AS floor(value * power(10, scale)) / power(10, scale);

CREATE MACRO firn_square(value) AS CAST(value AS DOUBLE) * CAST(value AS DOUBLE);

CREATE MACRO firn_median(value) AS median(CAST(value AS DOUBLE));

CREATE MACRO firn_count_if(condition) AS CAST(count_if(condition) AS BIGINT);

CREATE MACRO firn_boolean_and(value) AS bool_and(CAST(value AS BOOLEAN));

CREATE MACRO firn_boolean_or(value) AS bool_or(CAST(value AS BOOLEAN));

CREATE MACRO firn_cbrt(value) AS
    CASE WHEN power(round(cbrt(value)), 3) = value THEN round(cbrt(value)) ELSE cbrt(value) END;
