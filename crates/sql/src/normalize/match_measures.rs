//! MEASURES of a MATCH_RECOGNIZE: window functions over the rows of a match, or those of one symbol.

use std::ops::ControlFlow;

use super::match_expressions::{expression, folded, is_frame_only, where_true};
use super::match_patterns::Program;
use super::refusals::refuse;
use crate::Failure;
use crate::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, ObjectName, Query, VisitorMut, WindowFrame,
    WindowType,
};
use crate::build::{number, string};
use crate::functions::{FunctionClass, find};
use crate::query_parts::same_name;
use crate::tree::{Tree, outcome};

/// What can be asked of the rows of a match.
const AGGREGATES: [&str; 17] = [
    "ARRAY_AGG",
    "AVG",
    "BOOLAND_AGG",
    "BOOLOR_AGG",
    "COUNT",
    "COUNT_IF",
    "LISTAGG",
    "MAX",
    "MEDIAN",
    "MIN",
    "STDDEV",
    "STDDEV_POP",
    "STDDEV_SAMP",
    "SUM",
    "VARIANCE",
    "VAR_POP",
    "VAR_SAMP",
];
/// Functions about a row's match, and the matcher's columns they read.
const OF_THE_MATCH: [(&str, &str); 3] =
    [("CLASSIFIER", "__SYMBOL"), ("MATCH_NUMBER", "__MATCH"), ("MATCH_SEQUENCE_NUMBER", "__SEQ")];

/// Up to the row at hand, over all rows of the match, or as a frame says.
#[derive(Clone)]
enum Extent {
    Running,
    Final,
    Frame(Option<WindowFrame>),
}

/// The rows that an aggregate looks at, and the arguments behind its first.
struct Asked {
    symbol: Option<Ident>,
    extent: Extent,
    more: Vec<Expr>,
}

pub(super) struct Measured<'a> {
    pub(super) program: &'a Program,
    pub(super) table: Option<&'a Ident>,
}

impl VisitorMut for Measured<'_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        ControlFlow::Break(Failure::unsupported("subquery in MEASURES"))
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match self.measured(expr) {
            Ok(Some(made)) => {
                *expr = made;
                ControlFlow::Continue(())
            }
            Ok(None) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    }

    /// A match without rows has no value of a column.
    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if !matches!(expr, Expr::Identifier(_)) || !self.program.can_be_empty {
            return ControlFlow::Continue(());
        }
        match in_match().and_then(|condition| where_true(condition, expr.clone())) {
            Ok(made) => {
                *expr = made;
                ControlFlow::Continue(())
            }
            Err(failure) => ControlFlow::Break(failure),
        }
    }
}

impl Measured<'_> {
    fn measured(&self, expr: &Expr) -> Result<Option<Expr>, Failure> {
        match expr {
            Expr::Identifier(name) if name.quote_style.is_none() => of_the_match(&name.value.to_ascii_uppercase()),
            Expr::CompoundIdentifier(parts) => {
                let [qualifier, column] = parts.as_slice() else { return Ok(None) };
                if self.program.number(qualifier).is_some() {
                    let value = Expr::Identifier(column.clone());
                    let asked = Asked { symbol: Some(qualifier.clone()), extent: Extent::Running, more: Vec::new() };
                    return self.one_of("__LAST", value, asked).map(Some);
                }
                let of_table = self.table.is_some_and(|table| same_name(table, qualifier));
                Ok(of_table.then(|| Expr::Identifier(column.clone())))
            }
            Expr::Function(function) => self.function(function),
            _ => Ok(None),
        }
    }

    fn function(&self, function: &Function) -> Result<Option<Expr>, Failure> {
        let whole = function.name.to_string();
        let (mut extent, name) = match whole.split_once("__") {
            Some(("FINAL", name)) => (Extent::Final, name),
            Some(("RUNNING", name)) => (Extent::Running, name),
            _ => (Extent::Running, whole.as_str()),
        };
        match &function.over {
            None => {}
            Some(WindowType::WindowSpec(spec)) if is_frame_only(spec) && AGGREGATES.contains(&name) => {
                extent = Extent::Frame(spec.window_frame.clone());
            }
            // Made by us, or of the outer kind, which has no rows here.
            Some(WindowType::WindowSpec(spec))
                if !spec.partition_by.is_empty() && is_ours(spec.partition_by.first()) =>
            {
                return Ok(None);
            }
            Some(_) => return Err(Failure::unsupported(&format!("{name} OVER … in MEASURES"))),
        }
        if let Some(column) = of_the_match(name)? {
            return Ok(Some(column));
        }
        refuse(is_no_measure(name), &format!("{name} in MEASURES"))?;
        let inner = match name {
            "FIRST" => "__FIRST",
            "LAST" => "__LAST",
            "PREV" => return self.neighbour(function, "LAG").map(Some),
            "NEXT" => return self.neighbour(function, "LEAD").map(Some),
            name if AGGREGATES.contains(&name) => name,
            _ if whole == name => return Ok(None),
            _ => return Err(Failure::unsupported(&format!("FINAL | RUNNING {name}"))),
        };
        self.aggregate(function, inner, extent).map(Some)
    }

    fn aggregate(&self, function: &Function, name: &str, extent: Extent) -> Result<Expr, Failure> {
        let FunctionArguments::List(list) = &function.args else {
            return Err(Failure::unsupported(&format!("{name} of this form in MEASURES")));
        };
        refuse(list.duplicate_treatment.is_some(), "DISTINCT in MEASURES")?;
        refuse(!function.within_group.is_empty(), "WITHIN GROUP in MEASURES")?;
        let asked = |symbol, more| Asked { symbol, extent, more };
        match list.args.as_slice() {
            [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)] => {
                self.one_of(name, number("1"), asked(None, Vec::new()))
            }
            [FunctionArg::Unnamed(FunctionArgExpr::QualifiedWildcard(of))] => {
                let symbol = of.0.first().and_then(|part| part.as_ident()).cloned();
                self.one_of(name, number("1"), asked(symbol, Vec::new()))
            }
            [FunctionArg::Unnamed(FunctionArgExpr::Expr(value))] => {
                let (value, symbol) = self.stripped(value)?;
                self.one_of(name, value, asked(symbol, Vec::new()))
            }
            [
                FunctionArg::Unnamed(FunctionArgExpr::Expr(value)),
                FunctionArg::Unnamed(FunctionArgExpr::Expr(more @ Expr::Value(_))),
            ] if name == "LISTAGG" => {
                let (value, symbol) = self.stripped(value)?;
                self.one_of(name, value, asked(symbol, vec![more.clone()]))
            }
            _ => {
                let name = name.trim_start_matches('_');
                Err(Failure::unsupported(&format!("{name} with several arguments in MEASURES")))
            }
        }
    }

    /// PREV and NEXT stay within the match.
    fn neighbour(&self, function: &Function, name: &str) -> Result<Expr, Failure> {
        let mut made = function.clone();
        made.name = ObjectName::from(vec![Ident::new(name)]);
        if let FunctionArguments::List(list) = &mut made.args {
            for argument in &mut list.args {
                let FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) = argument else { continue };
                let (plain, symbol) = self.stripped(value)?;
                refuse(symbol.is_some(), "PREV | NEXT of a symbol's column")?;
                *value = plain;
            }
        }
        made.over = Some(match_window(Extent::Frame(None))?);
        Ok(Expr::Function(made))
    }

    /// A measure's argument without its symbol, and that.
    fn stripped(&self, value: &Expr) -> Result<(Expr, Option<Ident>), Failure> {
        let mut value = value.clone();
        let mut stripping = Stripping { measured: self, symbol: None };
        outcome(value.walk_mut(&mut stripping))?;
        Ok((value, stripping.symbol))
    }

    /// A window function over the rows of the match, or those of one symbol.
    fn one_of(&self, name: &str, value: Expr, asked: Asked) -> Result<Expr, Failure> {
        let counted = match &asked.symbol {
            Some(symbol) => {
                refuse(self.program.number(symbol).is_none(), "a symbol in MEASURES that is not in the PATTERN")?;
                let mut condition = expression("\"__Q\".\"__SYMBOL\" = ''")?;
                if let Expr::BinaryOp { right, .. } = &mut condition {
                    **right = string(folded(symbol));
                }
                Some(condition)
            }
            None if self.program.can_be_empty => Some(in_match()?),
            None => None,
        };
        let keeps_nulls = name.starts_with("__");
        let (value, filter) = match counted {
            Some(condition) if keeps_nulls => (value, Some(condition)),
            Some(condition) => (where_true(condition, value)?, None),
            None => (value, None),
        };
        let mut arguments = vec![value];
        if keeps_nulls {
            arguments.push(expression("\"__Q\".\"__SEQ\"")?);
        }
        arguments.extend(asked.more);
        let Expr::Function(mut made) = crate::build::call(name, arguments) else {
            return Err(Failure::new("000603", "XX000", "a call has another shape"));
        };
        made.filter = filter.map(Box::new);
        made.over = Some(match_window(asked.extent)?);
        Ok(Expr::Function(made))
    }
}

/// CLASSIFIER(), also without its brackets, and its like.
fn of_the_match(name: &str) -> Result<Option<Expr>, Failure> {
    match OF_THE_MATCH.iter().find(|(known, _)| *known == name) {
        Some((_, column)) => expression(&format!("\"__Q\".\"{column}\"")).map(Some),
        None => Ok(None),
    }
}

fn in_match() -> Result<Expr, Failure> {
    expression("\"__Q\".\"__SEQ\" > 0")
}

fn is_ours(partition: Option<&Expr>) -> bool {
    matches!(partition, Some(Expr::CompoundIdentifier(parts)) if parts.first().is_some_and(|part| part.value == "__Q"))
}

/// Takes the symbol off the columns of a measure's argument.
struct Stripping<'a> {
    measured: &'a Measured<'a>,
    symbol: Option<Ident>,
}

impl VisitorMut for Stripping<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Function(function) => {
                let name = function.name.to_string();
                match of_the_match(&name) {
                    Ok(Some(column)) => *expr = column,
                    Ok(None) if is_measure(&name) => {
                        let what = format!("{name} inside of a measure's argument");
                        return ControlFlow::Break(Failure::unsupported(&what));
                    }
                    Ok(None) => {}
                    Err(failure) => return ControlFlow::Break(failure),
                }
            }
            Expr::CompoundIdentifier(parts) => {
                if let [qualifier, column] = parts.as_slice() {
                    if self.measured.program.number(qualifier).is_some() {
                        if self.symbol.as_ref().is_some_and(|known| !same_name(known, qualifier)) {
                            return ControlFlow::Break(Failure::unsupported(
                                "several symbols in one measure's argument",
                            ));
                        }
                        self.symbol = Some(qualifier.clone());
                    } else if !self.measured.table.is_some_and(|table| same_name(table, qualifier)) {
                        return ControlFlow::Continue(());
                    }
                    *expr = Expr::Identifier(column.clone());
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Whether a function is an aggregate or window function that is not supported in measures.
fn is_no_measure(name: &str) -> bool {
    use FunctionClass::{Aggregate, OrderedWindow, Window};
    !AGGREGATES.contains(&name)
        && find(name).is_some_and(|entry| matches!(entry.class, Aggregate | OrderedWindow | Window))
}

fn is_measure(name: &str) -> bool {
    ["FIRST", "LAST", "NEXT", "PREV"].contains(&name)
        || AGGREGATES.contains(&name)
        || is_no_measure(name)
        || name.contains("__")
}

fn match_window(extent: Extent) -> Result<WindowType, Failure> {
    let end = match extent {
        Extent::Running => "CURRENT ROW",
        Extent::Final | Extent::Frame(_) => "UNBOUNDED FOLLOWING",
    };
    let made = expression(&format!(
        "SUM(1) OVER (PARTITION BY \"__Q\".\"__P\", \"__Q\".\"__MATCH\" ORDER BY \"__Q\".\"__SEQ\" \
         ROWS BETWEEN UNBOUNDED PRECEDING AND {end})"
    ))?;
    match made {
        Expr::Function(Function { over: Some(WindowType::WindowSpec(mut spec)), .. }) => {
            if let Extent::Frame(frame) = extent {
                spec.window_frame = frame;
            }
            Ok(WindowType::WindowSpec(spec))
        }
        _ => Err(Failure::new("000603", "XX000", "a skeleton has another shape")),
    }
}
