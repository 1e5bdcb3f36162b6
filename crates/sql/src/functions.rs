//! The functions of the dialect that firn offers. Any other of the dialect's reference is refused by name, and what is
//! in neither list is unknown, whatever the engine has.

use std::ops::ControlFlow;

use crate::ast::{Expr, Function, FunctionArg, FunctionArguments, TableFactor, Visitor};
use crate::command::{Command, Ddl, TableSource};
use crate::tree::outcome;
use crate::{Failure, Statement, context, forms};

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

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        match forms::table_functions::check(factor) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    }

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
            return match has_named_argument(function) {
                true => ControlFlow::Break(Failure::unsupported(&format!("named argument of {name}"))),
                false => ControlFlow::Continue(()),
            };
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

fn has_named_argument(function: &Function) -> bool {
    match &function.args {
        FunctionArguments::List(list) => list.args.iter().any(|argument| !matches!(argument, FunctionArg::Unnamed(_))),
        _ => false,
    }
}

/// Whether a function of this name is the dialect's own.
pub(crate) fn is_offered(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok() || context::NAMES.binary_search(&name).is_ok()
}

const NAMES: &[&str] = &[
    "ABS",
    "ACOS",
    "ACOSH",
    "ADD_MONTHS",
    "ANY_VALUE",
    "APPROXIMATE_JACCARD_INDEX",
    "APPROXIMATE_SIMILARITY",
    "APPROX_COUNT_DISTINCT",
    "APPROX_PERCENTILE",
    "APPROX_PERCENTILE_ACCUMULATE",
    "APPROX_PERCENTILE_COMBINE",
    "APPROX_PERCENTILE_ESTIMATE",
    "APPROX_TOP_K",
    "APPROX_TOP_K_ACCUMULATE",
    "APPROX_TOP_K_COMBINE",
    "APPROX_TOP_K_ESTIMATE",
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
    "ASINH",
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
    "ATANH",
    "AVG",
    "BASE64_DECODE_BINARY",
    "BASE64_DECODE_STRING",
    "BASE64_ENCODE",
    "BITAND",
    "BITAND_AGG",
    "BITMAP_BIT_POSITION",
    "BITMAP_BUCKET_NUMBER",
    "BITMAP_CONSTRUCT_AGG",
    "BITMAP_COUNT",
    "BITMAP_OR_AGG",
    "BITNOT",
    "BITOR",
    "BITOR_AGG",
    "BITSHIFTLEFT",
    "BITSHIFTRIGHT",
    "BITXOR",
    "BITXOR_AGG",
    "BIT_AND",
    "BIT_LENGTH",
    "BIT_NOT",
    "BIT_OR",
    "BIT_SHIFTLEFT",
    "BIT_SHIFTRIGHT",
    "BIT_XOR",
    "BOOLAND",
    "BOOLAND_AGG",
    "BOOLNOT",
    "BOOLOR",
    "BOOLOR_AGG",
    "BOOLXOR",
    "BOOLXOR_AGG",
    "CBRT",
    "CEIL",
    "CEILING",
    "CHAR",
    "CHARINDEX",
    "CHECK_JSON",
    "CHR",
    "COALESCE",
    "COLLATE",
    "CONCAT",
    "CONCAT_WS",
    "CONDITIONAL_TRUE_EVENT",
    "CONTAINS",
    "CONVERT_TIMEZONE",
    "CORR",
    "COS",
    "COSH",
    "COT",
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
    "DATEFROMPARTS",
    "DATE_FROM_PARTS",
    "DATE_PART",
    "DATE_TRUNC",
    "DAY",
    "DAYNAME",
    "DAYOFMONTH",
    "DAYOFWEEK",
    "DAYOFWEEKISO",
    "DAYOFYEAR",
    "DECODE",
    "DEGREES",
    "DENSE_RANK",
    "DIV0",
    "DIV0NULL",
    "EDITDISTANCE",
    "ENDSWITH",
    "EQUAL_NULL",
    "EXP",
    "FACTORIAL",
    "FILTER",
    "FIRST_VALUE",
    "FLOOR",
    "GET",
    "GETBIT",
    "GETDATE",
    "GET_IGNORE_CASE",
    "GET_PATH",
    "GREATEST",
    "GREATEST_IGNORE_NULLS",
    "GROUPING",
    "GROUPING_ID",
    "HASH",
    "HASH_AGG",
    "HAVERSINE",
    "HEX_DECODE_BINARY",
    "HEX_DECODE_STRING",
    "HEX_ENCODE",
    "HLL",
    "HLL_ACCUMULATE",
    "HLL_COMBINE",
    "HLL_ESTIMATE",
    "HLL_EXPORT",
    "HLL_IMPORT",
    "HOUR",
    "IFF",
    "IFNULL",
    "INITCAP",
    "INSERT",
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
    "JAROWINKLER_SIMILARITY",
    "KURTOSIS",
    "LAG",
    "LAST_DAY",
    "LAST_VALUE",
    "LEAD",
    "LEAST",
    "LEAST_IGNORE_NULLS",
    "LEFT",
    "LEN",
    "LENGTH",
    "LISTAGG",
    "LN",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "LOG",
    "LOWER",
    "LPAD",
    "LTRIM",
    "MAX",
    "MAX_BY",
    "MD5",
    "MD5_BINARY",
    "MD5_HEX",
    "MD5_NUMBER",
    "MD5_NUMBER_LOWER64",
    "MD5_NUMBER_UPPER64",
    "MEDIAN",
    "MIN",
    "MINHASH",
    "MINHASH_COMBINE",
    "MINUTE",
    "MIN_BY",
    "MOD",
    "MODE",
    "MONTH",
    "MONTHNAME",
    "MONTHS_BETWEEN",
    "NEXTVAL",
    "NEXT_DAY",
    "NORMAL",
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
    "OCTET_LENGTH",
    "PARSE_IP",
    "PARSE_JSON",
    "PARSE_URL",
    "PERCENTILE_CONT",
    "PERCENTILE_DISC",
    "PERCENT_RANK",
    "PI",
    "POSITION",
    "POW",
    "POWER",
    "PREVIOUS_DAY",
    "QUARTER",
    "RADIANS",
    "RANDOM",
    "RANDSTR",
    "RANK",
    "RATIO_TO_REPORT",
    "REDUCE",
    "REGEXP",
    "REGEXP_COUNT",
    "REGEXP_INSTR",
    "REGEXP_LIKE",
    "REGEXP_REPLACE",
    "REGEXP_SUBSTR",
    "REGEXP_SUBSTR_ALL",
    "REGR_AVGX",
    "REGR_AVGY",
    "REGR_COUNT",
    "REGR_INTERCEPT",
    "REGR_R2",
    "REGR_SLOPE",
    "REGR_SXX",
    "REGR_SXY",
    "REGR_SYY",
    "REGR_VALX",
    "REGR_VALY",
    "REPEAT",
    "REPLACE",
    "REVERSE",
    "RIGHT",
    "RLIKE",
    "ROUND",
    "ROW_NUMBER",
    "RPAD",
    "RTRIM",
    "RTRIMMED_LENGTH",
    "SECOND",
    "SEQ1",
    "SEQ2",
    "SEQ4",
    "SEQ8",
    "SHA1",
    "SHA1_BINARY",
    "SHA1_HEX",
    "SHA2",
    "SHA2_BINARY",
    "SHA2_HEX",
    "SIGN",
    "SIN",
    "SINH",
    "SKEW",
    "SOUNDEX",
    "SOUNDEX_P123",
    "SPACE",
    "SPLIT",
    "SPLIT_PART",
    "SQRT",
    "SQUARE",
    "STARTSWITH",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "STRIP_NULL_VALUE",
    "STRTOK",
    "STRTOK_TO_ARRAY",
    "SUBSTR",
    "SUBSTRING",
    "SUM",
    "SYSDATE",
    "SYSTEM$TYPEOF",
    "SYSTEM$WAIT",
    "SYSTIMESTAMP",
    "TAN",
    "TANH",
    "TIME",
    "TIMEADD",
    "TIMEDIFF",
    "TIMEFROMPARTS",
    "TIMESTAMPADD",
    "TIMESTAMPDIFF",
    "TIMESTAMPFROMPARTS",
    "TIMESTAMP_FROM_PARTS",
    "TIMESTAMP_LTZ_FROM_PARTS",
    "TIMESTAMP_NTZ_FROM_PARTS",
    "TIMESTAMP_TZ_FROM_PARTS",
    "TIME_FROM_PARTS",
    "TIME_SLICE",
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
    "TRANSFORM",
    "TRANSLATE",
    "TRIM",
    "TRUNC",
    "TRUNCATE",
    "TRY_BASE64_DECODE_BINARY",
    "TRY_BASE64_DECODE_STRING",
    "TRY_HEX_DECODE_BINARY",
    "TRY_HEX_DECODE_STRING",
    "TRY_PARSE_JSON",
    "TRY_TO_BINARY",
    "TRY_TO_BOOLEAN",
    "TRY_TO_DATE",
    "TRY_TO_DECIMAL",
    "TRY_TO_DOUBLE",
    "TRY_TO_NUMBER",
    "TRY_TO_NUMERIC",
    "TRY_TO_TIME",
    "TRY_TO_TIMESTAMP",
    "TRY_TO_TIMESTAMP_LTZ",
    "TRY_TO_TIMESTAMP_NTZ",
    "TRY_TO_TIMESTAMP_TZ",
    "TYPEOF",
    "UNICODE",
    "UNIFORM",
    "UPPER",
    "UUID_STRING",
    "VARIANCE",
    "VARIANCE_POP",
    "VARIANCE_SAMP",
    "VAR_POP",
    "VAR_SAMP",
    "WEEK",
    "WEEKISO",
    "WEEKOFYEAR",
    "WIDTH_BUCKET",
    "YEAR",
    "YEAROFWEEK",
    "YEAROFWEEKISO",
    "ZEROIFNULL",
    "ZIPF",
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
            ("select a.b.c(1)", "002139"),
            ("select * from read_csv('/etc/passwd')", "000002"),
            ("select * from table(main.read_text('/etc/passwd'))", "000002"),
            ("select upper(value => 'a')", "000002"),
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
