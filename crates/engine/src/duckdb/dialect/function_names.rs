//! Functions that differ from the engine's by name alone, or are macros of ours.

use firn_sql::Failure;
use firn_sql::ast::Expr;

use super::build::{call_name, plain_name};
use super::variant_functions;

/// The dialect's name and the engine's, in alphabetical order. A name that is not here means the same
/// in both.
const RENAMED: &[(&str, &str)] = &[
    ("ADD_MONTHS", "firn_add_calendar_months"),
    ("BASE64_ENCODE", "firn_base64_encode"),
    ("BOOLAND_AGG", "firn_boolean_and"),
    ("BOOLOR_AGG", "firn_boolean_or"),
    ("CBRT", "firn_cbrt"),
    ("CEIL", "firn_ceil"),
    ("CEILING", "firn_ceil"),
    ("CHARINDEX", "firn_charindex"),
    ("COUNT_IF", "firn_count_if"),
    ("DATE_FROM_PARTS", "firn_date_from_parts"),
    ("DIV0", "firn_div0"),
    ("ENDSWITH", "ends_with"),
    ("FLOOR", "firn_floor"),
    ("GET", "firn_element"),
    ("HEX_DECODE_BINARY", "unhex"),
    ("HEX_ENCODE", "hex"),
    ("IFNULL", "coalesce"),
    ("INITCAP", "firn_initcap"),
    ("LEFT", "firn_left"),
    ("LEN", "firn_length"),
    ("LENGTH", "firn_length"),
    ("LPAD", "firn_lpad"),
    ("MAX_BY", "max_by"),
    ("MEDIAN", "firn_median"),
    ("MIN_BY", "min_by"),
    ("MOD", "firn_modulo"),
    ("MONTHS_BETWEEN", "firn_months_between"),
    ("NVL", "coalesce"),
    ("POSITION", "firn_charindex"),
    ("REPLACE", "firn_replace"),
    ("RIGHT", "firn_right"),
    ("RPAD", "firn_rpad"),
    ("SPLIT_PART", "firn_split_part"),
    ("SQUARE", "firn_square"),
    ("STARTSWITH", "starts_with"),
    ("SUBSTR", "firn_substr"),
    ("SUBSTRING", "firn_substr"),
    ("SYSTEM$WAIT", "system_wait"),
    ("TRUNCATE", "trunc"),
    ("WEEK", "weekofyear"),
    ("WEEKISO", "weekofyear"),
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
        check("SELECT LEN(a)", "SELECT firn_length(a)");
        check("SELECT UPPER(a)", "SELECT UPPER(a)");
    }
}
