//! What the dialect's functions answer, for those whose answer has one kind or that of an argument.

use firn_sql::ast::Function;

use super::build::call_name;
use super::instants::INSTANT;
use super::kinds::{Kind, Kinds};
use super::variant_functions;
use crate::computed_types::arguments;

/// In alphabetical order.
const ANSWERS: &[(&str, Kind)] = &[
    ("APPROX_COUNT_DISTINCT", Kind::Exact),
    ("ARRAY_CONTAINS", Kind::Boolean),
    ("ARRAY_SIZE", Kind::Exact),
    ("ARRAY_TO_STRING", Kind::Text),
    ("ASCII", Kind::Exact),
    ("BASE64_ENCODE", Kind::Text),
    ("CHARINDEX", Kind::Exact),
    ("CHR", Kind::Text),
    ("CONTAINS", Kind::Boolean),
    ("COUNT", Kind::Exact),
    ("COUNT_IF", Kind::Exact),
    ("CURRENT_DATE", Kind::Date),
    ("CURRENT_TIME", Kind::Time),
    ("CURRENT_TIMESTAMP", Kind::TimestampLtz),
    ("DATE", Kind::Date),
    ("DATEDIFF", Kind::Exact),
    ("DATE_FROM_PARTS", Kind::Date),
    ("DATE_PART", Kind::Exact),
    ("DAY", Kind::Exact),
    ("DAYNAME", Kind::Text),
    ("DAYOFMONTH", Kind::Exact),
    ("DAYOFWEEK", Kind::Exact),
    ("DAYOFYEAR", Kind::Exact),
    ("DENSE_RANK", Kind::Exact),
    ("ENDSWITH", Kind::Boolean),
    ("EQUAL_NULL", Kind::Boolean),
    ("EXP", Kind::Float),
    ("GETDATE", Kind::TimestampLtz),
    ("HASH", Kind::Exact),
    ("HEX_ENCODE", Kind::Text),
    ("HLL", Kind::Exact),
    ("HOUR", Kind::Exact),
    ("INITCAP", Kind::Text),
    ("LAST_DAY", Kind::Date),
    ("LEN", Kind::Exact),
    ("LENGTH", Kind::Exact),
    ("LISTAGG", Kind::Text),
    ("LN", Kind::Float),
    ("LOCALTIMESTAMP", Kind::TimestampLtz),
    ("LOG", Kind::Float),
    ("LOWER", Kind::Text),
    ("LTRIM", Kind::Text),
    ("MD5", Kind::Text),
    ("MINUTE", Kind::Exact),
    ("MONTH", Kind::Exact),
    ("MONTHNAME", Kind::Text),
    ("NEXT_DAY", Kind::Date),
    ("NTILE", Kind::Exact),
    ("PI", Kind::Float),
    ("POSITION", Kind::Exact),
    ("POW", Kind::Float),
    ("POWER", Kind::Float),
    ("PREVIOUS_DAY", Kind::Date),
    ("QUARTER", Kind::Exact),
    ("RANK", Kind::Exact),
    ("REGEXP_COUNT", Kind::Exact),
    ("REGEXP_INSTR", Kind::Exact),
    ("REGEXP_LIKE", Kind::Boolean),
    ("REGEXP_REPLACE", Kind::Text),
    ("REGEXP_SUBSTR", Kind::Text),
    ("REPLACE", Kind::Text),
    ("ROW_NUMBER", Kind::Exact),
    ("RTRIM", Kind::Text),
    ("SECOND", Kind::Exact),
    ("SEQ1", Kind::Exact),
    ("SEQ2", Kind::Exact),
    ("SEQ4", Kind::Exact),
    ("SEQ8", Kind::Exact),
    ("SHA1", Kind::Text),
    ("SHA2", Kind::Text),
    ("SIGN", Kind::Exact),
    ("SPACE", Kind::Text),
    ("SPLIT_PART", Kind::Text),
    ("SQRT", Kind::Float),
    ("STARTSWITH", Kind::Boolean),
    ("STDDEV", Kind::Float),
    ("STRTOK", Kind::Text),
    ("SYSDATE", Kind::TimestampNtz),
    ("SYSTIMESTAMP", Kind::TimestampLtz),
    ("TIME", Kind::Time),
    ("TO_BINARY", Kind::Binary),
    ("TO_BOOLEAN", Kind::Boolean),
    ("TO_CHAR", Kind::Text),
    ("TO_DATE", Kind::Date),
    ("TO_DECIMAL", Kind::Exact),
    ("TO_DOUBLE", Kind::Float),
    ("TO_JSON", Kind::Text),
    ("TO_NUMBER", Kind::Exact),
    ("TO_NUMERIC", Kind::Exact),
    ("TO_TIME", Kind::Time),
    ("TO_TIMESTAMP", Kind::TimestampNtz),
    ("TO_TIMESTAMP_LTZ", Kind::TimestampLtz),
    ("TO_TIMESTAMP_NTZ", Kind::TimestampNtz),
    ("TO_TIMESTAMP_TZ", Kind::TimestampTz),
    ("TO_VARCHAR", Kind::Text),
    ("TRANSLATE", Kind::Text),
    ("TRIM", Kind::Text),
    ("TYPEOF", Kind::Text),
    ("UNICODE", Kind::Exact),
    ("UPPER", Kind::Text),
    ("UUID_STRING", Kind::Text),
    ("WEEK", Kind::Exact),
    ("YEAR", Kind::Exact),
];

const LIKE_THEIR_FIRST: &[&str] = &[
    "ANY_VALUE",
    "COLLATE",
    "FIRST_VALUE",
    "LAG",
    "LAST_VALUE",
    "LEAD",
    "MAX",
    "MIN",
    "MODE",
    "NTH_VALUE",
    "NULLIF",
    "NULLIFZERO",
    "ZEROIFNULL",
];

pub(super) fn kind(kinds: &Kinds, function: &Function) -> Option<Kind> {
    let name = call_name(function)?;
    let name = name.strip_prefix("TRY_").unwrap_or(name);
    if let Ok(found) = ANSWERS.binary_search_by(|(known, _)| (*known).cmp(name)) {
        return Some(ANSWERS[found].1);
    }
    let arguments = arguments(function)?;
    match name {
        // What is compared with an instant is compared as one.
        INSTANT => Some(Kind::TimestampTz),
        _ if LIKE_THEIR_FIRST.contains(&name) => kinds.kind(arguments.first()?),
        "ABS" | "CEIL" | "CEILING" | "FLOOR" | "ROUND" | "MOD" => match kinds.kind(arguments.first()?)? {
            Kind::Text => Some(Kind::Exact),
            Kind::SemiStructured => Some(Kind::Float),
            kind => Some(kind),
        },
        "SUM" | "AVG" => match kinds.kind(arguments.first()?)? {
            Kind::Exact => Some(Kind::Exact),
            _ => Some(Kind::Float),
        },
        "COALESCE" | "NVL" | "IFNULL" | "GREATEST" | "LEAST" => kinds.common(arguments.into_iter()),
        "IFF" | "NVL2" => kinds.common(arguments.into_iter().skip(1)),
        "DATEADD" | "TIMEADD" | "TIMESTAMPADD" => match kinds.kind(arguments.get(2)?)? {
            Kind::Text => Some(Kind::TimestampNtz),
            // A date and hours become a timestamp.
            Kind::Date => None,
            kind => Some(kind),
        },
        "CONVERT_TIMEZONE" => Some(if arguments.len() == 3 { Kind::TimestampNtz } else { Kind::TimestampTz }),
        "SUBSTR" | "SUBSTRING" | "LEFT" | "RIGHT" | "LPAD" | "RPAD" | "CONCAT" | "REVERSE" => {
            match kinds.kind(arguments.first()?)? {
                Kind::Binary => Some(Kind::Binary),
                _ => Some(Kind::Text),
            }
        }
        name if variant_functions::is_semi_structured(name) => Some(Kind::SemiStructured),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::ANSWERS;

    #[test]
    fn the_table_is_sorted() {
        assert!(ANSWERS.is_sorted_by(|(left, _), (right, _)| left < right));
    }
}
