//! ALTER TABLE ADD COLUMN, and changes of column types.

use firn_duckdb_lower::types;
use firn_sql::ast::{Expr, VisitorMut};
use firn_sql::command::{ColumnDefinition, DataType};
use firn_sql::names::{display_identifier, quote_identifier, quote_literal};
use firn_sql::tree::Tree;
use firn_sql::type_names::{BINARY_LENGTH_DEFAULT, VARCHAR_LENGTH_DEFAULT};
use firn_sql::{Failure, print};
use std::ops::ControlFlow;

use firn_engine::EngineError;

use super::alter_table::column_of;
use super::columns::{Home, collation_sql};
use super::work::Work;
use crate::side_tables::{ColumnRecord, StoredObject};

impl Work<'_> {
    pub(super) fn add_columns(
        &self,
        stored: &mut StoredObject,
        columns: &[ColumnDefinition],
        if_not_exists: bool,
    ) -> Result<(), EngineError> {
        let name = stored.description.name.clone();
        let home = self.home(&name);
        for definition in columns {
            if stored.columns.iter().any(|column| column.description.name.eq_ignore_ascii_case(&definition.name)) {
                if if_not_exists {
                    continue;
                }
                let shown = display_identifier(&definition.name);
                return Err(Failure::new(
                    "001430",
                    "42601",
                    format!("SQL compilation error:\ncolumn '{shown}' already exists"),
                )
                .into());
            }
            let mut record = self.column_record(definition, home)?;
            self.check_added_default(&record)?;
            if let (DataType::Varchar { .. }, None) = (&record.description.data_type, &record.description.collation) {
                record.description.collation.clone_from(&stored.description.options.default_collation);
            }
            self.add_engine_column(&self.relation(&name), &record, home)?;
            stored.columns.push(record);
        }
        Ok(())
    }

    /// Existing rows get the current value of the default, which therefore has to be a constant.
    fn add_engine_column(&self, relation: &str, record: &ColumnRecord, home: Home<'_>) -> Result<(), EngineError> {
        let column = quote_identifier(&record.description.name);
        let data_type = types::engine_type(&record.description.data_type);
        let has_rows = !self.connection.rows(&format!("SELECT 1 FROM {relation} LIMIT 1"))?.is_empty();
        let default = self.default_sql(record, home)?;
        let collation = collation_sql(&record.description)?;
        let mut add = format!("ALTER TABLE {relation} ADD COLUMN {column} {data_type}{collation}");
        if has_rows {
            refuse_for_rows(record)?;
            if let Some(default) = &default {
                let value = self.connection.rows(&format!("SELECT CAST({default} AS {data_type})"))?;
                let value = value.into_iter().next().and_then(|row| row.into_iter().next().flatten());
                let value = value.map_or_else(|| "NULL".to_owned(), |value| quote_literal(&value));
                add.push_str(&format!(" DEFAULT {value}"));
            }
        }
        self.connection.execute(&add)?;
        if let Some(default) = default {
            self.connection.execute(&format!("ALTER TABLE {relation} ALTER COLUMN {column} SET DEFAULT {default}"))?;
        }
        if record.description.not_null {
            self.connection.execute(&format!("ALTER TABLE {relation} ALTER COLUMN {column} SET NOT NULL"))?;
        }
        Ok(())
    }

    /// Types become wider, never another: that is the dialect's rule.
    pub(super) fn set_data_type(
        &self,
        stored: &mut StoredObject,
        column: &str,
        data_type: &DataType,
    ) -> Result<(), EngineError> {
        let relation = self.relation(&stored.description.name);
        let quoted = quote_identifier(column);
        let record = column_of(stored, column)?;
        let before = record.description.data_type.clone();
        check_change(column, &before, data_type)?;
        if is_whole_number(&before) && is_whole_number(data_type) {
            return Ok(());
        }
        if let (Some((digits, scale)), Some((digits_now, _))) = (number(data_type), number(&before))
            && digits < digits_now
        {
            self.refuse_larger_numbers(&relation, column, digits - scale, &change_text(column, &before, data_type))?;
        }
        if types::engine_type(&before) != types::engine_type(data_type) {
            self.connection.execute(&format!(
                "ALTER TABLE {relation} ALTER COLUMN {quoted} SET DATA TYPE {}",
                types::engine_type(data_type)
            ))?;
        }
        record.description.data_type = data_type.clone();
        Ok(())
    }

    fn refuse_larger_numbers(&self, relation: &str, column: &str, digits: u8, change: &str) -> Result<(), EngineError> {
        let column = quote_identifier(column);
        let bound = format!("1{}", "0".repeat(usize::from(digits)));
        let larger = self
            .connection
            .rows(&format!("SELECT 1 FROM {relation} WHERE abs(CAST({column} AS DOUBLE)) >= {bound} LIMIT 1"))?;
        if larger.is_empty() {
            return Ok(());
        }
        Err(refused_change(change, "because the column holds numbers that would not fit").into())
    }
}

fn refuse_for_rows(record: &ColumnRecord) -> Result<(), EngineError> {
    let shown = display_identifier(&record.description.name);
    let default = record.description.default.as_deref();
    let computed = default.map(calls_function).transpose()?.unwrap_or(false);
    if record.sequence_name.is_some() || computed {
        return Err(Failure::new(
            "002011",
            "42601",
            format!(
                "SQL compilation error:\ncolumn '{shown}' cannot be added to a table that has rows: its default is not a \
                 constant."
            ),
        )
        .into());
    }
    if record.description.not_null && default.is_none_or(|default| default.eq_ignore_ascii_case("NULL")) {
        return Err(Failure::new(
            "002010",
            "42601",
            format!(
                "SQL compilation error:\nNon-nullable column '{shown}' cannot be added to non-empty table unless it has a \
                 non-null default value."
            ),
        )
        .into());
    }
    Ok(())
}

fn calls_function(default: &str) -> Result<bool, Failure> {
    let mut expr = print::read_expression(default)?;
    let mut search = CallSearch { found: false };
    // The visitor never breaks.
    let _ = expr.walk_mut(&mut search);
    Ok(search.found)
}

struct CallSearch {
    found: bool,
}

impl VisitorMut for CallSearch {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        self.found |= matches!(expr, Expr::Function(_));
        ControlFlow::Continue(())
    }
}

fn check_change(column: &str, before: &DataType, after: &DataType) -> Result<(), Failure> {
    let refuse = |reason: &str| Err(refused_change(&change_text(column, before, after), reason));
    match (before, after) {
        _ if before == after => Ok(()),
        (DataType::Varchar { length: before }, DataType::Varchar { length: after }) => {
            match after.unwrap_or(VARCHAR_LENGTH_DEFAULT) >= before.unwrap_or(VARCHAR_LENGTH_DEFAULT) {
                true => Ok(()),
                false => refuse("because reducing the byte-length of a varchar is not supported"),
            }
        }
        (DataType::Binary { length: before }, DataType::Binary { length: after }) => {
            match after.unwrap_or(BINARY_LENGTH_DEFAULT) >= before.unwrap_or(BINARY_LENGTH_DEFAULT) {
                true => Ok(()),
                false => refuse("because reducing the byte-length of a binary is not supported"),
            }
        }
        _ => match (number(before), number(after)) {
            (Some((_, scale)), Some((_, wanted))) if scale == wanted => Ok(()),
            (Some(_), Some(_)) => refuse("because changing the scale of a number is not supported"),
            _ => refuse(""),
        },
    }
}

/// Precision and scale of a number.
fn number(data_type: &DataType) -> Option<(u8, u8)> {
    match data_type {
        DataType::Number { precision, scale } => Some((*precision, *scale)),
        DataType::Integer => Some((38, 0)),
        _ => None,
    }
}

/// INTEGER and NUMBER(38,0) are one type in the dialect.
fn is_whole_number(data_type: &DataType) -> bool {
    number(data_type) == Some((38, 0))
}

fn change_text(column: &str, before: &DataType, after: &DataType) -> String {
    format!("column {} from type {} to {}", display_identifier(column), before.full_name(), after.full_name())
}

fn refused_change(change: &str, reason: &str) -> Failure {
    let text = format!("SQL compilation error:\ncannot change {change} {reason}");
    Failure::new("002108", "22000", text.trim_end().to_owned())
}
