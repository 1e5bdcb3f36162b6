//! Operators: the digits of exact numbers are the dialect's, dates count in days.

use firn_binder::{Family, Type};
use firn_sql::ast::{BinaryOperator, Expr};
use firn_sql::command::DataType;

use super::expressions::bracketed;
use super::{Lowering, Text, refused};
use crate::types::spark_type;

/// Digits before the point of what Spark has 64 bits for.
const DIGITS_OF_BIGINT: u8 = 19;
const PRECISION_MAX: u8 = 38;

impl Lowering<'_> {
    pub(super) fn operation(&self, whole: &Expr, left: &Expr, op: &BinaryOperator, right: &Expr) -> Text {
        use BinaryOperator::{
            And, Divide, Eq, Gt, GtEq, Lt, LtEq, Minus, Modulo, Multiply, NotEq, Or, Plus, StringConcat,
        };
        match op {
            And | Or => {
                let (left, right) = (bracketed(left, self.condition(left)?), bracketed(right, self.condition(right)?));
                Ok(format!("{left} {} {right}", if *op == And { "AND" } else { "OR" }))
            }
            StringConcat => self.joined_texts(left, right),
            Eq | NotEq | Gt | Lt | GtEq | LtEq => self.comparison(left, op, right),
            Plus | Minus if self.is_temporal(left) || self.is_temporal(right) => self.moved(whole, left, op, right),
            Divide => self.quotient(whole, left, right),
            Plus | Minus | Multiply | Modulo => {
                let (left, right) = (bracketed(left, self.number_of(left)?), bracketed(right, self.number_of(right)?));
                let word = match op {
                    Plus => "+",
                    Minus => "-",
                    Multiply => "*",
                    _ => "%",
                };
                self.with_digits(whole, format!("{left} {word} {right}"))
            }
            other => Err(refused(&format!("operator {other}"))),
        }
    }

    fn is_temporal(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Interval(_)) || self.bound.type_of(expr).family().is_temporal()
    }

    /// An exact number with a scale has the digits that the dialect gives it.
    fn with_digits(&self, whole: &Expr, sql: String) -> Text {
        match self.bound.type_of(whole).data_type {
            Type::Of(ref data_type @ DataType::Number { scale, .. }) if scale > 0 => {
                Ok(format!("CAST({sql} AS {})", spark_type(data_type).unwrap_or_default()))
            }
            _ => Ok(sql),
        }
    }

    /// A number: texts are read as one, and VARIANT is cast.
    pub(super) fn number_of(&self, expr: &Expr) -> Text {
        let sql = self.expression(expr)?;
        Ok(match self.bound.type_of(expr).family() {
            Family::Text => format!("CAST({sql} AS DECIMAL(18,5))"),
            Family::Variant => format!("CAST({sql} AS DOUBLE)"),
            Family::Boolean => format!("CAST({sql} AS BIGINT)"),
            Family::Number if self.has_wide_integers() && self.is_integer(expr) => {
                format!("CAST({sql} AS DECIMAL(38,0))")
            }
            Family::Number | Family::Float | Family::Null | Family::Unknown => sql,
            _ => return Err(refused("arithmetic of this type")),
        })
    }

    fn is_integer(&self, expr: &Expr) -> bool {
        let is_column = matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
        is_column && matches!(self.bound.type_of(expr).data_type, Type::Of(DataType::Integer))
    }

    /// The dividend gets the scale of the quotient first, and no more digits than leave Spark room for that scale.
    fn quotient(&self, whole: &Expr, left: &Expr, right: &Expr) -> Text {
        let (dividend, divisor) = (self.number_of(left)?, bracketed(right, self.number_of(right)?));
        let Type::Of(ref result @ DataType::Number { scale, .. }) = self.bound.type_of(whole).data_type else {
            return Ok(format!("{} / {divisor}", bracketed(left, dividend)));
        };
        let digits_before = match self.bound.type_of(left).data_type {
            Type::Of(DataType::Number { precision, scale }) => precision - scale,
            Type::Of(DataType::Varchar { .. }) => 13,
            _ => DIGITS_OF_BIGINT,
        };
        let scale_of_divisor = match self.bound.type_of(right).data_type {
            Type::Of(DataType::Number { scale, .. }) => scale,
            Type::Of(DataType::Varchar { .. }) => 5,
            _ => 0,
        };
        let room = PRECISION_MAX.saturating_sub(scale_of_divisor);
        let precision = digits_before.saturating_add(scale).min(room).max(scale);
        let result = spark_type(result).unwrap_or_default();
        Ok(format!("CAST(CAST({dividend} AS DECIMAL({precision},{scale})) / {divisor} AS {result})"))
    }

    fn comparison(&self, left: &Expr, op: &BinaryOperator, right: &Expr) -> Text {
        let both = [left, right].map(|side| self.bound.type_of(side).family().is_semi_structured());
        if both == [true, true] {
            return Err(refused("comparison of VARIANT, OBJECT and ARRAY; cast them to another type"));
        }
        let word = if *op == BinaryOperator::NotEq { "<>".to_owned() } else { op.to_string() };
        let (shown_left, shown_right) = (self.compared(right, left)?, self.compared(left, right)?);
        Ok(format!("{} {word} {}", bracketed(left, shown_left), bracketed(right, shown_right)))
    }

    /// A value as it is compared with another one: of two types of different families, a text or a VARIANT becomes the other's.
    pub(super) fn compared(&self, with: &Expr, value: &Expr) -> Text {
        let (other, own) = (self.bound.type_of(with), self.bound.type_of(value));
        let sql = self.expression(value)?;
        let is_converted = match own.family() {
            Family::Variant => !matches!(other.family(), Family::Variant | Family::Null | Family::Unknown),
            Family::Text => !matches!(other.family(), Family::Text | Family::Variant | Family::Null | Family::Unknown),
            _ => false,
        };
        if !is_converted {
            return Ok(sql);
        }
        match &other.data_type {
            Type::Of(DataType::Number { .. } | DataType::Integer) if own.family() == Family::Text => {
                Ok(format!("CAST({sql} AS DECIMAL(38,10))"))
            }
            Type::Of(DataType::Number { .. } | DataType::Integer) => Ok(format!("CAST({sql} AS DOUBLE)")),
            Type::Of(data_type) => match spark_type(data_type) {
                Some(name) => Ok(format!("CAST({sql} AS {name})")),
                None => Err(refused(&format!("values of {}", data_type.full_name()))),
            },
            _ => Ok(sql),
        }
    }

    fn joined_texts(&self, left: &Expr, right: &Expr) -> Text {
        let is_binary = |expr| self.bound.type_of(expr).family() == Family::Binary;
        if is_binary(left) && is_binary(right) {
            return Ok(format!(
                "{} || {}",
                bracketed(left, self.expression(left)?),
                bracketed(right, self.expression(right)?)
            ));
        }
        Ok(format!("{} || {}", bracketed(left, self.as_text(left)?), bracketed(right, self.as_text(right)?)))
    }

    /// A day more or less is a number; the difference of two dates is one too.
    fn moved(&self, whole: &Expr, left: &Expr, op: &BinaryOperator, right: &Expr) -> Text {
        let families = (self.bound.type_of(left).family(), self.bound.type_of(right).family());
        let (shown_left, shown_right) = (self.expression(left)?, self.expression(right)?);
        let is_minus = *op == BinaryOperator::Minus;
        if matches!(right, Expr::Interval(_)) {
            let sql = format!("{} {op} {shown_right}", bracketed(left, shown_left));
            return Ok(match self.bound.type_of(whole).family() {
                Family::Date => format!("CAST({sql} AS DATE)"),
                _ => format!("({sql})"),
            });
        }
        Ok(match families {
            (Family::Date, Family::Date) if is_minus => format!("datediff({shown_left}, {shown_right})"),
            (Family::Date, Family::Number) => {
                format!("{}({shown_left}, {})", if is_minus { "date_sub" } else { "date_add" }, self.int_of(right)?)
            }
            (Family::Number, Family::Date) if !is_minus => format!("date_add({shown_right}, {})", self.int_of(left)?),
            _ => return Err(refused("arithmetic of dates and times of this form; DATEADD and DATEDIFF have it")),
        })
    }
}
