//! Assignment coercions: values that the engine would store differently from the dialect (text longer than declared,
//! hexadecimal text into BINARY, any value into VARIANT) are converted here; plain values are left alone, so that bulk
//! inserts run at the engine's speed.

use firn_engine::{ColumnDescription, ObjectDescription};
use firn_sql::ast::{
    self, Assignment, AssignmentTarget, CastKind, Expr, MergeAction, MergeInsertKind, MergeUpdateKind, ObjectNamePart,
    Parens, SetExpr, Value,
};
use firn_sql::command::DataType;
use firn_sql::names::display_identifier;
use firn_sql::type_names::VARCHAR_LENGTH_DEFAULT;
use firn_sql::{Failure, print};

use super::dialect::{
    as_vector, call, cast, is_plain_clock, is_plain_instant, is_plain_numeral, number, quoted, structured_value,
    truncated,
};
use super::identifiers::invalid_identifier;
use super::types;

/// The engine wants `SET A = …` where the dialect also allows `SET T.A = …`.
pub fn strip_qualifiers(assignments: &mut [Assignment]) {
    for assignment in assignments {
        if let AssignmentTarget::ColumnName(name) = &mut assignment.target
            && let Some(last) = name.0.last().cloned()
        {
            name.0 = vec![last];
        }
    }
}

/// Converts the rows of an INSERT; for INSERT … SELECT, returns the query to run instead.
pub fn fit_insert(insert: &mut ast::Insert, target: &ObjectDescription) -> Result<Option<String>, Failure> {
    check_letter_case(&insert.columns, target)?;
    leave_out_numbered(insert, target);
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

/// Splits an INSERT by the sequence columns that its rows set to DEFAULT, so that each statement can omit these columns;
/// the first statement replaces `insert`.
pub fn split_by_defaults(insert: &mut ast::Insert, target: &ObjectDescription) -> Vec<ast::Insert> {
    let columns = named_columns(&insert.columns, target);
    let numbered: Vec<bool> = columns.iter().map(is_numbered).collect();
    let rows_of = |insert: &ast::Insert| match insert.source.as_ref().map(|source| &*source.body) {
        Some(SetExpr::Values(values)) if numbered.contains(&true) => values.rows.clone(),
        _ => Vec::new(),
    };
    let mut groups: Vec<(Vec<bool>, Vec<_>)> = Vec::new();
    for row in rows_of(insert) {
        let generated: Vec<bool> =
            row.content.iter().zip(&numbered).map(|(value, is)| *is && is_default(value)).collect();
        // A row of such defaults only needs a statement of its own.
        match groups.iter_mut().find(|(known, _)| *known == generated && generated.contains(&false)) {
            Some((_, rows)) => rows.push(row),
            None => groups.push((generated, vec![row])),
        }
    }
    if groups.len() < 2 {
        return Vec::new();
    }
    let mut split = groups.into_iter().map(|(_, rows)| with_rows(insert, rows));
    let first = split.next();
    let others = split.collect();
    if let Some(first) = first {
        *insert = first;
    }
    others
}

/// Splits a fitted INSERT of many values: the engine's plan takes a few kilobytes for each value. The first rows stay in
/// `insert`.
pub fn split_long_values(insert: &mut ast::Insert) -> Vec<ast::Insert> {
    const VALUES_MAX: usize = 20_000;
    let Some(SetExpr::Values(values)) = insert.source.as_mut().map(|source| source.body.as_mut()) else {
        return Vec::new();
    };
    let columns = values.rows.first().map_or(1, |row| row.content.len().max(1));
    let rows_max = (VALUES_MAX / columns).max(1);
    if values.rows.len() <= rows_max {
        return Vec::new();
    }
    let mut rows = std::mem::take(&mut values.rows).into_iter();
    let first: Vec<_> = rows.by_ref().take(rows_max).collect();
    let mut others = Vec::new();
    while rows.len() > 0 {
        others.push(with_rows(insert, rows.by_ref().take(rows_max).collect()));
    }
    *insert = with_rows(insert, first);
    others
}

fn with_rows(insert: &ast::Insert, rows: Vec<Parens<Vec<Expr>>>) -> ast::Insert {
    let mut insert = insert.clone();
    if let Some(SetExpr::Values(values)) = insert.source.as_mut().map(|source| source.body.as_mut()) {
        values.rows = rows;
    }
    insert
}

fn is_numbered(column: &Option<&ColumnDescription>) -> bool {
    let is_nextval = |default: &String| default.to_ascii_uppercase().contains("NEXTVAL(");
    column.is_some_and(|column| column.autoincrement.is_some() || column.default.as_ref().is_some_and(is_nextval))
}

/// The engine does not find the sequence of an explicit DEFAULT, so a column that is DEFAULT in every row is left out of
/// the list.
fn leave_out_numbered(insert: &mut ast::Insert, target: &ObjectDescription) {
    let Some(SetExpr::Values(values)) = insert.source.as_mut().map(|source| source.body.as_mut()) else { return };
    let is_single = values.rows.len() == 1;
    if leave_out(&mut insert.columns, &mut values.rows, target) == LeftOut::All && is_single {
        insert.columns.clear();
        // INSERT INTO t DEFAULT VALUES.
        insert.source = None;
    }
}

#[derive(PartialEq, Eq)]
enum LeftOut {
    Nothing,
    Some,
    /// No column would remain, so the list is unchanged.
    All,
}

fn leave_out(names: &mut Vec<ast::ObjectName>, rows: &mut [Parens<Vec<Expr>>], target: &ObjectDescription) -> LeftOut {
    let columns = named_columns(names, target);
    let all_default = |index: usize| rows.iter().all(|row| row.content.get(index).is_some_and(is_default));
    let left_out: Vec<bool> =
        columns.iter().enumerate().map(|(index, column)| is_numbered(column) && all_default(index)).collect();
    let complete = rows.iter().all(|row| row.content.len() == columns.len());
    if !complete || !left_out.contains(&true) {
        return LeftOut::Nothing;
    }
    if !left_out.contains(&false) {
        return LeftOut::All;
    }
    if names.is_empty() {
        *names = target.columns.iter().map(|column| vec![quoted(&column.name)].into()).collect();
    }
    let keep = |index: usize| !left_out.get(index).copied().unwrap_or_default();
    for row in rows {
        let mut index = 0;
        row.content.retain(|_| {
            index += 1;
            keep(index - 1)
        });
    }
    let mut index = 0;
    names.retain(|_| {
        index += 1;
        keep(index - 1)
    });
    LeftOut::Some
}

pub fn fit_assignments(assignments: &mut [Assignment], target: &ObjectDescription) -> Result<(), Failure> {
    for assignment in assignments {
        let AssignmentTarget::ColumnName(name) = &assignment.target else { continue };
        check_letter_case(std::slice::from_ref(name), target)?;
        if let Some(column) = name.0.last().and_then(|part| column_named(part, target)) {
            fit(&mut assignment.value, &column.data_type)?;
        }
    }
    Ok(())
}

pub fn fit_merge(merge: &mut ast::Merge, target: &ObjectDescription) -> Result<(), Failure> {
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
                check_letter_case(&insert.columns, target)?;
                if let MergeInsertKind::Values(values) = &mut insert.kind {
                    leave_out(&mut insert.columns, &mut values.rows, target);
                    let columns = named_columns(&insert.columns, target);
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

/// The columns a list of values goes to; `None` for a name the table does not have, which the engine reports.
fn named_columns<'table>(
    names: &[ast::ObjectName],
    target: &'table ObjectDescription,
) -> Vec<Option<&'table ColumnDescription>> {
    if names.is_empty() {
        return target.columns.iter().map(Some).collect();
    }
    names.iter().map(|name| name.0.last().and_then(|part| column_named(part, target))).collect()
}

/// The engine matches names without regard to letter case; the dialect does not.
fn check_letter_case(names: &[ast::ObjectName], target: &ObjectDescription) -> Result<(), Failure> {
    for part in names.iter().filter_map(|name| name.0.last()) {
        let Some(name) = part.as_ident().map(|ident| &ident.value) else { continue };
        let mut columns = target.columns.iter();
        if column_named(part, target).is_none() && columns.any(|other| other.name.eq_ignore_ascii_case(name)) {
            return Err(invalid_identifier(&display_identifier(name)));
        }
    }
    Ok(())
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

/// `SELECT fit("1"), "2", * EXCLUDE ("1", "2") FROM (source) AS "source"("1", "2")`: surplus columns stay in the query,
/// so that the engine refuses them.
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
    let names = names.join(", ");
    Ok(format!("SELECT {}, * EXCLUDE ({names}) FROM ({source}) AS \"source\"({names})", items.join(", ")))
}

/// Converts `value` to what a column of the type stores.
pub fn fit(value: &mut Expr, data_type: &DataType) -> Result<(), Failure> {
    if is_default(value) || matches!(value, Expr::Value(literal) if literal.value == Value::Null) {
        return Ok(());
    }
    match data_type {
        DataType::Integer | DataType::Number { .. } | DataType::Float => fit_number(value, data_type),
        DataType::Date if is_unread_text(value, is_plain_instant) => wrap(value, "firn_fit_date"),
        DataType::Time { scale } if is_unread_text(value, is_plain_clock) => {
            fit_instant(value, "firn_fit_time", *scale);
        }
        DataType::TimestampNtz { scale } if is_unread_text(value, is_plain_instant) => {
            fit_instant(value, "firn_fit_timestamp_ntz", *scale);
        }
        DataType::Time { scale } | DataType::TimestampNtz { scale } if has_more_digits(value, *scale) => {
            let inside = cast(std::mem::replace(value, Expr::value(Value::Null)), &types::engine_type(data_type));
            *value = truncated(inside, *scale);
        }
        DataType::TimestampLtz { scale } => fit_instant(value, "firn_timestamp_ltz", *scale),
        DataType::TimestampTz { scale } => fit_instant(value, "firn_timestamp_tz", *scale),
        DataType::Varchar { length } => return fit_text(value, *length),
        DataType::Binary { length: None } => wrap(value, "firn_binary"),
        DataType::Binary { length: Some(length) } => wrap_within(value, "firn_binary_within", *length),
        DataType::Variant => wrap(value, "firn_variant"),
        DataType::Object => wrap(value, "firn_to_object"),
        DataType::Array => wrap(value, "firn_to_array"),
        DataType::Vector { .. } => {
            let inside = std::mem::replace(value, Expr::value(Value::Null));
            *value = as_vector(inside, data_type, CastKind::Cast);
        }
        DataType::Structured(structured) => {
            *value = structured_value(std::mem::replace(value, Expr::value(Value::Null)), structured);
        }
        DataType::Geography => wrap(value, "firn_to_geography"),
        DataType::Geometry => wrap(value, "firn_to_geometry"),
        DataType::Boolean if is_text(value) => wrap(value, "firn_boolean"),
        DataType::Boolean if !matches!(value, Expr::Value(_)) => {
            wrap(value, "firn_truth");
            wrap(value, "firn_boolean");
        }
        DataType::Boolean | DataType::Date | DataType::Time { .. } | DataType::TimestampNtz { .. } => {}
    }
    Ok(())
}

fn fit_number(value: &mut Expr, data_type: &DataType) {
    if !is_plain_numeral(value) {
        wrap(value, if *data_type == DataType::Integer { "firn_integer" } else { "firn_numeric" });
    }
}

/// Without a declared length, characters are counted only where the bytes exceed the limit.
fn fit_text(value: &mut Expr, length: Option<u64>) -> Result<(), Failure> {
    if let Expr::Value(literal) = &*value {
        match &literal.value {
            Value::SingleQuotedString(text) => return check_length(text, length),
            Value::Number(..) if length.is_none() => return Ok(()),
            _ => {}
        }
    }
    match length {
        None => wrap(value, "firn_text_storable"),
        Some(length) => wrap_within(value, "firn_text_within", length),
    }
    Ok(())
}

fn is_text(value: &Expr) -> bool {
    matches!(value, Expr::Value(literal) if matches!(literal.value, Value::SingleQuotedString(_)))
}

/// Anything but a literal, and texts that the engine would not read, or not as the dialect does.
fn is_unread_text(value: &Expr, is_plain: fn(&Expr) -> bool) -> bool {
    match value {
        Expr::Value(literal) => matches!(literal.value, Value::SingleQuotedString(_)) && !is_plain(value),
        _ => true,
    }
}

/// Whether a plain literal has more digits after the second's point than its column keeps.
fn has_more_digits(value: &Expr, scale: u8) -> bool {
    let Expr::Value(literal) = value else { return false };
    let Value::SingleQuotedString(text) = &literal.value else { return false };
    text.rsplit_once('.').is_some_and(|(_, fraction)| fraction.len() > usize::from(scale))
}

fn fit_instant(value: &mut Expr, function: &str, scale: u8) {
    wrap(value, function);
    let inside = std::mem::replace(value, Expr::value(Value::Null));
    *value = truncated(inside, scale);
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
    let length = length.unwrap_or(VARCHAR_LENGTH_DEFAULT);
    if text.len() as u64 <= length || text.chars().count() as u64 <= length {
        return Ok(());
    }
    Err(Failure::new("100078", "22000", format!("String '{text}' is too long and would be truncated")))
}
