//! Numbers, dates and truth values in the place of a text are taken for their text, in the dialect's form.

use std::rc::Rc;

use firn_binder::{Bound, Family};
use firn_sql::ast::{BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value};

use super::build::{call, call_name, null};
use super::columns::Columns;

/// The arguments of a function that are texts.
#[derive(Clone, Copy)]
enum Texts {
    First(usize),
    All,
}

/// In alphabetical order, by the dialect's names.
const TEXT_FUNCTIONS: &[(&str, Texts)] = &[
    ("ASCII", Texts::First(1)),
    ("BIT_LENGTH", Texts::First(1)),
    ("CHARINDEX", Texts::First(2)),
    ("CONCAT", Texts::All),
    ("CONCAT_WS", Texts::All),
    ("CONTAINS", Texts::First(2)),
    ("EDITDISTANCE", Texts::First(2)),
    ("ENDSWITH", Texts::First(2)),
    ("HEX_ENCODE", Texts::First(1)),
    ("INITCAP", Texts::All),
    ("INSERT", Texts::First(1)),
    ("JAROWINKLER_SIMILARITY", Texts::First(2)),
    ("LEFT", Texts::First(1)),
    ("LEN", Texts::First(1)),
    ("LENGTH", Texts::First(1)),
    ("LOWER", Texts::First(1)),
    ("LPAD", Texts::First(1)),
    ("LTRIM", Texts::All),
    ("MD5", Texts::First(1)),
    ("MD5_BINARY", Texts::First(1)),
    ("MD5_HEX", Texts::First(1)),
    ("MD5_NUMBER", Texts::First(1)),
    ("MD5_NUMBER_LOWER64", Texts::First(1)),
    ("MD5_NUMBER_UPPER64", Texts::First(1)),
    ("OCTET_LENGTH", Texts::First(1)),
    ("PARSE_IP", Texts::First(1)),
    ("PARSE_URL", Texts::First(1)),
    ("POSITION", Texts::First(2)),
    ("REGEXP", Texts::First(2)),
    ("REGEXP_COUNT", Texts::First(2)),
    ("REGEXP_INSTR", Texts::First(2)),
    ("REGEXP_LIKE", Texts::First(2)),
    ("REGEXP_REPLACE", Texts::First(3)),
    ("REGEXP_SUBSTR", Texts::First(2)),
    ("REGEXP_SUBSTR_ALL", Texts::First(2)),
    ("REPEAT", Texts::First(1)),
    ("REPLACE", Texts::All),
    ("REVERSE", Texts::First(1)),
    ("RIGHT", Texts::First(1)),
    ("RLIKE", Texts::First(2)),
    ("RPAD", Texts::First(1)),
    ("RTRIM", Texts::All),
    ("RTRIMMED_LENGTH", Texts::First(1)),
    ("SHA1", Texts::First(1)),
    ("SHA1_BINARY", Texts::First(1)),
    ("SHA1_HEX", Texts::First(1)),
    ("SHA2", Texts::First(1)),
    ("SHA2_BINARY", Texts::First(1)),
    ("SHA2_HEX", Texts::First(1)),
    ("SOUNDEX", Texts::First(1)),
    ("SOUNDEX_P123", Texts::First(1)),
    ("SPLIT", Texts::All),
    ("SPLIT_PART", Texts::First(2)),
    ("STARTSWITH", Texts::First(2)),
    ("STRTOK", Texts::First(2)),
    ("STRTOK_TO_ARRAY", Texts::First(2)),
    ("SUBSTR", Texts::First(1)),
    ("SUBSTRING", Texts::First(1)),
    ("TRANSLATE", Texts::All),
    ("TRIM", Texts::All),
    ("UNICODE", Texts::First(1)),
    ("UPPER", Texts::First(1)),
];

/// In alphabetical order, by the engine's names: what gives a text, or bytes for bytes. To make a text of it would serve
/// nothing, and every call of a macro with several forms doubles the time in which the engine reads what is inside.
const TEXTS_GIVEN: &[&str] = &[
    "LOWER",
    "LTRIM",
    "MD5",
    "RTRIM",
    "SHA1",
    "TRANSLATE",
    "TRIM",
    "firn_initcap",
    "firn_left",
    "firn_lpad",
    "firn_pattern_replace",
    "firn_pattern_text",
    "firn_piece",
    "firn_repeat",
    "firn_replace",
    "firn_reverse",
    "firn_right",
    "firn_rpad",
    "firn_sha2_hex",
    "firn_soundex",
    "firn_split_part",
    "firn_substr",
    "firn_text",
    "firn_text_kept",
    "firn_text_within",
    "firn_textual",
    "firn_token",
    "firn_upper",
    "md5",
    "replace",
    "sha1",
];

pub(super) struct Coercions {
    bound: Rc<Bound>,
}

impl Coercions {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { bound: columns.bound().clone() }
    }

    pub(super) fn rewrite(&self, expr: &mut Expr) {
        match expr {
            Expr::Function(function) => self.arguments(function),
            Expr::Trim { expr: value, .. }
            | Expr::Substring { expr: value, .. }
            | Expr::Like { expr: value, .. }
            | Expr::ILike { expr: value, .. }
            | Expr::RLike { expr: value, .. } => self.make_text(value),
            Expr::Position { expr: part, r#in: whole } => {
                self.make_text(part);
                self.make_text(whole);
            }
            Expr::BinaryOp { left, op: BinaryOperator::StringConcat, right } => {
                self.make_text(left);
                self.make_text(right);
            }
            _ => {}
        }
    }

    fn arguments(&self, function: &mut Function) {
        let Some(name) = call_name(function) else { return };
        let Ok(found) = TEXT_FUNCTIONS.binary_search_by(|(known, _)| (*known).cmp(name)) else { return };
        let FunctionArguments::List(list) = &mut function.args else { return };
        let count = match TEXT_FUNCTIONS[found].1 {
            Texts::First(count) => count,
            Texts::All => list.args.len(),
        };
        for argument in list.args.iter_mut().take(count) {
            if let FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) = argument {
                self.make_text(value);
            }
        }
    }

    fn make_text(&self, value: &mut Expr) {
        if !self.is_text(value) {
            let inside = std::mem::replace(value, null());
            *value = call("firn_textual", vec![inside]);
        }
    }

    fn is_text(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Value(value) => matches!(value.value, Value::SingleQuotedString(_) | Value::Null),
            Expr::Nested(inside) => self.is_text(inside),
            Expr::Function(function) => {
                call_name(function).is_some_and(|name| TEXTS_GIVEN.binary_search(&name).is_ok())
            }
            Expr::BinaryOp { op: BinaryOperator::StringConcat, .. } | Expr::Trim { .. } | Expr::Substring { .. } => {
                true
            }
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                self.bound.node(expr).is_some_and(|node| node.value.family() == Family::Text)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TEXT_FUNCTIONS, TEXTS_GIVEN};
    use crate::dialect::testing::check;

    #[test]
    fn the_tables_are_sorted() {
        assert!(TEXT_FUNCTIONS.is_sorted_by(|(left, _), (right, _)| left < right));
        assert!(TEXTS_GIVEN.is_sorted());
    }

    #[test]
    fn what_is_no_text_becomes_one_where_one_is_wanted() {
        check("SELECT UPPER(1), UPPER('a')", "SELECT firn_upper(firn_textual(1)), firn_upper('a')");
        check("SELECT a || 'b'", "SELECT firn_textual(a) || 'b'");
        check("SELECT a || b || c", "SELECT firn_textual(a) || firn_textual(b) || firn_textual(c)");
        check("SELECT UPPER(TRIM(a))", "SELECT firn_upper(TRIM(firn_textual(a)))");
        check(
            "WITH y AS (SELECT 1 AS a) SELECT a || 'b' FROM (SELECT 'x' AS a) AS t",
            "WITH y AS (SELECT 1 AS a) SELECT a || 'b' FROM (SELECT 'x' AS a) AS t",
        );
    }
}
