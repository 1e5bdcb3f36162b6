//! What the dialect calls a function of the engine, or one of ours, that a failure names.

/// Where the names differ by more than the prefix of ours.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("!~~", "NOT LIKE"),
    ("!~~*", "NOT ILIKE"),
    ("add_calendar_months", "DATEADD"),
    ("add_days", "DATEADD"),
    ("add_microseconds", "DATEADD"),
    ("as_float", "TO_DOUBLE"),
    ("as_number", "TO_NUMBER"),
    ("binary", "TO_BINARY"),
    ("binary_within", "TO_BINARY"),
    ("boolean", "TO_BOOLEAN"),
    ("date", "TO_DATE"),
    ("date_by", "TO_DATE"),
    ("date_diff", "DATEDIFF"),
    ("days", "DATEDIFF"),
    ("divide", "/"),
    ("fit_date", "TO_DATE"),
    ("fit_time", "TO_TIME"),
    ("fit_timestamp_ntz", "TO_TIMESTAMP_NTZ"),
    ("formatted", "TO_VARCHAR"),
    ("integer", "TO_NUMBER"),
    ("modulo", "MOD"),
    ("months", "DATEDIFF"),
    ("numeric", "TO_NUMBER"),
    ("slice_microseconds", "TIME_SLICE"),
    ("slice_months", "TIME_SLICE"),
    ("string_agg", "LISTAGG"),
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
    ("variant", "TO_VARIANT"),
    ("written_as", "TO_VARCHAR"),
    ("~~", "LIKE"),
    ("~~*", "ILIKE"),
];

pub(super) fn dialect_function(name: &str) -> String {
    let bare = name.trim_matches('"').trim_start_matches("firn_").to_ascii_lowercase();
    match OTHER_NAMES.binary_search_by_key(&bare.as_str(), |(engine, _)| engine) {
        Ok(place) => OTHER_NAMES[place].1.to_owned(),
        Err(_) => bare.to_uppercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::{OTHER_NAMES, dialect_function};

    #[test]
    fn functions_have_the_dialect_s_names() {
        assert!(OTHER_NAMES.is_sorted());
        assert_eq!(dialect_function("firn_integer"), "TO_NUMBER");
        assert_eq!(dialect_function("firn_lpad"), "LPAD");
        assert_eq!(dialect_function("~~"), "LIKE");
    }
}
