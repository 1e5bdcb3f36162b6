//! The databases that the body of a policy reads, by their identities: a database that somebody else creates under the name of
//! one that is gone does not decide who sees what.

use std::collections::BTreeSet;

use firn_catalog::Catalog;
use firn_sql::Failure;
use firn_sql::names::display_identifier;
use firn_sql::routines::{NamedDatabase, Routine};

pub(super) const REPLACED: &str = "002043";

/// What a policy records of the databases that it reads.
pub(super) fn identified(catalog: &Catalog, names: &BTreeSet<String>) -> Vec<NamedDatabase> {
    let found = names.iter().filter_map(|name| catalog.database(name));
    found.map(|found| NamedDatabase { name: found.name.clone(), id: found.id, owner: found.owner.clone() }).collect()
}

/// Fails if a database that the policy reads is another one than when its body was written, and another role's. What its body
/// does not qualify is in the policy's own database, whatever that is called by now.
pub(super) fn check(catalog: &Catalog, policy: &Routine, names: &BTreeSet<String>) -> Result<(), Failure> {
    for recorded in policy.databases.iter().filter(|recorded| names.contains(&recorded.name)) {
        let is_same = recorded.name == policy.name.database()
            || catalog
                .database(&recorded.name)
                .is_none_or(|found| found.id == recorded.id || found.owner == recorded.owner);
        if !is_same {
            let (name, kind) = (display_identifier(&recorded.name), policy.kind.word());
            let message = format!(
                "SQL compilation error:\nDatabase '{name}' is not the one that policy '{}' was written for: another role has \
                 created one of that name since. ALTER {kind} {} SET BODY makes the policy read the new one.",
                policy.name, policy.name
            );
            return Err(Failure::new(REPLACED, "02000", message));
        }
    }
    Ok(())
}
