//! The queries that a load consists of: one that tries every value and never fails, and one that fails at
//! the first value it cannot convert.

use firn_duckdb_lower::dialect::{self, call, engine_relation};
use firn_engine::{EngineError, ExecutionContext};
use firn_sql::command::CopyIntoTable;
use firn_sql::file_formats::FileFormat;
use firn_sql::names::quote_identifier;
use firn_sql::tree::{Tree, outcome};
use firn_sql::{ast, print};

use super::columns::Assigned;
use super::conversions::{aliased, converted, length_max};
use super::staged_query::Replacement;
use super::staged_relation::Staged;
use crate::session_state::SessionState;

const PLACES: [&str; 3] = ["@file", "@row", "@line"];

/// What is done about texts longer than their column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LongTexts {
    Refused,
    Cut,
}

pub(super) struct Plan<'table> {
    pub(super) assigned: Vec<Assigned<'table>>,
    /// Columns `1`, `2` and so on, each a struct of one value, or null for a value that fails.
    tried: String,
    /// The same columns as plain values.
    direct: String,
    /// The engine's name of the staged relation.
    relation: String,
    long_texts: LongTexts,
}

impl<'table> Plan<'table> {
    pub(super) fn new(
        session: &SessionState,
        copy: &CopyIntoTable,
        assigned: Vec<Assigned<'table>>,
        staged: &Staged,
        format: &FileFormat,
        long_texts: LongTexts,
        context: &ExecutionContext,
    ) -> Result<Self, EngineError> {
        let mut query = match &copy.query {
            Some(query) => (**query).clone(),
            None => print::read_query("SELECT 1 FROM \"@\".\"@\"")?,
        };
        let mut items: Vec<ast::SelectItem> = (1..)
            .zip(&assigned)
            .map(|(number, assigned): (usize, _)| aliased(converted(assigned, format), &number.to_string()))
            .collect();
        items.extend(PLACES.map(|name| aliased(ast::Expr::Identifier(ast::Ident::with_quote('"', name)), name)));
        if let ast::SetExpr::Select(select) = query.body.as_mut() {
            select.projection = items;
        }
        outcome(query.walk_mut(&mut Replacement { opened: vec![staged.name.clone()] }))?;
        dialect::rewrite(&mut query, &session.rewrite_context(context))?;
        let direct = print::sql(&query);
        if let ast::SetExpr::Select(select) = query.body.as_mut() {
            for item in select.projection.iter_mut().take(assigned.len()) {
                if let ast::SelectItem::ExprWithAlias { expr, .. } = item {
                    let inside = std::mem::replace(expr, ast::Expr::value(ast::Value::Null));
                    *expr = call("TRY", vec![call("row", vec![inside])]);
                }
            }
        }
        let relation = engine_relation(&staged.name, &session.temporary);
        Ok(Self { assigned, tried: print::into_sql(query), direct, relation, long_texts })
    }

    /// The rows of a file with a value that cannot be stored, as a condition over `tried`.
    fn is_bad(&self) -> String {
        let conditions: Vec<String> = self.conditions();
        if conditions.is_empty() { "false".to_owned() } else { conditions.join(" OR ") }
    }

    /// For every column, whether its value cannot be stored.
    pub(super) fn conditions(&self) -> Vec<String> {
        (1..)
            .zip(&self.assigned)
            .map(|(number, assigned): (usize, _)| {
                let mut condition = format!("\"{number}\" IS NULL");
                if assigned.column.not_null {
                    condition.push_str(&format!(" OR {} IS NULL", value(number)));
                }
                if let (Some(length), LongTexts::Refused) = (length_max(&assigned.column.data_type), self.long_texts) {
                    condition.push_str(&format!(" OR coalesce(length({}) > {length}, false)", value(number)));
                }
                format!("({condition})")
            })
            .collect()
    }

    /// For every file with bad rows: its number, how many there are, and the first.
    pub(super) fn bad_files(&self) -> String {
        format!(
            "SELECT \"@file\", count(*), min(\"@row\") FROM ({}) AS tried WHERE {} GROUP BY ALL ORDER BY ALL",
            self.tried,
            self.is_bad()
        )
    }

    /// The bad rows of a file: row, line, and for every column whether it is bad.
    pub(super) fn bad_rows(&self, file: usize, limit: Option<u64>) -> String {
        let limit = limit.map_or_else(String::new, |limit| format!(" LIMIT {limit}"));
        format!(
            "SELECT \"@row\", \"@line\", {} FROM ({}) AS tried WHERE \"@file\" = {file} AND ({}) ORDER BY \"@row\"{limit}",
            self.conditions().join(", "),
            self.tried,
            self.is_bad()
        )
    }

    /// One value as it is, which fails as it would in a statement.
    pub(super) fn value_of(&self, number: usize, file: usize, row: u64) -> String {
        format!(
            "SELECT CAST(\"{number}\" AS VARCHAR) FROM ({}) AS direct WHERE \"@file\" = {file} AND \"@row\" = {row}",
            self.direct
        )
    }

    /// A field as it stands in its file.
    pub(super) fn source_of(&self, column: usize, file: usize, row: u64) -> String {
        let field = match &self.assigned[column].value {
            ast::Expr::CompoundIdentifier(parts) => parts.last().cloned().map(ast::Expr::Identifier),
            other => Some(other.clone()),
        };
        let field = field.map_or_else(|| "NULL".to_owned(), print::into_sql);
        format!("SELECT {field} FROM {} WHERE \"@file\" = {file} AND \"@row\" = {row}", self.relation)
    }

    /// Inserts the good rows of one file.
    pub(super) fn insert_good(&self, relation: &str, file: usize) -> String {
        let values: Vec<String> = (1..=self.assigned.len()).map(|number| self.stored(number, &value(number))).collect();
        format!(
            "INSERT INTO {relation} ({}) SELECT {} FROM ({}) AS tried WHERE \"@file\" = {file} AND NOT ({})",
            self.column_list(),
            values.join(", "),
            self.tried,
            self.is_bad()
        )
    }

    /// Inserts every row of all files, or nothing.
    pub(super) fn insert_all(&self, relation: &str) -> String {
        let values: Vec<String> = (1..)
            .zip(&self.assigned)
            .map(|(number, assigned): (usize, _)| {
                let value = format!("\"{number}\"");
                match (length_max(&assigned.column.data_type), self.long_texts) {
                    (Some(length), LongTexts::Refused) => format!("firn_too_long({value}, {length})"),
                    _ => self.stored(number, &value),
                }
            })
            .collect();
        format!(
            "INSERT INTO {relation} ({}) SELECT {} FROM ({}) AS direct",
            self.column_list(),
            values.join(", "),
            self.direct
        )
    }

    /// The first rows as they would be stored, up to the first that fails.
    pub(super) fn first_rows(&self, limit: u64) -> String {
        let values: Vec<String> = (1..)
            .zip(&self.assigned)
            .map(|(number, assigned): (usize, _)| {
                format!("\"{number}\" AS {}", quote_identifier(&assigned.column.name))
            })
            .collect();
        format!("SELECT {} FROM ({}) AS direct LIMIT {limit}", values.join(", "), self.direct)
    }

    fn stored(&self, number: usize, value: &str) -> String {
        let column = self.assigned.get(number - 1).map(|assigned| &assigned.column.data_type);
        match (column.and_then(length_max), self.long_texts) {
            (Some(length), LongTexts::Cut) => format!("left({value}, {length})"),
            _ => value.to_owned(),
        }
    }

    fn column_list(&self) -> String {
        let names: Vec<String> = self.assigned.iter().map(|assigned| quote_identifier(&assigned.column.name)).collect();
        names.join(", ")
    }
}

fn value(number: usize) -> String {
    format!("struct_extract(\"{number}\", 1)")
}
