//! Prints syntax trees as standard SQL, and reads what was printed.
//!
//! The library's own printing guesses whether quotes inside of names and strings are escaped
//! already, and a backslash or a doubled quote in a value leads it astray: the value would end
//! early and its rest be read as SQL. Trees are therefore printed here and nowhere else.

use std::fmt::Display;
use std::ops::ControlFlow;

use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Tokenizer;

use crate::Failure;
use crate::ast::{Expr, Ident, Query, Select, Statement, Value, ValueWithSpan, VisitorMut};
use crate::dialect::FirnDialect;
use crate::normalize_tokens;
use crate::tree::Tree;

/// The SQL of a tree, with every quote of a name or string doubled and backslashes left alone.
pub fn sql<T: Tree + Clone + Display>(tree: &T) -> String {
    into_sql(tree.clone())
}

/// As `sql`, for a tree that is not needed any more.
pub fn into_sql<T: Tree + Display>(mut tree: T) -> String {
    let mut escaping = Escaping::default();
    // The visitor never breaks.
    let _ = tree.walk_mut(&mut escaping);
    let printed = tree.to_string();
    if escaping.has_marked_join { with_asof_joins(&printed) } else { printed }
}

/// A join that is marked as GLOBAL and not LATERAL is the engine's ASOF join, which the library cannot print.
fn with_asof_joins(printed: &str) -> String {
    const MARKED: &str = "GLOBAL LEFT OUTER JOIN ";
    let is_marked = |rest: &str| rest.strip_prefix(MARKED).is_some_and(|relation| !relation.starts_with("LATERAL"));
    let mut out = String::with_capacity(printed.len());
    let mut rest = printed;
    while let Some(place) = rest.find(['\'', '"', 'G']) {
        let (before, here) = rest.split_at(place);
        out.push_str(before);
        if is_marked(here) {
            out.push_str("ASOF LEFT OUTER JOIN ");
            rest = &here[MARKED.len()..];
            continue;
        }
        // A doubled quote ends one text and begins the next.
        let length = match here.chars().next().filter(|first| *first != 'G') {
            Some(quote) => here[1..].find(quote).map_or(here.len(), |end| end + 2),
            None => 1,
        };
        out.push_str(&here[..length]);
        rest = &here[length..];
    }
    out + rest
}

/// Reads a query that `sql` printed.
pub fn read_query(printed: &str) -> Result<Query, Failure> {
    read(printed, |parser| parser.parse_query().map(|query| *query))
}

/// Reads a statement that `sql` printed.
pub fn read_statement(printed: &str) -> Result<Statement, Failure> {
    read(printed, |parser| parser.parse_statement())
}

/// Reads an expression that `sql` printed.
pub fn read_expression(printed: &str) -> Result<Expr, Failure> {
    read(printed, |parser| parser.parse_expr())
}

fn read<T>(printed: &str, parse: impl Fn(&mut Parser<'_>) -> Result<T, ParserError>) -> Result<T, Failure> {
    let unreadable = |reason: String| {
        Failure::new("000603", "XX000", format!("SQL execution error: stored SQL cannot be read again: {reason}"))
    };
    let dialect = FirnDialect::Printed;
    let tokens =
        Tokenizer::new(&dialect, printed).tokenize_with_location().map_err(|error| unreadable(error.to_string()))?;
    let tokens = normalize_tokens::prepare_printed(tokens);
    let mut parser = Parser::new(&dialect).with_recursion_limit(RECURSION_MAX).with_tokens_with_locations(tokens);
    let tree = parse(&mut parser).map_err(|error| unreadable(error.to_string()))?;
    match parser.peek_token_ref().token {
        sqlparser::tokenizer::Token::EOF => Ok(tree),
        ref token => Err(unreadable(format!("it goes on with {token}"))),
    }
}

/// What was admitted once is read again whatever the limits are now.
const RECURSION_MAX: usize = 10_000;

#[derive(Default)]
struct Escaping {
    has_marked_join: bool,
}

impl VisitorMut for Escaping {
    type Break = Failure;

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        self.has_marked_join |= select.from.iter().flat_map(|tables| &tables.joins).any(|join| join.global);
        ControlFlow::Continue(())
    }

    fn post_visit_ident(&mut self, identifier: &mut Ident) -> ControlFlow<Failure> {
        if let Some(quote) = identifier.quote_style {
            double(&mut identifier.value, quote);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<Failure> {
        if let Value::SingleQuotedString(text) = &mut value.value {
            double(text, '\'');
        }
        ControlFlow::Continue(())
    }
}

/// Doubles the quotes of a text. The library prints texts with doubled quotes as they are.
fn double(text: &mut String, quote: char) {
    if text.contains(quote) {
        *text = text.replace(quote, &format!("{quote}{quote}"));
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::bindings::{Binding, BindingValue, Bindings, bind};
    use crate::command::Command;
    use crate::names::{Namespace, quote_identifier, quote_literal};
    use crate::resolve::resolve;
    use crate::testing::parse;

    const NASTY: [&str; 14] = [
        "",
        "'",
        "''",
        "'''",
        "\\",
        "\\'",
        "\\''",
        "\\\\'",
        "a\\' || (select 1) || '",
        "x'' OR 1=1 --",
        "\"",
        "\\\"",
        "\"\"",
        "tab\tand\nline",
    ];

    fn query_of(text: &str) -> Box<Query> {
        match parse(text).unwrap().command {
            Command::Query(query) => query,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn a_marked_join_is_the_engines_asof_join() {
        let mut query = *query_of(
            "select 'GLOBAL LEFT OUTER JOIN x' as \"GLOBAL LEFT OUTER JOIN \"\"y\" from a left outer join b on a.x = b.x",
        );
        assert!(!sql(&query).contains("ASOF"));
        if let crate::ast::SetExpr::Select(select) = query.body.as_mut() {
            select.from[0].joins[0].global = true;
        }
        let printed = sql(&query);
        let expected =
            "SELECT 'GLOBAL LEFT OUTER JOIN x' AS \"GLOBAL LEFT OUTER JOIN \"\"y\" FROM a ASOF LEFT OUTER JOIN b ON";
        assert!(printed.starts_with(expected), "{printed}");
    }

    /// Stored queries are read again, and lowered with their mark.
    #[test]
    fn a_lateral_join_keeps_its_mark() {
        let query = query_of("select a.x from a asof join b match_condition (a.x >= b.x)");
        let printed = sql(query.as_ref());
        assert!(printed.contains("GLOBAL LEFT OUTER JOIN LATERAL"), "{printed}");
        assert_eq!(sql(&read_query(&printed).unwrap()), printed);
    }

    #[test]
    fn a_bound_text_stays_one_string() {
        for text in NASTY {
            let mut statement = parse("select ? as a").unwrap();
            let binding = Binding { type_name: "TEXT".into(), value: BindingValue::One(Some(text.to_owned())) };
            bind(&mut statement, &Bindings::from_iter([("1".to_owned(), binding)])).unwrap();
            let Command::Query(query) = statement.command else { panic!("no query") };
            let printed = sql(query.as_ref());
            assert_eq!(printed, format!("SELECT {} AS a", quote_literal(text)));
            assert_eq!(sql(&read_query(&printed).unwrap()), printed, "read again");
        }
    }

    #[test]
    fn a_name_stays_one_name() {
        for name in NASTY.into_iter().filter(|name| !name.is_empty()) {
            let quoted = quote_identifier(name);
            let mut statement = parse(&format!("select {quoted} from {quoted}")).unwrap();
            resolve(&mut statement, &Namespace { database: Some("D".into()), schema: Some("S".into()) }).unwrap();
            let Command::Query(query) = statement.command else { panic!("no query") };
            let printed = sql(query.as_ref());
            assert_eq!(printed, format!("SELECT {quoted} FROM \"D\".\"S\".{quoted}"));
            assert_eq!(sql(&read_query(&printed).unwrap()), printed, "read again");
        }
    }

    #[test]
    fn a_column_named_by_its_text_stays_one_name() {
        for (text, expected) in [
            (r#"select '\\"'"#, r#"SELECT '\"' AS "'\\""'""#),
            (r#"select 'a\'b'"#, r#"SELECT 'a''b' AS "'A\'B'""#),
            (r#"select "a""b" || ''"#, r#"SELECT "a""b" || '' AS """A""""B"" || ''""#),
        ] {
            assert_eq!(sql(query_of(text).as_ref()), expected, "{text}");
        }
    }

    #[test]
    fn keys_of_a_path_stay_keys() {
        for (text, expected) in [
            (r#"select v:"a b".c as x"#, r#"SELECT v:"a b".c AS x"#),
            (r#"select v:"a\""" || w:"" as x"#, r#"SELECT v['a\"'] || w:"" AS x"#),
            (r#"select v:a."it's\" as x"#, r#"SELECT v:a['it''s\'] AS x"#),
        ] {
            let query = query_of(text);
            assert_eq!(sql(query.as_ref()), expected, "{text}");
            assert_eq!(sql(&read_query(expected).unwrap()), expected, "{text}");
        }
    }

    /// What a view stores is read again by renames and by queries of the view. Semantic views are expanded before.
    #[test]
    fn every_query_of_the_suites_is_read_again() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/sql");
        let (mut count, mut unread) = (0, Vec::new());
        for file in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let records = text.split("\n\n").filter_map(|record| record.split_once("query ")?.1.split_once('\n'));
            for query in records.filter_map(|(_, record)| record.split("\n----").next()) {
                let Ok(Command::Query(tree)) = parse(query).map(|statement| statement.command) else { continue };
                let printed = sql(tree.as_ref());
                count += 1;
                if let (Err(failure), false) = (read_query(&printed), printed.contains("SEMANTIC_VIEW")) {
                    unread.push(format!("{query}\n{printed}\n{}", failure.message));
                }
            }
        }
        assert!(count > 1000, "{count} queries");
        assert!(unread.is_empty(), "{}", unread.join("\n\n"));
    }

    #[test]
    fn expressions_are_read_too() {
        assert_eq!(sql(&read_expression(r"'a\' || 'b''c'").unwrap()), r"'a\' || 'b''c'");
        assert_eq!(read_expression("1 2").unwrap_err().code, "000603");
        assert_eq!(read_query("select").unwrap_err().code, "000603");
    }
}
