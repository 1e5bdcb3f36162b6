//! What a model says of the data and the data does not bear out: tables that cannot be read, keys that repeat.

use firn_analyst::semantic_model::{LogicalTable, SemanticModel, TableSource};
use firn_statements::ReadError;

use super::evidence::DataEvidence;

pub fn warnings(model: &SemanticModel, evidence: &DataEvidence<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    for table in &model.tables {
        if let Some(problem) = unreadable(table, evidence) {
            warnings.push(problem);
            continue;
        }
        warnings.extend(repeated_key(model, table, evidence));
    }
    warnings
}

fn unreadable(table: &LogicalTable, evidence: &DataEvidence<'_>) -> Option<String> {
    let sql = format!("SELECT 1 FROM {} LIMIT 0", table.source.sql());
    if evidence.rows(&sql, 0).is_some() {
        return None;
    }
    let prepared = evidence.reader.borrow_mut().prepare(&sql);
    match (prepared, &table.source) {
        (Err(ReadError::Refused(_)), TableSource::BaseTable { .. }) => Some(format!(
            "Table '{}' cannot be used: {} does not exist or not authorized.",
            table.name,
            table.source.sql()
        )),
        (Err(ReadError::Refused(failure)), TableSource::Definition(_)) => {
            let reason = failure.message.replace('\n', " ");
            Some(format!("Table '{}' cannot be used: {reason}", table.name))
        }
        _ => None,
    }
}

/// Rows that join along a repeated key are counted more than once.
fn repeated_key(model: &SemanticModel, table: &LogicalTable, evidence: &DataEvidence<'_>) -> Option<String> {
    let is_joined = model.relationships.iter().any(|join| join.right_table.eq_ignore_ascii_case(&table.name));
    if !is_joined || table.primary_key.is_empty() {
        return None;
    }
    let source = table.source.sql();
    let rows = evidence.number(&format!("SELECT COUNT(*) FROM {source}"))?;
    if rows > evidence.limits.checked_rows_max {
        return None;
    }
    let expressions = table.primary_key.iter().map(|column| table.column_expression(column).unwrap_or(column));
    let expressions: Vec<String> = expressions.map(|expression| format!("({expression}\n)")).collect();
    let keys = evidence.number(&format!(
        "SELECT COUNT(*) FROM (SELECT DISTINCT {} FROM {source})",
        expressions.iter().enumerate().map(|(index, key)| format!("{key} AS k{index}")).collect::<Vec<_>>().join(", ")
    ))?;
    (keys < rows).then(|| {
        format!(
            "The primary key ({}) of table '{}' is not unique in the data: {rows} rows have {keys} different keys.",
            table.primary_key.join(", "),
            table.name
        )
    })
}
