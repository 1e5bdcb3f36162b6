"""What DuckDB needs to run the SQL that the analyst generates, which is written for firn."""

import re

MACROS = [
    "iff(condition, yes, no) AS CASE WHEN condition THEN yes ELSE no END",
    "div0(a, b) AS CASE WHEN b = 0 THEN 0 ELSE a / b END",
    "div0null(a, b) AS CASE WHEN b = 0 OR b IS NULL THEN 0 ELSE a / b END",
    "zeroifnull(a) AS COALESCE(a, 0)",
    "nullifzero(a) AS NULLIF(a, 0)",
    "nvl(a, b) AS COALESCE(a, b)",
    "nvl2(a, b, c) AS CASE WHEN a IS NOT NULL THEN b ELSE c END",
    "equal_null(a, b) AS a IS NOT DISTINCT FROM b",
    "to_varchar(a) AS CAST(a AS VARCHAR)",
    "to_number(a) AS CAST(a AS DECIMAL(38, 0))",
    "to_double(a) AS CAST(a AS DOUBLE)",
    "to_date(a) AS CAST(a AS DATE)",
    "try_to_date(a) AS TRY_CAST(a AS DATE)",
    "try_to_timestamp(a) AS TRY_CAST(a AS TIMESTAMP)",
    "try_to_number(a) AS TRY_CAST(a AS DOUBLE)",
    "try_to_double(a) AS TRY_CAST(a AS DOUBLE)",
    "startswith(a, b) AS starts_with(a, b)",
    "endswith(a, b) AS ends_with(a, b)",
    "charindex(a, b) AS instr(b, a)",
    "square(a) AS a * a",
    "yearofweek(a) AS isoyear(a)",
    "months_between(a, b) AS datediff('day', CAST(b AS DATE), CAST(a AS DATE)) / 31.0",
    "dateadd(unit, amount, day) AS CASE lower(unit) WHEN 'year' THEN day + to_years(CAST(amount AS INTEGER)) "
    "WHEN 'quarter' THEN day + to_months(3 * CAST(amount AS INTEGER)) "
    "WHEN 'month' THEN day + to_months(CAST(amount AS INTEGER)) "
    "WHEN 'week' THEN day + to_days(7 * CAST(amount AS INTEGER)) WHEN 'day' THEN day + to_days(CAST(amount AS INTEGER)) "
    "WHEN 'hour' THEN day + to_hours(CAST(amount AS BIGINT)) WHEN 'minute' THEN day + to_minutes(CAST(amount AS BIGINT)) "
    "WHEN 'second' THEN day + to_seconds(CAST(amount AS DOUBLE)) END",
]
# Units stand bare in these; in DuckDB they are strings.
UNIT_FUNCTIONS = "DATEADD|DATEDIFF|TIMESTAMPADD|TIMESTAMPDIFF|DATE_TRUNC|DATE_PART"
BARE_UNIT = re.compile(rf"\b({UNIT_FUNCTIONS})\s*\(\s*([A-Za-z]+)\s*,", re.IGNORECASE)
TODAY = re.compile(r"\b(CURRENT_DATE|CURRENT_TIMESTAMP)\s*\(\s*\)", re.IGNORECASE)
TIMESTAMP_FUNCTIONS = {"TIMESTAMPADD": "DATEADD", "TIMESTAMPDIFF": "DATEDIFF"}


def for_duckdb(sql):
    sql = BARE_UNIT.sub(quote_unit, sql)
    return TODAY.sub(r"\1", sql).replace("TIMESTAMP_NTZ", "TIMESTAMP")


def quote_unit(found):
    function = found[1].upper()
    return f"{TIMESTAMP_FUNCTIONS.get(function, function)}('{found[2]}',"
