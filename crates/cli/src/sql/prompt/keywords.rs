//! Words of the dialect that are coloured and completed.

pub fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search_by(|keyword| (*keyword).cmp(word.to_ascii_uppercase().as_str())).is_ok()
}

#[rustfmt::skip]
pub const KEYWORDS: [&str; 169] = [
    "ADD", "ALL", "ALTER", "AND", "ANTI", "ANY", "AS", "ASC", "ASOF", "BEGIN", "BETWEEN", "BINARY", "BOOLEAN", "BY",
    "CALL", "CASCADE", "CASE", "CAST", "CLONE", "COLUMN", "COMMENT", "COMMIT", "CONNECT", "CONSTRAINT", "COPY",
    "CREATE", "CROSS", "CUBE", "DATABASE", "DATABASES", "DATE", "DECLARE", "DEFAULT", "DELETE", "DESC", "DESCRIBE",
    "DISTINCT", "DROP", "ELSE", "END", "EXCEPT", "EXCLUDE", "EXECUTE", "EXISTS", "EXPLAIN", "FALSE", "FETCH", "FILE",
    "FIRST", "FLOAT", "FOLLOWING", "FOR", "FOREIGN", "FORMAT", "FROM", "FULL", "FUNCTION", "FUNCTIONS", "GRANT",
    "GRANTS", "GROUP", "GROUPING", "HAVING", "IF", "ILIKE", "IMMEDIATE", "IN", "INNER", "INSERT", "INTERSECT",
    "INTERVAL", "INTO", "IS", "JOIN", "KEY", "LAST", "LATERAL", "LEFT", "LIKE", "LIMIT", "LIST", "MASKING", "MATCHED",
    "MATERIALIZED", "MERGE", "MINUS", "NATURAL", "NOT", "NULL", "NULLS", "NUMBER", "OBJECT", "OBJECTS", "OFFSET",
    "ON", "OR", "ORDER", "OUTER", "OVER", "OVERWRITE", "PARAMETERS", "PARTITION", "PIVOT", "POLICY", "PRECEDING",
    "PRIMARY", "PROCEDURE", "QUALIFY", "RECURSIVE", "REFERENCES", "REMOVE", "RENAME", "REPLACE", "RESULT", "RETURNS",
    "REVOKE", "RIGHT", "ROLE", "ROLES", "ROLLBACK", "ROLLUP", "ROW", "ROWS", "SAMPLE", "SCHEMA", "SCHEMAS", "SECURE",
    "SELECT", "SEMANTIC", "SEQUENCE", "SESSION", "SET", "SHOW", "STAGE", "START", "TABLE", "TABLES", "TAG",
    "TEMPORARY", "TERSE", "THEN", "TIME", "TIMESTAMP", "TO", "TRANSACTION", "TRUE", "TRUNCATE", "UNION", "UNIQUE",
    "UNPIVOT", "UNSET", "UPDATE", "USE", "USER", "USERS", "USING", "VALUES", "VARCHAR", "VARIANT", "VIEW", "VIEWS",
    "WAREHOUSE", "WAREHOUSES", "WHEN", "WHERE", "WINDOW", "WITH", "WITHIN", "WORK",
];

/// Words behind which a relation is named.
pub const BEFORE_RELATIONS: [&str; 9] =
    ["FROM", "JOIN", "INTO", "UPDATE", "TABLE", "VIEW", "DESCRIBE", "DESC", "OVERWRITE"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_sorted_and_found_in_any_case() {
        assert!(KEYWORDS.is_sorted_by(|left, right| left < right));
        assert!(is_keyword("Select") && !is_keyword("selec"));
    }
}
