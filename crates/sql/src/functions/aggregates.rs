//! The functions of the dialect that make one value of many rows.

/// In alphabetical order; those that end in `_AGG` or begin with `REGR_` are all aggregates.
const NAMES: [&str; 46] = [
    "ANY_VALUE",
    "APPROXIMATE_COUNT_DISTINCT",
    "APPROXIMATE_JACCARD_INDEX",
    "APPROXIMATE_SIMILARITY",
    "APPROX_COUNT_DISTINCT",
    "APPROX_PERCENTILE",
    "APPROX_PERCENTILE_ACCUMULATE",
    "APPROX_PERCENTILE_COMBINE",
    "APPROX_TOP_K",
    "APPROX_TOP_K_ACCUMULATE",
    "APPROX_TOP_K_COMBINE",
    "AVG",
    "CORR",
    "COUNT",
    "COUNT_IF",
    "COVAR_POP",
    "COVAR_SAMP",
    "GROUPING",
    "GROUPING_ID",
    "HLL",
    "HLL_ACCUMULATE",
    "HLL_COMBINE",
    "KURTOSIS",
    "LISTAGG",
    "MAX",
    "MAX_BY",
    "MEDIAN",
    "MIN",
    "MINHASH",
    "MINHASH_COMBINE",
    "MIN_BY",
    "MODE",
    "PERCENTILE_CONT",
    "PERCENTILE_DISC",
    "SKEW",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "ST_COLLECT",
    "SUM",
    "VARIANCE",
    "VARIANCE_POP",
    "VARIANCE_SAMP",
    "VAR_POP",
    "VAR_SAMP",
    "VECTOR_AVG",
];

/// `name` is in upper case.
pub fn is_aggregate(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok() || name.ends_with("_AGG") || name.starts_with("REGR_")
}

#[cfg(test)]
mod tests {
    use super::NAMES;

    #[test]
    fn the_table_is_sorted() {
        assert!(NAMES.is_sorted());
    }
}
