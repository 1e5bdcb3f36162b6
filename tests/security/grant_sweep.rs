//! Grants are removed with objects that cannot come back, and never before: random definitions and drops beside a sweep that runs
//! all the time, compared with a model of what must be granted.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use firn_tests::random::Random;
use firn_tests::{Client, Server};
use rusqlite::{Connection, OpenFlags};

const STEPS: usize = 96;
/// Between two comparisons.
const STEPS_AT_A_TIME: usize = 8;
/// How long the sweep may take until all is removed.
const PATIENCE: Duration = Duration::from_secs(60);
const SEEDS: [u64; 2] = [1, 20_261_117];

#[derive(Clone, Debug)]
struct Object {
    database: usize,
    kind: &'static str,
    name: String,
    /// Whether it can be brought back when it is dropped.
    is_retained: bool,
    is_dropped: bool,
    privileges: BTreeSet<&'static str>,
}

impl Object {
    fn path(&self) -> String {
        format!("SWEPT_{}.PUBLIC.{}", self.database, self.name)
    }
}

/// Every statement succeeds, so that the model knows what there is.
struct Model<'a> {
    admin: &'a Client,
    random: Random,
    objects: Vec<Object>,
    made: usize,
}

impl Model<'_> {
    fn run(&self, sql: &str) {
        let answer = self.admin.sql(sql);
        assert_eq!(answer.status, 200, "{sql}: {}", answer.text());
    }

    fn step(&mut self) {
        let living: Vec<usize> = self.places(|object| !object.is_dropped);
        let dropped: Vec<usize> = self.places(|object| object.is_dropped);
        let action = self.random.below(10);
        let chosen = match action {
            3..=6 | 8 | 9 if !living.is_empty() => Some(*self.random.pick(&living)),
            7 if !dropped.is_empty() => Some(*self.random.pick(&dropped)),
            _ => None,
        };
        match (action, chosen) {
            (3 | 4, Some(place)) => self.grant(place),
            (5, Some(place)) => self.revoke(place),
            (6, Some(place)) => self.rename(place),
            (7, Some(place)) => self.undrop(place),
            (8, Some(place)) => self.replace(place),
            (9, Some(place)) => self.drop_object(place),
            _ => self.create(),
        }
    }

    fn places(&self, is_wanted: impl Fn(&Object) -> bool) -> Vec<usize> {
        (0..self.objects.len()).filter(|place| is_wanted(&self.objects[*place])).collect()
    }

    fn fresh_name(&mut self) -> String {
        self.made += 1;
        format!("O{}", self.made)
    }

    fn create(&mut self) {
        let database = self.random.index(3);
        let (kind, is_retained) =
            *self.random.pick(&[("TABLE", false), ("TABLE", true), ("VIEW", false), ("SEQUENCE", false)]);
        let name = self.fresh_name();
        let object = Object { database, kind, name, is_retained, is_dropped: false, privileges: BTreeSet::new() };
        self.run(&definition(&object, "CREATE"));
        self.objects.push(object);
        self.grant(self.objects.len() - 1);
    }

    fn grant(&mut self, place: usize) {
        let privilege = *self.random.pick(privileges_of(self.objects[place].kind));
        let object = &self.objects[place];
        self.run(&format!("GRANT {privilege} ON {} {} TO ROLE SWEPT", object.kind, object.path()));
        self.objects[place].privileges.insert(privilege);
    }

    fn revoke(&mut self, place: usize) {
        let Some(privilege) = self.objects[place].privileges.pop_first() else { return };
        let object = &self.objects[place];
        self.run(&format!("REVOKE {privilege} ON {} {} FROM ROLE SWEPT", object.kind, object.path()));
    }

    fn rename(&mut self, place: usize) {
        let name = self.fresh_name();
        let object = &self.objects[place];
        if object.kind == "TABLE" {
            self.run(&format!("ALTER TABLE {} RENAME TO SWEPT_{}.PUBLIC.{name}", object.path(), object.database));
            self.objects[place].name = name;
        }
    }

    /// Nothing of the replaced one is granted on the new one.
    fn replace(&mut self, place: usize) {
        if self.objects[place].is_retained {
            return self.drop_object(place);
        }
        self.run(&definition(&self.objects[place], "CREATE OR REPLACE"));
        self.objects[place].privileges.clear();
    }

    fn drop_object(&mut self, place: usize) {
        let object = &self.objects[place];
        self.run(&format!("DROP {} {}", object.kind, object.path()));
        match object.is_retained {
            true => self.objects[place].is_dropped = true,
            false => drop(self.objects.remove(place)),
        }
    }

    fn undrop(&mut self, place: usize) {
        self.run(&format!("UNDROP TABLE {}", self.objects[place].path()));
        self.objects[place].is_dropped = false;
    }

    /// The role has what the model says, on what there is.
    fn compare(&self, seed: u64) {
        let granted: BTreeSet<String> =
            self.admin.rows("SHOW GRANTS TO ROLE SWEPT").into_iter().filter_map(grant_of).collect();
        let living = self.objects.iter().filter(|object| !object.is_dropped);
        let of = |object: &Object| {
            let (kind, path) = (object.kind, object.path());
            object.privileges.iter().map(|privilege| format!("{privilege} {kind} {path}")).collect::<Vec<_>>()
        };
        let expected: BTreeSet<String> = living.flat_map(of).collect();
        assert_eq!(granted, expected, "seed {seed}");
    }
}

fn definition(object: &Object, verb: &str) -> String {
    let path = object.path();
    match object.kind {
        "TABLE" => {
            format!("{verb} TABLE {path} (A INT) DATA_RETENTION_TIME_IN_DAYS = {}", u8::from(object.is_retained))
        }
        "VIEW" => format!("{verb} VIEW {path} AS SELECT 1 AS A"),
        kind => format!("{verb} {kind} {path}"),
    }
}

fn privileges_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "TABLE" => &["SELECT", "INSERT", "UPDATE"],
        "VIEW" => &["SELECT"],
        _ => &["USAGE"],
    }
}

/// `SELECT TABLE DB.S.T`, of objects in schemas.
fn grant_of(row: Vec<Option<String>>) -> Option<String> {
    let cell = |place: usize| row.get(place).cloned().flatten();
    let (privilege, kind, name) = (cell(1)?, cell(2)?, cell(3)?);
    ["TABLE", "VIEW", "SEQUENCE"].contains(&kind.as_str()).then(|| format!("{privilege} {kind} {name}"))
}

/// How many grants of the role on objects in schemas are stored.
fn stored_grants(server: &Server) -> usize {
    let path = server.data_dir().join("firn.sqlite");
    let state = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let sql = "SELECT COUNT(*) FROM privilege_grants WHERE grantee = 'SWEPT' AND kind IN ('TABLE', 'VIEW', 'SEQUENCE')";
    state.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap().try_into().unwrap()
}

#[test]
fn grants_go_with_their_objects_and_not_before() {
    for seed in SEEDS {
        let server = Server::start_with(&[("FIRN_SWEEP_INTERVAL_MS", "5")]);
        let admin = server.admin();
        let mut model = Model { admin: &admin, random: Random(seed), objects: Vec::new(), made: 0 };
        model.run("CREATE ROLE SWEPT");
        for database in 0..3 {
            model.run(&format!("CREATE DATABASE SWEPT_{database} DATA_RETENTION_TIME_IN_DAYS = 0"));
        }
        for step in 1..=STEPS {
            model.step();
            if step % STEPS_AT_A_TIME == 0 {
                model.compare(seed);
            }
        }
        // A database with dropped objects that can come back is not swept.
        for place in model.places(|object| object.is_dropped) {
            model.undrop(place);
        }
        model.compare(seed);
        let expected: usize = model.objects.iter().map(|object| object.privileges.len()).sum();
        let begun = Instant::now();
        while stored_grants(&server) != expected {
            let left = stored_grants(&server);
            assert!(begun.elapsed() < PATIENCE, "seed {seed}: {left} grants are stored, and {expected} on what exists");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
