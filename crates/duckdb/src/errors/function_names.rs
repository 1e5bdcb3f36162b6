//! What the dialect calls a function of the engine, or one of ours, that a failure names.

use firn_sql::functions::{EngineCall, FunctionEntry, all, find_in_any_case};

/// What macros and passes call besides the functions of the function table.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("!~~", "NOT LIKE"),
    ("!~~*", "NOT ILIKE"),
    ("add_days", "DATEADD"),
    ("add_microseconds", "DATEADD"),
    ("add_months", "DATEADD"),
    ("approx_quantile", "APPROX_PERCENTILE"),
    ("as_float", "TO_DOUBLE"),
    ("as_number", "TO_NUMBER"),
    ("base64_decode", "BASE64_DECODE_BINARY"),
    ("base64_encode_bytes", "BASE64_ENCODE"),
    ("binary", "TO_BINARY"),
    ("binary_within", "TO_BINARY"),
    ("bitmap_combined", "BITMAP_OR_AGG"),
    ("boolean", "TO_BOOLEAN"),
    ("capitals", "UPPER"),
    ("compress_bytes", "COMPRESS"),
    ("date", "TO_DATE"),
    ("date_by", "TO_DATE"),
    ("date_diff", "DATEDIFF"),
    ("days", "DATEDIFF"),
    ("decrypt_bytes", "DECRYPT"),
    ("decrypt_with_key", "DECRYPT_RAW"),
    ("distinct_count", "APPROX_COUNT_DISTINCT"),
    ("divide", "/"),
    ("encrypt_bytes", "ENCRYPT"),
    ("encrypt_with_key", "ENCRYPT_RAW"),
    ("fit_date", "TO_DATE"),
    ("fit_time", "TO_TIME"),
    ("fit_timestamp_ntz", "TO_TIMESTAMP_NTZ"),
    ("formatted", "TO_VARCHAR"),
    ("ilike_escape", "ILIKE"),
    ("integer", "TO_NUMBER"),
    ("like_escape", "LIKE"),
    ("months", "DATEDIFF"),
    ("numeric", "TO_NUMBER"),
    ("padded_left", "LPAD"),
    ("padded_right", "RPAD"),
    ("product", "*"),
    ("quantile_cont", "PERCENTILE_CONT"),
    ("quantile_disc", "PERCENTILE_DISC"),
    ("quotient", "/"),
    ("read_binary", "TO_BINARY"),
    ("regexp_full_match", "RLIKE"),
    ("repeated", "REPEAT"),
    ("replaced", "REPLACE"),
    ("slice_microseconds", "TIME_SLICE"),
    ("slice_months", "TIME_SLICE"),
    ("st_collected", "ST_COLLECT"),
    ("st_intersected", "ST_INTERSECTION_AGG"),
    ("st_united", "ST_UNION_AGG"),
    ("string_agg", "LISTAGG"),
    ("string_split", "SPLIT_TO_TABLE"),
    ("string_split_regex", "STRTOK_SPLIT_TO_TABLE"),
    ("strlen", "UPPER"),
    ("text", "TO_VARCHAR"),
    ("text_within", "TO_VARCHAR"),
    ("textual", "TO_VARCHAR"),
    ("time", "TO_TIME"),
    ("time_by", "TO_TIME"),
    ("timestamp_ltz", "TO_TIMESTAMP_LTZ"),
    ("timestamp_ltz_by", "TO_TIMESTAMP_LTZ"),
    ("timestamp_ntz", "TO_TIMESTAMP_NTZ"),
    ("timestamp_ntz_by", "TO_TIMESTAMP_NTZ"),
    ("timestamp_tz", "TO_TIMESTAMP_TZ"),
    ("timestamp_tz_by", "TO_TIMESTAMP_TZ"),
    ("timezone", "CONVERT_TIMEZONE"),
    ("truth", "TO_BOOLEAN"),
    ("try_decrypt_bytes", "TRY_DECRYPT"),
    ("try_decrypt_with_key", "TRY_DECRYPT_RAW"),
    ("unless_json_null", "COUNT"),
    ("whole_microseconds", "DATEADD"),
    ("written_as", "TO_VARCHAR"),
    ("~~", "LIKE"),
    ("~~*", "ILIKE"),
];

pub(super) struct DialectFunction {
    pub(super) name: String,
    /// Whether its arguments are those that were written.
    pub(super) is_called_as_written: bool,
}

pub(super) fn dialect_function(name: &str) -> DialectFunction {
    let bare = name.trim_matches('"').trim_start_matches("firn_").to_ascii_lowercase();
    match OTHER_NAMES.binary_search_by_key(&bare.as_str(), |(engine, _)| engine) {
        Ok(place) => DialectFunction {
            name: OTHER_NAMES[place].1.to_owned(),
            is_called_as_written: !bare.starts_with(|first: char| first.is_ascii_alphabetic()),
        },
        Err(_) => match renamed(name, &bare) {
            Some(entry) => DialectFunction { name: entry.name.to_owned(), is_called_as_written: false },
            None => DialectFunction { name: bare.to_uppercase(), is_called_as_written: true },
        },
    }
}

/// The first function of the dialect that the engine calls by this name, if that is not its own.
fn renamed(engine_name: &str, bare: &str) -> Option<&'static FunctionEntry> {
    if find_in_any_case(bare).is_some() {
        return None;
    }
    let engine_name = engine_name.trim_matches('"').to_ascii_lowercase();
    all().find(|entry| matches!(entry.engine_call, EngineCall::Named(known) if known == engine_name))
}

#[cfg(test)]
mod tests {
    use super::{OTHER_NAMES, dialect_function};

    #[test]
    fn functions_have_the_dialect_s_names() {
        assert!(OTHER_NAMES.is_sorted());
        assert_eq!(dialect_function("firn_integer").name, "TO_NUMBER");
        assert_eq!(dialect_function("firn_lpad").name, "LPAD");
        assert_eq!(dialect_function("firn_shift_left").name, "BITSHIFTLEFT");
        assert_eq!(dialect_function("isodow").name, "DAYOFWEEKISO");
        assert_eq!(dialect_function("~~").name, "LIKE");
    }
}
