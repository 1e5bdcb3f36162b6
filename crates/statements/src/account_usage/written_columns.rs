//! Which columns of its target a statement writes, by its text alone.

use firn_engine::ObjectDescription;
use firn_sql::ast::{
    Assignment, AssignmentTarget, Ident, MergeAction, MergeUpdateKind, ObjectName, ObjectNamePart,
    Statement as TreeStatement,
};
use firn_sql::command::Command;

/// In the order of the statement, or all of the target where INSERT names none. None for DELETE and whatever has no such list.
pub fn written_columns(command: &Command, target: Option<&ObjectDescription>) -> Vec<String> {
    let Command::Dml(dml) = command else { return Vec::new() };
    let all =
        || target.map_or_else(Vec::new, |target| target.columns.iter().map(|column| column.name.clone()).collect());
    let mut columns = match dml.statement.as_ref() {
        TreeStatement::Insert(insert) if insert.columns.is_empty() => all(),
        TreeStatement::Insert(insert) => insert.columns.iter().filter_map(last_part).collect(),
        TreeStatement::Update(update) => assigned(&update.assignments),
        TreeStatement::Merge(merge) => {
            let of_clause = |action: &MergeAction| match action {
                MergeAction::Insert(insert) if insert.columns.is_empty() => all(),
                MergeAction::Insert(insert) => insert.columns.iter().filter_map(last_part).collect(),
                MergeAction::Update(update) => match &update.kind {
                    MergeUpdateKind::Set(assignments) => assigned(assignments),
                    MergeUpdateKind::Wildcard => all(),
                },
                MergeAction::Delete { .. } | MergeAction::DoNothing { .. } => Vec::new(),
            };
            merge.clauses.iter().flat_map(|clause| of_clause(&clause.action)).collect()
        }
        _ => Vec::new(),
    };
    let mut seen = Vec::new();
    columns.retain(|name| {
        let is_new = !seen.contains(name);
        seen.push(name.clone());
        is_new
    });
    columns
}

fn assigned(assignments: &[Assignment]) -> Vec<String> {
    let of_target = |assignment: &Assignment| match &assignment.target {
        AssignmentTarget::ColumnName(name) => last_part(name).into_iter().collect::<Vec<_>>(),
        AssignmentTarget::Tuple(names) => names.iter().filter_map(last_part).collect(),
    };
    assignments.iter().flat_map(of_target).collect()
}

fn last_part(name: &ObjectName) -> Option<String> {
    name.0.last().and_then(ObjectNamePart::as_ident).map(folded)
}

/// Unquoted names are in upper case.
fn folded(name: &Ident) -> String {
    match name.quote_style {
        Some(_) => name.value.clone(),
        None => name.value.to_uppercase(),
    }
}
