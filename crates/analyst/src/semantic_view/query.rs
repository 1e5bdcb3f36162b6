//! `SEMANTIC_VIEW(v METRICS … DIMENSIONS … WHERE …)` as a query over the physical tables.
//!
//! Metrics of different tables are computed apart, each over its own rows joined only towards single rows, and put side
//! by side afterwards; so no row is counted twice because another table has several that match it.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Ident, VisitorMut};
use firn_sql::tree::Tree;

use super::expansion::{Expanded, expand, expand_column, expand_condition, invalid_identifier};
use crate::semantic_model::logical_sql::identifier;
use crate::semantic_model::{AccessModifier, LogicalTable, Metric, Relationship, SemanticModel};

/// What stands between the brackets of SEMANTIC_VIEW().
pub struct ViewQuery<'a> {
    pub dimensions: &'a [Expr],
    pub metrics: &'a [Expr],
    pub facts: &'a [Expr],
    pub condition: Option<&'a Expr>,
}

pub fn query_text(model: &SemanticModel, query: &ViewQuery<'_>) -> Result<String, Failure> {
    if !query.metrics.is_empty() && !query.facts.is_empty() {
        return Err(invalid("METRICS and FACTS", "SEMANTIC_VIEW takes one of them"));
    }
    if query.metrics.is_empty() && query.facts.is_empty() && query.dimensions.is_empty() {
        return Err(invalid("SEMANTIC_VIEW", "name METRICS, FACTS or DIMENSIONS"));
    }
    let dimensions = columns(model, query.dimensions, Kind::Dimension)?;
    let condition = query.condition.map(|condition| expand_condition(model, condition)).transpose()?;
    if query.metrics.is_empty() {
        let facts = columns(model, query.facts, Kind::Fact)?;
        let distinct = if facts.is_empty() { "DISTINCT " } else { "" };
        let all: Vec<&Column> = dimensions.iter().chain(&facts).collect();
        let selected: Vec<String> = all.iter().map(|column| column.selected()).collect();
        let mut tables: BTreeSet<String> = all.iter().flat_map(|column| column.expanded.tables.clone()).collect();
        tables.extend(condition.iter().flat_map(|condition| condition.tables.clone()));
        let base = common_base(model, &tables)?;
        let from = joined(model, base, &tables, &[])?;
        let condition = condition_text(condition.as_ref());
        return Ok(format!("SELECT {distinct}{} FROM {from}{condition}", selected.join(", ")));
    }
    Parts::of(model, query.metrics)?.text(model, &dimensions, condition.as_ref())
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Dimension,
    Fact,
}

/// A column of the result.
struct Column {
    name: String,
    expanded: Expanded,
}

impl Column {
    fn selected(&self) -> String {
        format!("{} AS {}", self.expanded.expr, identifier(&self.name))
    }
}

fn columns(model: &SemanticModel, asked: &[Expr], kind: Kind) -> Result<Vec<Column>, Failure> {
    let mut columns = Vec::new();
    for expr in asked {
        let (table, name) = named(expr)?;
        let of_table = |table: &LogicalTable| -> Vec<(String, AccessModifier)> {
            let dimensions = table.dimensions.iter().map(|item| (item.name.clone(), item.access_modifier));
            let times = table.time_dimensions.iter().map(|item| (item.name.clone(), item.access_modifier));
            let facts = table.facts.iter().map(|item| (item.name.clone(), item.access_modifier));
            match kind {
                Kind::Dimension => dimensions.chain(times).collect(),
                Kind::Fact => facts.chain(dimensions).chain(times).collect(),
            }
        };
        let tables =
            model.tables.iter().filter(|other| table.as_ref().is_none_or(|t| other.name.eq_ignore_ascii_case(t)));
        let mut found = Vec::new();
        for owner in tables {
            for (item, access) in of_table(owner) {
                if name.as_ref().is_none_or(|name| item.eq_ignore_ascii_case(name)) && access == AccessModifier::Public
                {
                    found.push((owner, item));
                }
            }
        }
        match (&name, found.as_slice()) {
            (_, []) => return Err(invalid_identifier(&expr.to_string())),
            (Some(name), [_, _, ..]) => {
                let message = format!("SQL compilation error:\nambiguous column name '{name}'");
                return Err(Failure::new("002028", "42601", message));
            }
            _ => {}
        }
        for (owner, item) in found {
            columns.push(Column { expanded: expand_column(model, owner, &item)?, name: item });
        }
    }
    Ok(columns)
}

/// `name`, `table.name` or `table.*`.
fn named(expr: &Expr) -> Result<(Option<String>, Option<String>), Failure> {
    match expr {
        Expr::Identifier(name) => Ok((None, Some(name.value.clone()))),
        Expr::CompoundIdentifier(parts) => match parts.as_slice() {
            [table, name] => Ok((Some(table.value.clone()), Some(name.value.clone()))),
            _ => Err(invalid_identifier(&expr.to_string())),
        },
        Expr::QualifiedWildcard(table, _) => Ok((Some(table.to_string()), None)),
        _ => Err(Failure::unsupported("expression in SEMANTIC_VIEW; name its dimensions, facts and metrics")),
    }
}

/// The metrics asked for, and the parts of each table that they are made of.
#[derive(Default)]
struct Parts {
    /// Name and expression over the parts, which are named `__P0`, `__P1` and so on.
    outputs: Vec<(String, String)>,
    parts: Vec<Part>,
}

struct Part {
    table: String,
    using: Vec<String>,
    expanded: Expanded,
}

impl Parts {
    fn of(model: &SemanticModel, asked: &[Expr]) -> Result<Self, Failure> {
        let mut all = Self::default();
        for expr in asked {
            let (table, name) = named(expr)?;
            let of_tables = model.tables.iter().flat_map(|owner| owner.metrics.iter().map(move |m| (Some(owner), m)));
            let of_model = model.metrics.iter().map(|metric| (None, metric));
            let found: Vec<(Option<&LogicalTable>, &Metric)> = of_tables
                .chain(of_model)
                .filter(|(owner, metric)| {
                    let table_fits = match (&table, owner) {
                        (Some(table), Some(owner)) => owner.name.eq_ignore_ascii_case(table),
                        (Some(_), None) => false,
                        (None, _) => true,
                    };
                    let name_fits = name.as_ref().is_none_or(|name| metric.name.eq_ignore_ascii_case(name));
                    table_fits && name_fits && metric.access_modifier == AccessModifier::Public
                })
                .collect();
            if found.is_empty() {
                return Err(invalid_identifier(&expr.to_string()));
            }
            if name.is_some() && found.len() > 1 {
                let message = format!("SQL compilation error:\nambiguous metric '{expr}'");
                return Err(Failure::new("002028", "42601", message));
            }
            for (owner, metric) in found {
                let text = match owner {
                    Some(owner) => all.part(model, owner, metric)?,
                    None => all.derived(model, metric)?,
                };
                all.outputs.push((metric.name.clone(), text));
            }
        }
        Ok(all)
    }

    fn part(&mut self, model: &SemanticModel, owner: &LogicalTable, metric: &Metric) -> Result<String, Failure> {
        if !metric.non_additive_dimensions.is_empty() {
            return Err(Failure::unsupported("metric with non-additive dimensions in SEMANTIC_VIEW"));
        }
        let expanded = expand(model, owner, &metric.expr)?;
        let part = Part { table: owner.name.clone(), using: metric.using_relationships.clone(), expanded };
        self.parts.push(part);
        Ok(format!("__P{}", self.parts.len() - 1))
    }

    /// A metric over metrics of the tables.
    fn derived(&mut self, model: &SemanticModel, metric: &Metric) -> Result<String, Failure> {
        let mut expr = firn_sql::expression_of_text(
            &metric.expr,
            &firn_sql::ParseLimits { text_bytes_max: 256 << 10, statements_max: 1, nesting_depth_max: 60 },
        )?;
        let mut derivation = Derivation { model, parts: self, failed: None };
        let _ = expr.walk_mut(&mut derivation);
        match derivation.failed.take() {
            Some(failure) => Err(failure),
            None => Ok(format!("({expr})")),
        }
    }

    fn text(
        &self,
        model: &SemanticModel,
        dimensions: &[Column],
        condition: Option<&Expanded>,
    ) -> Result<String, Failure> {
        let mut groups: Vec<(&str, &[String], Vec<usize>)> = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            match groups.iter_mut().find(|(table, using, _)| *table == part.table && *using == part.using.as_slice()) {
                Some((_, _, indices)) => indices.push(index),
                None => groups.push((&part.table, &part.using, vec![index])),
            }
        }
        let mut queries = Vec::new();
        for (table, using, indices) in &groups {
            queries.push(self.group(model, table, using, indices, dimensions, condition)?);
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
        let told = names.iter().zip(dimensions).map(|(name, column)| format!("{name} AS {}", identifier(&column.name)));
        let outputs = self.outputs.iter().map(|(name, text)| format!("{text} AS {}", identifier(name)));
        let told: Vec<String> = told.chain(outputs).collect();
        Ok(format!("SELECT {} FROM ({together})", told.join(", ")))
    }

    /// The parts of one table, by the dimensions; the other parts are NULL here.
    fn group(
        &self,
        model: &SemanticModel,
        table: &str,
        using: &[String],
        indices: &[usize],
        dimensions: &[Column],
        condition: Option<&Expanded>,
    ) -> Result<String, Failure> {
        let base = model.table(table).ok_or_else(|| invalid_identifier(table))?;
        let mut tables: BTreeSet<String> =
            dimensions.iter().flat_map(|column| column.expanded.tables.clone()).collect();
        tables.extend(condition.iter().flat_map(|condition| condition.tables.clone()));
        let mut selected: Vec<String> = dimensions
            .iter()
            .enumerate()
            .map(|(index, column)| format!("{} AS __D{index}", column.expanded.expr))
            .collect();
        for (index, part) in self.parts.iter().enumerate() {
            if indices.contains(&index) {
                tables.extend(part.expanded.tables.clone());
                selected.push(format!("{} AS __P{index}", part.expanded.expr));
            } else {
                selected.push(format!("NULL AS __P{index}"));
            }
        }
        let from = joined(model, base, &tables, using)?;
        let condition = condition_text(condition);
        Ok(format!("SELECT {} FROM {from}{condition}{}", selected.join(", "), group_by(dimensions.len())))
    }
}

fn group_by(count: usize) -> String {
    let positions: Vec<String> = (1..=count).map(|position| position.to_string()).collect();
    if positions.is_empty() { String::new() } else { format!(" GROUP BY {}", positions.join(", ")) }
}

fn condition_text(condition: Option<&Expanded>) -> String {
    condition.map_or_else(String::new, |condition| format!(" WHERE {}", condition.expr))
}

struct Derivation<'a, 'p> {
    model: &'a SemanticModel,
    parts: &'p mut Parts,
    failed: Option<Failure>,
}

impl VisitorMut for Derivation<'_, '_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let (table, name) = match expr {
            Expr::Identifier(name) => (None, name.value.clone()),
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [table, name] => (Some(table.value.clone()), name.value.clone()),
                _ => return ControlFlow::Continue(()),
            },
            _ => return ControlFlow::Continue(()),
        };
        let model = self.model;
        let tables =
            model.tables.iter().filter(|owner| table.as_ref().is_none_or(|t| owner.name.eq_ignore_ascii_case(t)));
        let mut metrics = tables.flat_map(|owner| owner.metrics.iter().map(move |metric| (owner, metric)));
        let found = metrics.find(|(_, metric)| metric.name.eq_ignore_ascii_case(&name));
        let part = match found {
            Some((owner, metric)) => self.parts.part(model, owner, metric),
            None => Err(invalid_identifier(&expr.to_string())),
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

/// The table from which all the others are reached towards single rows.
fn common_base<'m>(model: &'m SemanticModel, tables: &BTreeSet<String>) -> Result<&'m LogicalTable, Failure> {
    let candidates = model.tables.iter().filter(|table| tables.contains(&table.name));
    let mut found = candidates.filter(|table| joined(model, table, tables, &[]).is_ok());
    match (found.next(), model.tables.first()) {
        (Some(base), _) => Ok(base),
        (None, Some(first)) if tables.is_empty() => Ok(first),
        _ => Err(apart(tables.iter().map(String::as_str).collect::<Vec<_>>().join(", ").as_str())),
    }
}

fn apart(tables: &str) -> Failure {
    invalid(tables, "no relationships lead from one of these tables to all the others, so they cannot be combined")
}

fn invalid(what: &str, way_out: &str) -> Failure {
    Failure::invalid_value("SEMANTIC_VIEW", what, way_out)
}

/// `base LEFT JOIN …`, each join along a relationship from many rows to one.
fn joined(
    model: &SemanticModel,
    base: &LogicalTable,
    tables: &BTreeSet<String>,
    using: &[String],
) -> Result<String, Failure> {
    let mut text = format!("{} AS {}", base.source.sql(), identifier(&base.name));
    let mut reached = vec![base.name.clone()];
    let mut steps: Vec<(&Relationship, String)> = Vec::new();
    let mut next = 0;
    while let Some(from) = reached.get(next).cloned() {
        next += 1;
        for join in model.relationships.iter().filter(|join| join.left_table.eq_ignore_ascii_case(&from)) {
            let Some(right) = model.table(&join.right_table) else { continue };
            if reached.contains(&right.name) {
                continue;
            }
            let beside = model.relationships.iter().filter(|other| {
                other.left_table.eq_ignore_ascii_case(&from) && other.right_table.eq_ignore_ascii_case(&right.name)
            });
            let beside: Vec<&Relationship> = beside.collect();
            let chosen = match beside.as_slice() {
                [only] => *only,
                several => match several
                    .iter()
                    .find(|one| using.iter().any(|name| name.eq_ignore_ascii_case(&one.name)))
                {
                    Some(chosen) => *chosen,
                    None if tables.contains(&right.name) => {
                        let names = format!("{from} and {}", right.name);
                        return Err(invalid(&names, "several relationships join them; a metric names one with USING"));
                    }
                    None => join,
                },
            };
            reached.push(right.name.clone());
            steps.push((chosen, right.name.clone()));
        }
    }
    if let Some(missing) = tables.iter().find(|table| !reached.contains(table)) {
        return Err(apart(&format!("{}, {missing}", base.name)));
    }
    for (join, right) in needed(&steps, tables) {
        let (Some(left_table), Some(right_table)) = (model.table(&join.left_table), model.table(right)) else {
            continue;
        };
        let mut conditions = Vec::new();
        for pair in &join.columns {
            let left = expand_column(model, left_table, &pair.left_column)?.expr;
            let right = expand_column(model, right_table, &pair.right_column)?.expr;
            conditions.push(format!("{left} = {right}"));
        }
        text.push_str(&format!(
            " LEFT JOIN {} AS {} ON {}",
            right_table.source.sql(),
            identifier(&right_table.name),
            conditions.join(" AND ")
        ));
    }
    Ok(text)
}

/// The steps that lead to a table that is used, in their order.
fn needed<'s>(steps: &'s [(&'s Relationship, String)], tables: &BTreeSet<String>) -> Vec<(&'s Relationship, &'s str)> {
    let mut wanted: BTreeSet<String> = tables.iter().map(|table| table.to_uppercase()).collect();
    let mut kept = Vec::new();
    for (join, right) in steps.iter().rev() {
        if wanted.contains(&right.to_uppercase()) {
            wanted.insert(join.left_table.to_uppercase());
            kept.push((*join, right.as_str()));
        }
    }
    kept.reverse();
    kept
}
