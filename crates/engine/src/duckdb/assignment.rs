//! Values on their way into columns. What the engine would store differently from the dialect (text
//! longer than declared, hexadecimal text into BINARY, any value into VARIANT) is fitted here; plain
//! values pass untouched, so that bulk inserts run at the engine's speed.

use firn_sql::ast::{
    self, Assignment, AssignmentTarget, Expr, MergeAction, MergeInsertKind, MergeUpdateKind, ObjectNamePart, SetExpr,
    Value,
};
use firn_sql::command::DataType;
use firn_sql::{Failure, print};

use super::dialect::{call, number, quoted};
use crate::{ColumnDescription, ObjectDescription};

/// The engine wants `SET A = …` where the dialect also allows `SET T.A = …`.
pub(crate) fn strip_qualifiers(assignments: &mut [Assignment]) {
    for assignment in assignments {
        if let AssignmentTarget::ColumnName(name) = &mut assignment.target
            && let Some(last) = name.0.last().cloned()
        {
            name.0 = vec![last];
        }
    }
}

/// Fits the rows of an INSERT; a query in the place of rows is answered with the query to run instead.
pub(crate) fn fit_insert(insert: &mut ast::Insert, target: &ObjectDescription) -> Result<Option<String>, Failure> {
    let columns = named_columns(&insert.columns, target);
    let Some(source) = &mut insert.source else { return Ok(None) };
    if let SetExpr::Values(values) = &mut *source.body {
        for row in &mut values.rows {
            fit_row(&mut row.content, &columns)?;
        }
        return Ok(None);
    }
    fitted_query(source, &columns).map(Some)
}

pub(crate) fn fit_assignments(assignments: &mut [Assignment], target: &ObjectDescription) -> Result<(), Failure> {
    for assignment in assignments {
        let AssignmentTarget::ColumnName(name) = &assignment.target else { continue };
        if let Some(column) = name.0.last().and_then(|part| column_named(part, target)) {
            fit(&mut assignment.value, &column.data_type)?;
        }
    }
    Ok(())
}

pub(crate) fn fit_merge(merge: &mut ast::Merge, target: &ObjectDescription) -> Result<(), Failure> {
    for clause in &mut merge.clauses {
        match &mut clause.action {
            MergeAction::Update(update) => {
                if let MergeUpdateKind::Set(assignments) = &mut update.kind {
                    strip_qualifiers(assignments);
                    fit_assignments(assignments, target)?;
                }
            }
            MergeAction::Insert(insert) => {
                for name in &mut insert.columns {
                    if let Some(last) = name.0.last().cloned() {
                        name.0 = vec![last];
                    }
                }
                let columns = named_columns(&insert.columns, target);
                if let MergeInsertKind::Values(values) = &mut insert.kind {
                    for row in &mut values.rows {
                        fit_row(&mut row.content, &columns)?;
                    }
                }
            }
            MergeAction::Delete { .. } | MergeAction::DoNothing { .. } => {}
        }
    }
    Ok(())
}

/// The columns a list of values goes to; `None` for a name the table does not have, which the engine
/// will complain about.
fn named_columns<'table>(
    names: &[ast::ObjectName],
    target: &'table ObjectDescription,
) -> Vec<Option<&'table ColumnDescription>> {
    if names.is_empty() {
        return target.columns.iter().map(Some).collect();
    }
    names.iter().map(|name| name.0.last().and_then(|part| column_named(part, target))).collect()
}

fn column_named<'table>(part: &ObjectNamePart, target: &'table ObjectDescription) -> Option<&'table ColumnDescription> {
    let name = &part.as_ident()?.value;
    target.columns.iter().find(|column| column.name == *name)
}

fn fit_row(values: &mut [Expr], columns: &[Option<&ColumnDescription>]) -> Result<(), Failure> {
    for (value, column) in values.iter_mut().zip(columns) {
        if let Some(column) = column {
            fit(value, &column.data_type)?;
        }
    }
    Ok(())
}

/// `SELECT fit("1"), "2" FROM (source) AS "source"("1", "2")`.
fn fitted_query(source: &ast::Query, columns: &[Option<&ColumnDescription>]) -> Result<String, Failure> {
    let mut items = Vec::new();
    let mut names = Vec::new();
    for (position, column) in (1..).zip(columns) {
        let name = quoted(&format!("{position}"));
        let mut value = Expr::Identifier(name.clone());
        if let Some(column) = column {
            fit(&mut value, &column.data_type)?;
        }
        items.push(print::into_sql(value));
        names.push(name.to_string());
    }
    let source = print::sql(source);
    Ok(format!("SELECT {} FROM ({source}) AS \"source\"({})", items.join(", "), names.join(", ")))
}

/// Makes `value` what a column of the type stores.
pub(crate) fn fit(value: &mut Expr, data_type: &DataType) -> Result<(), Failure> {
    if is_default(value) {
        return Ok(());
    }
    let literal = match value {
        Expr::Value(literal) => Some(&literal.value),
        _ => None,
    };
    if matches!(literal, Some(Value::Null)) {
        return Ok(());
    }
    match (data_type, literal) {
        (DataType::Varchar { length }, Some(Value::SingleQuotedString(text))) => return check_length(text, *length),
        (DataType::Varchar { length: None }, Some(Value::Number(..))) | (DataType::Integer, Some(_)) => {}
        (DataType::Varchar { length: None }, _) => wrap(value, "firn_text"),
        (DataType::Varchar { length: Some(length) }, _) => wrap_within(value, "firn_text_within", *length),
        (DataType::Integer, None) => wrap(value, "firn_integer"),
        (DataType::Binary { length: None }, _) => wrap(value, "firn_binary"),
        (DataType::Binary { length: Some(length) }, _) => wrap_within(value, "firn_binary_within", *length),
        (DataType::TimestampLtz { .. }, _) => wrap(value, "firn_timestamp_ltz"),
        (DataType::TimestampTz { .. }, _) => wrap(value, "firn_timestamp_tz"),
        (DataType::Variant, _) => wrap(value, "firn_variant"),
        (DataType::Object, _) => wrap(value, "firn_to_object"),
        (DataType::Array, _) => wrap(value, "firn_to_array"),
        (DataType::Geography, _) => wrap(value, "firn_to_geography"),
        (DataType::Geometry, _) => wrap(value, "firn_to_geometry"),
        (DataType::Number { .. } | DataType::Float, None) => wrap(value, "firn_numeric"),
        (DataType::Boolean, None) => wrap(value, "firn_truth"),
        (DataType::Date | DataType::Time { .. } | DataType::TimestampNtz { .. }, None) => wrap(value, "firn_plain"),
        _ => {}
    }
    Ok(())
}

fn wrap(value: &mut Expr, function: &str) {
    let inside = std::mem::replace(value, Expr::value(Value::Null));
    *value = call(function, vec![inside]);
}

fn wrap_within(value: &mut Expr, function: &str, length: u64) {
    let inside = std::mem::replace(value, Expr::value(Value::Null));
    *value = call(function, vec![inside, number(i64::try_from(length).unwrap_or(i64::MAX))]);
}

/// `DEFAULT` in a list of values.
fn is_default(value: &Expr) -> bool {
    matches!(value, Expr::Identifier(ident) if ident.quote_style.is_none() && ident.value.eq_ignore_ascii_case("DEFAULT"))
}

fn check_length(text: &str, length: Option<u64>) -> Result<(), Failure> {
    if length.is_none_or(|length| text.chars().count() as u64 <= length) {
        return Ok(());
    }
    Err(Failure::new("100078", "22000", format!("String '{text}' is too long and would be truncated")))
}
