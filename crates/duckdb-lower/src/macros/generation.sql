CREATE MACRO firn_uniform
    (low BIGINT, high BIGINT, source) AS firn_uniform_integer(low, high, CAST(source AS BIGINT)),
    (low DOUBLE, high DOUBLE, source) AS
        firn_uniform_double(CAST(low AS DOUBLE), CAST(high AS DOUBLE), CAST(source AS BIGINT));

CREATE MACRO firn_normally(mean, deviation, source) AS
    firn_normal(CAST(mean AS DOUBLE), CAST(deviation AS DOUBLE), CAST(source AS BIGINT));

CREATE MACRO firn_zipfian(exponent, elements, source) AS
    firn_zipf(CAST(exponent AS DOUBLE), CAST(elements AS BIGINT), CAST(source AS BIGINT));

CREATE MACRO firn_random_text(length_wanted, source) AS
    firn_randstr(CAST(length_wanted AS BIGINT), CAST(source AS BIGINT));

CREATE MACRO firn_named_uuid(namespace, name) AS
    firn_uuid_of_digest(sha1(unhex(replace(namespace, '-', '')) || encode(name)));

CREATE MACRO firn_current_role() AS CAST(getvariable('firn_role') AS VARCHAR);

CREATE MACRO firn_current_user() AS CAST(getvariable('firn_user') AS VARCHAR);
