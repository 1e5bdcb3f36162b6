//! Roles, grants, users and warehouses.

use std::collections::BTreeSet;

use firn_tests::Client;

use crate::model::{Change, DATABASE, Model, Seeded, expect, rows};

const COUNT: u64 = 4;

/// What there is, by number.
#[derive(Clone, Default)]
pub struct Account {
    roles: BTreeSet<u64>,
    /// Roles that may use the database.
    granted: BTreeSet<u64>,
    users: BTreeSet<u64>,
    warehouses: BTreeSet<u64>,
}

impl Model for Account {
    fn next(&self, random: &mut Seeded) -> Change<Self> {
        let (mut after, number) = (self.clone(), random.below(COUNT));
        let sql = match random.below(4) {
            0 if after.users.remove(&number) => format!("DROP USER CRASH_USER_{number}"),
            0 => {
                after.users.insert(number);
                format!("CREATE USER CRASH_USER_{number}")
            }
            1 if after.warehouses.remove(&number) => format!("DROP WAREHOUSE CRASH_WAREHOUSE_{number}"),
            1 => {
                after.warehouses.insert(number);
                format!("CREATE WAREHOUSE CRASH_WAREHOUSE_{number}")
            }
            _ if !self.roles.contains(&number) => {
                after.roles.insert(number);
                format!("CREATE ROLE CRASH_ROLE_{number}")
            }
            2 => {
                after.roles.remove(&number);
                after.granted.remove(&number);
                format!("DROP ROLE CRASH_ROLE_{number}")
            }
            _ if after.granted.remove(&number) => {
                format!("REVOKE USAGE ON DATABASE {DATABASE} FROM ROLE CRASH_ROLE_{number}")
            }
            _ => {
                after.granted.insert(number);
                format!("GRANT USAGE ON DATABASE {DATABASE} TO ROLE CRASH_ROLE_{number}")
            }
        };
        Change::looked_for(&sql, after)
    }

    fn compare(&self, admin: &Client) -> Result<(), String> {
        for (kind, name, expected) in [
            ("ROLES", "CRASH_ROLE_", &self.roles),
            ("USERS", "CRASH_USER_", &self.users),
            ("WAREHOUSES", "CRASH_WAREHOUSE_", &self.warehouses),
        ] {
            let shown = rows(admin, &format!("SHOW {kind} LIKE '{name}%' ->> SELECT \"name\" FROM $1 ORDER BY 1"))?;
            let expected: Vec<Vec<String>> = expected.iter().map(|number| vec![format!("{name}{number}")]).collect();
            expect(kind, shown, expected)?;
        }
        for role in &self.roles {
            let grants = rows(admin, &format!("SHOW GRANTS TO ROLE CRASH_ROLE_{role}"))?;
            expect(&format!("grants to CRASH_ROLE_{role}"), grants.len(), usize::from(self.granted.contains(role)))?;
        }
        Ok(())
    }
}
