//! Databases that are made, replaced, renamed, swapped, dropped and restored; the comment of each is its mark.

use std::collections::BTreeMap;

use firn_tests::Client;

use crate::model::{Change, Model, Seeded, expect, rows};

const NAMES: [&str; 3] = ["CRASHED_A", "CRASHED_B", "CRASHED_C"];

#[derive(Clone, Default)]
pub struct Databases {
    next_marker: u64,
    databases: BTreeMap<&'static str, u64>,
    dropped: BTreeMap<&'static str, u64>,
}

impl Databases {
    fn create(&self, name: &'static str) -> Change<Self> {
        let mut after = self.clone();
        let marker = self.next_marker;
        after.next_marker += 1;
        after.databases.insert(name, marker);
        after.dropped.remove(name);
        let replace = if self.databases.contains_key(name) { "OR REPLACE " } else { "" };
        Change::looked_for(&format!("CREATE {replace}DATABASE {name} COMMENT = '{marker}'"), after)
    }

    fn change(&self, name: &'static str, random: &mut Seeded) -> Change<Self> {
        let mut after = self.clone();
        let other = *random.of(&NAMES);
        let sql = match (random.below(3), self.databases.get(other)) {
            (0, _) => {
                let marker = after.databases.remove(name).unwrap();
                after.dropped.insert(name, marker);
                format!("DROP DATABASE {name}")
            }
            (_, Some(&two)) if other != name => {
                let one = self.databases[name];
                after.databases.extend([(name, two), (other, one)]);
                format!("ALTER DATABASE {name} SWAP WITH {other}")
            }
            (_, None) => {
                let marker = after.databases.remove(name).unwrap();
                after.databases.insert(other, marker);
                format!("ALTER DATABASE {name} RENAME TO {other}")
            }
            _ => return self.create(name),
        };
        Change::looked_for(&sql, after)
    }
}

impl Model for Databases {
    fn next(&self, random: &mut Seeded) -> Change<Self> {
        let name = *random.of(&NAMES);
        match (self.databases.get(name), self.dropped.get(name)) {
            (None, Some(&marker)) if random.below(2) == 0 => {
                let mut after = self.clone();
                after.dropped.remove(name);
                after.databases.insert(name, marker);
                Change::looked_for(&format!("UNDROP DATABASE {name}"), after)
            }
            (None, _) => self.create(name),
            (Some(_), _) => self.change(name, random),
        }
    }

    fn compare(&self, admin: &Client) -> Result<(), String> {
        let shown = rows(admin, "SHOW DATABASES LIKE 'CRASHED_%' ->> SELECT \"name\", \"comment\" FROM $1 ORDER BY 1")?;
        let expected: Vec<Vec<String>> =
            self.databases.iter().map(|(name, marker)| vec![name.to_string(), marker.to_string()]).collect();
        expect("databases", shown, expected)?;
        for name in self.databases.keys() {
            let schemas = rows(admin, &format!("SHOW SCHEMAS LIKE 'PUBLIC' IN DATABASE {name}"))?;
            expect(name, schemas.len(), 1)?;
        }
        Ok(())
    }
}
