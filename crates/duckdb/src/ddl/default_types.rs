//! Whether a default's type is one that its column takes. CREATE TABLE asks for more than ALTER TABLE does: the
//! latter reads a text as a number or a date.

use firn_duckdb_lower::dialect;
use firn_engine::{ColumnDescription, EngineError};
use firn_sql::ast::{Expr, UnaryOperator, Value};
use firn_sql::command::DataType;
use firn_sql::names::display_identifier;
use firn_sql::{Failure, print};

use super::work::Work;
use crate::result_types;
use crate::side_tables::ColumnRecord;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Number,
    Text,
    Boolean,
    Moment,
}

impl Work<'_> {
    /// For a column of CREATE TABLE.
    pub(super) fn check_default(&self, record: &ColumnRecord) -> Result<(), EngineError> {
        let column = &record.description;
        let Some(default) = self.default_type(column)? else { return Ok(()) };
        if takes_converted(&column.data_type, &default) && !is_text_to_read(&column.data_type, &default) {
            return Ok(());
        }
        let shown = display_identifier(&column.name);
        let message =
            format!("SQL compilation error:\nDefault value data type does not match data type for column {shown}");
        Err(Failure::new("002262", "22000", message).into())
    }

    /// For a column that ALTER TABLE adds.
    pub(super) fn check_added_default(&self, record: &ColumnRecord) -> Result<(), EngineError> {
        let column = &record.description;
        let Some(default) = self.default_type(column)? else { return Ok(()) };
        if takes_converted(&column.data_type, &default) {
            return Ok(());
        }
        let message = format!(
            "SQL compilation error:\nExpression type does not match column data type, expecting {} but got {} for column {}",
            column.data_type.full_name(),
            default.full_name(),
            display_identifier(&column.name)
        );
        Err(Failure::new("002023", "22000", message).into())
    }

    /// The type of a column's default; `None` where there is none, or its type fits everything.
    fn default_type(&self, column: &ColumnDescription) -> Result<Option<DataType>, EngineError> {
        let Some(text) = &column.default else { return Ok(None) };
        let mut expr = print::read_expression(text)?;
        if let Some(known) = literal_type(&expr) {
            return Ok(known);
        }
        dialect::rewrite(&mut expr, &self.rewrite_context())?;
        let asked = self.connection.stream(&format!("SELECT * FROM (SELECT {}) LIMIT 0", print::into_sql(expr)));
        // An error in the expression itself is reported when the column is created.
        let Ok(stream) = asked else { return Ok(None) };
        Ok(stream.columns().first().map(|column| result_types::type_of_result(&column.logical_type)))
    }
}

/// The type of a plain value, which is most defaults: the engine need not be asked.
fn literal_type(expr: &Expr) -> Option<Option<DataType>> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Null => Some(None),
            Value::Boolean(_) => Some(Some(DataType::Boolean)),
            Value::SingleQuotedString(text) => {
                Some(Some(DataType::Varchar { length: Some(text.chars().count() as u64) }))
            }
            Value::Number(digits, _) => Some(Some(number_type(digits))),
            _ => None,
        },
        Expr::Nested(inner) => literal_type(inner),
        Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr } => literal_type(expr),
        _ => None,
    }
}

/// `1.25` is a NUMBER(3,2).
fn number_type(digits: &str) -> DataType {
    if digits.contains(['e', 'E']) {
        return DataType::Float;
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = whole.trim_start_matches('0').len();
    let precision = u8::try_from((whole + fraction.len()).max(1)).unwrap_or(u8::MAX);
    DataType::Number { precision, scale: u8::try_from(fraction.len()).unwrap_or(u8::MAX) }
}

fn family(data_type: &DataType) -> Option<Family> {
    match data_type {
        DataType::Number { .. } | DataType::Integer | DataType::Float => Some(Family::Number),
        DataType::Varchar { .. } => Some(Family::Text),
        DataType::Boolean => Some(Family::Boolean),
        DataType::Date
        | DataType::Time { .. }
        | DataType::TimestampNtz { .. }
        | DataType::TimestampLtz { .. }
        | DataType::TimestampTz { .. } => Some(Family::Moment),
        _ => None,
    }
}

fn takes_converted(column: &DataType, default: &DataType) -> bool {
    let (Some(column), Some(default)) = (family(column), family(default)) else { return true };
    !matches!(
        (column, default),
        (Family::Text | Family::Number, Family::Boolean)
            | (Family::Boolean, Family::Text | Family::Moment)
            | (Family::Moment, Family::Number | Family::Boolean)
            | (Family::Number, Family::Moment)
    )
}

fn is_text_to_read(column: &DataType, default: &DataType) -> bool {
    family(default) == Some(Family::Text) && matches!(family(column), Some(Family::Number | Family::Moment))
}
