//! Functions that differ from the engine's by name alone, or are macros of ours.

use firn_sql::Failure;
use firn_sql::ast::Expr;

use super::build::{call_name, plain_name};
use super::variant_functions;

/// The dialect's name and the engine's, in alphabetical order. A name that is not here means the same
/// in both.
const RENAMED: &[(&str, &str)] = &[
    ("ADD_MONTHS", "firn_add_calendar_months"),
    ("APPLICATION_JSON", "firn_application_json"),
    ("BASE64_DECODE_BINARY", "firn_base64_binary"),
    ("BASE64_DECODE_STRING", "firn_base64_text"),
    ("BASE64_ENCODE", "firn_base64_encode"),
    ("BITAND", "firn_bitand"),
    ("BITMAP_BIT_POSITION", "firn_bitmap_bit_position"),
    ("BITMAP_BUCKET_NUMBER", "firn_bitmap_bucket_number"),
    ("BITMAP_COUNT", "firn_bitmap_count"),
    ("BITNOT", "firn_bitnot"),
    ("BITOR", "firn_bitor"),
    ("BITSHIFTLEFT", "firn_shift_left"),
    ("BITSHIFTRIGHT", "firn_shift_right"),
    ("BITXOR", "firn_bitxor"),
    ("BIT_AND", "firn_bitand"),
    ("BIT_LENGTH", "firn_bit_length"),
    ("BIT_NOT", "firn_bitnot"),
    ("BIT_OR", "firn_bitor"),
    ("BIT_SHIFTLEFT", "firn_shift_left"),
    ("BIT_SHIFTRIGHT", "firn_shift_right"),
    ("BIT_XOR", "firn_bitxor"),
    ("BOOLAND", "firn_both"),
    ("BOOLNOT", "firn_neither"),
    ("BOOLOR", "firn_either"),
    ("BOOLXOR", "firn_one_of"),
    ("BUILD_STAGE_FILE_URL", "firn_stage_file_url"),
    ("CBRT", "firn_cbrt"),
    ("CEIL", "firn_ceil"),
    ("CEILING", "firn_ceil"),
    ("CHAR", "chr"),
    ("CHARINDEX", "firn_charindex"),
    ("COMPRESS", "firn_compress"),
    ("CONTAINS", "firn_contains"),
    ("COT", "firn_cot"),
    ("DATEFROMPARTS", "firn_date_from_parts"),
    ("DATE_FROM_PARTS", "firn_date_from_parts"),
    ("DAYOFWEEKISO", "isodow"),
    ("DECOMPRESS_BINARY", "firn_decompress"),
    ("DECOMPRESS_STRING", "firn_decompress_text"),
    ("DECRYPT", "firn_decrypt"),
    ("DECRYPT_RAW", "firn_decrypt_raw"),
    ("DIV0", "firn_div0"),
    ("DIV0NULL", "firn_div0null"),
    ("EDITDISTANCE", "firn_edit_distance"),
    ("EMAIL_INTEGRATION_CONFIG", "firn_email_integration_config"),
    ("ENCRYPT", "firn_encrypt"),
    ("ENCRYPT_RAW", "firn_encrypt_raw"),
    ("ENDSWITH", "firn_ends"),
    ("FLOOR", "firn_floor"),
    ("GET", "firn_element"),
    ("GETBIT", "firn_bit"),
    ("GET_ABSOLUTE_PATH", "firn_absolute_path"),
    ("GET_RELATIVE_PATH", "firn_relative_path"),
    ("GET_STAGE_LOCATION", "firn_stage_location"),
    ("GREATEST_IGNORE_NULLS", "greatest"),
    ("HAVERSINE", "firn_haversine"),
    ("HEX_DECODE_BINARY", "unhex"),
    ("HEX_DECODE_STRING", "firn_hex_text"),
    ("HEX_ENCODE", "firn_hex_encode"),
    ("HLL_ESTIMATE", "firn_hll_estimate"),
    ("IFNULL", "coalesce"),
    ("INITCAP", "firn_initcap"),
    ("INSERT", "firn_insert"),
    ("INTEGRATION", "firn_integration"),
    ("JAROWINKLER_SIMILARITY", "firn_jarowinkler"),
    ("LEAST_IGNORE_NULLS", "least"),
    ("LEFT", "firn_left"),
    ("LEN", "firn_length"),
    ("LENGTH", "firn_length"),
    ("LPAD", "firn_lpad"),
    ("MD5_BINARY", "firn_md5_binary"),
    ("MD5_HEX", "md5"),
    ("MD5_NUMBER", "firn_md5_number"),
    ("MD5_NUMBER_LOWER64", "firn_md5_lower"),
    ("MD5_NUMBER_UPPER64", "firn_md5_upper"),
    ("MOD", "firn_modulo"),
    ("MONTHS_BETWEEN", "firn_months_apart"),
    ("NEXT_DAY", "firn_next_day"),
    ("NORMAL", "firn_normally"),
    ("NVL", "coalesce"),
    ("OCTET_LENGTH", "firn_octet_length"),
    ("PARSE_IP", "firn_ip"),
    ("PARSE_URL", "firn_url"),
    ("POSITION", "firn_charindex"),
    ("PREVIOUS_DAY", "firn_previous_day"),
    ("PROMPT", "firn_prompt"),
    ("RANDSTR", "firn_random_text"),
    ("REGEXP", "firn_matches"),
    ("REGEXP_COUNT", "firn_pattern_count"),
    ("REGEXP_INSTR", "firn_pattern_place"),
    ("REGEXP_LIKE", "firn_matches"),
    ("REGEXP_REPLACE", "firn_pattern_replace"),
    ("REGEXP_SUBSTR", "firn_pattern_text"),
    ("REGEXP_SUBSTR_ALL", "firn_pattern_texts"),
    ("REGR_VALX", "firn_x_of_pair"),
    ("REGR_VALY", "firn_y_of_pair"),
    ("REPLACE", "firn_replace"),
    ("REVERSE", "firn_reverse"),
    ("RIGHT", "firn_right"),
    ("RLIKE", "firn_matches"),
    ("RPAD", "firn_rpad"),
    ("RTRIMMED_LENGTH", "firn_rtrimmed_length"),
    ("SANITIZE_WEBHOOK_CONTENT", "firn_sanitize_webhook_content"),
    ("SHA1_BINARY", "firn_sha1_binary"),
    ("SHA1_HEX", "sha1"),
    ("SHA2", "firn_sha2_hex"),
    ("SHA2_BINARY", "firn_sha2_binary"),
    ("SHA2_HEX", "firn_sha2_hex"),
    ("SOUNDEX", "firn_soundex"),
    ("SOUNDEX_P123", "firn_soundex_p123"),
    ("SPACE", "firn_space"),
    ("SPLIT", "firn_split"),
    ("SPLIT_PART", "firn_split_part"),
    ("SQUARE", "firn_square"),
    ("STARTSWITH", "firn_starts"),
    ("STRTOK", "firn_token"),
    ("STRTOK_TO_ARRAY", "firn_tokens"),
    ("SUBSTR", "firn_substr"),
    ("SUBSTRING", "firn_substr"),
    ("SYSTEM$TYPEOF", "firn_type_name"),
    ("SYSTEM$WAIT", "system_wait"),
    ("TEXT_HTML", "firn_text_html"),
    ("TEXT_PLAIN", "firn_text_plain"),
    ("TIMEFROMPARTS", "firn_time_from_parts"),
    ("TIMESTAMPFROMPARTS", "firn_timestamp_from_parts"),
    ("TIMESTAMP_FROM_PARTS", "firn_timestamp_from_parts"),
    ("TIMESTAMP_LTZ_FROM_PARTS", "firn_timestamp_ltz_from_parts"),
    ("TIMESTAMP_NTZ_FROM_PARTS", "firn_timestamp_from_parts"),
    ("TIMESTAMP_TZ_FROM_PARTS", "firn_timestamp_tz_from_parts"),
    ("TIME_FROM_PARTS", "firn_time_from_parts"),
    ("TRUNCATE", "trunc"),
    ("TRY_DECRYPT", "firn_try_decrypt"),
    ("TRY_DECRYPT_RAW", "firn_try_decrypt_raw"),
    ("UNICODE", "firn_unicode"),
    ("UNIFORM", "firn_uniform"),
    ("WEEK", "weekofyear"),
    ("WEEKISO", "weekofyear"),
    ("WEEKOFYEAR", "weekofyear"),
    ("WIDTH_BUCKET", "firn_width_bucket"),
    ("YEAROFWEEK", "isoyear"),
    ("YEAROFWEEKISO", "isoyear"),
    ("ZIPF", "firn_zipfian"),
    ("__FIRST", "arg_min_null"),
    ("__LAST", "arg_max_null"),
];

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::Function(function) = expr else { return Ok(()) };
    let Some(name) = call_name(function) else { return Ok(()) };
    if let Ok(place) = RENAMED.binary_search_by_key(&name.as_str(), |(dialect_name, _)| dialect_name) {
        function.name = plain_name(RENAMED[place].1);
    } else if let Some(engine_name) = variant_functions::engine_name(&name) {
        function.name = plain_name(&engine_name);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::RENAMED;
    use crate::duckdb::dialect::testing::check;

    #[test]
    fn names_are_the_engine_s() {
        assert!(RENAMED.is_sorted());
        check("SELECT NVL(a, b)", "SELECT coalesce(a, b)");
        check("SELECT LEN(a)", "SELECT firn_length(firn_textual(a))");
        check("SELECT UPPER(a)", "SELECT UPPER(firn_textual(a))");
    }
}
