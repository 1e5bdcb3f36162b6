//! The variants of a query that mean the same.

use sqlparser::ast::{
    Expr, GroupByExpr, Join, Query, Select, SelectItem, SetExpr, Statement, TableFactor, Visit, Visitor,
};
use sqlparser::dialect::SnowflakeDialect;
use sqlparser::parser::Parser;
use std::ops::ControlFlow;

use crate::aliases;
use crate::decoys::{self, Decoys, GROUPS};
use crate::outcome::{Comparison, Outcome};
use crate::script::Script;

pub struct Variant {
    pub name: &'static str,
    /// The last one is the variant, those before it make what it reads.
    pub statements: Vec<String>,
    /// A form of the plain query that has to answer the same for the variant to say anything.
    pub base: Option<String>,
    pub comparison: Comparison,
}

impl Variant {
    fn of(name: &'static str, statement: String) -> Self {
        Self { name, statements: vec![statement], base: None, comparison: Comparison::All }
    }
}

pub fn variants(script: &Script, decoys: &Decoys, plain: &Outcome) -> Vec<Variant> {
    let mut found = Vec::new();
    for group in 0..GROUPS.len() {
        found.push(Variant::of("unused CTE", script.with(&with_ctes(&script.query, &decoys.queries(group, script)))));
    }
    let aliases = decoys::aliases(script);
    found.push(Variant::of("unused CTE of aliases", script.with(&with_ctes(&script.query, &[aliases]))));
    found.push(Variant::of("subquery", script.with(&format!("SELECT * FROM ({})", script.query))));
    found.extend(view(script, plain));
    if let Some(query) = parsed(&script.query) {
        let base = Some(script.with(&query.to_string()));
        let printed =
            |name, query: Query| Variant { base: base.clone(), ..Variant::of(name, script.with(&query.to_string())) };
        for group in 0..GROUPS.len() {
            found.extend(
                joined(&query, &hidden(&decoys.queries(group, script))).map(|query| printed("unused join", query)),
            );
        }
        if is_qualified(&query) {
            let decoy = format!("({})", decoys.queries(0, script).join(""));
            found.extend(joined(&query, &decoy).map(|query| printed("unused join of the same names", query)));
        }
        let renamed = aliases::renamed(query.clone()).map(|query| printed("other aliases", query));
        found.extend(renamed.map(|variant| Variant { comparison: Comparison::AllButNames, ..variant }));
    }
    found
}

fn with_ctes(query: &str, decoys: &[String]) -> String {
    let ctes: Vec<String> =
        decoys.iter().enumerate().map(|(place, decoy)| format!("UNUSED_{place} AS ({decoy})")).collect();
    let ctes = ctes.join(", ");
    let upper = query.to_uppercase();
    for (keywords, length) in [("WITH RECURSIVE ", 15), ("WITH ", 5), ("WITH\n", 5)] {
        if upper.starts_with(keywords) {
            return format!("{}{ctes}, {}", &query[..length], &query[length..]);
        }
    }
    format!("WITH {ctes} {query}")
}

/// Variables of a session cannot stand in a view, and a view over the list of views would list itself.
fn view(script: &Script, plain: &Outcome) -> Option<Variant> {
    let lists_views = script.query.to_uppercase().contains("INFORMATION_SCHEMA.");
    if lists_views || script.query.contains('$') || !script.setup.is_empty() {
        return None;
    }
    let columns: Vec<String> = (0..plain.columns.len()).map(|place| format!("C{place}")).collect();
    Some(Variant {
        name: "view",
        statements: vec![
            format!("CREATE OR REPLACE VIEW METAMORPHIC ({}) AS {}", columns.join(", "), script.query),
            "SELECT * FROM METAMORPHIC".to_owned(),
        ],
        base: None,
        comparison: Comparison::View,
    })
}

fn parsed(query: &str) -> Option<Query> {
    match Parser::parse_sql(&SnowflakeDialect {}, query).ok()?.pop()? {
        Statement::Query(query) => Some(*query),
        _ => None,
    }
}

/// A derived table that reads the decoys and shows none of their names.
fn hidden(decoys: &[String]) -> String {
    let derived: Vec<String> =
        decoys.iter().enumerate().map(|(place, decoy)| format!("({decoy}) UNUSED_{place}")).collect();
    format!("(SELECT 1 AS UNUSED_COLUMN FROM {})", derived.join(", "))
}

/// `query LEFT JOIN decoy ON FALSE`, where that adds no row and no column.
fn joined(query: &Query, decoy: &str) -> Option<Query> {
    let mut query = query.clone();
    let SetExpr::Select(select) = &mut *query.body else { return None };
    let shows_all = select.projection.iter().any(|item| matches!(item, SelectItem::Wildcard(_)));
    if shows_all || !select.from.iter().all(is_plain) || names_all_columns(select) {
        return None;
    }
    let from = select.from.last_mut()?;
    from.joins.push(join(decoy)?);
    Some(query)
}

fn join(decoy: &str) -> Option<Join> {
    let mut template = parsed(&format!("SELECT 1 FROM T LEFT JOIN {decoy} AS UNUSED ON FALSE"))?;
    let SetExpr::Select(select) = &mut *template.body else { return None };
    select.from.first_mut()?.joins.pop()
}

fn is_plain(table: &sqlparser::ast::TableWithJoins) -> bool {
    let factors = std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation));
    factors.into_iter().all(|factor| {
        matches!(
            factor,
            TableFactor::Table { .. }
                | TableFactor::Derived { .. }
                | TableFactor::Function { .. }
                | TableFactor::TableFunction { .. }
                | TableFactor::NestedJoin { .. }
        )
    })
}

/// `$1` counts the columns of the only table, and functions may take all of them; what numbers the rows of GENERATOR
/// has no other table beside it.
fn names_all_columns(select: &Select) -> bool {
    let text = select.to_string().to_uppercase();
    text.contains('$')
        || text.replace("COUNT(*)", "").contains("(*")
        || text.contains("DISTINCT *")
        || text.contains("GENERATOR")
}

/// Whether every column is named with its table, so that no other column of its name can be meant.
fn is_qualified(query: &Query) -> bool {
    let SetExpr::Select(select) = &*query.body else { return false };
    let is_grouped_by_names = matches!(&select.group_by, GroupByExpr::Expressions(..));
    is_grouped_by_names && query.visit(&mut Unqualified).is_continue()
}

/// Breaks at the first name without its table.
struct Unqualified;

impl Visitor for Unqualified {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(_) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}
