//! Which value of a file goes into which column of a table.

use firn_engine::{ColumnDescription, ObjectDescription};
use firn_sql::command::{ColumnMatch, CopyIntoTable};
use firn_sql::file_formats::FileFormat;
use firn_sql::names::display_identifier;
use firn_sql::{Failure, ast, print};

use super::staged_relation::Staged;
use crate::errors;

/// A column that is loaded and the dialect's expression for it.
pub(super) struct Assigned<'table> {
    pub(super) column: &'table ColumnDescription,
    /// Counted from 1, as errors report it.
    pub(super) position: usize,
    pub(super) value: ast::Expr,
    /// A field of a text file as it stands there, to be read by the format's own rules.
    pub(super) is_plain: bool,
}

/// The table's columns that are loaded, in the order of the statement.
pub(super) fn targets<'table>(
    copy: &CopyIntoTable,
    table: &'table ObjectDescription,
) -> Result<Vec<&'table ColumnDescription>, Failure> {
    if copy.columns.is_empty() {
        return Ok(table.columns.iter().collect());
    }
    let find = |name: &String| {
        let found = table.columns.iter().find(|column| column.name == *name);
        found.ok_or_else(|| errors::invalid_identifier(&display_identifier(name)))
    };
    copy.columns.iter().map(find).collect()
}

/// A query of COPY has a value for every column.
pub(super) fn check_count(copy: &CopyIntoTable, targets: &[&ColumnDescription]) -> Result<(), Failure> {
    copy.query.as_ref().map_or(Ok(()), |query| transformed(query, targets).map(drop))
}

pub(super) fn assigned<'table>(
    copy: &CopyIntoTable,
    targets: &[&'table ColumnDescription],
    by: ColumnMatch,
    format: &FileFormat,
    staged: &Staged,
) -> Result<Vec<Assigned<'table>>, Failure> {
    if let Some(query) = &copy.query {
        return transformed(query, targets);
    }
    if by != ColumnMatch::ByPosition {
        return by_name(copy, targets, by, format, staged);
    }
    if !matches!(format, FileFormat::Csv(_)) && targets.len() != 1 {
        return Err(one_column_only(format));
    }
    (1..)
        .zip(targets)
        .map(|(position, &column)| {
            let value = ast::Expr::Identifier(ast::Ident::with_quote('"', format!("${position}")));
            Ok(Assigned { column, position, value, is_plain: matches!(format, FileFormat::Csv(_)) })
        })
        .collect()
}

/// The items of COPY's own query.
fn transformed<'table>(
    query: &ast::Query,
    targets: &[&'table ColumnDescription],
) -> Result<Vec<Assigned<'table>>, Failure> {
    let ast::SetExpr::Select(select) = query.body.as_ref() else {
        return Err(Failure::unsupported("COPY INTO from this query"));
    };
    let mut values = Vec::new();
    for item in &select.projection {
        match item {
            ast::SelectItem::UnnamedExpr(expr) | ast::SelectItem::ExprWithAlias { expr, .. } => {
                values.push(expr.clone())
            }
            _ => return Err(Failure::unsupported("SELECT * over a stage")),
        }
    }
    if values.len() != targets.len() {
        return Err(Failure::new(
            "002020",
            "21S01",
            format!(
                "SQL compilation error:\nInsert value list does not match column list expecting {} but got {}",
                targets.len(),
                values.len()
            ),
        ));
    }
    Ok((1..)
        .zip(targets.iter().zip(values))
        .map(|(position, (&column, value))| Assigned { column, position, is_plain: is_field(&value), value })
        .collect())
}

/// `$1` or `t.$1` alone.
fn is_field(value: &ast::Expr) -> bool {
    let last = match value {
        ast::Expr::Identifier(name) => Some(name),
        ast::Expr::CompoundIdentifier(parts) => parts.last(),
        _ => None,
    };
    last.is_some_and(|name| super::staged_query::field_number(&name.value).is_some())
}

fn by_name<'table>(
    copy: &CopyIntoTable,
    targets: &[&'table ColumnDescription],
    by: ColumnMatch,
    format: &FileFormat,
    staged: &Staged,
) -> Result<Vec<Assigned<'table>>, Failure> {
    if matches!(format, FileFormat::Csv(csv) if !csv.parse_header) {
        return Err(Failure::invalid_value("MATCH_BY_COLUMN_NAME", "CSV", "the format needs PARSE_HEADER = TRUE"));
    }
    let matches = |name: &str, column: &str| match by {
        ColumnMatch::CaseSensitive => name == column,
        _ => name.to_uppercase() == column.to_uppercase(),
    };
    let mut assigned = Vec::new();
    for (position, &column) in (1..).zip(targets) {
        if let Some((_, metadata)) = copy.include_metadata.iter().find(|(name, _)| *name == column.name) {
            let value = ast::Expr::Identifier(ast::Ident::with_quote('"', metadata));
            assigned.push(Assigned { column, position, value, is_plain: false });
            continue;
        }
        let found: Vec<&str> = staged
            .named
            .iter()
            .filter(|named| matches(&named.name, &column.name))
            .map(|named| named.expression.as_str())
            .collect();
        let text = match found.as_slice() {
            // An autoincrement column is generated by the engine.
            [] if column.autoincrement.is_some() => continue,
            [] => {
                let value = ast::Expr::value(ast::Value::Null);
                assigned.push(Assigned { column, position, value, is_plain: false });
                continue;
            }
            [only] => (*only).to_owned(),
            several => format!("COALESCE({})", several.join(", ")),
        };
        let value = print::read_expression(&text)?;
        assigned.push(Assigned { column, position, value, is_plain: matches!(format, FileFormat::Csv(_)) });
    }
    Ok(assigned)
}

fn one_column_only(format: &FileFormat) -> Failure {
    Failure::new(
        "002019",
        "0A000",
        format!(
            "SQL compilation error:\n{} file format can produce one and only one column of type variant, object, or \
             array. Load data into separate columns using the MATCH_BY_COLUMN_NAME copy option or copy with \
             transformation.",
            format.format_type().name()
        ),
    )
}
