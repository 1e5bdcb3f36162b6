//! MATCH_RECOGNIZE: the rows are numbered within their partitions and marked with the symbols they satisfy, an aggregate
//! function finds the matches of each partition, and measures are window functions over the rows of a match.
//!
//! The condition of a symbol may not depend on the rows matched so far.

use std::ops::ControlFlow;

use super::match_expressions::{expression, folded, is_frame_only, where_true};
use super::match_measures::Measured;
use super::match_patterns::Program;
use super::refusals::refuse;
use crate::Failure;
use crate::ast::{
    AfterMatchSkip, BinaryOperator, EmptyMatchesMode, ExcludeSelectItem, Expr, FunctionArg, FunctionArgExpr, Ident,
    Measure, ObjectName, ObjectNamePart, OrderByExpr, Query, RowsPerMatch, Select, SelectItem, SymbolDefinition,
    TableFactor, TableWithJoins, Value, VisitorMut, WindowFrame, WindowSpec, WindowType,
};
use crate::build::string;
use crate::query_parts::{derived, name_of, same_name, select_of, skeleton};
use crate::row_pattern_tokens;
use crate::tree::{Tree, outcome};

/// What depends on the rows matched so far.
const NOT_CONDITIONS: [&str; 7] =
    ["CLASSIFIER", "FIRST", "LAST", "MATCH_NUMBER", "MATCH_SEQUENCE_NUMBER", "NEXT", "PREV"];
/// Functions that read other rows of the partition.
const NEIGHBOURS: [&str; 2] = ["LAG", "LEAD"];
/// Window functions that may have a frame clause.
const FRAMED: [&str; 7] = ["AVG", "COUNT", "FIRST_VALUE", "LAST_VALUE", "MAX", "MIN", "SUM"];

/// The parts of the clause except its pattern.
struct Clause {
    partition_by: Vec<Expr>,
    order_by: Vec<OrderByExpr>,
    measures: Vec<Measure>,
    table: Option<Ident>,
}

/// A subquery that had to be a function's argument (`row_pattern_tokens`).
pub(super) fn open_subquery(table: &mut TableFactor) {
    let TableFactor::Table { name, args: Some(arguments), alias, sample: None, .. } = table else { return };
    let is_subquery =
        matches!(name.0.as_slice(), [ObjectNamePart::Identifier(name)] if name.value == row_pattern_tokens::SUBQUERY);
    if let [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Subquery(query)))] = arguments.args.as_slice()
        && is_subquery
    {
        *table = TableFactor::Derived { lateral: false, subquery: query.clone(), alias: alias.take(), sample: None };
    }
}

pub(super) fn rewrite(factor: &mut TableFactor) -> Result<(), Failure> {
    let TableFactor::MatchRecognize {
        table,
        partition_by,
        order_by,
        measures,
        rows_per_match,
        after_match_skip,
        pattern,
        symbols,
        alias,
    } = factor
    else {
        return Ok(());
    };
    let program = Program::of(pattern)?;
    let clause = Clause {
        partition_by: std::mem::take(partition_by),
        order_by: std::mem::take(order_by),
        measures: std::mem::take(measures),
        table: name_of(table),
    };
    let conditions = clause.conditions(symbols, &program)?;
    let rows = clause.numbered(table.as_ref().clone(), conditions)?;
    let skip = skip_text(after_match_skip.as_ref(), &program)?;
    let shown = Shown::of(rows_per_match.as_ref());
    refuse(shown == Shown::AllAndUnmatched && program.leaves_rows_out, "WITH UNMATCHED ROWS beside {- -}")?;
    let mut query = found_rows(&program, &skip, shown)?;
    if let Some(with) = &mut query.with
        && let Some(first) = with.cte_tables.first_mut()
    {
        first.query = rows;
    }
    let items = clause.items(&program, shown)?;
    if let Some(select) = select_of(&mut query) {
        select.projection = items;
        select.qualify = Some(expression(shown.condition())?);
    }
    let mut matched = derived(query, Ident::with_quote('"', "MATCH_RECOGNIZE"));
    if let (TableFactor::Derived { alias: given, .. }, Some(alias)) = (&mut matched, alias.take()) {
        *given = Some(alias);
    }
    *factor = matched;
    Ok(())
}

/// Which rows the clause gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    One,
    All,
    AllButEmpty,
    AllAndUnmatched,
}

impl Shown {
    fn of(rows_per_match: Option<&RowsPerMatch>) -> Self {
        match rows_per_match {
            None | Some(RowsPerMatch::OneRow) => Self::One,
            Some(RowsPerMatch::AllRows(None | Some(EmptyMatchesMode::Show))) => Self::All,
            Some(RowsPerMatch::AllRows(Some(EmptyMatchesMode::Omit))) => Self::AllButEmpty,
            Some(RowsPerMatch::AllRows(Some(EmptyMatchesMode::WithUnmatched))) => Self::AllAndUnmatched,
        }
    }

    /// Asks with a window function where the others have none, as QUALIFY wants one.
    fn condition(self) -> &'static str {
        match self {
            Self::One => {
                "\"__Q\".\"__SEQ\" = MAX(\"__Q\".\"__SEQ\") OVER (PARTITION BY \"__Q\".\"__P\", \"__Q\".\"__MATCH\")"
            }
            Self::All => "NOT \"__Q\".\"__LEFT_OUT\" AND ROW_NUMBER() OVER (ORDER BY \"__Q\".\"__P\") > 0",
            Self::AllButEmpty => {
                "\"__Q\".\"__SEQ\" > 0 AND NOT \"__Q\".\"__LEFT_OUT\" \
                 AND ROW_NUMBER() OVER (ORDER BY \"__Q\".\"__P\") > 0"
            }
            Self::AllAndUnmatched => "ROW_NUMBER() OVER (ORDER BY \"__R\".\"__P\") > 0",
        }
    }
}

/// Joins the numbered rows, a placeholder here, with the matcher's columns.
fn found_rows(program: &Program, skip: &str, shown: Shown) -> Result<Box<Query>, Failure> {
    let join = if shown == Shown::AllAndUnmatched { "LEFT JOIN" } else { "JOIN" };
    let mut query = skeleton(&format!(
        "WITH \"__ROWS\" AS (SELECT 1), \
         \"__FOUND\" AS (SELECT \"__P\", SPLIT_PART(\"__V\", ',', 1)::INT AS \"__N\", \
         SPLIT_PART(\"__V\", ',', 2)::INT AS \"__MATCH\", SPLIT_PART(\"__V\", ',', 3)::INT AS \"__SEQ\", \
         SPLIT_PART(\"__V\", ',', 4) = '1' AS \"__LEFT_OUT\", NULLIF(SPLIT_PART(\"__V\", ',', 5), '') AS \"__SYMBOL\" \
         FROM (SELECT \"__P\", __UNNEST(__PIECES(\"__J\", ';')) AS \"__V\" \
         FROM (SELECT \"__P\", __MATCHES('program', 'names', 'skip', \
         LISTAGG(\"__C\", '') WITHIN GROUP (ORDER BY \"__N\")) AS \"__J\" FROM \"__ROWS\" GROUP BY \"__P\")) \
         WHERE \"__V\" <> '') \
         SELECT * FROM \"__ROWS\" AS \"__R\" {join} \"__FOUND\" AS \"__Q\" \
         ON \"__R\".\"__P\" = \"__Q\".\"__P\" AND \"__R\".\"__N\" = \"__Q\".\"__N\"",
    ))?;
    outcome(query.walk_mut(&mut super::Admission::default()))?;
    let names: Vec<String> = program.symbols.iter().map(folded).collect();
    refuse(names.iter().any(|name| name.contains([',', ';'])), "comma or semicolon in the name of a symbol")?;
    let names = names.join(",");
    let texts = [("program", program.text()), ("names", names), ("skip", skip.to_owned())];
    // The visitor never breaks.
    let _ = query.walk_mut(&mut Texts(&texts));
    Ok(query)
}

struct Texts<'a>(&'a [(&'static str, String)]);

impl VisitorMut for Texts<'_> {
    type Break = Failure;

    fn pre_visit_value(&mut self, value: &mut crate::ast::ValueWithSpan) -> ControlFlow<Failure> {
        if let Value::SingleQuotedString(text) = &mut value.value
            && let Some((_, put)) = self.0.iter().find(|(mark, _)| *mark == text.as_str())
        {
            text.clone_from(put);
        }
        ControlFlow::Continue(())
    }
}

/// `L` past the last row, `N` to the next row, `F2` and `T2` to the first and last row of symbol 2.
fn skip_text(skip: Option<&AfterMatchSkip>, program: &Program) -> Result<String, Failure> {
    let number = |symbol: &Ident| {
        program.number(symbol).ok_or_else(|| {
            let message = format!("SQL compilation error:\nsymbol '{symbol}' is not in the PATTERN.");
            Failure::new("000904", "42000", message)
        })
    };
    Ok(match skip {
        None | Some(AfterMatchSkip::PastLastRow) => "L".to_owned(),
        Some(AfterMatchSkip::ToNextRow) => "N".to_owned(),
        Some(AfterMatchSkip::ToFirst(symbol)) => format!("F{}", number(symbol)?),
        Some(AfterMatchSkip::ToLast(symbol)) => format!("T{}", number(symbol)?),
    })
}

impl Clause {
    fn partition_window(&self) -> WindowType {
        window(self.partition_by.clone(), self.order_by.clone(), None)
    }

    /// What each symbol of the pattern asks of a row; nothing, where none is defined.
    fn conditions(&self, symbols: &[SymbolDefinition], program: &Program) -> Result<Vec<Option<Expr>>, Failure> {
        for (place, defined) in symbols.iter().enumerate() {
            let again = symbols[..place].iter().any(|earlier| same_name(&earlier.symbol, &defined.symbol));
            refuse(again, "symbol defined twice")?;
        }
        let condition = |symbol| {
            let defined = symbols.iter().find(|defined| same_name(&defined.symbol, symbol));
            defined.map(|defined| self.condition(defined.definition.clone(), symbol, program)).transpose()
        };
        program.symbols.iter().map(condition).collect()
    }

    /// What a symbol asks of a row, with window functions over the partition.
    fn condition(&self, mut definition: Expr, symbol: &Ident, program: &Program) -> Result<Expr, Failure> {
        outcome(definition.walk_mut(&mut Condition { clause: self, symbol, program }))?;
        Ok(definition)
    }

    /// `SELECT *, row number, number of the partition, a digit for each symbol FROM table`.
    fn numbered(&self, table: TableFactor, conditions: Vec<Option<Expr>>) -> Result<Box<Query>, Failure> {
        let mut query = skeleton("SELECT *, ROW_NUMBER() AS \"__N\", DENSE_RANK() AS \"__P\", '' AS \"__C\"")?;
        let mut satisfied = string("");
        for condition in conditions {
            let digit = match condition {
                None => string("1"),
                Some(condition) => {
                    let mut case = expression("CASE WHEN TRUE THEN '1' ELSE '0' END")?;
                    if let Expr::Case { conditions, .. } = &mut case
                        && let Some(only) = conditions.first_mut()
                    {
                        only.condition = condition;
                    }
                    case
                }
            };
            satisfied =
                Expr::BinaryOp { left: Box::new(satisfied), op: BinaryOperator::StringConcat, right: Box::new(digit) };
        }
        if let Some(select) = select_of(&mut query) {
            select.from = vec![TableWithJoins { relation: table, joins: Vec::new() }];
            self.fill_numbers(select, satisfied);
        }
        Ok(query)
    }

    fn fill_numbers(&self, select: &mut Select, satisfied: Expr) {
        for item in &mut select.projection {
            let SelectItem::ExprWithAlias { expr, alias } = item else { continue };
            match (alias.value.as_str(), &mut *expr) {
                ("__N", Expr::Function(function)) => function.over = Some(self.partition_window()),
                ("__P", Expr::Function(function)) if !self.partition_by.is_empty() => {
                    let by = self.partition_by.iter().map(|expr| OrderByExpr {
                        expr: expr.clone(),
                        options: Default::default(),
                        with_fill: None,
                    });
                    function.over = Some(window(Vec::new(), by.collect(), None));
                }
                ("__P", _) => *expr = crate::build::number("1"),
                ("__C", _) => *expr = satisfied.clone(),
                _ => {}
            }
        }
    }

    fn items(&self, program: &Program, shown: Shown) -> Result<Vec<SelectItem>, Failure> {
        let mut items = Vec::new();
        if shown != Shown::One {
            let hidden = ["__N", "__P", "__C"].map(|name| ObjectName::from(vec![Ident::with_quote('"', name)]));
            let options = crate::ast::WildcardAdditionalOptions {
                opt_exclude: Some(ExcludeSelectItem::Multiple(hidden.to_vec())),
                ..Default::default()
            };
            let rows =
                crate::ast::SelectItemQualifiedWildcardKind::ObjectName(vec![Ident::with_quote('"', "__R")].into());
            items.push(SelectItem::QualifiedWildcard(rows, options));
        } else {
            for column in &self.partition_by {
                let name = match column {
                    Expr::Identifier(name) => name.clone(),
                    Expr::CompoundIdentifier(parts) if !parts.is_empty() => parts[parts.len() - 1].clone(),
                    _ => return Err(Failure::unsupported("MATCH_RECOGNIZE … PARTITION BY an expression")),
                };
                items
                    .push(SelectItem::UnnamedExpr(Expr::CompoundIdentifier(vec![Ident::with_quote('"', "__R"), name])));
            }
        }
        for Measure { expr, alias } in &self.measures {
            let mut expr = expr.clone();
            outcome(expr.walk_mut(&mut Measured { program, table: self.table.as_ref() }))?;
            if shown == Shown::AllAndUnmatched {
                expr = where_true(expression("\"__Q\".\"__MATCH\" IS NOT NULL")?, expr)?;
            }
            items.push(SelectItem::ExprWithAlias { expr, alias: alias.clone() });
        }
        refuse(items.is_empty(), "MATCH_RECOGNIZE without MEASURES or PARTITION BY")?;
        Ok(items)
    }
}

struct Condition<'a> {
    clause: &'a Clause,
    symbol: &'a Ident,
    program: &'a Program,
}

impl VisitorMut for Condition<'_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        ControlFlow::Break(Failure::unsupported("subquery in DEFINE"))
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::CompoundIdentifier(parts) => {
                if let [qualifier, column] = parts.as_slice() {
                    if same_name(qualifier, self.symbol) {
                        *expr = Expr::Identifier(column.clone());
                    } else if self.program.number(qualifier).is_some() {
                        return ControlFlow::Break(Failure::unsupported("another symbol's column in DEFINE"));
                    }
                }
            }
            Expr::Function(function) => {
                let name = function.name.to_string();
                let is_framed = FRAMED.contains(&name.as_str());
                match &mut function.over {
                    Some(WindowType::WindowSpec(spec)) if is_framed && is_frame_only(spec) => {
                        spec.partition_by.clone_from(&self.clause.partition_by);
                        spec.order_by.clone_from(&self.clause.order_by);
                    }
                    None if NEIGHBOURS.contains(&name.as_str()) => {
                        function.over = Some(self.clause.partition_window());
                    }
                    None if !is_framed && !NOT_CONDITIONS.contains(&name.as_str()) => {}
                    _ => return ControlFlow::Break(Failure::unsupported(&format!("{name} in DEFINE"))),
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn window(partition_by: Vec<Expr>, order_by: Vec<OrderByExpr>, window_frame: Option<WindowFrame>) -> WindowType {
    WindowType::WindowSpec(WindowSpec { window_name: None, partition_by, order_by, window_frame })
}
