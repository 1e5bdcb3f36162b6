//! Puts the physical columns in the place of a model's names, and notes which tables they are in.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use firn_sql::ast::{Expr, Ident, Query, TableFactor, Visitor, VisitorMut};
use firn_sql::owners_calls::FunctionHome;
use firn_sql::tree::Tree;
use firn_sql::{Failure, ObjectName, ParseLimits, expression_of_text, print};

use crate::semantic_model::logical_sql::identifier;
use crate::semantic_model::{AccessModifier, LogicalTable, SemanticModel};

pub(super) const LIMITS: ParseLimits =
    ParseLimits { text_bytes_max: 256 << 10, statements_max: 1, nesting_depth_max: 60 };
/// Names that refer to names that refer to names.
const DEPTH_MAX: usize = 20;

/// An expression over physical columns, each with its table before it.
#[derive(Clone)]
pub(super) struct Expanded {
    pub(super) expr: Expr,
    /// The logical tables whose columns it has.
    pub(super) tables: BTreeSet<String>,
}

/// The tree of an expression of the model. The functions that it calls are those of the model's home.
pub(super) fn parsed(model: &SemanticModel, text: &str) -> Result<Expr, Failure> {
    let mut expr = expression_of_text(text, &LIMITS)?;
    if let Some(home) = &model.function_home {
        home.mark(&mut expr);
    }
    Ok(expr)
}

/// The tables and views that subqueries in the expressions of a model read, by their complete names.
#[must_use]
pub fn tables_of_expressions(model: &SemanticModel) -> Vec<ObjectName> {
    let Some(home) = &model.function_home else { return Vec::new() };
    let with_query = model.expressions().filter(|text| text.to_ascii_uppercase().contains("SELECT"));
    with_query.filter_map(|text| expression_of_text(text, &LIMITS).ok()).flat_map(|expr| home.reads(&expr)).collect()
}

/// Completes the names of functions and tables in the expressions of a semantic view, for statements that are not in its schema.
pub fn complete_expressions(model: &mut SemanticModel, home: &FunctionHome) {
    for text in model.expressions_mut().filter(|text| text.contains('(')) {
        if let Ok(mut expr) = expression_of_text(text, &LIMITS)
            && home.complete(&mut expr)
        {
            *text = print::sql(&expr);
        }
    }
}

/// An expression of the model, at home in one of its tables.
pub(super) fn expand(model: &SemanticModel, home: &LogicalTable, text: &str) -> Result<Expanded, Failure> {
    let mut expanded = Expanded { expr: parsed(model, text)?, tables: BTreeSet::new() };
    let mut columns = Columns::new(model, Some(home), &mut expanded.tables, Vec::new());
    columns.apply(&mut expanded.expr)?;
    Ok(expanded)
}

/// An expression of a query: it names public items of any table.
pub(super) fn expand_condition(model: &SemanticModel, condition: &Expr) -> Result<Expanded, Failure> {
    let mut expanded = Expanded { expr: condition.clone(), tables: BTreeSet::new() };
    let mut columns = Columns::new(model, None, &mut expanded.tables, Vec::new());
    columns.apply(&mut expanded.expr)?;
    Ok(expanded)
}

/// A column of a table: an item of the model, or else a physical one.
pub(super) fn expand_column(model: &SemanticModel, table: &LogicalTable, column: &str) -> Result<Expanded, Failure> {
    expand(model, table, &identifier(column))
}

pub(super) fn invalid_identifier(name: &str) -> Failure {
    Failure::new("000904", "42000", format!("SQL compilation error:\ninvalid identifier '{name}'"))
}

struct Columns<'a, 't> {
    model: &'a SemanticModel,
    home: Option<&'a LogicalTable>,
    tables: &'t mut BTreeSet<String>,
    /// Tables and items that are being expanded: inside of an item its own name is the physical column.
    under_way: Vec<(String, String)>,
    /// The relations of the subqueries around a name. What a name leaves out is looked up in these first, so only names with a
    /// table of the model before them are the model's there.
    subqueries: Vec<Vec<String>>,
    failed: Option<Failure>,
}

impl<'a, 't> Columns<'a, 't> {
    fn new(
        model: &'a SemanticModel,
        home: Option<&'a LogicalTable>,
        tables: &'t mut BTreeSet<String>,
        under_way: Vec<(String, String)>,
    ) -> Self {
        Self { model, home, tables, under_way, subqueries: Vec::new(), failed: None }
    }

    /// Whether a name within a subquery is one of the subquery's own.
    fn is_of_subquery(&self, table: Option<&str>) -> bool {
        let is_relation = |name: &str| self.subqueries.iter().flatten().any(|other| other.eq_ignore_ascii_case(name));
        let is_models = |name: &str| self.model.table(name).is_some() && !is_relation(name);
        !self.subqueries.is_empty() && !table.is_some_and(is_models)
    }

    fn apply(&mut self, expr: &mut Expr) -> Result<(), Failure> {
        let _ = expr.walk_mut(self);
        self.failed.take().map_or(Ok(()), Err)
    }

    fn column(&mut self, table: Option<&str>, column: &Ident) -> Result<Expr, Failure> {
        let owner = match table {
            Some(name) => match (self.model.table(name), self.home) {
                (Some(owner), None) if !has_public(owner, &column.value) => {
                    return Err(invalid_identifier(&format!("{name}.{}", column.value)));
                }
                (Some(owner), _) => owner,
                (None, _) => return Err(invalid_identifier(name)),
            },
            None => match self.home {
                Some(home) => home,
                None => owner_of(self.model, &column.value)?,
            },
        };
        let item = owner.column_expression(&column.value).or_else(|| {
            owner.metrics.iter().find(|m| m.name.eq_ignore_ascii_case(&column.value)).map(|m| m.expr.as_str())
        });
        let key = (owner.name.clone(), column.value.to_uppercase());
        match item {
            Some(text) if !self.under_way.contains(&key) => {
                if self.under_way.len() >= DEPTH_MAX {
                    let way_out = "its names refer to each other too deeply";
                    return Err(Failure::invalid_value("an expression", &column.value, way_out));
                }
                let mut expr = parsed(self.model, text)?;
                self.under_way.push(key);
                let under_way = std::mem::take(&mut self.under_way);
                let mut inner = Columns::new(self.model, Some(owner), &mut *self.tables, under_way);
                let applied = inner.apply(&mut expr);
                self.under_way = inner.under_way;
                self.under_way.pop();
                applied?;
                Ok(Expr::Nested(Box::new(expr)))
            }
            _ if self.home.is_none() => Err(invalid_identifier(&column.value)),
            _ => {
                self.tables.insert(owner.name.clone());
                let table = Ident::new(identifier(&owner.name));
                Ok(Expr::CompoundIdentifier(vec![table, column.clone()]))
            }
        }
    }
}

/// Whether a query may name the dimension or fact.
fn has_public(table: &LogicalTable, name: &str) -> bool {
    let is_it =
        |other: &str, access: AccessModifier| other.eq_ignore_ascii_case(name) && access == AccessModifier::Public;
    table.dimensions.iter().any(|item| is_it(&item.name, item.access_modifier))
        || table.time_dimensions.iter().any(|item| is_it(&item.name, item.access_modifier))
        || table.facts.iter().any(|item| is_it(&item.name, item.access_modifier))
}

/// The one table that has a public item of this name.
fn owner_of<'m>(model: &'m SemanticModel, name: &str) -> Result<&'m LogicalTable, Failure> {
    let mut owners = model.tables.iter().filter(|table| has_public(table, name));
    match (owners.next(), owners.next()) {
        (Some(owner), None) => Ok(owner),
        (Some(_), Some(_)) => {
            Err(Failure::new("002028", "42601", format!("SQL compilation error:\nambiguous column name '{name}'")))
        }
        (None, _) => Err(invalid_identifier(name)),
    }
}

impl VisitorMut for Columns<'_, '_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Failure> {
        let mut relations = Relations(Vec::new());
        // The visitor never breaks.
        let _ = query.walk(&mut relations);
        self.subqueries.push(relations.0);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        self.subqueries.pop();
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let replaced = match expr {
            Expr::Identifier(_) if self.is_of_subquery(None) => return ControlFlow::Continue(()),
            Expr::CompoundIdentifier(parts) if self.is_of_subquery(parts.first().map(|table| table.value.as_str())) => {
                return ControlFlow::Continue(());
            }
            Expr::Identifier(column) => self.column(None, &column.clone()),
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [table, column] => self.column(Some(&table.value.clone()), &column.clone()),
                _ => return ControlFlow::Continue(()),
            },
            _ => return ControlFlow::Continue(()),
        };
        match replaced {
            Ok(replacement) => {
                *expr = replacement;
                ControlFlow::Continue(())
            }
            Err(failure) => {
                self.failed = Some(failure.clone());
                ControlFlow::Break(failure)
            }
        }
    }
}

/// The names by which a query refers to the relations that it reads.
struct Relations(Vec<String>);

impl Visitor for Relations {
    type Break = Failure;

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        let (alias, name) = match factor {
            TableFactor::Table { name, alias, .. } => (alias.as_ref(), name.0.last().map(ToString::to_string)),
            TableFactor::Derived { alias, .. } | TableFactor::TableFunction { alias, .. } => (alias.as_ref(), None),
            TableFactor::Function { alias, .. } | TableFactor::NestedJoin { alias, .. } => (alias.as_ref(), None),
            _ => (None, None),
        };
        let name = alias.map(|alias| alias.name.value.clone()).or(name);
        self.0.extend(name.map(|name| name.trim_matches('"').to_owned()));
        ControlFlow::Continue(())
    }
}
