//! Conditional functions, comparisons and tests of types.

use super::prelude::*;

/// In alphabetical order.
pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    scalar("BOOLAND", 2, 2, &[Boolean, Boolean], Fixed(BOOLEAN)).accepts_nulls().called("firn_both"),
    scalar("BOOLNOT", 1, 1, &[Boolean], Fixed(BOOLEAN)).called("firn_neither"),
    scalar("BOOLOR", 2, 2, &[Boolean, Boolean], Fixed(BOOLEAN)).accepts_nulls().called("firn_either"),
    scalar("BOOLXOR", 2, 2, &[Boolean, Boolean], Fixed(BOOLEAN)).called("firn_one_of"),
    scalar("CHECK_JSON", 1, 1, &[], Fixed(TEXT)).called("firn_check_json"),
    scalar("CHECK_XML", 1, 2, &[], Fixed(TEXT)).called("firn_check_xml").with_names(&["STR", "DISABLE_AUTO_CONVERT"]),
    scalar("COALESCE", 2, MANY, &[], Common(0)).accepts_nulls().rewritten(),
    scalar("DECODE", 3, MANY, &[], By(Rule::Decode)).accepts_nulls(),
    scalar("EQUAL_NULL", 2, 2, &[], Fixed(BOOLEAN)).accepts_nulls().rewritten(),
    scalar("GREATEST", 1, MANY, &[], Common(0)),
    scalar("GREATEST_IGNORE_NULLS", 1, MANY, &[], Common(0)).accepts_nulls().called("greatest"),
    scalar("HASH", 1, MANY, &[], Fixed(number(19, 0))).accepts_nulls(),
    scalar("IFF", 3, 3, &[Boolean, Any, Any], Common(1)).accepts_nulls().rewritten(),
    scalar("IFNULL", 2, 2, &[], Common(0)).accepts_nulls().called("coalesce"),
    scalar("JSON_EXTRACT_PATH_TEXT", 2, 2, &[], Fixed(TEXT)),
    scalar("LEAST", 1, MANY, &[], Common(0)),
    scalar("LEAST_IGNORE_NULLS", 1, MANY, &[], Common(0)).accepts_nulls().called("least"),
    scalar("NULLIF", 2, 2, &[], Like(0)).accepts_nulls(),
    scalar("NVL", 2, 2, &[], Common(0)).accepts_nulls().called("coalesce"),
    scalar("NVL2", 3, 3, &[], Common(1)).accepts_nulls().rewritten(),
    scalar("PROMPT", 0, MANY, &[], Fixed(OBJECT)).called("firn_prompt"),
    scalar("REGR_VALX", 2, 2, &[], Like(1)).accepts_nulls().called("firn_x_of_pair"),
    scalar("REGR_VALY", 2, 2, &[], Like(0)).accepts_nulls().called("firn_y_of_pair"),
    scalar("SYSTEM$TYPEOF", 1, 1, &[], Fixed(TEXT)).accepts_nulls().called("firn_type_name"),
    scalar("SYSTEM$WAIT", 1, 2, &[], Fixed(TEXT)).volatile().called("system_wait"),
    scalar("TYPEOF", 1, 1, &[Variant], Fixed(TEXT)).called("firn_typeof"),
];
