//! When tables changed last. What changed before the server started is not known, so everything counts as changed then:
//! two equal answers mean that nothing changed between them.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use firn_sql::ObjectName;

use crate::mutex::lock;

/// Past so many tables, all count as changed at once.
const TABLES_MAX: usize = 10_000;

pub struct TableChanges(Mutex<Times>);

/// Nanoseconds since 1970, no two of them the same.
struct Times {
    latest: u64,
    all: u64,
    tables: HashMap<ObjectName, u64>,
}

impl Default for TableChanges {
    fn default() -> Self {
        let now = now_ns();
        Self(Mutex::new(Times { latest: now, all: now, tables: HashMap::new() }))
    }
}

impl TableChanges {
    pub fn note<'name>(&self, names: impl Iterator<Item = &'name ObjectName>) {
        let mut times = lock(&self.0);
        let now = times.next();
        times.tables.extend(names.map(|name| (name.clone(), now)));
        if times.tables.len() > TABLES_MAX {
            times.all = now;
            times.tables.clear();
        }
    }

    /// For what cannot be told table by table.
    pub fn note_all(&self) {
        let mut times = lock(&self.0);
        times.all = times.next();
        times.tables.clear();
    }

    pub fn of_table(&self, name: &ObjectName) -> u64 {
        let times = lock(&self.0);
        times.tables.get(name).copied().unwrap_or(times.all)
    }

    /// The last change of anything, which a view may read.
    pub fn of_anything(&self) -> u64 {
        lock(&self.0).latest
    }
}

impl Times {
    fn next(&mut self) -> u64 {
        self.latest = now_ns().max(self.latest + 1);
        self.latest
    }
}

fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_nanos() as u64)
}
