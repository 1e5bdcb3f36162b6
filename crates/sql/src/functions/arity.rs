//! How many arguments a function takes, for those that are no aggregates and take a fixed number of them.

use crate::Failure;
use crate::ast::{Function, FunctionArguments, ObjectNamePart};

/// Name, fewest and most arguments; in alphabetical order.
const ARITIES: &[(&str, usize, usize)] = &[
    ("ABS", 1, 1),
    ("ACOS", 1, 1),
    ("ACOSH", 1, 1),
    ("ARRAYS_OVERLAP", 2, 2),
    ("ARRAYS_TO_OBJECT", 2, 2),
    ("ARRAY_APPEND", 2, 2),
    ("ARRAY_CAT", 2, 2),
    ("ARRAY_COMPACT", 1, 1),
    ("ARRAY_CONTAINS", 2, 2),
    ("ARRAY_DISTINCT", 1, 1),
    ("ARRAY_EXCEPT", 2, 2),
    ("ARRAY_FLATTEN", 1, 1),
    ("ARRAY_GENERATE_RANGE", 2, 3),
    ("ARRAY_INSERT", 3, 3),
    ("ARRAY_INTERSECTION", 2, 2),
    ("ARRAY_MAX", 1, 1),
    ("ARRAY_MIN", 1, 1),
    ("ARRAY_POSITION", 2, 2),
    ("ARRAY_PREPEND", 2, 2),
    ("ARRAY_REMOVE", 2, 2),
    ("ARRAY_REMOVE_AT", 2, 2),
    ("ARRAY_REVERSE", 1, 1),
    ("ARRAY_SIZE", 1, 1),
    ("ARRAY_SLICE", 3, 3),
    ("ARRAY_SORT", 1, 3),
    ("ARRAY_TO_STRING", 2, 2),
    ("ASCII", 1, 1),
    ("ASIN", 1, 1),
    ("ASINH", 1, 1),
    ("ATAN", 1, 1),
    ("ATAN2", 2, 2),
    ("ATANH", 1, 1),
    ("BASE64_DECODE_BINARY", 1, 2),
    ("BASE64_DECODE_STRING", 1, 2),
    ("BASE64_ENCODE", 1, 3),
    ("BITAND", 2, 3),
    ("BITNOT", 1, 1),
    ("BITOR", 2, 3),
    ("BITSHIFTLEFT", 2, 2),
    ("BITSHIFTRIGHT", 2, 2),
    ("BITXOR", 2, 3),
    ("BIT_LENGTH", 1, 1),
    ("BOOLAND", 2, 2),
    ("BOOLNOT", 1, 1),
    ("BOOLOR", 2, 2),
    ("BOOLXOR", 2, 2),
    ("CBRT", 1, 1),
    ("CEIL", 1, 2),
    ("CHAR", 1, 1),
    ("CHARINDEX", 2, 3),
    ("CHECK_JSON", 1, 1),
    ("CHR", 1, 1),
    ("COMPRESS", 2, 2),
    ("CONTAINS", 2, 2),
    ("COS", 1, 1),
    ("COSH", 1, 1),
    ("COT", 1, 1),
    ("DEGREES", 1, 1),
    ("DIV0", 2, 2),
    ("DIV0NULL", 2, 2),
    ("EDITDISTANCE", 2, 3),
    ("ENDSWITH", 2, 2),
    ("EQUAL_NULL", 2, 2),
    ("EXP", 1, 1),
    ("FACTORIAL", 1, 1),
    ("FLOOR", 1, 2),
    ("GET", 2, 2),
    ("GETBIT", 2, 2),
    ("GET_IGNORE_CASE", 2, 2),
    ("GET_PATH", 2, 2),
    ("HAVERSINE", 4, 4),
    ("HEX_DECODE_BINARY", 1, 1),
    ("HEX_DECODE_STRING", 1, 1),
    ("HEX_ENCODE", 1, 2),
    ("IFF", 3, 3),
    ("IFNULL", 2, 2),
    ("INITCAP", 1, 2),
    ("INSERT", 4, 4),
    ("JAROWINKLER_SIMILARITY", 2, 2),
    ("LEFT", 2, 2),
    ("LEN", 1, 1),
    ("LENGTH", 1, 1),
    ("LN", 1, 1),
    ("LOG", 2, 2),
    ("LOWER", 1, 1),
    ("LPAD", 2, 3),
    ("LTRIM", 1, 2),
    ("MD5", 1, 1),
    ("MOD", 2, 2),
    ("NULLIF", 2, 2),
    ("NULLIFZERO", 1, 1),
    ("NVL", 2, 2),
    ("NVL2", 3, 3),
    ("OBJECT_INSERT", 3, 4),
    ("OBJECT_KEYS", 1, 1),
    ("OCTET_LENGTH", 1, 1),
    ("PARSE_IP", 2, 3),
    ("PARSE_JSON", 1, 2),
    ("PARSE_URL", 1, 2),
    ("PI", 0, 0),
    ("POSITION", 2, 3),
    ("POW", 2, 2),
    ("POWER", 2, 2),
    ("RADIANS", 1, 1),
    ("REGEXP_COUNT", 2, 4),
    ("REGEXP_INSTR", 2, 7),
    ("REGEXP_LIKE", 2, 3),
    ("REGEXP_REPLACE", 2, 6),
    ("REGEXP_SUBSTR", 2, 6),
    ("REGEXP_SUBSTR_ALL", 2, 6),
    ("REPEAT", 2, 2),
    ("REPLACE", 2, 3),
    ("REVERSE", 1, 1),
    ("RIGHT", 2, 2),
    ("ROUND", 1, 3),
    ("RPAD", 2, 3),
    ("RTRIM", 1, 2),
    ("RTRIMMED_LENGTH", 1, 1),
    ("SHA1", 1, 1),
    ("SHA2", 1, 2),
    ("SIGN", 1, 1),
    ("SIN", 1, 1),
    ("SINH", 1, 1),
    ("SOUNDEX", 1, 1),
    ("SPACE", 1, 1),
    ("SPLIT", 2, 2),
    ("SPLIT_PART", 3, 3),
    ("SQRT", 1, 1),
    ("SQUARE", 1, 1),
    ("STARTSWITH", 2, 2),
    ("STRIP_NULL_VALUE", 1, 1),
    ("STRTOK", 1, 3),
    ("STRTOK_TO_ARRAY", 1, 2),
    ("SUBSTR", 2, 3),
    ("SUBSTRING", 2, 3),
    ("TAN", 1, 1),
    ("TANH", 1, 1),
    ("TO_ARRAY", 1, 1),
    ("TO_BOOLEAN", 1, 1),
    ("TO_JSON", 1, 1),
    ("TO_OBJECT", 1, 1),
    ("TO_VARIANT", 1, 1),
    ("TRANSLATE", 3, 3),
    ("TRIM", 1, 2),
    ("TYPEOF", 1, 1),
    ("UNICODE", 1, 1),
    ("UPPER", 1, 1),
    ("WIDTH_BUCKET", 4, 4),
    ("XMLGET", 2, 3),
    ("ZEROIFNULL", 1, 1),
];

/// Refuses a call with too few or too many arguments.
pub(super) fn check(name: &str, function: &Function) -> Result<(), Failure> {
    let Ok(found) = ARITIES.binary_search_by(|(known, ..)| (*known).cmp(name)) else { return Ok(()) };
    let (_, fewest, most) = ARITIES[found];
    let FunctionArguments::List(list) = &function.args else { return Ok(()) };
    let given = list.args.len();
    let (code, message) = if given < fewest {
        ("000938", format!("not enough arguments for function [{function}], expected {fewest}, got {given}"))
    } else if given > most {
        ("000939", format!("too many arguments for function [{function}] expected {most}, got {given}"))
    } else {
        return Ok(());
    };
    Err(Failure::new(code, "22023", format!("SQL compilation error:{}\n{message}", place(function))))
}

/// Where the call is written, if it is.
fn place(function: &Function) -> String {
    let start = match function.name.0.first() {
        Some(ObjectNamePart::Identifier(name)) => name.span.start,
        _ => return String::new(),
    };
    match start.column.checked_sub(1) {
        Some(position) if start.line > 0 => format!(" error line {} at position {position}", start.line),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::ARITIES;
    use crate::functions::check_functions;
    use crate::testing::parse;

    #[test]
    fn the_table_is_sorted() {
        assert!(ARITIES.is_sorted_by(|(left, ..), (right, ..)| left < right));
    }

    #[test]
    fn calls_have_as_many_arguments_as_they_take() {
        for (text, expected) in [
            (
                "select upper()",
                "SQL compilation error: error line 1 at position 7\nnot enough arguments for function [UPPER()], expected 1, got 0",
            ),
            (
                "select iff(true, 1)",
                "SQL compilation error: error line 1 at position 7\nnot enough arguments for function [IFF(true, 1)], expected 3, got 2",
            ),
            (
                "select 1, upper('a', 'b')",
                "SQL compilation error: error line 1 at position 10\ntoo many arguments for function [UPPER('a', 'b')] expected 1, got 2",
            ),
        ] {
            let told = parse(text).and_then(|statement| check_functions(&statement)).err();
            assert_eq!(told.map(|failure| failure.message).as_deref(), Some(expected), "{text}");
        }
    }
}
