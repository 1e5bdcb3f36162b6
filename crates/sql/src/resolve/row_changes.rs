//! The privileges on its table that a change of rows needs.

use crate::ast::{self, MergeAction};
use crate::command::{Dml, DmlKind, IfMissing};
use crate::privileges::{Privilege, PrivilegeSet};

/// Whoever chooses the rows by their values reads these, so that SELECT is needed as well.
pub(super) fn needs(dml: &Dml) -> PrivilegeSet {
    let needed: &[Privilege] = match (dml.kind, dml.statement.as_ref()) {
        (DmlKind::Insert, _) => &[Privilege::Insert],
        (DmlKind::Overwrite, _) => &[Privilege::Insert, Privilege::Delete],
        (DmlKind::Update, _) => &[Privilege::Update, Privilege::Select],
        (DmlKind::Delete, ast::Statement::Delete(delete)) if delete.selection.is_none() => &[Privilege::Delete],
        (DmlKind::Delete, _) => &[Privilege::Delete, Privilege::Select],
        (DmlKind::Truncate, _) => &[Privilege::Truncate],
        (DmlKind::Merge, ast::Statement::Merge(merge)) => return merge_needs(merge),
        (DmlKind::Merge, _) => &[Privilege::Select, Privilege::Insert, Privilege::Update, Privilege::Delete],
    };
    needed.iter().copied().collect()
}

/// `TRUNCATE TABLE IF EXISTS`.
pub(super) fn if_missing(dml: &Dml) -> IfMissing {
    match dml.statement.as_ref() {
        ast::Statement::Truncate(truncate) if truncate.if_exists => IfMissing::Skip,
        _ => IfMissing::Fail,
    }
}

fn merge_needs(merge: &ast::Merge) -> PrivilegeSet {
    let of_clause = |clause: &ast::MergeClause| match clause.action {
        MergeAction::Insert(_) => Some(Privilege::Insert),
        MergeAction::Update(_) => Some(Privilege::Update),
        MergeAction::Delete { .. } => Some(Privilege::Delete),
        MergeAction::DoNothing { .. } => None,
    };
    merge.clauses.iter().filter_map(of_clause).chain([Privilege::Select]).collect()
}
