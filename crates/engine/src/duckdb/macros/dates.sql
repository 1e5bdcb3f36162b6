CREATE MACRO firn_add_days(value DATE, amount, factor) AS value + CAST(CAST(round(amount) AS BIGINT) * factor AS INTEGER),
    (value TIMESTAMP, amount, factor) AS value + to_days(CAST(CAST(round(amount) AS BIGINT) * factor AS INTEGER)),
    (value TIMESTAMPTZ, amount, factor) AS value + to_days(CAST(CAST(round(amount) AS BIGINT) * factor AS INTEGER)),
    (value VARCHAR, amount, factor) AS CAST(value AS TIMESTAMP) + to_days(CAST(CAST(round(amount) AS BIGINT) * factor AS INTEGER));
