//! Prepares templates (`firn_sql::template`). Statements of one template are lowered to the same text with other literals;
//! where a literal cannot influence result types or the rewrite, it becomes a parameter of a plan that is shared.

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
use super::session_state::{Lowered, SessionState};
use super::template_parameters;
use super::template_plan::TemplatePlan;

/// A plan with unknown values scans all rows: no filter is pushed into the scan. Up to this many rows that costs less than
/// planning; a look-up by key in 100,000 rows is slower than with a plan of its own.
const ROWS_MAX: u64 = 50_000;

/// Prepares the template of a query that has run; `None` if no literal can be a parameter, or if the query reads anything
/// but small tables.
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
    let lowered = session.lower(query, context)?;
    let sql = lowered.sql.as_str();
    let mut places = Vec::new();
    for (index, value) in values.iter().enumerate() {
        if values.iter().filter(|other| *other == value).count() > 1 || names_a_column(value, &lowered) {
            continue;
        }
        if let Some(place) = find_place(session, query, sql, value, context)?
            .filter(|place| preserves_result_types(sql, place, value, &read))
        {
            places.push((index, place));
        }
    }
    if places.is_empty() {
        return Ok(None);
    }
    let is_parameter = (0..values.len()).map(|index| places.iter().any(|(parameter, _)| *parameter == index)).collect();
    let sql = with_places(sql, &places, values).and_then(|sql| CString::new(sql).ok());
    let Some(sql) = sql else { return Ok(None) };
    Ok(Some(PreparedTemplate { is_parameter, prepared: Box::new(TemplatePlan::new(sql, lowered.columns)) }))
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

/// The range of a literal in the lowered text: found by lowering the query with another value, which must change that
/// range and nothing else.
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
    // The literal matters for the rewrite, so it is not a parameter.
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

/// Whether a literal occurs in a name of the lowered query: columns without an alias are named by their expression, those
/// of PIVOT by their value.
fn names_a_column(value: &TemplateValue, lowered: &Lowered) -> bool {
    let written = match value {
        TemplateValue::Integer(digits) => digits.clone(),
        TemplateValue::Text(text) => text.to_uppercase(),
    };
    let quoted = printed(value).to_uppercase();
    let occurs_in = |name: &str| {
        let name = name.to_uppercase();
        occurs_as_token(&name, &quoted) || !written.is_empty() && occurs_as_token(&name, &written)
    };
    lowered.columns.iter().any(|column| occurs_in(&column.name)) || quoted_names(&lowered.sql).any(occurs_in)
}

/// Whether a token occurs in a text, not as a part of a longer word.
fn occurs_as_token(text: &str, token: &str) -> bool {
    let continues =
        |character: Option<char>| character.is_some_and(|character| character.is_alphanumeric() || character == '_');
    text.match_indices(token).any(|(start, _)| {
        !continues(text[..start].chars().next_back()) && !continues(text[start + token.len()..].chars().next())
    })
}

/// The insides of the quoted identifiers of a lowered text.
fn quoted_names(sql: &str) -> impl Iterator<Item = &str> {
    let mut rest = sql;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(['"', '\''])?;
            let quote = if rest[start..].starts_with('"') { '"' } else { '\'' };
            let inside = &rest[start + 1..];
            let end = inside.find(quote)?;
            rest = &inside[end + 1..];
            if quote == '"' {
                return Some(&inside[..end]);
            }
        }
    })
}

/// True if replacing this literal cannot change the result types: it is the operand of a cast to a known type, or
/// compared with a column. A string literal takes the type of the other operand, so the column must be VARCHAR.
fn preserves_result_types(
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

/// Whether all columns of this name are VARCHAR without a collation.
fn is_text_column(name: &str, tables: &[Arc<ObjectDescription>]) -> bool {
    let mut columns = tables.iter().flat_map(|table| &table.columns).filter(|column| column.name == name).peekable();
    let is_text =
        |column: &ColumnDescription| matches!(column.data_type, DataType::Varchar { .. }) && column.collation.is_none();
    columns.peek().is_some() && columns.all(is_text)
}

/// The text with calls of `template_parameters` in the places of the literals.
fn with_places(sql: &str, places: &[(usize, Range<usize>)], values: &[TemplateValue]) -> Option<String> {
    let mut by_position: Vec<(usize, &Range<usize>, &TemplateValue)> = Vec::with_capacity(places.len());
    for (number, (index, place)) in places.iter().enumerate() {
        by_position.push((number, place, values.get(*index)?));
    }
    by_position.sort_by_key(|(_, place, _)| place.start);
    let mut text = String::with_capacity(sql.len() + 32);
    let mut copied = 0;
    for (number, place, value) in by_position {
        let function = match value {
            TemplateValue::Integer(_) => template_parameters::INTEGER,
            TemplateValue::Text(_) => template_parameters::TEXT,
        };
        text.push_str(sql.get(copied..place.start)?);
        text.push_str(function.to_str().ok()?);
        text.push_str(&format!("({number})"));
        copied = place.end;
    }
    text.push_str(sql.get(copied..)?);
    Some(text)
}

fn printed(value: &TemplateValue) -> String {
    match value {
        TemplateValue::Integer(digits) => digits.clone(),
        TemplateValue::Text(text) => quote_literal(text),
    }
}

/// Replaces a literal by its neighbour, and counts the replacements.
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
