//! What reaching for a stage's files uses, as authorisation sees it.

use firn_sql::resolve::{Access, ObjectUse, UsedKind, Uses};
use firn_sql::stages::StageName;

/// What a request may do with a stage's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageAccess {
    Read,
    Write,
}

pub(crate) fn uses(stage: &StageName, access: StageAccess) -> Uses {
    let access = match access {
        StageAccess::Read => Access::Read,
        StageAccess::Write => Access::Write,
    };
    let objects = match stage {
        StageName::Named(name) => {
            vec![ObjectUse { written: name.to_string(), name: name.clone(), kind: UsedKind::Stage, access }]
        }
        StageName::Table(name) => {
            vec![ObjectUse {
                written: name.to_string(),
                name: name.clone(),
                kind: UsedKind::Table,
                access: Access::Read,
            }]
        }
        StageName::User | StageName::Outside(_) => Vec::new(),
    };
    Uses { objects, ..Uses::default() }
}
