//! Small results held in memory: the values of variables, cursors and the like.

use firn_engine::{
    CellFormats, EngineError, ExecutionContext, Outcome, RowBudget, RowStream, Session, WireColumn, WireType,
};
use firn_sql::command::{Command, DataType};
use firn_sql::{Constant, Failure};
use firn_values::formats::Nulls;

use crate::run_error::RunError;

/// A result whose cells are in the contract's own encoding.
#[derive(Clone, Debug, Default)]
pub struct Table {
    pub columns: Vec<WireColumn>,
    pub rows: Vec<Vec<Option<String>>>,
}

/// Runs a query and holds its rows, of which there may be `rows_max`.
pub fn table_of(
    session: &mut dyn Session,
    query: &Command,
    context: &ExecutionContext,
    rows_max: u64,
) -> Result<Table, RunError> {
    session.restore_transaction()?;
    match session.execute(query, &in_plain_formats(context))? {
        Outcome::Rows(mut rows) => read(rows.as_mut(), rows_max),
        Outcome::Dml(_) | Outcome::Inserted(_) | Outcome::Table(_) | Outcome::Done(_) => {
            Err(RunError::Internal("a query gave no rows".to_owned()))
        }
    }
}

/// Cells become values again only in the contract's own encoding.
pub fn in_plain_formats(context: &ExecutionContext) -> ExecutionContext {
    let formats = CellFormats { nulls: Nulls::Null, timezone: context.formats.timezone, ..CellFormats::default() };
    ExecutionContext { formats, ..context.clone() }
}

pub fn read(rows: &mut dyn RowStream, rows_max: u64) -> Result<Table, RunError> {
    let columns = rows.columns().to_vec();
    let mut json = vec![b'['];
    let encoded = rows.encode(&mut json, RowBudget { bytes: usize::MAX, rows: rows_max })?;
    if !encoded.ended {
        let message = format!("more than {rows_max} rows where they have to be held in memory; use LIMIT");
        return Err(Failure::new("000603", "54000", message).into());
    }
    json.push(b']');
    let rows = serde_json::from_slice(&json).map_err(|error| EngineError::Internal(error.to_string()))?;
    Ok(Table { columns, rows })
}

impl Table {
    /// A cell as a value.
    pub fn value(&self, row: usize, column: usize) -> Option<Constant> {
        let data_type = data_type_of(self.columns.get(column)?);
        Constant::from_cell(data_type, self.rows.get(row)?.get(column)?.as_deref())
    }
}

/// As DESCRIBE shows it.
pub fn type_name_of(column: &WireColumn) -> String {
    column.ext_type_name.clone().unwrap_or_else(|| data_type_of(column).full_name())
}

pub fn data_type_of(column: &WireColumn) -> DataType {
    let precision = column.precision.and_then(|precision| u8::try_from(precision).ok()).unwrap_or(38);
    let scale = column.scale.and_then(|scale| u8::try_from(scale).ok()).unwrap_or(0);
    let length = column.length.and_then(|length| u64::try_from(length).ok());
    match column.wire_type {
        WireType::Fixed => DataType::Number { precision, scale },
        WireType::Real => DataType::Float,
        WireType::Text => DataType::Varchar { length },
        WireType::Binary => DataType::Binary { length },
        WireType::Boolean => DataType::Boolean,
        WireType::Date => DataType::Date,
        WireType::Time => DataType::Time { scale },
        WireType::TimestampNtz => DataType::TimestampNtz { scale },
        WireType::TimestampLtz => DataType::TimestampLtz { scale },
        WireType::TimestampTz => DataType::TimestampTz { scale },
        WireType::Variant => DataType::Variant,
        WireType::Object => DataType::Object,
        WireType::Array | WireType::Vector => DataType::Array,
        WireType::Geography => DataType::Geography,
        WireType::Geometry => DataType::Geometry,
    }
}
