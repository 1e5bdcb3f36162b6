//! The metrics of a query: each is computed over the rows of its own table, and all are put side by side.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Ident, VisitorMut};
use firn_sql::tree::Tree;

use super::super::expansion::{Expanded, expand, expand_column, expand_condition, invalid_identifier, parsed};
use super::joins::{common_base, joined};
use super::{Column, Item, What, condition_text, invalid};
use crate::semantic_model::{AccessModifier, LogicalTable, Metric, SemanticModel, SortDirection};

/// The metrics asked for, and the parts of each table that they are made of.
#[derive(Default)]
pub(super) struct Parts {
    outputs: Vec<Output>,
    parts: Vec<Part>,
}

/// A column of the result: an expression over the parts, which are named `__P0`, `__P1` and so on.
struct Output {
    number: usize,
    name: String,
    text: String,
}

struct Part {
    table: String,
    using: Vec<String>,
    /// Only the last rows along these count.
    last_along: Vec<(Expanded, SortDirection)>,
    expanded: Expanded,
}

/// Parts that are computed in one go: where from, and only over which rows.
#[derive(PartialEq)]
struct Source<'p> {
    table: &'p str,
    using: &'p [String],
    last_along: Vec<String>,
}

impl Part {
    fn source(&self) -> Source<'_> {
        let order = self.last_along.iter().map(|(along, direction)| match direction {
            SortDirection::Ascending => format!("{} DESC NULLS LAST", along.expr),
            SortDirection::Descending => format!("{} ASC NULLS LAST", along.expr),
        });
        Source { table: &self.table, using: &self.using, last_along: order.collect() }
    }
}

impl Parts {
    pub(super) fn of(model: &SemanticModel, asked: &[Expr]) -> Result<Self, Failure> {
        let mut all = Self::default();
        for expr in asked {
            let item = Item::of(expr);
            match &item.what {
                What::Named { table, name, text } => {
                    all.named(model, &item, table.as_deref(), name.as_deref(), text)?;
                }
                What::Expr(expr) => {
                    let text = match names_metric(model, expr) {
                        true => all.derived(model, (*expr).clone())?,
                        false => all.aggregated(model, expr)?,
                    };
                    all.outputs.push(Output { number: item.number, name: item.name(&expr.to_string()), text });
                }
            }
        }
        Ok(all)
    }

    fn named(
        &mut self,
        model: &SemanticModel,
        item: &Item<'_>,
        table: Option<&str>,
        name: Option<&str>,
        text: &str,
    ) -> Result<(), Failure> {
        let found = metrics_named(model, table, name);
        if found.is_empty() {
            return Err(invalid_identifier(text));
        }
        if name.is_some() && found.len() > 1 {
            let message = format!("SQL compilation error:\nambiguous metric '{text}'");
            return Err(Failure::new("002028", "42601", message));
        }
        for (owner, metric) in found {
            let text = match owner {
                Some(owner) => self.part(model, owner, metric)?,
                None => self.derived(model, parsed(model, &metric.expr)?)?,
            };
            self.outputs.push(Output { number: item.number, name: item.name(&metric.name), text });
        }
        Ok(())
    }

    fn part(&mut self, model: &SemanticModel, owner: &LogicalTable, metric: &Metric) -> Result<String, Failure> {
        let expanded = expand(model, owner, &metric.expr)?;
        let mut last_along = Vec::new();
        for along in &metric.non_additive_dimensions {
            let table = along.table.as_deref().map_or(Some(owner), |name| model.table(name));
            let table = table.ok_or_else(|| invalid_identifier(along.table.as_deref().unwrap_or_default()))?;
            last_along.push((expand_column(model, table, &along.dimension)?, along.sort_direction));
        }
        let using = metric.using_relationships.clone();
        Ok(self.add(Part { table: owner.name.clone(), using, last_along, expanded }))
    }

    /// An aggregate of dimensions and facts that no metric of the model is.
    fn aggregated(&mut self, model: &SemanticModel, expr: &Expr) -> Result<String, Failure> {
        let expanded = expand_condition(model, expr)?;
        if expanded.tables.is_empty() {
            return Err(invalid(&expr.to_string(), "an expression in METRICS has metrics, or aggregates facts"));
        }
        let table = common_base(model, &expanded.tables)?.name.clone();
        Ok(self.add(Part { table, using: Vec::new(), last_along: Vec::new(), expanded }))
    }

    fn add(&mut self, part: Part) -> String {
        self.parts.push(part);
        format!("__P{}", self.parts.len() - 1)
    }

    /// An expression over metrics.
    fn derived(&mut self, model: &SemanticModel, mut expr: Expr) -> Result<String, Failure> {
        let mut derivation = Derivation { model, parts: self, failed: None };
        let _ = expr.walk_mut(&mut derivation);
        match derivation.failed.take() {
            Some(failure) => Err(failure),
            None => Ok(format!("({expr})")),
        }
    }

    pub(super) fn text(
        &self,
        model: &SemanticModel,
        dimensions: &[Column],
        condition: Option<&Expanded>,
    ) -> Result<String, Failure> {
        let mut groups: Vec<(Source<'_>, Vec<usize>)> = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            let source = part.source();
            match groups.iter_mut().find(|(other, _)| *other == source) {
                Some((_, indices)) => indices.push(index),
                None => groups.push((source, vec![index])),
            }
        }
        let mut queries = Vec::new();
        for (source, indices) in &groups {
            queries.push(self.group(model, source, indices, dimensions, condition)?);
        }
        let names: Vec<String> = (0..dimensions.len()).map(|index| format!("__D{index}")).collect();
        let merged: Vec<String> = (0..self.parts.len()).map(|index| format!("MAX(__P{index}) AS __P{index}")).collect();
        let selected: Vec<String> = names.iter().cloned().chain(merged).collect();
        let together = match queries.as_slice() {
            [only] => only.clone(),
            several => {
                let rows = several.join(" UNION ALL ");
                format!("SELECT {} FROM ({rows}){}", selected.join(", "), group_by(names.len()))
            }
        };
        let stated = names.iter().zip(dimensions);
        let stated = stated.map(|(name, column)| (column.number, format!("{name} AS {}", column.name)));
        let outputs = self.outputs.iter().map(|out| (out.number, format!("{} AS {}", out.text, out.name)));
        let mut stated: Vec<(usize, String)> = stated.chain(outputs).collect();
        stated.sort_by_key(|(number, _)| *number);
        let stated: Vec<String> = stated.into_iter().map(|(_, text)| text).collect();
        Ok(format!("SELECT {} FROM ({together})", stated.join(", ")))
    }

    /// The parts of one source, by the dimensions; the other parts are NULL here.
    fn group(
        &self,
        model: &SemanticModel,
        source: &Source<'_>,
        indices: &[usize],
        dimensions: &[Column],
        condition: Option<&Expanded>,
    ) -> Result<String, Failure> {
        let base = model.table(source.table).ok_or_else(|| invalid_identifier(source.table))?;
        let own = || indices.iter().filter_map(|index| self.parts.get(*index));
        let along = own().flat_map(|part| &part.last_along).map(|(along, _)| along);
        let used = dimensions.iter().map(|column| &column.expanded).chain(condition).chain(along);
        let mut tables: BTreeSet<String> = used.flat_map(|expanded| expanded.tables.clone()).collect();
        tables.extend(own().flat_map(|part| part.expanded.tables.clone()));
        let from = joined(model, base, &tables, source.using)?;
        let condition = condition_text(condition);
        let grouped = group_by(dimensions.len());
        if source.last_along.is_empty() {
            let named = |(index, column): (usize, &Column)| format!("{} AS __D{index}", column.expanded.expr);
            let mut selected: Vec<String> = dimensions.iter().enumerate().map(named).collect();
            selected.extend(self.selected(indices, |part| part.expanded.expr.to_string()));
            return Ok(format!("SELECT {} FROM {from}{condition}{grouped}", selected.join(", ")));
        }
        let mut carried = Carried::default();
        let mut last: Vec<String> = (0..dimensions.len()).map(|index| format!("__D{index}")).collect();
        last.extend(self.selected(indices, |part| carried.over_carried(&part.expanded.expr)));
        let rows = last_rows(source, dimensions, &carried, &format!("{from}{condition}"));
        Ok(format!("SELECT {} FROM ({rows}) WHERE __RANK = 1{grouped}", last.join(", ")))
    }

    fn selected(&self, indices: &[usize], mut text: impl FnMut(&Part) -> String) -> Vec<String> {
        let parts = self.parts.iter().enumerate();
        let column = |(index, part): (usize, &Part)| match indices.contains(&index) {
            true => format!("{} AS __P{index}", text(part)),
            false => format!("NULL AS __P{index}"),
        };
        parts.map(column).collect()
    }
}

/// All rows with their rank along what is not added up, within each group of the dimensions.
fn last_rows(source: &Source<'_>, dimensions: &[Column], carried: &Carried, from: &str) -> String {
    let of_dimensions = dimensions.iter().enumerate();
    let mut selected: Vec<String> =
        of_dimensions.map(|(index, column)| format!("{} AS __D{index}", column.expanded.expr)).collect();
    selected.extend(carried.columns.iter().enumerate().map(|(index, column)| format!("{column} AS __C{index}")));
    let groups: Vec<String> = dimensions.iter().map(|column| column.expanded.expr.to_string()).collect();
    let within = if groups.is_empty() { String::new() } else { format!("PARTITION BY {} ", groups.join(", ")) };
    selected.push(format!("RANK() OVER ({within}ORDER BY {}) AS __RANK", source.last_along.join(", ")));
    format!("SELECT {} FROM {from}", selected.join(", "))
}

/// Columns that an inner query keeps for the outer one, as `__C0`, `__C1` and so on.
#[derive(Default)]
struct Carried {
    columns: Vec<String>,
}

impl Carried {
    fn over_carried(&mut self, expr: &Expr) -> String {
        let mut expr = expr.clone();
        // The visitor never breaks.
        let _ = expr.walk_mut(self);
        expr.to_string()
    }
}

impl VisitorMut for Carried {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::CompoundIdentifier(_) = expr {
            let text = expr.to_string();
            let place = self.columns.iter().position(|column| *column == text).unwrap_or_else(|| {
                self.columns.push(text);
                self.columns.len() - 1
            });
            *expr = Expr::Identifier(Ident::new(format!("__C{place}")));
        }
        ControlFlow::Continue(())
    }
}

fn group_by(count: usize) -> String {
    let positions: Vec<String> = (1..=count).map(|position| position.to_string()).collect();
    if positions.is_empty() { String::new() } else { format!(" GROUP BY {}", positions.join(", ")) }
}

/// The public metrics of a name, or all of a table where there is none.
fn metrics_named<'m>(
    model: &'m SemanticModel,
    table: Option<&str>,
    name: Option<&str>,
) -> Vec<(Option<&'m LogicalTable>, &'m Metric)> {
    let of_tables = model.tables.iter().flat_map(|owner| owner.metrics.iter().map(move |m| (Some(owner), m)));
    let of_model = model.metrics.iter().map(|metric| (None, metric));
    let fits = |(owner, metric): &(Option<&LogicalTable>, &Metric)| {
        let table_fits = match (table, owner) {
            (Some(table), Some(owner)) => owner.name.eq_ignore_ascii_case(table),
            (Some(_), None) => false,
            (None, _) => true,
        };
        let name_fits = name.is_none_or(|name| metric.name.eq_ignore_ascii_case(name));
        table_fits && name_fits && metric.access_modifier == AccessModifier::Public
    };
    of_tables.chain(of_model).filter(fits).collect()
}

/// Whether an expression speaks of a metric.
fn names_metric(model: &SemanticModel, expr: &Expr) -> bool {
    let mut names = MetricNames { model, found: false };
    let _ = expr.clone().walk_mut(&mut names);
    names.found
}

struct MetricNames<'a> {
    model: &'a SemanticModel,
    found: bool,
}

impl VisitorMut for MetricNames<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let What::Named { table, name: Some(name), .. } = What::of(expr) {
            self.found |= !metrics_named(self.model, table.as_deref(), Some(&name)).is_empty();
        }
        ControlFlow::Continue(())
    }
}

struct Derivation<'a, 'p> {
    model: &'a SemanticModel,
    parts: &'p mut Parts,
    failed: Option<Failure>,
}

impl VisitorMut for Derivation<'_, '_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let What::Named { table, name: Some(name), text } = What::of(expr) else { return ControlFlow::Continue(()) };
        let model = self.model;
        let tables =
            model.tables.iter().filter(|owner| table.as_ref().is_none_or(|t| owner.name.eq_ignore_ascii_case(t)));
        let mut metrics = tables.flat_map(|owner| owner.metrics.iter().map(move |metric| (owner, metric)));
        let found = metrics.find(|(_, metric)| metric.name.eq_ignore_ascii_case(&name));
        let part = match found {
            Some((owner, metric)) => self.parts.part(model, owner, metric),
            None => Err(invalid_identifier(&text)),
        };
        match part {
            Ok(part) => {
                *expr = Expr::Identifier(Ident::new(part));
                ControlFlow::Continue(())
            }
            Err(failure) => {
                self.failed = Some(failure.clone());
                ControlFlow::Break(failure)
            }
        }
    }
}
