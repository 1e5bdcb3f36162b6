//! Rows of a table by every kind of DML, by transactions and by COPY, and the files of a stage.

use std::collections::{BTreeMap, BTreeSet};

use firn_tests::{Client, Request};

use crate::model::{Change, DATABASE, Known, Model, Seeded, expect, rows, statement, statements};

#[derive(Clone)]
pub struct Rows {
    number: u64,
    next_id: u64,
    values: BTreeMap<u64, u64>,
    /// Files of the stage and their bytes.
    files: BTreeMap<String, usize>,
    /// Files that are not loaded yet, with the first id of each.
    to_load: BTreeMap<String, u64>,
}

impl Rows {
    pub fn prepare(admin: &Client, number: u64) -> Self {
        for sql in [format!("CREATE TABLE R{number} (ID INT, V INT)"), format!("CREATE STAGE S{number}")] {
            let done = admin.send(&statement(&sql));
            assert_eq!(done.status, 200, "{done}");
        }
        Self { number, next_id: 0, values: BTreeMap::new(), files: BTreeMap::new(), to_load: BTreeMap::new() }
    }

    fn table(&self) -> String {
        format!("R{}", self.number)
    }

    fn with_rows(&self, count: u64) -> (Self, String) {
        let mut after = self.clone();
        let ids = self.next_id..self.next_id + count;
        after.next_id += count;
        after.values.extend(ids.clone().map(|id| (id, id % 7)));
        let values: Vec<String> = ids.map(|id| format!("({id}, {})", id % 7)).collect();
        (after, values.join(", "))
    }

    fn update(&self, random: &mut Seeded) -> (Self, String) {
        let mut after = self.clone();
        let part = random.below(5);
        after.values.iter_mut().filter(|(id, _)| **id % 5 == part).for_each(|(_, value)| *value += 1);
        (after, format!("UPDATE {} SET V = V + 1 WHERE ID % 5 = {part}", self.table()))
    }

    fn delete(&self, random: &mut Seeded) -> Change<Self> {
        let mut after = self.clone();
        let part = random.below(4);
        after.values.retain(|id, _| id % 4 != part);
        Change::sql(&format!("DELETE FROM {} WHERE ID % 4 = {part}", self.table()), after)
    }

    /// Updates the rows that are there and inserts one.
    fn merge(&self) -> Change<Self> {
        let mut after = self.clone();
        let new = self.next_id;
        after.next_id += 1;
        let matched: Vec<u64> = self.values.keys().rev().take(10).copied().collect();
        for id in &matched {
            after.values.entry(*id).and_modify(|value| *value += 100);
        }
        after.values.insert(new, 1);
        let source: Vec<String> = matched.iter().chain([&new]).map(|id| format!("({id})")).collect();
        let sql = format!(
            "MERGE INTO {} T USING (SELECT COLUMN1 AS ID FROM VALUES {}) X ON T.ID = X.ID \
             WHEN MATCHED THEN UPDATE SET V = T.V + 100 WHEN NOT MATCHED THEN INSERT (ID, V) VALUES (X.ID, 1)",
            self.table(),
            source.join(", ")
        );
        Change::sql(&sql, after)
    }

    /// All statements of the transaction happen or none.
    fn transaction(&self, random: &mut Seeded) -> Change<Self> {
        let (inserted, values) = self.with_rows(2);
        let (after, update) = inserted.update(random);
        let sql = format!("BEGIN; INSERT INTO {} VALUES {values}; {update}; COMMIT", self.table());
        Change { request: statements(&sql, 4), after, known: Known::ByLooking }
    }

    fn put(&self) -> Change<Self> {
        let mut after = self.clone();
        let (name, first) = (format!("f{}.csv", self.next_id), self.next_id);
        let content: String = (first..first + 20).map(|id| format!("{id},{}\n", id % 7)).collect();
        after.next_id += 20;
        after.files.insert(name.clone(), content.len());
        after.to_load.insert(name.clone(), first);
        let path = format!("/api/v2/databases/{DATABASE}/schemas/PUBLIC/stages/S{}/files/{name}", self.number);
        let mut request = Request::new("PUT", &path);
        request.body = content.into_bytes();
        Change { request, after, known: Known::ByLooking }
    }

    fn load(&self) -> Option<Change<Self>> {
        let (name, first) = self.to_load.first_key_value()?;
        let mut after = self.clone();
        after.to_load.remove(name);
        after.values.extend((*first..first + 20).map(|id| (id, id % 7)));
        Some(Change::sql(&format!("COPY INTO {} FROM @S{}/{name}", self.table(), self.number), after))
    }

    fn unload(&self) -> Change<Self> {
        let mut after = self.clone();
        let name = format!("out{}.csv", self.next_id);
        after.next_id += 1;
        after.files.insert(name.clone(), "123,45\n".len());
        let sql = format!(
            "COPY INTO @S{}/{name} FROM (SELECT 123, 45) FILE_FORMAT = (TYPE = CSV COMPRESSION = NONE) SINGLE = TRUE",
            self.number
        );
        Change::looked_for(&sql, after)
    }
}

impl Model for Rows {
    fn next(&self, random: &mut Seeded) -> Change<Self> {
        let table = self.table();
        match random.below(16) {
            0..=4 => {
                let (after, values) = self.with_rows(1);
                Change::sql(&format!("INSERT INTO {table} VALUES {values}"), after)
            }
            5 | 6 => {
                let (after, values) = self.with_rows(50);
                Change::sql(&format!("INSERT INTO {table} VALUES {values}"), after)
            }
            7 => {
                let (after, sql) = self.update(random);
                Change::sql(&sql, after)
            }
            8 => self.delete(random),
            9 => self.merge(),
            10 => self.transaction(random),
            11 | 12 => self.put(),
            13 => self.load().unwrap_or_else(|| self.put()),
            14 => self.unload(),
            _ if self.values.len() > 500 => {
                let (mut after, values) = Self { values: BTreeMap::new(), ..self.clone() }.with_rows(3);
                after.to_load.clear();
                Change::sql(&format!("INSERT OVERWRITE INTO {table} VALUES {values}"), after)
            }
            _ => self.merge(),
        }
    }

    fn compare(&self, admin: &Client) -> Result<(), String> {
        let table = self.table();
        let found = rows(admin, &format!("SELECT ID, V FROM {table} ORDER BY ID, V"))?;
        let expected: Vec<Vec<String>> =
            self.values.iter().map(|(id, value)| vec![id.to_string(), value.to_string()]).collect();
        if found != expected {
            let (found, expected): (BTreeSet<_>, BTreeSet<_>) = (found.iter().collect(), expected.iter().collect());
            let extra: Vec<_> = found.difference(&expected).collect();
            let missing: Vec<_> = expected.difference(&found).collect();
            return Err(format!("{table}: rows too many {extra:?}, rows missing {missing:?}, or some twice"));
        }
        let listed = rows(admin, &format!("LIST @S{}", self.number))?;
        let listed: BTreeMap<String, usize> =
            listed.iter().map(|row| (row[0].rsplit('/').next().unwrap().to_owned(), row[1].parse().unwrap())).collect();
        expect(&format!("files of S{}", self.number), listed, self.files.clone())
    }
}
