//! Expressions: every kind of node that has a rendering is named here.

use firn_binder::{Family, Reference};
use firn_sql::Failure;
use firn_sql::ast::{Expr, Ident, Interval, JsonPath, JsonPathElem, UnaryOperator};

use super::literals::{integer_of, text, text_of};
use super::{Lowering, Text, quoted, refused};

impl Lowering<'_> {
    pub(super) fn list(&self, exprs: &[Expr]) -> Text {
        let values = exprs.iter().map(|expr| self.expression(expr)).collect::<Result<Vec<_>, _>>()?;
        Ok(values.join(", "))
    }

    /// A condition: what is no truth value becomes one.
    pub(super) fn condition(&self, expr: &Expr) -> Text {
        match self.bound.type_of(expr).family() {
            Family::Boolean | Family::Null | Family::Unknown => self.expression(expr),
            _ => Ok(format!("CAST({} AS BOOLEAN)", self.expression(expr)?)),
        }
    }

    /// In ORDER BY an alias is the column of the result.
    pub(super) fn expression_in_order(&self, expr: &Expr) -> Text {
        match expr {
            Expr::Identifier(name) if self.is_alias(expr) => Ok(quoted(&name.value)),
            _ => self.expression(expr),
        }
    }

    fn is_alias(&self, expr: &Expr) -> bool {
        self.bound.node(expr).and_then(|node| node.reference) == Some(Reference::Alias)
    }

    pub(super) fn expression(&self, expr: &Expr) -> Text {
        let of = |expr: &Expr| self.expression(expr);
        Ok(match expr {
            Expr::Identifier(name) => self.name(expr, std::slice::from_ref(name))?,
            Expr::CompoundIdentifier(parts) => self.name(expr, parts)?,
            Expr::Value(value) => self.literal(expr, &value.value)?,
            Expr::Nested(inside) => format!("({})", of(inside)?),
            Expr::UnaryOp { op: UnaryOperator::Not, expr } => format!("NOT {}", bracketed(expr, self.condition(expr)?)),
            Expr::UnaryOp { op: UnaryOperator::Minus, expr } => format!("-{}", bracketed(expr, of(expr)?)),
            Expr::UnaryOp { op: UnaryOperator::Plus, expr } => of(expr)?,
            Expr::BinaryOp { left, op, right } => self.operation(expr, left, op, right)?,
            Expr::IsNull(value) => format!("{} IS NULL", bracketed(value, of(value)?)),
            Expr::IsNotNull(value) => format!("{} IS NOT NULL", bracketed(value, of(value)?)),
            Expr::IsTrue(value) => format!("({} <=> TRUE)", bracketed(value, of(value)?)),
            Expr::IsNotTrue(value) => format!("(NOT ({} <=> TRUE))", bracketed(value, of(value)?)),
            Expr::IsFalse(value) => format!("({} <=> FALSE)", bracketed(value, of(value)?)),
            Expr::IsNotFalse(value) => format!("(NOT ({} <=> FALSE))", bracketed(value, of(value)?)),
            Expr::IsUnknown(value) => format!("{} IS NULL", bracketed(value, of(value)?)),
            Expr::IsNotUnknown(value) => format!("{} IS NOT NULL", bracketed(value, of(value)?)),
            Expr::IsNotDistinctFrom(left, right) => self.same(left, right)?,
            Expr::IsDistinctFrom(left, right) => format!("(NOT {})", self.same(left, right)?),
            Expr::InList { expr: value, list, negated } => {
                list.iter().try_for_each(|choice| self.refuse_variant(choice, "comparison"))?;
                self.refuse_variant(value, "comparison")?;
                let list = list.iter().map(|choice| self.compared(value, choice)).collect::<Result<Vec<_>, _>>()?;
                format!("{} {}IN ({})", bracketed(value, of(value)?), not(*negated), list.join(", "))
            }
            Expr::InSubquery { expr: value, subquery, negated } => {
                format!("{} {}IN ({})", bracketed(value, of(value)?), not(*negated), self.query(subquery)?)
            }
            Expr::Between { expr: value, negated, low, high } => {
                self.refuse_variant(value, "comparison")?;
                let (low, high) = (self.compared(value, low)?, self.compared(value, high)?);
                format!("({} {}BETWEEN {low} AND {high})", bracketed(value, of(value)?), not(*negated))
            }
            Expr::Like { negated, any: false, expr: value, pattern, escape_char } => {
                self.like("LIKE", *negated, value, pattern, escape_char.as_deref())?
            }
            Expr::ILike { negated, any: false, expr: value, pattern, escape_char } => {
                self.like("ILIKE", *negated, value, pattern, escape_char.as_deref())?
            }
            Expr::RLike { negated, expr: value, pattern, .. } => {
                format!("({} {}RLIKE {})", bracketed(value, of(value)?), not(*negated), self.whole_pattern(pattern)?)
            }
            Expr::Cast { kind, expr: value, data_type, .. } => self.cast(kind, value, data_type)?,
            Expr::Case { operand, conditions, else_result, .. } => {
                let mut sql = "CASE".to_owned();
                if let Some(operand) = operand {
                    sql.push_str(&format!(" {}", of(operand)?));
                }
                for branch in conditions {
                    let condition = match operand {
                        Some(operand) => self.compared(operand, &branch.condition)?,
                        None => self.condition(&branch.condition)?,
                    };
                    sql.push_str(&format!(" WHEN {condition} THEN {}", self.result_of(expr, &branch.result)?));
                }
                if let Some(other) = else_result {
                    sql.push_str(&format!(" ELSE {}", self.result_of(expr, other)?));
                }
                format!("{sql} END")
            }
            Expr::Exists { subquery, negated } => format!("{}EXISTS ({})", not(*negated), self.query(subquery)?),
            Expr::Subquery(query) => format!("({})", self.query(query)?),
            Expr::Tuple(values) => format!("({})", self.list(values)?),
            Expr::Function(function) => self.call(expr, function)?,
            Expr::JsonAccess { value, path } => self.json_access(value, path)?,
            Expr::Interval(interval) => interval_of(interval)?,
            Expr::AnyOp { .. } | Expr::AllOp { .. } => return Err(refused("ANY and ALL")),
            _ => return Err(refused("expression of this form")),
        })
    }

    /// The results of a choice have one type.
    fn result_of(&self, choice: &Expr, result: &Expr) -> Text {
        self.converted(result, &self.bound.type_of(choice))
    }

    fn name(&self, expr: &Expr, parts: &[Ident]) -> Text {
        if let [name] = parts
            && self.is_alias(expr)
            && let Some(meant) = self.aliases.find(&name.value)
        {
            return Ok(format!("({})", self.expression(meant)?));
        }
        // Tables have their last name as an alias.
        let shown = &parts[parts.len().saturating_sub(2)..];
        Ok(shown.iter().map(|part| quoted(&part.value)).collect::<Vec<_>>().join("."))
    }

    fn same(&self, left: &Expr, right: &Expr) -> Text {
        self.refuse_variant(left, "comparison")?;
        self.refuse_variant(right, "comparison")?;
        Ok(format!("({} <=> {})", bracketed(left, self.expression(left)?), bracketed(right, self.expression(right)?)))
    }

    /// A backslash is no escape in the dialect.
    fn like(&self, word: &str, negated: bool, value: &Expr, pattern: &Expr, escape: Option<&Expr>) -> Text {
        let (pattern, escape) = match (escape, text_of(pattern)) {
            (Some(escape), _) => {
                let escape = text_of(escape).ok_or_else(|| refused("ESCAPE of what is no literal"))?;
                (self.as_text(pattern)?, format!(" ESCAPE {}", text(escape)))
            }
            (None, Some(pattern)) => (text(&pattern.replace('\\', "\\\\")), String::new()),
            (None, None) => (format!("replace({}, '\\\\', '\\\\\\\\')", self.as_text(pattern)?), String::new()),
        };
        Ok(format!("({} {}{word} {pattern}{escape})", bracketed(value, self.as_text(value)?), not(negated)))
    }

    /// A pattern of which the whole text has to be.
    pub(super) fn whole_pattern(&self, pattern: &Expr) -> Text {
        Ok(match text_of(pattern) {
            Some(pattern) => text(&format!("^(?:{pattern})$")),
            None => format!("concat('^(?:', {}, ')$')", self.as_text(pattern)?),
        })
    }

    fn json_access(&self, value: &Expr, path: &JsonPath) -> Text {
        let mut steps = "$".to_owned();
        for step in &path.path {
            match step {
                JsonPathElem::Dot { key, .. } => steps.push_str(&step_to(key)?),
                JsonPathElem::Bracket { key } | JsonPathElem::ColonBracket { key } => {
                    match (integer_of(key), text_of(key)) {
                        (Some(index), _) if index >= 0 => steps.push_str(&format!("[{index}]")),
                        (_, Some(key)) => steps.push_str(&step_to(key)?),
                        _ => return Err(refused("path with a computed step")),
                    }
                }
            }
        }
        Ok(format!("variant_get({}, {}, 'variant')", self.expression(value)?, text(&steps)))
    }

    /// Spark compares, orders and groups no VARIANT.
    pub(super) fn refuse_variant(&self, expr: &Expr, what: &str) -> Result<(), Failure> {
        match self.bound.type_of(expr).family().is_semi_structured() {
            true => Err(refused(&format!("{what} of VARIANT, OBJECT and ARRAY; cast them to another type"))),
            false => Ok(()),
        }
    }
}

fn step_to(key: &str) -> Text {
    match key.contains('\'') {
        true => Err(refused("path with a quote in a key")),
        false => Ok(format!("['{key}']")),
    }
}

/// `INTERVAL '2 days, 3 hours'` as Spark's literal of several units.
fn interval_of(interval: &Interval) -> Text {
    let written = text_of(&interval.value).ok_or_else(|| refused("INTERVAL of what is no literal"))?;
    let words = match &interval.leading_field {
        Some(field) => format!("{written} {field}"),
        None => written.to_owned(),
    };
    let mut parts = Vec::new();
    for part in words.split(',') {
        let mut words = part.split_whitespace();
        let amount: i64 =
            words.next().and_then(|amount| amount.parse().ok()).ok_or_else(|| refused("INTERVAL of this form"))?;
        let unit = firn_sql::date_parts::canonical(words.next().unwrap_or("second"))
            .ok_or_else(|| refused("INTERVAL of this unit"))?;
        let (amount, unit) = match unit {
            "quarter" => (amount * 3, "month"),
            "year" | "month" | "week" | "day" | "hour" | "minute" | "second" | "millisecond" | "microsecond" => {
                (amount, unit)
            }
            other => return Err(refused(&format!("INTERVAL in units of {other}"))),
        };
        parts.push(format!("{amount} {unit}"));
    }
    Ok(format!("INTERVAL '{}'", parts.join(" ")))
}

pub(super) fn not(negated: bool) -> &'static str {
    if negated { "NOT " } else { "" }
}

/// An operand, in brackets unless it is one word or call.
pub(super) fn bracketed(expr: &Expr, rendered: String) -> String {
    match expr {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) | Expr::Value(_) | Expr::Nested(_) | Expr::Subquery(_) => {
            rendered
        }
        _ => format!("({rendered})"),
    }
}
