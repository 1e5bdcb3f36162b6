//! Functions in FROM.

use super::prelude::*;

const PIECES: &[(&str, DataType)] = &[("SEQ", INTEGER), ("INDEX", INTEGER), ("VALUE", TEXT)];

const ELEMENTS: &[(&str, DataType)] =
    &[("SEQ", INTEGER), ("KEY", TEXT), ("PATH", TEXT), ("INDEX", INTEGER), ("VALUE", VARIANT), ("THIS", VARIANT)];
const ROW_NUMBERS: &[(&str, DataType)] = &[("__ROW", INTEGER)];

/// In alphabetical order.
pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    looked_up_table("EXPLAIN_JSON", &["PLAN"]),
    table("FLATTEN", &["INPUT", "PATH", "OUTER", "RECURSIVE", "MODE"], Rows(ELEMENTS)),
    table("GENERATOR", &["ROWCOUNT", "TIMELIMIT"], Rows(ROW_NUMBERS)),
    looked_up_table("GET_OBJECT_REFERENCES", &["DATABASE_NAME", "SCHEMA_NAME", "OBJECT_NAME"]),
    looked_up_table("GET_QUERY_OPERATOR_STATS", &["QUERY_ID"]),
    looked_up_table("RESULT_SCAN", &["QUERY_ID"]),
    table("SPLIT_TO_TABLE", &["STRING", "DELIMITER"], Rows(PIECES)).requiring(2),
    table("STRTOK_SPLIT_TO_TABLE", &["STRING", "DELIMITER"], Rows(PIECES)).requiring(1),
    looked_up_table("VALIDATE", &["TABLE_NAME", "JOB_ID"]),
];
