//! Tables that are made, changed, renamed, swapped, cloned, dropped and restored.

use std::collections::BTreeMap;

use firn_tests::Client;

use crate::model::{Change, Model, Seeded, expect, rows};

const NAMES: [&str; 4] = ["T0", "T1", "T2", "T3"];

#[derive(Clone, Debug, PartialEq, Eq)]
struct Table {
    marker: u64,
    columns: usize,
}

#[derive(Clone, Default)]
pub struct Objects {
    next_marker: u64,
    tables: BTreeMap<&'static str, Table>,
    /// The latest dropped table of each name that can be restored.
    dropped: BTreeMap<&'static str, Table>,
}

impl Objects {
    fn create(&self, name: &'static str, random: &mut Seeded) -> Change<Self> {
        let mut after = self.clone();
        let marker = self.next_marker;
        after.next_marker += 1;
        after.tables.insert(name, Table { marker, columns: 1 });
        let replace = if self.tables.contains_key(name) { "OR REPLACE " } else { "" };
        if !replace.is_empty() {
            after.dropped.remove(name);
        }
        let sql = match random.below(2) {
            0 => format!("CREATE {replace}TABLE {name} AS SELECT {marker} AS M"),
            _ => format!("CREATE {replace}TABLE {name} (M INT DEFAULT {marker}) AS SELECT {marker}"),
        };
        Change::sql(&sql, after)
    }

    fn change(&self, name: &'static str, random: &mut Seeded) -> Change<Self> {
        let mut after = self.clone();
        let other = *random.of(&NAMES);
        let sql = match (random.below(5), self.tables.get(other)) {
            (0, Some(_)) if other != name => {
                let (one, two) = (after.tables[name].clone(), after.tables[other].clone());
                after.tables.extend([(name, two), (other, one)]);
                format!("ALTER TABLE {name} SWAP WITH {other}")
            }
            (0 | 1, None) => {
                let table = after.tables.remove(name).unwrap();
                after.tables.insert(other, table);
                format!("ALTER TABLE {name} RENAME TO {other}")
            }
            (2, None) => {
                after.tables.insert(other, self.tables[name].clone());
                format!("CREATE TABLE {other} CLONE {name}")
            }
            (3, _) => {
                let table = after.tables.get_mut(name).unwrap();
                table.columns += 1;
                format!("ALTER TABLE {name} ADD COLUMN C{} INT", table.columns)
            }
            _ => {
                let table = after.tables.remove(name).unwrap();
                after.dropped.insert(name, table);
                format!("DROP TABLE {name}")
            }
        };
        Change::sql(&sql, after)
    }
}

impl Model for Objects {
    fn next(&self, random: &mut Seeded) -> Change<Self> {
        let name = *random.of(&NAMES);
        match (self.tables.get(name), self.dropped.get(name)) {
            (None, Some(table)) if random.below(2) == 0 => {
                let mut after = self.clone();
                after.dropped.remove(name);
                after.tables.insert(name, table.clone());
                Change::sql(&format!("UNDROP TABLE {name}"), after)
            }
            (None, _) => self.create(name, random),
            (Some(_), _) if random.below(6) == 0 => self.create(name, random),
            (Some(_), _) => self.change(name, random),
        }
    }

    fn compare(&self, admin: &Client) -> Result<(), String> {
        for name in NAMES {
            let found = rows(admin, &format!("SELECT * FROM {name}"));
            let found = found.map(|rows| rows.first().map(|row| (row[0].clone(), row.len())));
            let expected = match self.tables.get(name) {
                Some(table) => Ok(Some((table.marker.to_string(), table.columns))),
                None => Err("002003".to_owned()),
            };
            expect(name, found, expected)?;
        }
        let shown = rows(admin, "SHOW TABLES LIKE 'T_'")?.len();
        expect("SHOW TABLES", shown, self.tables.len())
    }
}
