//! Functions whose arguments are read as floating-point numbers or as instants, in alphabetical order.

/// Functions that compute in floating point, with all their arguments.
pub(super) const FLOATING: &[&str] = &[
    "ACOS",
    "ASIN",
    "ATAN",
    "ATAN2",
    "AVG",
    "CBRT",
    "CORR",
    "COS",
    "COSH",
    "COT",
    "COVAR_POP",
    "COVAR_SAMP",
    "DEGREES",
    "EXP",
    "KURTOSIS",
    "LN",
    "LOG",
    "MEDIAN",
    "POW",
    "POWER",
    "RADIANS",
    "REGR_AVGX",
    "REGR_AVGY",
    "REGR_INTERCEPT",
    "REGR_R2",
    "REGR_SLOPE",
    "REGR_SXX",
    "REGR_SXY",
    "REGR_SYY",
    "SIN",
    "SINH",
    "SKEW",
    "SQRT",
    "SQUARE",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "SUM",
    "TAN",
    "TANH",
    "VARIANCE",
    "VARIANCE_POP",
    "VARIANCE_SAMP",
    "VAR_POP",
    "VAR_SAMP",
];

/// Functions of one instant, with its place among the arguments.
pub(super) const OF_INSTANTS: &[(&str, &[usize])] = &[
    ("ADD_MONTHS", &[0]),
    ("DATEADD", &[2]),
    ("DATEDIFF", &[1, 2]),
    ("DATE_PART", &[1]),
    ("DATE_TRUNC", &[1]),
    ("DAY", &[0]),
    ("DAYNAME", &[0]),
    ("DAYOFMONTH", &[0]),
    ("DAYOFWEEK", &[0]),
    ("DAYOFWEEKISO", &[0]),
    ("DAYOFYEAR", &[0]),
    ("LAST_DAY", &[0]),
    ("MONTH", &[0]),
    ("MONTHNAME", &[0]),
    ("MONTHS_BETWEEN", &[0, 1]),
    ("NEXT_DAY", &[0]),
    ("PREVIOUS_DAY", &[0]),
    ("QUARTER", &[0]),
    ("TIMEADD", &[2]),
    ("TIMEDIFF", &[1, 2]),
    ("TIMESTAMPADD", &[2]),
    ("TIMESTAMPDIFF", &[1, 2]),
    ("WEEK", &[0]),
    ("WEEKISO", &[0]),
    ("WEEKOFYEAR", &[0]),
    ("YEAR", &[0]),
    ("YEAROFWEEK", &[0]),
    ("YEAROFWEEKISO", &[0]),
];

#[cfg(test)]
mod tests {
    use super::{FLOATING, OF_INSTANTS};

    #[test]
    fn the_tables_are_sorted() {
        assert!(FLOATING.is_sorted());
        assert!(OF_INSTANTS.is_sorted_by(|(left, _), (right, _)| left < right));
    }
}
