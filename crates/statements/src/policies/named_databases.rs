//! The databases that the body of a policy reads, by their identities: a database that somebody else creates under the name of
//! one that is gone does not decide who sees what.

use std::collections::BTreeSet;

use firn_catalog::Catalog;
use firn_sql::Failure;
use firn_sql::names::{OWN_DATABASE, display_identifier};
use firn_sql::routines::{NamedDatabase, Routine};

pub(super) const REPLACED: &str = "002043";

/// What a policy records of the databases that it reads.
pub(super) fn identified(catalog: &Catalog, names: &BTreeSet<String>) -> Vec<NamedDatabase> {
    let found = names.iter().filter_map(|name| catalog.database(name));
    found.map(|found| NamedDatabase { name: found.name.clone(), id: found.id, owner: found.owner.clone() }).collect()
}

/// Fails if a database that the policy reads is another one than when its body was written, and another role's, or if nobody knows
/// which one it was. What its body does not qualify is in the policy's own database, whatever that is called by now.
pub(super) fn check(catalog: &Catalog, policy: &Routine, names: &BTreeSet<String>) -> Result<(), Failure> {
    let mut foreign = names.iter().filter(|name| *name != policy.name.database() && *name != OWN_DATABASE);
    match &policy.databases {
        None => foreign.find(|name| catalog.database(name).is_some()).map_or(Ok(()), |name| {
            Err(refusal(
                policy,
                name,
                "may not be",
                "it was written by a version that did not record which one it reads",
            ))
        }),
        Some(recorded) => {
            let is_other =
                |name: &&String| recorded.iter().any(|named| named.name == **name && !is_same(catalog, named));
            foreign.find(is_other).map_or(Ok(()), |name| {
                Err(refusal(policy, name, "is not", "another role has created one of that name since"))
            })
        }
    }
}

fn is_same(catalog: &Catalog, recorded: &NamedDatabase) -> bool {
    let found = catalog.database(&recorded.name);
    found.is_none_or(|found| found.id == recorded.id || found.owner == recorded.owner)
}

fn refusal(policy: &Routine, database: &str, is: &str, cause: &str) -> Failure {
    let (database, kind, name) = (display_identifier(database), policy.kind.word(), &policy.name);
    let message = format!(
        "SQL compilation error:\nDatabase '{database}' {is} the one that policy '{name}' was written for: {cause}. \
         ALTER {kind} {name} SET BODY makes the policy read the database that has the name now."
    );
    Failure::new(REPLACED, "02000", message)
}

#[cfg(test)]
mod tests {
    use firn_catalog::DatabaseRecord;
    use firn_sql::ObjectName;
    use firn_sql::command::DataType;
    use firn_sql::routines::{Returns, RoutineKind};

    use super::*;

    #[test]
    fn a_policy_that_records_no_databases_reads_its_own_alone() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let catalog = Catalog::open(folder.path())?;
        for (id, name) in [(1, "HOME"), (2, "OTHER")] {
            let (file_name, owner) = (format!("{name}.duckdb"), "R".to_owned());
            let record =
                DatabaseRecord { id, name: name.to_owned(), file_name, owner, comment: None, created_on_ms: 0 };
            catalog.add_database(&record)?;
        }
        let name = ObjectName::qualified("HOME", "PUBLIC", "P");
        let mut policy =
            Routine::new(RoutineKind::RowAccessPolicy, name, Vec::new(), Returns::Value(DataType::Boolean));
        let is_readable = |policy: &Routine, names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            check(&catalog, policy, &names).map_err(|failure| failure.code)
        };
        assert_eq!(is_readable(&policy, &["HOME", "GONE"]), Ok(()));
        assert_eq!(is_readable(&policy, &["HOME", "OTHER"]), Err(REPLACED));
        policy.databases = Some(identified(&catalog, &BTreeSet::from(["OTHER".to_owned()])));
        assert_eq!(is_readable(&policy, &["HOME", "OTHER"]), Ok(()));
        Ok(())
    }
}
