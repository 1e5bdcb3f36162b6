//! What is wrong with the names of a statement, in the dialect's words.

use firn_sql::Failure;
use firn_sql::ast::{Expr, Function, Ident, ObjectNamePart, Spanned};
use firn_sql::names::display_identifier;
use sqlparser::tokenizer::Location;

use crate::types::Type;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindError {
    /// 000904
    InvalidIdentifier { name: String, place: Place },
    /// 002028
    AmbiguousColumn { name: String, place: Place },
    /// 000979: ORDER BY a column that SELECT DISTINCT does not show.
    OrderOfDistinct { name: String, place: Place },
    /// 000979: GROUP BY names an item that is computed from the groups.
    GroupKey { expr: String },
    /// 001104: a column of the select list that is neither a key nor aggregated.
    Ungrouped { column: String, place: Place },
    /// 000979: ORDER BY the number of a column that there is none of.
    OrderPosition { position: String, place: Place },
    /// 000979: the same of GROUP BY.
    GroupPosition { position: String, place: Place },
    /// 002304
    QualifyWithoutWindow,
    /// 002035
    AggregateInWhere { expr: String },
    /// 002076
    NestedAggregate { inner: String, outer: String },
    /// 002303
    MisplacedWindow { expr: String },
    /// 002023: a value that the column it goes into does not take.
    ColumnType { column: String, wanted: String, given: String },
    /// 001044
    ArgumentTypes { function: String, types: String, place: Place },
    /// DISTINCT in a call of a function that is no aggregate.
    MisplacedDistinct { call: String },
    /// OVER behind a call of a function that is neither an aggregate nor a window function.
    NoWindowFunction { function: String },
    /// WITHIN GROUP behind a call of a function that has no order.
    NoOrderedFunction { function: String },
    /// 001015: an argument that has to have one value for all rows; places count from zero.
    ComputedArgument { place: usize, function: String, given: String },
    /// 002028: `*` with a pattern that no column has.
    NoColumns,
    /// 002003
    MissingObject { name: String },
    /// 001789: the branches of a set operation are counted from one.
    BranchColumns { expected: usize, got: usize, branch: usize },
    /// 000603
    TooManyColumns { most: usize },
}

/// Where a name is written: lines count from one, positions from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    line: u64,
    position: u64,
}

impl Place {
    fn of(name: &[Ident]) -> Self {
        name.first().map_or(Self { line: 0, position: 0 }, |first| Self::at(first.span.start))
    }

    fn at(start: Location) -> Self {
        Self { line: start.line, position: start.column.saturating_sub(1) }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => Ok(()),
            line => write!(formatter, " error line {line} at position {}", self.position),
        }
    }
}

impl BindError {
    pub(crate) fn invalid(name: &[Ident]) -> Self {
        let name = written(name);
        Self::InvalidIdentifier { name: displayed(name), place: Place::of(name) }
    }

    /// `$3` of a relation with fewer columns.
    pub(crate) fn invalid_position(expr: &Expr, position: usize) -> Self {
        Self::InvalidIdentifier { name: format!("${position}"), place: Place::at(expr.span().start) }
    }

    pub(crate) fn ambiguous(name: &[Ident]) -> Self {
        let last = name.last().map(|last| display_identifier(&last.value)).unwrap_or_default();
        Self::AmbiguousColumn { name: last, place: Place::of(name) }
    }

    pub(crate) fn order_of_distinct(name: &[Ident]) -> Self {
        let name = written(name);
        Self::OrderOfDistinct { name: displayed(name), place: Place::of(name) }
    }

    pub(crate) fn order_position(key: &Expr, position: String) -> Self {
        Self::OrderPosition { position, place: Place::at(key.span().start) }
    }

    pub(crate) fn group_position(key: &Expr, position: String) -> Self {
        Self::GroupPosition { position, place: Place::at(key.span().start) }
    }

    pub(crate) fn ungrouped(name: &[Ident], column: String) -> Self {
        Self::Ungrouped { column, place: Place::of(name) }
    }

    pub(crate) fn arguments(function: &Function, types: &[&Type]) -> Self {
        let names: Vec<&Ident> = function.name.0.iter().filter_map(ObjectNamePart::as_ident).collect();
        let place = names.first().map_or(Place { line: 0, position: 0 }, |name| Place::of(std::slice::from_ref(*name)));
        Self::ArgumentTypes { function: function.name.to_string(), types: listed(types), place }
    }

    pub(crate) fn operands(operator: &str, types: &[&Type], first: &Expr) -> Self {
        let place = Place::at(first.span().start);
        Self::ArgumentTypes { function: operator.to_owned(), types: listed(types), place }
    }

    pub fn failure(&self) -> Failure {
        match self {
            Self::ArgumentTypes { function, types, place } => Failure::new(
                "001044",
                "42P13",
                format!("SQL compilation error:{place}\nInvalid argument types for function '{function}': ({types})"),
            ),
            Self::InvalidIdentifier { name, place } => {
                Failure::new("000904", "42000", format!("SQL compilation error:{place}\ninvalid identifier '{name}'"))
            }
            Self::AmbiguousColumn { name, place } => Failure::new(
                "002028",
                "42601",
                format!("SQL compilation error:{place}\nambiguous column name '{name}'"),
            ),
            Self::OrderOfDistinct { name, place } => Failure::new(
                "000979",
                "42601",
                format!("SQL compilation error:{place}\n[{name}] is not a valid order by expression"),
            ),
            Self::GroupKey { expr } => {
                compilation("000979", "42601", &format!("[{expr}] is not a valid group by expression"))
            }
            Self::Ungrouped { column, place } => Failure::new(
                "001104",
                "42601",
                format!(
                    "SQL compilation error:{place}\n'{column}' in select clause is neither an aggregate nor in the group \
                     by clause."
                ),
            ),
            Self::OrderPosition { position, place } => Failure::new(
                "000979",
                "42601",
                format!("SQL compilation error:{place}\n[{position}] is not a valid order by expression"),
            ),
            Self::GroupPosition { position, place } => Failure::new(
                "000979",
                "42601",
                format!("SQL compilation error:{place}\n[{position}] is not a valid group by expression"),
            ),
            Self::QualifyWithoutWindow => {
                compilation("002304", "42601", "found QUALIFY clause but no window function.")
            }
            Self::AggregateInWhere { expr } => {
                compilation("002035", "42601", &format!("Invalid aggregate function in where clause [{expr}]"))
            }
            Self::NestedAggregate { inner, outer } => compilation(
                "002076",
                "42601",
                &format!("Aggregate functions cannot be nested: [{inner}] nested in [{outer}]"),
            ),
            Self::MisplacedWindow { expr } => compilation(
                "002303",
                "42601",
                &format!("Window function [{expr}] appears outside of SELECT, QUALIFY, and ORDER BY clauses."),
            ),
            Self::ColumnType { column, wanted, given } => compilation(
                "002023",
                "22000",
                &format!(
                    "Expression type does not match column data type, expecting {wanted} but got {given} for column \
                     {column}"
                ),
            ),
            Self::MisplacedDistinct { call } => {
                compilation("002120", "42601", &format!("invalid use of 'distinct' for function '{call}'"))
            }
            Self::NoWindowFunction { function } => {
                compilation("002303", "42601", &format!("Invalid function type [{function}] for window function."))
            }
            Self::NoOrderedFunction { function } => {
                compilation("002303", "42601", &format!("Function {function} does not support WITHIN GROUP clause."))
            }
            Self::ComputedArgument { place, function, given } => compilation(
                "001015",
                "22023",
                &format!("argument {place} to function {function} needs to be constant, found '{given}'"),
            ),
            Self::NoColumns => compilation("002028", "42601", "* may not stand here: it names no columns"),
            Self::MissingObject { name } => Failure::missing_object("Object", name),
            Self::TooManyColumns { most } => Failure::limit_exceeded("number of columns of a relation", *most),
            Self::BranchColumns { expected, got, branch } => Failure::new(
                "001789",
                "42601",
                format!(
                    "SQL compilation error:\ninvalid number of result columns for set operator input branches, \
                     expected {expected}, got {got} in branch {{{branch}}}"
                ),
            ),
        }
    }
}

fn compilation(code: &'static str, sql_state: &'static str, text: &str) -> Failure {
    Failure::new(code, sql_state, format!("SQL compilation error:\n{text}"))
}

fn listed(types: &[&Type]) -> String {
    types.iter().map(|data_type| data_type.to_string()).collect::<Vec<_>>().join(", ")
}

/// Without the qualifiers that were put before it when the statement was normalized.
fn written(name: &[Ident]) -> &[Ident] {
    match name {
        [qualifier, rest @ ..] if qualifier.value.starts_with("__") => rest,
        _ => name,
    }
}

fn displayed(name: &[Ident]) -> String {
    let parts: Vec<String> = name.iter().map(|part| display_identifier(&part.value).to_string()).collect();
    parts.join(".")
}
