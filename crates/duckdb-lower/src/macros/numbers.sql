CREATE MACRO firn_divide
    (dividend BIGINT, divisor BIGINT) AS
        firn_quotient_0_0(CAST(dividend AS DECIMAL(38,0)), CAST(divisor AS DECIMAL(38,0))),
    (dividend HUGEINT, divisor HUGEINT) AS
        firn_quotient_0_0(CAST(dividend AS DECIMAL(38,0)), CAST(divisor AS DECIMAL(38,0))),
    (dividend, divisor) AS
        CASE WHEN divisor = 0 AND dividend IS NOT NULL THEN CAST(firn_raised('firn:100051:Division by zero') AS DOUBLE)
            ELSE dividend / divisor END;

CREATE MACRO firn_modulo(dividend, divisor) AS
    CASE WHEN divisor = 0 AND dividend IS NOT NULL
        THEN list_extract([divisor], CAST(firn_raised('firn:100051:Division by zero') AS BIGINT))
        ELSE dividend % divisor END;
CREATE MACRO firn_random() AS CAST(CAST(hash(random()) AS HUGEINT) - 9223372036854775808 AS BIGINT);

CREATE MACRO firn_div0(dividend, divisor) AS
    CASE WHEN divisor = 0 AND dividend IS NOT NULL THEN 0 ELSE dividend / nullif(divisor, 0) END;

CREATE MACRO firn_div0null(dividend, divisor) AS
    CASE WHEN coalesce(divisor, 0) = 0 AND dividend IS NOT NULL THEN 0 ELSE dividend / nullif(divisor, 0) END;

CREATE MACRO firn_width_bucket(value, low, high, count) AS CASE
    WHEN count <= 0 OR low >= high THEN CAST(firn_raised('firn:100048:Invalid range or count for WIDTH_BUCKET') AS BIGINT)
    WHEN value < low THEN 0
    WHEN value >= high THEN CAST(count AS BIGINT) + 1
    ELSE CAST(floor((value - low) * count / (high - low)) AS BIGINT) + 1 END;

CREATE MACRO firn_haversine(latitude, longitude, other_latitude, other_longitude) AS 2 * 6371 * asin(sqrt(
    power(sin(radians(other_latitude - latitude) / 2), 2) + cos(radians(latitude)) * cos(radians(other_latitude))
        * power(sin(radians(other_longitude - longitude) / 2), 2)));

CREATE MACRO firn_is_nonzero(value) AS CASE WHEN typeof(value) IN ('BOOLEAN', 'VARCHAR')
    THEN CAST(CAST(value AS VARCHAR) AS BOOLEAN) ELSE round(TRY_CAST(CAST(value AS VARCHAR) AS DOUBLE)) <> 0 END;

CREATE MACRO firn_both(first, second) AS firn_is_nonzero(first) AND firn_is_nonzero(second);

CREATE MACRO firn_either(first, second) AS firn_is_nonzero(first) OR firn_is_nonzero(second);

CREATE MACRO firn_one_of(first, second) AS firn_is_nonzero(first) <> firn_is_nonzero(second);

CREATE MACRO firn_neither(value) AS NOT firn_is_nonzero(value);

CREATE MACRO firn_x_of_pair(y, x) AS CASE WHEN y IS NULL THEN NULL ELSE x END;

CREATE MACRO firn_y_of_pair(y, x) AS CASE WHEN x IS NULL THEN NULL ELSE y END;

CREATE MACRO firn_round_any(value, scale) AS round(CAST(value AS DOUBLE), CAST(scale AS INTEGER));

CREATE MACRO firn_trunc_any(value, scale) AS trunc(CAST(value AS DOUBLE), CAST(scale AS INTEGER));

CREATE MACRO firn_cot(value) AS CASE WHEN value = 0 THEN CAST('inf' AS DOUBLE) ELSE cot(value) END;

CREATE MACRO firn_ceil
    (value BIGINT) AS value,
    (value HUGEINT) AS value,
    (value) AS ceil(value),
    (value, scale) AS ceil(value * power(10, scale)) / power(10, scale);

CREATE MACRO firn_floor
    (value BIGINT) AS value,
    (value HUGEINT) AS value,
    (value) AS floor(value),
    (value, scale) AS floor(value * power(10, scale)) / power(10, scale);

CREATE MACRO firn_square(value) AS CAST(value AS DOUBLE) * CAST(value AS DOUBLE);

CREATE MACRO firn_cbrt(value) AS
    CASE WHEN power(round(cbrt(value)), 3) = value THEN round(cbrt(value)) ELSE cbrt(value) END;

CREATE MACRO firn_top_of(counts, wanted) AS firn_to_array(firn_parse_json(CAST(to_json(list_transform(
    list_slice(list_sort(list_transform(map_entries(counts), lambda entry: struct_pack(n := -entry.value, v := entry.key))),
        1, CAST(wanted AS BIGINT)),
    lambda entry: json_array(entry.v, -entry.n))) AS VARCHAR)));
