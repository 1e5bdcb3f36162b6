//! What reaching for a stage's files uses, as authorisation sees it.

use firn_sql::ObjectName;
use firn_sql::command::IfMissing;
use firn_sql::privileges::{Privilege, PrivilegeSet};
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
            let needed = match access {
                Access::Write => Privilege::Write,
                _ => Privilege::Read,
            };
            vec![used(name, UsedKind::Stage, access, needed)]
        }
        StageName::Table(name) => {
            // Its files are the owner's alone.
            vec![used(name, UsedKind::Table, Access::Read, Privilege::Ownership)]
        }
        StageName::User | StageName::Outside(_) => Vec::new(),
    };
    Uses { objects, ..Uses::default() }
}

fn used(name: &ObjectName, kind: UsedKind, access: Access, needed: Privilege) -> ObjectUse {
    ObjectUse {
        written: name.to_string(),
        name: name.clone(),
        kind,
        access,
        needs: PrivilegeSet::NONE.with(needed),
        if_missing: IfMissing::Fail,
    }
}
