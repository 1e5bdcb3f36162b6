//! Conversions of types. Exact numbers are rounded, and what the dialect writes otherwise as a text than Spark is written as the
//! dialect does or refused.

use firn_binder::{Family, Type, ValueType};
use firn_sql::ast::{CastKind, DataType as TreeType, Expr};
use firn_sql::command::DataType;
use firn_sql::declared_type;

use super::literals::{integer_of, text_of};
use super::{Lowering, Text, refused};
use crate::types::spark_type;

const TEXT_LENGTH_DEFAULT: u64 = 16_777_216;
const TIMESTAMP_AS_TEXT: &str = "yyyy-MM-dd HH:mm:ss.SSS";

impl Lowering<'_> {
    pub(super) fn cast(&self, kind: &CastKind, value: &Expr, to: &TreeType) -> Text {
        let to = declared_type(to)?;
        self.cast_to(*kind == CastKind::TryCast, value, &to)
    }

    pub(super) fn cast_to(&self, tries: bool, value: &Expr, to: &DataType) -> Text {
        let from = self.bound.type_of(value).family();
        let sql = self.expression(value)?;
        let cast = if tries { "TRY_CAST" } else { "CAST" };
        let name = spark_type(to).ok_or_else(|| refused(&format!("cast to {}", to.full_name())))?;
        Ok(match (from, to) {
            (Family::Null | Family::Unknown, _) => format!("{cast}({sql} AS {name})"),
            (_, DataType::Varchar { length }) => {
                let text = self.text_from(from, sql, tries)?;
                match length {
                    Some(length) if *length < TEXT_LENGTH_DEFAULT => format!("substring({text}, 1, {length})"),
                    _ => text,
                }
            }
            // The dialect rounds where Spark cuts off.
            (Family::Number | Family::Float | Family::Text | Family::Variant, DataType::Integer) => {
                format!("CAST({cast}({sql} AS DECIMAL(38,0)) AS {})", self.integers())
            }
            (Family::Text, DataType::Binary { .. }) => match tries {
                true => format!("try_to_binary({sql}, 'hex')"),
                false => format!("unhex({sql})"),
            },
            (Family::Number, DataType::Boolean) => format!("({sql} <> 0)"),
            (
                Family::Variant | Family::Object | Family::Array,
                DataType::Variant | DataType::Object | DataType::Array,
            ) => sql,
            (_, DataType::Variant) => format!("{cast}({sql} AS VARIANT)"),
            (_, DataType::Object | DataType::Array) => return Err(refused("cast to OBJECT and ARRAY")),
            (
                Family::Number | Family::Float,
                DataType::Date | DataType::TimestampNtz { .. } | DataType::TimestampLtz { .. },
            ) => {
                return Err(refused("cast of numbers to dates"));
            }
            _ => format!("{cast}({sql} AS {name})"),
        })
    }

    fn integers(&self) -> &'static str {
        if self.has_wide_integers() { "DECIMAL(38,0)" } else { "BIGINT" }
    }

    /// A value as a text.
    pub(super) fn as_text(&self, expr: &Expr) -> Text {
        self.text_from(self.bound.type_of(expr).family(), self.expression(expr)?, false)
    }

    fn text_from(&self, from: Family, sql: String, tries: bool) -> Text {
        let cast = if tries { "TRY_CAST" } else { "CAST" };
        let has_formats = self.context.formats.turns_cells_into_text();
        Ok(match from {
            Family::Text => sql,
            Family::Binary => format!("hex({sql})"),
            Family::TimestampNtz | Family::TimestampLtz | Family::Date | Family::Time if has_formats => {
                return Err(refused("cast of dates and times to VARCHAR with formats of the session"));
            }
            Family::TimestampNtz => format!("date_format({sql}, '{TIMESTAMP_AS_TEXT}')"),
            Family::TimestampLtz => format!("date_format({sql}, '{TIMESTAMP_AS_TEXT} xx')"),
            Family::Float => return Err(refused("cast of FLOAT to VARCHAR; cast it to NUMBER(p,s) before")),
            Family::Object | Family::Array | Family::Structured => format!("to_json({sql})"),
            _ => format!("{cast}({sql} AS STRING)"),
        })
    }

    pub(super) fn as_float(&self, expr: &Expr) -> Text {
        let sql = self.expression(expr)?;
        Ok(match self.bound.type_of(expr).family() {
            Family::Float => sql,
            _ => format!("CAST({sql} AS DOUBLE)"),
        })
    }

    pub(super) fn as_variant(&self, expr: &Expr) -> Text {
        let sql = self.expression(expr)?;
        Ok(match self.bound.type_of(expr).family().is_semi_structured() {
            true => sql,
            false => format!("CAST({sql} AS VARIANT)"),
        })
    }

    /// A 32-bit integer, which functions of Spark want for places and lengths.
    pub(super) fn int_of(&self, expr: &Expr) -> Text {
        if let Some(value) = integer_of(expr).filter(|value| i32::try_from(*value).is_ok()) {
            return Ok(value.to_string());
        }
        match self.bound.type_of(expr).family() {
            Family::Number => Ok(format!("CAST(round({}, 0) AS INT)", self.expression(expr)?)),
            _ => Ok(format!("CAST(CAST({} AS DECIMAL(38,0)) AS INT)", self.expression(expr)?)),
        }
    }

    /// A date or a timestamp: texts are read.
    pub(super) fn instant_of(&self, expr: &Expr) -> Text {
        let sql = self.expression(expr)?;
        Ok(match self.bound.type_of(expr).family() {
            Family::Text if text_of(expr).is_some_and(|text| text.len() <= 10) => format!("CAST({sql} AS DATE)"),
            Family::Text | Family::Variant => format!("CAST({sql} AS TIMESTAMP_NTZ)"),
            _ => sql,
        })
    }

    /// A value as one of the results of a choice, which have one type.
    pub(super) fn converted(&self, expr: &Expr, to: &ValueType) -> Text {
        let from = self.bound.type_of(expr);
        match &to.data_type {
            Type::Of(data_type) if from.family() != to.family() && from.family() != Family::Null => {
                self.cast_to(false, expr, data_type)
            }
            Type::Of(data_type @ DataType::Number { scale, .. }) if *scale > 0 && from.data_type != to.data_type => {
                Ok(format!("CAST({} AS {})", self.expression(expr)?, spark_type(data_type).unwrap_or_default()))
            }
            _ => self.expression(expr),
        }
    }
}
