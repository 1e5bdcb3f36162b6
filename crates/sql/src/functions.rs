//! The functions of the dialect that firn offers. Any other of the dialect's reference is refused by name, and what is
//! in neither list is unknown, whatever the engine has.

use std::ops::ControlFlow;

use crate::ast::{Expr, Visitor};
use crate::command::{Command, Ddl, TableSource};
use crate::tree::outcome;
use crate::{Failure, Statement, context};

/// Every function an engine has to offer, in alphabetical order.
pub fn names() -> &'static [&'static str] {
    NAMES
}

/// Every name of the dialect's function reference, offered or not, one per line.
const REFERENCE: &str = include_str!("functions/reference.txt");

/// What is wrong with calling a function that is not offered.
pub(crate) fn not_offered(name: &str) -> Failure {
    if REFERENCE.lines().any(|known| known == name) {
        Failure::unsupported(&format!("function {name}"))
    } else {
        Failure::unknown_function(name)
    }
}

pub fn check_functions(statement: &Statement) -> Result<(), Failure> {
    let place = match &statement.command {
        Command::Ddl(Ddl::CreateTable(table)) if matches!(table.source, TableSource::Query(_)) => Place::Run,
        Command::Ddl(_) => Place::Stored,
        _ => Place::Run,
    };
    outcome(statement.command.visit_tree(&mut Check { place }))
}

/// Whether an expression is evaluated now, or kept in a view or a column's default for later.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Run,
    Stored,
}

struct Check {
    place: Place,
}

impl Visitor for Check {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        let function = match expr {
            Expr::Function(function) => function,
            Expr::Prior(_) => return ControlFlow::Break(Failure::unsupported("PRIOR here")),
            Expr::Prefixed { .. } => return ControlFlow::Break(Failure::unsupported("CONNECT_BY_ROOT here")),
            Expr::OuterJoin(_) => return ControlFlow::Break(Failure::unsupported("(+) here")),
            _ => return ControlFlow::Continue(()),
        };
        let name = function.name.to_string();
        if NAMES.binary_search(&name.as_str()).is_ok() {
            return ControlFlow::Continue(());
        }
        let upper = name.to_uppercase();
        if context::NAMES.binary_search(&upper.as_str()).is_err() {
            return ControlFlow::Break(not_offered(&upper));
        }
        if self.place == Place::Stored {
            return ControlFlow::Break(Failure::unsupported(&format!("{upper} in a view or a column's default")));
        }
        if upper != "LAST_QUERY_ID" && !context::has_no_arguments(function) {
            return ControlFlow::Break(Failure::unsupported(&format!("{upper} with an argument")));
        }
        ControlFlow::Continue(())
    }
}

const NAMES: &[&str] = &[
    "ABS",
    "ACOS",
    "ADD_MONTHS",
    "ANY_VALUE",
    "APPROX_COUNT_DISTINCT",
    "ARRAYS_OVERLAP",
    "ARRAYS_TO_OBJECT",
    "ARRAYS_ZIP",
    "ARRAY_AGG",
    "ARRAY_APPEND",
    "ARRAY_CAT",
    "ARRAY_COMPACT",
    "ARRAY_CONSTRUCT",
    "ARRAY_CONSTRUCT_COMPACT",
    "ARRAY_CONTAINS",
    "ARRAY_DISTINCT",
    "ARRAY_EXCEPT",
    "ARRAY_FLATTEN",
    "ARRAY_GENERATE_RANGE",
    "ARRAY_INSERT",
    "ARRAY_INTERSECTION",
    "ARRAY_MAX",
    "ARRAY_MIN",
    "ARRAY_POSITION",
    "ARRAY_PREPEND",
    "ARRAY_REMOVE",
    "ARRAY_REMOVE_AT",
    "ARRAY_REVERSE",
    "ARRAY_SIZE",
    "ARRAY_SLICE",
    "ARRAY_SORT",
    "ARRAY_TO_STRING",
    "ARRAY_UNION_AGG",
    "ARRAY_UNIQUE_AGG",
    "ASCII",
    "ASIN",
    "AS_ARRAY",
    "AS_BINARY",
    "AS_BOOLEAN",
    "AS_CHAR",
    "AS_DATE",
    "AS_DECIMAL",
    "AS_DOUBLE",
    "AS_INTEGER",
    "AS_NUMBER",
    "AS_OBJECT",
    "AS_REAL",
    "AS_TIME",
    "AS_TIMESTAMP_LTZ",
    "AS_TIMESTAMP_NTZ",
    "AS_TIMESTAMP_TZ",
    "AS_VARCHAR",
    "ATAN",
    "ATAN2",
    "AVG",
    "BASE64_ENCODE",
    "BOOLAND_AGG",
    "BOOLOR_AGG",
    "CBRT",
    "CEIL",
    "CEILING",
    "CHARINDEX",
    "CHECK_JSON",
    "CHR",
    "COALESCE",
    "CONCAT",
    "CONCAT_WS",
    "CONTAINS",
    "CONVERT_TIMEZONE",
    "CORR",
    "COS",
    "COUNT",
    "COUNT_IF",
    "COVAR_POP",
    "COVAR_SAMP",
    "CUME_DIST",
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "DATE",
    "DATEADD",
    "DATEDIFF",
    "DATE_FROM_PARTS",
    "DATE_PART",
    "DATE_TRUNC",
    "DAY",
    "DAYNAME",
    "DAYOFMONTH",
    "DAYOFWEEK",
    "DAYOFYEAR",
    "DECODE",
    "DEGREES",
    "DENSE_RANK",
    "DIV0",
    "ENDSWITH",
    "EQUAL_NULL",
    "EXP",
    "FACTORIAL",
    "FIRST_VALUE",
    "FLOOR",
    "GET",
    "GETDATE",
    "GET_IGNORE_CASE",
    "GET_PATH",
    "GREATEST",
    "GROUPING",
    "GROUPING_ID",
    "HASH",
    "HEX_DECODE_BINARY",
    "HEX_ENCODE",
    "HOUR",
    "IFF",
    "IFNULL",
    "INITCAP",
    "IS_ARRAY",
    "IS_BINARY",
    "IS_BOOLEAN",
    "IS_CHAR",
    "IS_DATE",
    "IS_DATE_VALUE",
    "IS_DECIMAL",
    "IS_DOUBLE",
    "IS_INTEGER",
    "IS_NULL_VALUE",
    "IS_OBJECT",
    "IS_REAL",
    "IS_TIME",
    "IS_TIMESTAMP_LTZ",
    "IS_TIMESTAMP_NTZ",
    "IS_TIMESTAMP_TZ",
    "IS_VARCHAR",
    "LAG",
    "LAST_DAY",
    "LAST_VALUE",
    "LEAD",
    "LEAST",
    "LEFT",
    "LEN",
    "LENGTH",
    "LISTAGG",
    "LN",
    "LOCALTIMESTAMP",
    "LOG",
    "LOWER",
    "LPAD",
    "LTRIM",
    "MAX",
    "MAX_BY",
    "MD5",
    "MEDIAN",
    "MIN",
    "MINUTE",
    "MIN_BY",
    "MOD",
    "MODE",
    "MONTH",
    "MONTHNAME",
    "MONTHS_BETWEEN",
    "NEXTVAL",
    "NTH_VALUE",
    "NTILE",
    "NULLIF",
    "NULLIFZERO",
    "NVL",
    "NVL2",
    "OBJECT_AGG",
    "OBJECT_CONSTRUCT",
    "OBJECT_CONSTRUCT_KEEP_NULL",
    "OBJECT_DELETE",
    "OBJECT_INSERT",
    "OBJECT_KEYS",
    "OBJECT_PICK",
    "PARSE_JSON",
    "PERCENTILE_CONT",
    "PERCENTILE_DISC",
    "PERCENT_RANK",
    "PI",
    "POSITION",
    "POW",
    "POWER",
    "QUARTER",
    "RADIANS",
    "RANDOM",
    "RANK",
    "REPEAT",
    "REPLACE",
    "REVERSE",
    "RIGHT",
    "ROUND",
    "ROW_NUMBER",
    "RPAD",
    "RTRIM",
    "SECOND",
    "SEQ1",
    "SEQ2",
    "SEQ4",
    "SEQ8",
    "SHA1",
    "SHA2",
    "SIGN",
    "SIN",
    "SPLIT_PART",
    "SQRT",
    "SQUARE",
    "STARTSWITH",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "STRIP_NULL_VALUE",
    "SUBSTR",
    "SUBSTRING",
    "SUM",
    "SYSDATE",
    "SYSTEM$WAIT",
    "SYSTIMESTAMP",
    "TAN",
    "TIMEADD",
    "TIMEDIFF",
    "TIMESTAMPADD",
    "TIMESTAMPDIFF",
    "TO_ARRAY",
    "TO_BINARY",
    "TO_BOOLEAN",
    "TO_CHAR",
    "TO_DATE",
    "TO_DECIMAL",
    "TO_DOUBLE",
    "TO_JSON",
    "TO_NUMBER",
    "TO_NUMERIC",
    "TO_OBJECT",
    "TO_TIME",
    "TO_TIMESTAMP",
    "TO_TIMESTAMP_LTZ",
    "TO_TIMESTAMP_NTZ",
    "TO_TIMESTAMP_TZ",
    "TO_VARCHAR",
    "TO_VARIANT",
    "TRANSLATE",
    "TRIM",
    "TRUNC",
    "TRUNCATE",
    "TRY_PARSE_JSON",
    "TRY_TO_BOOLEAN",
    "TRY_TO_DATE",
    "TRY_TO_DECIMAL",
    "TRY_TO_DOUBLE",
    "TRY_TO_NUMBER",
    "TRY_TO_TIMESTAMP",
    "TYPEOF",
    "UPPER",
    "UUID_STRING",
    "VARIANCE",
    "VAR_POP",
    "VAR_SAMP",
    "WEEK",
    "WEEKISO",
    "YEAR",
    "ZEROIFNULL",
];

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::testing::parse;

    #[test]
    fn the_table_is_sorted() {
        assert!(NAMES.is_sorted() && context::NAMES.is_sorted());
    }

    #[test]
    fn every_function_is_of_the_reference() {
        // The form in which resolved statements ask a sequence, which nobody writes.
        let ours = "NEXTVAL";
        let is_known = |name: &str| name == ours || REFERENCE.lines().any(|known| known == name);
        let foreign: Vec<_> = NAMES.iter().filter(|name| !is_known(name)).collect();
        assert!(foreign.is_empty(), "{foreign:?} have no probe in tests/parity/functions.txt");
    }

    #[test]
    fn only_functions_of_the_table_pass() {
        for text in [
            "select count(*), Sum(a), ceil(b), extract(year from d), current_date, current_user() from t",
            "select trim(a), substring(a from 1 for 2), position('a' in b), {'a': [1, 2]}",
            "create table t as select current_role() as r",
            "select 1 where exists (select upper(x) from t)",
        ] {
            check_functions(&parse(text).unwrap()).unwrap();
        }
        for (text, code) in [
            ("select read_csv('/etc/passwd')", "002139"),
            ("select getenv('HOME')", "002139"),
            ("select * from t where exists (select current_setting('x'))", "002139"),
            ("insert into t select read_text('x')", "002139"),
            ("create view v as select pg_sleep(1) as a", "002139"),
            ("create table t (a int default getenv('A'))", "002139"),
            ("create view v as select current_user() as a", "000002"),
            ("select current_user(1)", "000002"),
            ("select ai_complete('m', 'x')", "000002"),
        ] {
            assert_eq!(check_functions(&parse(text).unwrap()).unwrap_err().code, code, "{text}");
        }
    }
}
