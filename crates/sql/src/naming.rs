//! Gives every unnamed select item that is not a plain column the contract's name: its source text
//! in upper case.

use std::ops::{ControlFlow, Range};

use sqlparser::tokenizer::{Location, Token, TokenWithSpan};

use crate::ast::{
    BinaryOperator, Expr, Function, Ident, Select, SelectItem, Spanned, TableFactor, TableSampleKind, UnaryOperator,
    VisitorMut, WindowFrameBound, WindowType,
};
use crate::blocks::pipes::as_written;
use crate::new_names::of_expression;
use crate::query_parts::is_place;
use crate::reserved_words::{is_reserved_name, is_reserved_value};
use crate::source::SourceStatement;
use crate::source_map::SourceMap;
use crate::tokens::is_word;
use crate::tree::outcome;
use crate::{Command, Failure, Statement};

/// Words that end a select list, outside of brackets.
const ENDS: [&str; 16] = [
    "FROM",
    "WHERE",
    "GROUP",
    "HAVING",
    "QUALIFY",
    "WINDOW",
    "ORDER",
    "LIMIT",
    "OFFSET",
    "FETCH",
    "UNION",
    "INTERSECT",
    "EXCEPT",
    "MINUS",
    "INTO",
    "CONNECT",
];

pub(crate) fn name_outputs(
    statement: &mut Statement,
    tokens: &[TokenWithSpan],
    source: &SourceStatement,
) -> Result<(), Failure> {
    let is_stored = matches!(statement.command, Command::Ddl(_));
    let mut naming = Naming { tokens, map: SourceMap::new(source), is_stored };
    outcome(statement.command.visit_tree_mut(&mut naming))
}

struct Naming<'a> {
    tokens: &'a [TokenWithSpan],
    map: SourceMap<'a>,
    /// The names become those of a table or view.
    is_stored: bool,
}

impl VisitorMut for Naming<'_> {
    type Break = Failure;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        let aliases = select.projection.iter().filter_map(|item| match item {
            SelectItem::ExprWithAlias { alias, .. } => Some(alias),
            _ => None,
        });
        if let Some(reserved) = aliases.into_iter().find(|alias| is_reserved_name(alias)) {
            return ControlFlow::Break(self.map.syntax_error(reserved.span.start));
        }
        if select.projection.iter().any(needs_name) {
            let texts = self.item_texts(select.select_token.0.span.start);
            let known = texts.len() == select.projection.len();
            for (index, item) in select.projection.iter_mut().enumerate().filter(|(_, item)| needs_name(item)) {
                let SelectItem::UnnamedExpr(expr) = item else { continue };
                let text = match expr {
                    Expr::CompoundIdentifier(parts) => {
                        parts.last().map(|last| last.value.to_ascii_uppercase()).unwrap_or_default()
                    }
                    _ if known => as_written(texts[index]).to_uppercase(),
                    _ => expr.to_string().to_uppercase(),
                };
                let text = if self.is_stored { of_expression(&text) } else { text };
                let expr = std::mem::replace(expr, Expr::value(crate::ast::Value::Null));
                *item = SelectItem::ExprWithAlias { expr, alias: Ident::with_quote('"', text) };
            }
        }
        ControlFlow::Continue(())
    }

    /// The parser accepts some reserved words as columns.
    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Identifier(name) if is_reserved_value(name) => {
                ControlFlow::Break(self.map.syntax_error(name.span.start))
            }
            Expr::BinaryOp { left, op, right } if compares(op) => match &**left {
                Expr::BinaryOp { op, .. } if compares(op) => self.refuse_before(right.span().start),
                _ => ControlFlow::Continue(()),
            },
            Expr::Function(Function { over: Some(WindowType::WindowSpec(window)), .. }) => {
                let frame = window.window_frame.iter();
                let bounds = frame.flat_map(|frame| [Some(&frame.start_bound), frame.end_bound.as_ref()]).flatten();
                let negative = bounds.filter_map(|bound| match bound {
                    WindowFrameBound::Preceding(Some(rows)) | WindowFrameBound::Following(Some(rows)) => negated(rows),
                    _ => None,
                });
                negative.take(1).try_for_each(|start| self.refuse_before(start))
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        let sample = match factor {
            TableFactor::Table { sample, .. } | TableFactor::Derived { sample, .. } => sample.as_ref(),
            _ => None,
        };
        let sample = sample.map(|sample| match sample {
            TableSampleKind::BeforeTableAlias(sample) | TableSampleKind::AfterTableAlias(sample) => sample,
        });
        match sample.and_then(|sample| negated(&sample.quantity.as_ref()?.value)) {
            Some(start) => self.refuse_before(start),
            None => ControlFlow::Continue(()),
        }
    }
}

/// Comparisons do not follow one another without brackets.
fn compares(op: &BinaryOperator) -> bool {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    matches!(op, Eq | Gt | GtEq | Lt | LtEq | NotEq)
}

/// Where the number behind a minus begins.
fn negated(expr: &Expr) -> Option<Location> {
    match expr {
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => Some(expr.span().start),
        _ => None,
    }
}

fn needs_name(item: &SelectItem) -> bool {
    match item {
        SelectItem::UnnamedExpr(Expr::Identifier(ident)) => is_current_user(ident),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => {
            is_next_value(parts) || parts.last().is_some_and(is_place)
        }
        SelectItem::UnnamedExpr(_) => true,
        _ => false,
    }
}

/// CURRENT_USER without brackets looks like a column.
pub(crate) fn is_current_user(ident: &Ident) -> bool {
    ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("CURRENT_USER")
}

/// `sequence.NEXTVAL` looks like a column, and its column is called NEXTVAL.
pub(crate) fn is_next_value(parts: &[Ident]) -> bool {
    parts.last().is_some_and(|last| last.quote_style.is_none() && last.value.eq_ignore_ascii_case("NEXTVAL"))
}

impl<'a> Naming<'a> {
    /// Reports the token before a location as a syntax error.
    fn refuse_before(&self, place: Location) -> ControlFlow<Failure> {
        let before = self.tokens.partition_point(|token| token.span.start < place);
        let is_code = |token: &&TokenWithSpan| !matches!(token.token, Token::Whitespace(_));
        match self.tokens[..before].iter().rfind(is_code) {
            Some(token) => ControlFlow::Break(self.map.syntax_error(token.span.start)),
            None => ControlFlow::Continue(()),
        }
    }

    /// The texts of the select items that follow the SELECT at `select`.
    fn item_texts(&self, select: Location) -> Vec<&'a str> {
        let Ok(index) = self.tokens.binary_search_by_key(&select, |token| token.span.start) else { return Vec::new() };
        let code: Vec<&TokenWithSpan> = self.tokens[index + 1..]
            .iter()
            .filter(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF))
            .take_while_list()
            .collect();
        let start = list_start(&code);
        item_ranges(&code[start..])
            .into_iter()
            .map(|range| {
                let items = &code[start..][range];
                match (items.first(), items.last()) {
                    (Some(first), Some(last)) => self.map.slice(first.span.start, last.span.end),
                    _ => "",
                }
            })
            .collect()
    }
}

/// Cuts an iterator of tokens off where the select list ends.
trait SelectList<'t>: Iterator<Item = &'t TokenWithSpan> + Sized {
    fn take_while_list(self) -> impl Iterator<Item = &'t TokenWithSpan> {
        let mut depth = 0_usize;
        let mut previous: Option<&'t Token> = None;
        self.take_while(move |token| {
            let inside = match &token.token {
                Token::LParen | Token::LBracket | Token::LBrace => {
                    depth += 1;
                    true
                }
                Token::RParen | Token::RBracket | Token::RBrace if depth == 0 => false,
                Token::RParen | Token::RBracket | Token::RBrace => {
                    depth -= 1;
                    true
                }
                word if depth == 0 => !ends_list(word, previous),
                _ => true,
            };
            previous = Some(&token.token);
            inside
        })
    }
}

impl<'t, I: Iterator<Item = &'t TokenWithSpan>> SelectList<'t> for I {}

/// `a.from`, `v:from`, `IS DISTINCT FROM` and `WITHIN GROUP` end nothing.
fn ends_list(token: &Token, previous: Option<&Token>) -> bool {
    if !ENDS.iter().any(|word| is_word(token, word)) {
        return false;
    }
    match previous {
        Some(Token::Period | Token::Colon) => false,
        Some(previous) if is_word(previous, "DISTINCT") => !is_word(token, "FROM"),
        Some(previous) if is_word(previous, "WITHIN") => !is_word(token, "GROUP"),
        _ => true,
    }
}

/// Past DISTINCT, ALL and TOP n.
fn list_start(code: &[&TokenWithSpan]) -> usize {
    let mut start = 0;
    while let Some(token) = code.get(start) {
        if is_word(&token.token, "DISTINCT") || is_word(&token.token, "ALL") {
            start += 1;
        } else if is_word(&token.token, "TOP")
            && matches!(code.get(start + 1).map(|t| &t.token), Some(Token::Number(..)))
        {
            start += 2;
        } else {
            break;
        }
    }
    start
}

fn item_ranges(code: &[&TokenWithSpan]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (index, token) in code.iter().enumerate() {
        match token.token {
            Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
            Token::RParen | Token::RBracket | Token::RBrace => depth = depth.saturating_sub(1),
            Token::Comma if depth == 0 => {
                ranges.push(start..index);
                start = index + 1;
            }
            _ => {}
        }
    }
    if start < code.len() {
        ranges.push(start..code.len());
    }
    ranges
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use crate::ast::{SelectItem, SetExpr};
    use crate::command::{Command, Ddl, TableSource};
    use crate::script::split_script;
    use crate::source::ParseLimits;

    fn names(text: &str) -> Vec<String> {
        let limits = ParseLimits { text_bytes_max: 10_000, statements_max: 10, nesting_depth_max: 50 };
        let source = split_script(text, &limits).unwrap().pop().unwrap();
        let statement = crate::script::parse_statement(&source, &limits).unwrap();
        let query = match statement.command {
            Command::Query(query) => query,
            Command::Ddl(Ddl::CreateView(view)) => view.query,
            Command::Ddl(Ddl::CreateTable(table)) => match table.source {
                TableSource::Query(query) => query,
                _ => panic!("no query"),
            },
            _ => panic!("no query"),
        };
        let mut body = *query.body;
        loop {
            match body {
                SetExpr::Select(select) => return select.projection.iter().map(item_name).collect(),
                SetExpr::SetOperation { left, .. } => body = *left,
                SetExpr::Query(query) => body = *query.body,
                _ => panic!("no select"),
            }
        }
    }

    fn item_name(item: &SelectItem) -> String {
        match item {
            SelectItem::ExprWithAlias { alias, .. } => alias.value.clone(),
            other => other.to_string(),
        }
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(names(text), expected, "{text}");
    }

    #[test]
    fn an_expression_is_named_by_its_text() {
        check("select 1", &["1"]);
        check("select a+b, a + b ,count(*)", &["A+B", "A + B", "COUNT(*)"]);
        check("select 'abc', \"x\"||'y'", &["'ABC'", "\"X\"||'Y'"]);
        check("select a, t.b, c as d, e f from t", &["a", "t.b", "d", "f"]);
        check("select s.nextval, db.s.q.NextVal", &["NEXTVAL", "NEXTVAL"]);
        check("select *, 1 from t", &["*", "1"]);
        check("select distinct a+1 from t", &["A+1"]);
        check("select top 5 a+1 from t", &["A+1"]);
        check(
            "select coalesce(a, b), (select max(x) from t where y > 1), 2",
            &["COALESCE(A, B)", "(SELECT MAX(X) FROM T WHERE Y > 1)", "2"],
        );
        check(
            "select case when a is distinct from b then 1 end from t",
            &["CASE WHEN A IS DISTINCT FROM B THEN 1 END"],
        );
        check("select a is not distinct from b, 3 from t", &["A IS NOT DISTINCT FROM B", "3"]);
        check(
            "select listagg(a, ',') within group (order by a), 2 from t",
            &["LISTAGG(A, ',') WITHIN GROUP (ORDER BY A)", "2"],
        );
        check(
            "select v:from.x::int, v['a'], extract(year from d) from t",
            &["V:FROM.X::INT", "V['A']", "EXTRACT(YEAR FROM D)"],
        );
        check("select ?, :1, :name", &["?", ":1", ":NAME"]);
        check("select -- note\n  upper(a) -- more\n from t", &["UPPER(A)"]);
        check("select 'é', 1 + 1", &["'É'", "1 + 1"]);
        check(
            "select row_number() over (partition by a order by b) from t qualify 1 = 1",
            &["ROW_NUMBER() OVER (PARTITION BY A ORDER BY B)"],
        );
    }

    #[test]
    fn the_first_branch_names_a_set_operation_and_other_statements_are_named_too() {
        check("select 1 union all select 2", &["1"]);
        check("(select a+1 from t) union select 2", &["A+1"]);
        check("with x as (select 1+1) select 2 from x", &["2"]);
        check("create view v as select a+1, b from t", &["A+1", "b"]);
        check("create table t as select 1 as a, 2", &["a", "2"]);
    }
}
