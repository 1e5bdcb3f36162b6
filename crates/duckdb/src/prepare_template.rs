//! Queries that are kept planned. Statements of one template (`firn_sql::template`) come to the engine as the same text
//! with other values; where those stand in places that decide nothing but the rows, one plan serves them all.

use std::ffi::CString;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use firn_duckdb_lower::dialect;
use firn_engine::{ColumnDescription, EngineError, ExecutionContext, ObjectDescription, PreparedTemplate};
use firn_sql::ast::{Query, Value, ValueWithSpan, VisitorMut};
use firn_sql::command::{DataType, ObjectKind, Persistence};
use firn_sql::names::quote_literal;
use firn_sql::template::TemplateValue;
use firn_sql::tree::Tree;
use firn_sql::{Failure, ObjectName, print};

use super::describe::Lookup;
use super::placed_values;
use super::session_state::{Lowered, SessionState};
use super::template_plan::TemplatePlan;

/// A plan that does not know its values reads every row with all its columns. Up to so many that costs less than
/// planning; a look-up by key in 100,000 rows takes longer than with a plan of its own.
const ROWS_MAX: u64 = 50_000;

/// Makes a query that has run ready to be kept; `None` when no value has a place, or when it reads anything but
/// small tables.
pub(super) fn prepare(
    session: &SessionState,
    query: &Query,
    values: &[TemplateValue],
    tables: &[ObjectName],
    context: &ExecutionContext,
) -> Result<Option<PreparedTemplate>, EngineError> {
    let mut read = Vec::with_capacity(tables.len());
    for table in tables {
        let Some(table) = small_table(session, table)? else { return Ok(None) };
        read.push(table);
    }
    let Lowered { sql, columns } = session.lower(query, context)?;
    let mut places = Vec::new();
    for (index, value) in values.iter().enumerate() {
        if values.iter().filter(|other| *other == value).count() > 1 {
            continue;
        }
        if let Some(place) = find_place(session, query, &sql, value, context)?
            .filter(|place| decides_rows_only(&sql, place, value, &read))
        {
            places.push((index, place));
        }
    }
    if places.is_empty() {
        return Ok(None);
    }
    let is_parameter = (0..values.len()).map(|index| places.iter().any(|(placed, _)| *placed == index)).collect();
    let Some(sql) = with_places(&sql, &places, values) else { return Ok(None) };
    Ok(Some(PreparedTemplate { is_parameter, prepared: Box::new(TemplatePlan::new(sql, columns)) }))
}

fn small_table(session: &SessionState, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
    let Some(found) = session.find(name)? else { return Ok(None) };
    if found.kind != ObjectKind::Table || found.persistence == Persistence::Temporary {
        return Ok(None);
    }
    let counted = session.connection.rows(&format!(
        "SELECT estimated_size FROM duckdb_tables() WHERE database_name = {} AND schema_name = {} AND table_name = {}",
        quote_literal(name.database()),
        quote_literal(name.schema()),
        quote_literal(&name.name)
    ))?;
    let rows = counted.first().and_then(|row| row.first()?.as_ref()?.parse::<u64>().ok());
    Ok(rows.is_some_and(|rows| rows <= ROWS_MAX).then_some(found))
}

/// Where a value stands in the engine's text: found by printing the query with another value in its stead, which must
/// change that one place and nothing else.
fn find_place(
    session: &SessionState,
    query: &Query,
    sql: &str,
    value: &TemplateValue,
    context: &ExecutionContext,
) -> Result<Option<Range<usize>>, EngineError> {
    let neighbour = value.neighbour();
    let mut changed = query.clone();
    let mut exchange = Exchange { value, neighbour: &neighbour, count: 0 };
    // The visitor never breaks.
    let _ = changed.walk_mut(&mut exchange);
    if exchange.count != 1 {
        return Ok(None);
    }
    // A value that other values cannot stand for is part of the query.
    if dialect::rewrite(&mut changed, &session.rewrite_context(context)).is_err() {
        return Ok(None);
    }
    let changed = print::into_sql(changed);
    let (written, instead) = (printed(value), printed(&neighbour));
    let mut places = sql.match_indices(&written).map(|(start, _)| start..start + written.len());
    let is_the_place = |place: &Range<usize>| {
        changed.len() == sql.len() - written.len() + instead.len()
            && changed.starts_with(&sql[..place.start])
            && changed[place.start..].starts_with(&instead)
            && changed[place.start + instead.len()..] == sql[place.end..]
    };
    Ok(places.find(is_the_place))
}

/// Whether what stands around a place lets any value stand there: a cast of known type, or a comparison with a column. A
/// written text takes the type of what it is compared with, so that the column must be one of texts.
fn decides_rows_only(
    sql: &str,
    place: &Range<usize>,
    value: &TemplateValue,
    tables: &[Arc<ObjectDescription>],
) -> bool {
    const COMPARISONS: [&str; 6] = [" = ", " <> ", " < ", " > ", " <= ", " >= "];
    const AFTER: [&str; 9] =
        [" AND ", " OR ", ")", " THEN ", " GROUP BY ", " ORDER BY ", " LIMIT ", " HAVING ", " QUALIFY "];
    let (before, after) = (&sql[..place.start], &sql[place.end..]);
    let is_number = matches!(value, TemplateValue::Integer(_));
    if is_number && before.ends_with("CAST(") && after.starts_with(" AS BIGINT)") {
        return true;
    }
    let compared = COMPARISONS.iter().find_map(|comparison| before.strip_suffix(comparison));
    let Some(column) = compared.and_then(|compared| compared.strip_suffix('"')?.rsplit('"').next()) else {
        return false;
    };
    (is_number || is_text_column(column, tables))
        && (after.is_empty() || AFTER.iter().any(|next| after.starts_with(next)))
}

/// Whether all columns of this name are of texts that compare by their characters.
fn is_text_column(name: &str, tables: &[Arc<ObjectDescription>]) -> bool {
    let mut columns = tables.iter().flat_map(|table| &table.columns).filter(|column| column.name == name).peekable();
    let is_text =
        |column: &ColumnDescription| matches!(column.data_type, DataType::Varchar { .. }) && column.collation.is_none();
    columns.peek().is_some() && columns.all(is_text)
}

/// The text with calls in the places: `placed_values` tells them apart by their numbers.
fn with_places(sql: &str, places: &[(usize, Range<usize>)], values: &[TemplateValue]) -> Option<CString> {
    let mut by_position: Vec<(usize, &Range<usize>, &TemplateValue)> = Vec::with_capacity(places.len());
    for (number, (index, place)) in places.iter().enumerate() {
        by_position.push((number, place, values.get(*index)?));
    }
    by_position.sort_by_key(|(_, place, _)| place.start);
    let mut text = String::with_capacity(sql.len() + 32);
    let mut copied = 0;
    for (number, place, value) in by_position {
        let function = match value {
            TemplateValue::Integer(_) => placed_values::INTEGER,
            TemplateValue::Text(_) => placed_values::TEXT,
        };
        text.push_str(sql.get(copied..place.start)?);
        text.push_str(function.to_str().ok()?);
        text.push_str(&format!("({number})"));
        copied = place.end;
    }
    text.push_str(sql.get(copied..)?);
    CString::new(text).ok()
}

fn printed(value: &TemplateValue) -> String {
    match value {
        TemplateValue::Integer(digits) => digits.clone(),
        TemplateValue::Text(text) => quote_literal(text),
    }
}

/// Puts a neighbour in the place of a value, and counts how often that was possible.
struct Exchange<'value> {
    value: &'value TemplateValue,
    neighbour: &'value TemplateValue,
    count: usize,
}

impl VisitorMut for Exchange<'_> {
    type Break = Failure;

    fn pre_visit_value(&mut self, found: &mut ValueWithSpan) -> ControlFlow<Failure> {
        match (&mut found.value, self.value, self.neighbour) {
            (Value::Number(digits, _), TemplateValue::Integer(value), TemplateValue::Integer(neighbour))
            | (Value::SingleQuotedString(digits), TemplateValue::Text(value), TemplateValue::Text(neighbour))
                if digits == value =>
            {
                digits.clone_from(neighbour);
                self.count += 1;
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
