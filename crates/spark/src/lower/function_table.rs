//! Functions of the dialect that are one expression of Spark's SQL: the name, the fewest and the most arguments, and the
//! expression. `{0}` is the first argument as the dialect coerces it, `{*}` all of them, `{d}` DISTINCT.

const MANY: usize = usize::MAX;

pub(super) fn template(name: &str, arguments: usize) -> Option<&'static str> {
    let fits = |row: &&Template| row.0 == name && (row.1..=row.2).contains(&arguments);
    TEMPLATES.iter().find(fits).map(|row| row.3)
}

type Template = (&'static str, usize, usize, &'static str);

/// By family, in alphabetical order.
const TEMPLATES: &[Template] = &[
    // Aggregates.
    ("ANY_VALUE", 1, 1, "any_value({0})"),
    ("APPROX_COUNT_DISTINCT", 1, 1, "approx_count_distinct({0})"),
    ("BITAND_AGG", 1, 1, "bit_and({0})"),
    ("BITOR_AGG", 1, 1, "bit_or({0})"),
    ("BITXOR_AGG", 1, 1, "bit_xor({0})"),
    ("BOOLAND_AGG", 1, 1, "bool_and({0})"),
    ("BOOLOR_AGG", 1, 1, "bool_or({0})"),
    ("CORR", 2, 2, "corr({0}, {1})"),
    ("COUNT_IF", 1, 1, "count_if({0})"),
    ("COVAR_POP", 2, 2, "covar_pop({0}, {1})"),
    ("COVAR_SAMP", 2, 2, "covar_samp({0}, {1})"),
    ("CUME_DIST", 0, 0, "cume_dist()"),
    ("DENSE_RANK", 0, 0, "dense_rank()"),
    ("FIRST_VALUE", 1, 1, "first_value({0})"),
    ("GROUPING", 1, 1, "grouping({0})"),
    ("GROUPING_ID", 1, MANY, "grouping_id({*})"),
    ("KURTOSIS", 1, 1, "kurtosis({0})"),
    ("LAG", 1, 1, "lag({0})"),
    ("LAST_VALUE", 1, 1, "last_value({0})"),
    ("LEAD", 1, 1, "lead({0})"),
    ("LISTAGG", 1, 1, "listagg({d}{0})"),
    ("LISTAGG", 2, 2, "listagg({d}{0}, {1})"),
    ("MAX", 1, 1, "max({0})"),
    ("MAX_BY", 2, 2, "max_by({0}, {1})"),
    ("MEDIAN", 1, 1, "median({0})"),
    ("MIN", 1, 1, "min({0})"),
    ("MIN_BY", 2, 2, "min_by({0}, {1})"),
    ("MODE", 1, 1, "mode({0})"),
    ("PERCENTILE_CONT", 1, 1, "percentile_cont({0})"),
    ("PERCENTILE_DISC", 1, 1, "percentile_disc({0})"),
    ("PERCENT_RANK", 0, 0, "percent_rank()"),
    ("RANK", 0, 0, "rank()"),
    ("REGR_AVGX", 2, 2, "regr_avgx({0}, {1})"),
    ("REGR_AVGY", 2, 2, "regr_avgy({0}, {1})"),
    ("REGR_COUNT", 2, 2, "regr_count({0}, {1})"),
    ("REGR_INTERCEPT", 2, 2, "regr_intercept({0}, {1})"),
    ("REGR_R2", 2, 2, "regr_r2({0}, {1})"),
    ("REGR_SLOPE", 2, 2, "regr_slope({0}, {1})"),
    ("REGR_SXX", 2, 2, "regr_sxx({0}, {1})"),
    ("REGR_SXY", 2, 2, "regr_sxy({0}, {1})"),
    ("REGR_SYY", 2, 2, "regr_syy({0}, {1})"),
    ("ROW_NUMBER", 0, 0, "row_number()"),
    ("STDDEV", 1, 1, "stddev_samp({d}{0})"),
    ("STDDEV_POP", 1, 1, "stddev_pop({d}{0})"),
    ("STDDEV_SAMP", 1, 1, "stddev_samp({d}{0})"),
    ("SUM", 1, 1, "sum({d}{0})"),
    ("VARIANCE", 1, 1, "var_samp({d}{0})"),
    ("VARIANCE_POP", 1, 1, "var_pop({d}{0})"),
    ("VARIANCE_SAMP", 1, 1, "var_samp({d}{0})"),
    ("VAR_POP", 1, 1, "var_pop({d}{0})"),
    ("VAR_SAMP", 1, 1, "var_samp({d}{0})"),
    // Conditions.
    ("BOOLAND", 2, 2, "(CAST({0} AS BOOLEAN) AND CAST({1} AS BOOLEAN))"),
    ("BOOLNOT", 1, 1, "(NOT CAST({0} AS BOOLEAN))"),
    ("BOOLOR", 2, 2, "(CAST({0} AS BOOLEAN) OR CAST({1} AS BOOLEAN))"),
    ("BOOLXOR", 2, 2, "(CAST({0} AS BOOLEAN) <> CAST({1} AS BOOLEAN))"),
    ("EQUAL_NULL", 2, 2, "({0} <=> {1})"),
    ("NULLIF", 2, 2, "nullif({0}, {1})"),
    ("NULLIFZERO", 1, 1, "nullif({0}, 0)"),
    ("ZEROIFNULL", 1, 1, "coalesce({0}, 0)"),
    // Dates and times.
    ("ADD_MONTHS", 2, 2, "add_months({0}, {1})"),
    ("CURRENT_DATE", 0, 0, "current_date()"),
    ("CURRENT_TIMESTAMP", 0, 0, "current_timestamp()"),
    ("DAY", 1, 1, "day({0})"),
    ("DAYNAME", 1, 1, "date_format({0}, 'EEE')"),
    ("DAYOFMONTH", 1, 1, "day({0})"),
    ("DAYOFYEAR", 1, 1, "dayofyear({0})"),
    ("DAYOFWEEKISO", 1, 1, "(weekday({0}) + 1)"),
    ("GETDATE", 0, 0, "current_timestamp()"),
    ("HOUR", 1, 1, "hour({0})"),
    ("MINUTE", 1, 1, "minute({0})"),
    ("MONTH", 1, 1, "month({0})"),
    ("MONTHNAME", 1, 1, "date_format({0}, 'MMM')"),
    ("QUARTER", 1, 1, "quarter({0})"),
    ("SECOND", 1, 1, "second({0})"),
    ("SYSTIMESTAMP", 0, 0, "current_timestamp()"),
    ("WEEKISO", 1, 1, "weekofyear({0})"),
    ("YEAR", 1, 1, "year({0})"),
    ("YEAROFWEEKISO", 1, 1, "extract(YEAROFWEEK FROM {0})"),
    // Numbers.
    ("ABS", 1, 1, "abs({0})"),
    ("ACOS", 1, 1, "acos({0})"),
    ("ACOSH", 1, 1, "acosh({0})"),
    ("ASIN", 1, 1, "asin({0})"),
    ("ASINH", 1, 1, "asinh({0})"),
    ("ATAN", 1, 1, "atan({0})"),
    ("ATAN2", 2, 2, "atan2({0}, {1})"),
    ("ATANH", 1, 1, "atanh({0})"),
    ("CBRT", 1, 1, "cbrt({0})"),
    ("CEIL", 1, 1, "ceil({0})"),
    ("CEILING", 1, 1, "ceil({0})"),
    ("COS", 1, 1, "cos({0})"),
    ("COSH", 1, 1, "cosh({0})"),
    ("COT", 1, 1, "cot({0})"),
    ("DEGREES", 1, 1, "degrees({0})"),
    ("EXP", 1, 1, "exp({0})"),
    ("FLOOR", 1, 1, "floor({0})"),
    ("LN", 1, 1, "ln({0})"),
    ("LOG", 2, 2, "log({0}, {1})"),
    ("PI", 0, 0, "pi()"),
    ("POW", 2, 2, "power({0}, {1})"),
    ("POWER", 2, 2, "power({0}, {1})"),
    ("RADIANS", 1, 1, "radians({0})"),
    ("ROUND", 1, 1, "round({0}, 0)"),
    ("ROUND", 2, 2, "round({0}, {1})"),
    ("SIGN", 1, 1, "CAST(sign({0}) AS INT)"),
    ("SIN", 1, 1, "sin({0})"),
    ("SINH", 1, 1, "sinh({0})"),
    ("SQRT", 1, 1, "sqrt({0})"),
    ("SQUARE", 1, 1, "power({0}, 2)"),
    ("TAN", 1, 1, "tan({0})"),
    ("TANH", 1, 1, "tanh({0})"),
    // Texts.
    ("ASCII", 1, 1, "ascii({0})"),
    ("BASE64_ENCODE", 1, 1, "base64({0})"),
    ("BIT_LENGTH", 1, 1, "bit_length({0})"),
    ("CHAR", 1, 1, "char({0})"),
    ("CHARINDEX", 2, 2, "locate({0}, {1})"),
    ("CHARINDEX", 3, 3, "locate({0}, {1}, {2})"),
    ("CHR", 1, 1, "char({0})"),
    ("CONCAT", 1, MANY, "concat({*})"),
    ("CONTAINS", 2, 2, "contains({0}, {1})"),
    ("EDITDISTANCE", 2, 2, "levenshtein({0}, {1})"),
    ("ENDSWITH", 2, 2, "endswith({0}, {1})"),
    ("HEX_ENCODE", 1, 1, "hex({0})"),
    ("INSERT", 4, 4, "overlay({0} PLACING {3} FROM {1} FOR {2})"),
    ("LEFT", 2, 2, "left({0}, {1})"),
    ("LEN", 1, 1, "length({0})"),
    ("LENGTH", 1, 1, "length({0})"),
    ("LOWER", 1, 1, "lower({0})"),
    ("LPAD", 2, 3, "lpad({*})"),
    ("LTRIM", 1, 1, "ltrim({0})"),
    ("LTRIM", 2, 2, "ltrim({1}, {0})"),
    ("MD5", 1, 1, "md5({0})"),
    ("MD5_HEX", 1, 1, "md5({0})"),
    ("OCTET_LENGTH", 1, 1, "octet_length({0})"),
    ("POSITION", 2, 2, "locate({0}, {1})"),
    ("POSITION", 3, 3, "locate({0}, {1}, {2})"),
    ("REPEAT", 2, 2, "repeat({0}, {1})"),
    ("REPLACE", 2, 2, "replace({0}, {1}, '')"),
    ("REPLACE", 3, 3, "replace({0}, {1}, {2})"),
    ("REVERSE", 1, 1, "reverse({0})"),
    ("RIGHT", 2, 2, "right({0}, {1})"),
    ("RPAD", 2, 3, "rpad({*})"),
    ("RTRIM", 1, 1, "rtrim({0})"),
    ("RTRIM", 2, 2, "rtrim({1}, {0})"),
    ("SHA1", 1, 1, "sha1({0})"),
    ("SHA1_HEX", 1, 1, "sha1({0})"),
    ("SHA2", 1, 1, "sha2({0}, 256)"),
    ("SHA2", 2, 2, "sha2({0}, {1})"),
    ("SHA2_HEX", 1, 1, "sha2({0}, 256)"),
    ("SHA2_HEX", 2, 2, "sha2({0}, {1})"),
    ("SOUNDEX", 1, 1, "soundex({0})"),
    ("SPACE", 1, 1, "repeat(' ', {0})"),
    ("STARTSWITH", 2, 2, "startswith({0}, {1})"),
    ("SUBSTR", 2, 2, "substring({0}, {1})"),
    ("SUBSTR", 3, 3, "substring({0}, {1}, {2})"),
    ("SUBSTRING", 2, 2, "substring({0}, {1})"),
    ("SUBSTRING", 3, 3, "substring({0}, {1}, {2})"),
    ("TRANSLATE", 3, 3, "translate({0}, {1}, {2})"),
    ("TRIM", 1, 1, "trim({0})"),
    ("TRIM", 2, 2, "trim(BOTH {1} FROM {0})"),
    ("UNICODE", 1, 1, "ascii({0})"),
    ("UPPER", 1, 1, "upper({0})"),
    // Semi-structured values.
    ("PARSE_JSON", 1, 1, "parse_json({0})"),
    ("TRY_PARSE_JSON", 1, 1, "try_parse_json({0})"),
];

#[cfg(test)]
mod tests {
    use firn_sql::functions::find;

    use super::*;

    #[test]
    fn every_name_is_the_dialects_and_no_row_is_hidden() {
        for (place, (name, least, most, expression)) in TEMPLATES.iter().enumerate() {
            let entry = find(name);
            assert!(entry.is_some_and(|entry| entry.name == *name), "{name} is not in the function table");
            let hidden =
                TEMPLATES[..place].iter().any(|before| before.0 == *name && before.1 <= *least && before.2 >= *most);
            assert!(!hidden, "{name} has two rows");
            let most_named = (0..9).filter(|argument| expression.contains(&format!("{{{argument}}}"))).max();
            assert!(
                most_named.is_none_or(|argument| argument < *most),
                "{name} has fewer arguments than its expression"
            );
        }
    }
}
