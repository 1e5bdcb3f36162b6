//! Casts that no value passes, by the types alone.

use firn_sql::command::DataType;

use crate::types::{Family, Type};

use Family::{Binary, Boolean, Date, Float, Number, Time, TimestampLtz, TimestampNtz, TimestampTz, Vector};

/// What is cast to truth values, dates and times by no means, with the function that the cast stands for.
const REFUSED: &[(Family, &str, &[Family])] = &[
    (Boolean, "TO_BOOLEAN", &[Binary, Date, Time, TimestampLtz, TimestampNtz, TimestampTz, Vector]),
    (Date, "TO_DATE", &[Binary, Boolean, Float, Time, Vector]),
    (Time, "TO_TIME", &[Binary, Boolean, Float, Number, Vector]),
    (TimestampLtz, "TO_TIMESTAMP_LTZ", &[Binary, Boolean, Time, Vector]),
    (TimestampNtz, "TO_TIMESTAMP_NTZ", &[Binary, Boolean, Time, Vector]),
    (TimestampTz, "TO_TIMESTAMP_TZ", &[Binary, Boolean, Time, Vector]),
];

/// The function that a cast stands for, if it takes no value of the type.
pub(crate) fn refusing_function(from: &Type, to: &Type) -> Option<&'static str> {
    let (_, function, refused) = REFUSED.iter().find(|(target, ..)| *target == to.family())?;
    // A date is read from whole numbers.
    let is_fraction = matches!(from, Type::Of(DataType::Number { scale: 1.., .. })) && to.family() == Date;
    (is_fraction || refused.contains(&from.family())).then_some(*function)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use firn_sql::data_type_of_text;

    use super::*;

    #[test]
    fn casts_are_refused_by_types() {
        let read = |text: &str| Type::Of(data_type_of_text(text).unwrap());
        for (from, to, expected) in [
            ("number(10,0)", "date", None),
            ("number(10,2)", "date", Some("TO_DATE")),
            ("number(10,0)", "time", Some("TO_TIME")),
            ("varchar", "date", None),
            ("variant", "boolean", None),
            ("date", "boolean", Some("TO_BOOLEAN")),
            ("date", "timestamp_tz", None),
            ("time", "timestamp_ntz", Some("TO_TIMESTAMP_NTZ")),
            ("float", "timestamp_ntz", None),
            ("boolean", "number(3,0)", None),
        ] {
            assert_eq!(refusing_function(&read(from), &read(to)), expected, "{from}, {to}");
        }
        assert_eq!(refusing_function(&Type::Null, &read("date")), None);
    }
}
