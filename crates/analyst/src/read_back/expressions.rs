//! Columns, aggregates and parts of dates.

use firn_sql::ast::{
    BinaryOperator, DuplicateTreatment, Expr as Ast, Function as Call, FunctionArg, FunctionArgExpr, FunctionArguments,
    Value,
};

use super::relations::Relations;
use crate::interpretation::query::{ClockPart, Expr, Function, TimeUnit};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex};
use crate::semantic_model::expressions::parse_expression;

/// The names that expressions of a query may use.
pub(super) struct Scope<'a> {
    pub index: &'a ModelIndex,
    pub relations: Relations,
    /// What SELECT shows, under its aliases.
    pub shown: Vec<(String, Expr)>,
}

impl Scope<'_> {
    /// An expression as it stands in SELECT, GROUP BY, HAVING or ORDER BY.
    pub(super) fn expression(&self, tree: &Ast) -> Option<Expr> {
        if let Some(metric) = self.metric(tree) {
            return Some(Expr::Aggregate(Function::Metric, metric));
        }
        match tree {
            Ast::Nested(inner) => self.expression(inner),
            Ast::Identifier(name) => {
                let shown = self.shown.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(&name.value));
                self.named(tree).or_else(|| shown.map(|(_, expr)| expr.clone()))
            }
            Ast::CompoundIdentifier(_) => self.named(tree),
            Ast::Extract { field, expr, .. } => self.part(&field.to_string(), expr),
            Ast::Function(call) => self.call(call),
            Ast::BinaryOp { left, op, right } => self.computed(left, op, right),
            _ => None,
        }
    }

    /// A quotient, a percentage or a difference of aggregates.
    pub(super) fn computed_of(&self, tree: &Ast) -> Option<Expr> {
        match tree {
            Ast::Nested(inner) => self.computed_of(inner),
            Ast::BinaryOp { left, op, right } => self.computed(left, op, right),
            _ => None,
        }
    }

    /// A column, or a metric that is called by its name.
    fn named(&self, tree: &Ast) -> Option<Expr> {
        let column = self.column(tree)?;
        Some(match self.index.columns[column].kind {
            ColumnKind::Metric => Expr::Aggregate(Function::Metric, column),
            _ => Expr::Column(column),
        })
    }

    pub(super) fn column(&self, tree: &Ast) -> Option<ColumnId> {
        match tree {
            Ast::Nested(inner) => self.column(inner),
            Ast::Identifier(name) => self.relations.column(self.index, std::slice::from_ref(name)),
            Ast::CompoundIdentifier(name) => self.relations.column(self.index, name),
            _ => None,
        }
    }

    /// The metric of the model whose expression this is.
    fn metric(&self, tree: &Ast) -> Option<ColumnId> {
        let is_call = matches!(tree, Ast::Function(_) | Ast::BinaryOp { .. });
        let text = is_call.then(|| without_qualifiers(&tree.to_string()))?;
        let tables = self.relations.tables();
        let is_it = |column: &ColumnId| {
            let entry = &self.index.columns[*column];
            let expression = || parse_expression(&entry.expression).map(|tree| without_qualifiers(&tree.to_string()));
            entry.kind == ColumnKind::Metric
                && tables.contains(&entry.table)
                && expression().is_some_and(|it| it == text)
        };
        (0..self.index.columns.len()).find(is_it)
    }

    fn call(&self, call: &Call) -> Option<Expr> {
        if call.over.is_some() || call.filter.is_some() || !call.within_group.is_empty() {
            return None;
        }
        let FunctionArguments::List(list) = &call.args else { return None };
        let name = call.name.to_string().to_uppercase();
        let is_distinct = list.duplicate_treatment == Some(DuplicateTreatment::Distinct);
        match (name.as_str(), list.args.as_slice()) {
            ("COUNT", [FunctionArg::Unnamed(FunctionArgExpr::Wildcard)]) => self.count_rows(),
            (_, [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))]) => self.of_one(&name, is_distinct, argument),
            (
                "DATE_TRUNC" | "DATE_PART",
                [
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(unit)),
                    FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)),
                ],
            ) => {
                let unit = text_of(unit).unwrap_or_else(|| unit.to_string());
                match name.as_str() {
                    "DATE_PART" => self.part(&unit, argument),
                    _ => Some(Expr::Truncated(unit_named(&unit)?, self.column(argument)?)),
                }
            }
            _ => None,
        }
    }

    /// A call with one argument.
    fn of_one(&self, name: &str, is_distinct: bool, argument: &Ast) -> Option<Expr> {
        let function = match (name, is_distinct) {
            ("COUNT", true) => Function::CountDistinct,
            (_, true) => return None,
            ("COUNT", false) => Function::Count,
            ("SUM", false) => Function::Sum,
            ("AVG", false) => Function::Average,
            ("MIN", false) => Function::Minimum,
            ("MAX", false) => Function::Maximum,
            ("MEDIAN", false) => Function::Median,
            _ => return self.part(name, argument),
        };
        let column = self.column(argument)?;
        match function {
            // Rows and their keys are counted alike.
            Function::Count | Function::CountDistinct if self.is_key(column) => {
                Some(Expr::CountRows(self.index.columns[column].table))
            }
            _ => Some(Expr::Aggregate(function, column)),
        }
    }

    fn is_key(&self, column: ColumnId) -> bool {
        self.index.tables[self.index.columns[column].table].key == [column]
    }

    /// Rows of a join are those of the table that refers to all others.
    fn count_rows(&self) -> Option<Expr> {
        let tables = self.relations.tables();
        let refers_to =
            |table: usize, other: usize| self.index.joins.iter().any(|join| join.left == table && join.right == other);
        let is_finest = |table: &usize| {
            let mut reached = vec![*table];
            while let Some(next) = tables
                .iter()
                .find(|other| !reached.contains(other) && reached.iter().any(|from| refers_to(*from, **other)))
            {
                reached.push(*next);
            }
            reached.len() == tables.len()
        };
        let finest = self.relations.only().or_else(|| tables.iter().copied().find(|table| is_finest(table)));
        finest.map(Expr::CountRows)
    }

    fn part(&self, name: &str, argument: &Ast) -> Option<Expr> {
        let column = self.column(argument)?;
        match name.to_uppercase().as_str() {
            "DAYNAME" => Some(Expr::Clock(ClockPart::WeekdayName, column)),
            "DAYOFWEEKISO" => Some(Expr::Clock(ClockPart::WeekdayNumber, column)),
            "HOUR" => Some(Expr::Clock(ClockPart::Hour, column)),
            unit => Some(Expr::Part(unit_named(unit)?, column)),
        }
    }

    fn computed(&self, left: &Ast, op: &BinaryOperator, right: &Ast) -> Option<Expr> {
        let aggregate = |tree: &Ast| self.expression(tree).filter(Expr::is_aggregate).map(Box::new);
        match op {
            BinaryOperator::Minus => Some(Expr::Difference(aggregate(left)?, aggregate(right)?)),
            BinaryOperator::Divide => {
                let (factor, dividend) = factored(left);
                let (dividend, divisor) = (aggregate(dividend)?, aggregate(without_nullif(right))?);
                match factor {
                    1.0 => Some(Expr::Ratio(dividend, divisor)),
                    100.0 => Some(Expr::Percentage(dividend, divisor)),
                    _ => None,
                }
            }
            BinaryOperator::Multiply => {
                let (factor, product) = factor_of(left, right)?;
                match (factor, self.expression(product)?) {
                    (100.0, Expr::Ratio(dividend, divisor)) => Some(Expr::Percentage(dividend, divisor)),
                    (1.0, whole) => Some(whole),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// `100.0 * x` and `x * 100.0`: the factor and the rest.
fn factored(tree: &Ast) -> (f64, &Ast) {
    match tree {
        Ast::Nested(inner) => factored(inner),
        Ast::BinaryOp { left, op: BinaryOperator::Multiply, right } => factor_of(left, right).unwrap_or((1.0, tree)),
        _ => (1.0, tree),
    }
}

/// The constant of a product, and what it multiplies.
fn factor_of<'a>(left: &'a Ast, right: &'a Ast) -> Option<(f64, &'a Ast)> {
    match (number_of(left), number_of(right)) {
        (Some(factor), None) => Some((factor, right)),
        (None, Some(factor)) => Some((factor, left)),
        _ => None,
    }
}

/// `NULLIF(x, 0)` divides as x does, but for the error.
fn without_nullif(tree: &Ast) -> &Ast {
    let Ast::Function(call) = tree else { return tree };
    let FunctionArguments::List(list) = &call.args else { return tree };
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(inner)), FunctionArg::Unnamed(FunctionArgExpr::Expr(zero))]
            if call.name.to_string().eq_ignore_ascii_case("NULLIF") && number_of(zero) == Some(0.0) =>
        {
            inner
        }
        _ => tree,
    }
}

pub(super) fn number_of(tree: &Ast) -> Option<f64> {
    match tree {
        Ast::Nested(inner) => number_of(inner),
        Ast::UnaryOp { op: firn_sql::ast::UnaryOperator::Minus, expr } => number_of(expr).map(|number| -number),
        Ast::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.to_string().parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

pub(super) fn text_of(tree: &Ast) -> Option<String> {
    let Ast::Value(value) = tree else { return None };
    value.value.clone().into_string()
}

fn unit_named(name: &str) -> Option<TimeUnit> {
    Some(match name.to_uppercase().as_str() {
        "DAY" => TimeUnit::Day,
        "WEEK" => TimeUnit::Week,
        "MONTH" => TimeUnit::Month,
        "QUARTER" => TimeUnit::Quarter,
        "YEAR" => TimeUnit::Year,
        _ => return None,
    })
}

/// An expression as text that differs neither in case nor in the tables before its columns.
fn without_qualifiers(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for part in text.split_inclusive(|character: char| !(character.is_alphanumeric() || character == '_')) {
        match part.strip_suffix('.') {
            Some(name) if name.starts_with(|first: char| first.is_alphabetic() || first == '_') => {}
            _ => plain.push_str(&part.to_lowercase()),
        }
    }
    plain.retain(|character| !character.is_whitespace());
    plain
}
