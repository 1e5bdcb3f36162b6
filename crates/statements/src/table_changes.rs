//! The time of the last change of each table, so that what was computed from rows or definitions can be found stale.
//! Changes before the server started are not known, so everything counts as changed then: two equal times mean that
//! nothing changed between them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use firn_sql::ObjectName;

use crate::account_usage::accessed::Accessed;
use crate::mutex::lock;
use crate::reads::Reads;

/// Past this number of tables, all count as changed.
pub(crate) const TABLES_MAX: usize = 100_000;

pub struct TableChanges(Mutex<Times>);

/// Everything besides the statement's text that a result or a plan depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sources {
    /// The rows of these tables, and definitions.
    Tables(Vec<ObjectName>),
    /// More than can be tracked.
    Anything,
}

/// Sources with the time of their last change before they were read.
#[derive(Clone, Debug)]
pub struct AsOf {
    pub sources: Arc<Sources>,
    pub as_of_change: u64,
    /// What a statement accesses that reads them, if it names others too.
    pub accessed: Option<Arc<Accessed>>,
    /// What a statement reads that was made of them.
    pub reads: Option<Arc<Reads>>,
}

/// Nanoseconds since 1970, no two of them the same.
struct Times {
    latest: u64,
    /// Of the last change that may concern any table.
    all: u64,
    /// Of the last change of anything but rows: definitions, rights, settings of the account.
    definitions: u64,
    tables: HashMap<ObjectName, u64>,
    /// Of the last change that may concern what any database holds.
    any_database: u64,
    /// Of the last change of rows or definitions by database, if it was later.
    databases: HashMap<String, u64>,
}

impl Default for TableChanges {
    fn default() -> Self {
        let now = now_ns();
        Self(Mutex::new(Times {
            latest: now,
            all: now,
            definitions: now,
            tables: HashMap::new(),
            any_database: now,
            databases: HashMap::new(),
        }))
    }
}

impl TableChanges {
    /// To be called, like the others, after a change is committed and before it is reported.
    pub fn note<'name>(&self, names: impl Iterator<Item = &'name ObjectName>) {
        let mut times = lock(&self.0);
        let now = times.next();
        for name in names {
            times.tables.insert(name.clone(), now);
            times.note_database(name.database(), now);
        }
        if times.tables.len() > TABLES_MAX {
            times.all = now;
            times.tables.clear();
        }
    }

    pub fn note_definitions(&self) {
        let mut times = lock(&self.0);
        times.definitions = times.next();
        times.note_any_database();
    }

    /// As `note_definitions`, of what these databases hold.
    pub fn note_definitions_in<'name>(&self, databases: impl Iterator<Item = &'name str>) {
        let mut times = lock(&self.0);
        let now = times.next();
        times.definitions = now;
        databases.for_each(|database| times.note_database(database, now));
    }

    /// For changes of these databases and schemas, which cannot be tracked by table.
    pub fn note_containers_in<'name>(&self, databases: impl Iterator<Item = &'name str>) {
        self.note_definitions_in(databases);
        let mut times = lock(&self.0);
        times.all = times.next();
        times.tables.clear();
    }

    /// As `note_definitions`, of nothing that is in a database.
    pub fn note_account(&self) {
        self.note_definitions_in(std::iter::empty());
    }

    /// For changes that cannot be tracked by table.
    pub fn note_all(&self) {
        let mut times = lock(&self.0);
        times.all = times.next();
        times.tables.clear();
        times.note_any_database();
    }

    pub fn of_table(&self, name: &ObjectName) -> u64 {
        lock(&self.0).of_table(name)
    }

    /// The last change of rows or definitions of a database.
    pub fn of_database(&self, name: &str) -> u64 {
        let times = lock(&self.0);
        times.databases.get(name).copied().unwrap_or_default().max(times.any_database)
    }

    /// The last change of anything but rows.
    pub fn of_definitions(&self) -> u64 {
        lock(&self.0).definitions
    }

    /// The last change of anything, which a view may read.
    pub fn of_anything(&self) -> u64 {
        lock(&self.0).latest
    }

    /// To be asked before the sources are read.
    pub fn as_of(&self, sources: Sources) -> AsOf {
        AsOf { as_of_change: self.of_sources(&sources), sources: sources.into(), accessed: None, reads: None }
    }

    /// Whether nothing that was read has changed since.
    pub fn is_current(&self, read: &AsOf) -> bool {
        read.as_of_change == self.of_sources(&read.sources)
    }

    /// The last change that may affect results of these sources.
    pub fn of_sources(&self, sources: &Sources) -> u64 {
        let times = lock(&self.0);
        match sources {
            Sources::Anything => times.latest,
            Sources::Tables(tables) => {
                let of_tables = tables.iter().map(|table| times.of_table(table)).max();
                of_tables.unwrap_or_default().max(times.definitions)
            }
        }
    }
}

impl Times {
    fn next(&mut self) -> u64 {
        self.latest = now_ns().max(self.latest + 1);
        self.latest
    }

    fn note_database(&mut self, name: &str, now: u64) {
        match self.databases.get_mut(name) {
            Some(time) => *time = now,
            None => drop(self.databases.insert(name.to_owned(), now)),
        }
    }

    fn note_any_database(&mut self) {
        self.any_database = self.latest;
        self.databases.clear();
    }

    fn of_table(&self, name: &ObjectName) -> u64 {
        self.tables.get(name).copied().unwrap_or(self.all)
    }
}

fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_nanos() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str) -> ObjectName {
        ObjectName::qualified("DB", "S", name)
    }

    /// A change and whether it concerns: a query of A, a query of A and B, a query of no table, one of anything.
    #[test]
    fn a_change_concerns_what_was_made_of_its_tables() {
        type Change = fn(&TableChanges);
        let cases: [(&str, Change, [bool; 4]); 5] = [
            ("rows of A", |changes| changes.note([table("A")].iter()), [true, true, false, true]),
            ("rows of B", |changes| changes.note([table("B")].iter()), [false, true, false, true]),
            ("rows of C", |changes| changes.note([table("C")].iter()), [false, false, false, true]),
            ("definitions", TableChanges::note_definitions, [true, true, true, true]),
            ("a whole transaction", TableChanges::note_all, [true, true, false, true]),
        ];
        let sources = [
            Sources::Tables(vec![table("A")]),
            Sources::Tables(vec![table("A"), table("B")]),
            Sources::Tables(Vec::new()),
            Sources::Anything,
        ];
        let changes = TableChanges::default();
        changes.note([table("A"), table("B")].iter());
        for (what, change, concerned) in cases {
            let before = sources.each_ref().map(|sources| changes.of_sources(sources));
            change(&changes);
            let after = sources.each_ref().map(|sources| changes.of_sources(sources));
            let changed: Vec<bool> = before.iter().zip(after).map(|(before, after)| *before != after).collect();
            assert_eq!(changed, concerned, "{what}");
        }
    }

    #[test]
    fn a_change_concerns_its_database() {
        let changes = TableChanges::default();
        let times = || ["DB", "OTHER"].map(|database| changes.of_database(database));
        type Change = fn(&TableChanges);
        let cases: [(&str, Change, [bool; 2]); 5] = [
            ("rows", |changes| changes.note([table("A")].iter()), [true, false]),
            ("definitions", |changes| changes.note_definitions_in(["DB"].into_iter()), [true, false]),
            ("the account", TableChanges::note_account, [false, false]),
            ("any definitions", TableChanges::note_definitions, [true, true]),
            ("a whole transaction", TableChanges::note_all, [true, true]),
        ];
        for (what, change, concerned) in cases {
            let before = times();
            change(&changes);
            let after = times();
            assert_eq!([before[0] != after[0], before[1] != after[1]], concerned, "{what}");
        }
    }

    #[test]
    fn past_the_limit_all_tables_count_as_changed() {
        let changes = TableChanges::default();
        let before = changes.of_table(&table("A"));
        let names: Vec<ObjectName> = (0..=TABLES_MAX).map(|number| table(&number.to_string())).collect();
        changes.note(names.iter());
        assert_ne!(changes.of_table(&table("A")), before);
    }
}
