//! The identity of an object: which statements preserve it, and which give a new one.

use std::collections::HashSet;

use firn_engine::{Engine, FormerOwner};
use firn_sql::ObjectName;
use firn_sql::command::{Command, Ddl, ObjectKind, OwnershipTarget};
use firn_sql::names::SchemaName;

use crate::bench::Bench;

/// What a statement does to the identity of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Same,
    New,
}

use Fate::{New, Same};

impl Bench {
    /// The identity of `kind name`, the name with its schema or alone; 0 if there is no such object.
    fn id(&self, kind: &str, name: &str) -> i64 {
        self.id_in("DB", kind, name)
    }

    fn id_in(&self, database: &str, kind: &str, name: &str) -> i64 {
        let name = name.to_uppercase();
        let (schema, last) = name.split_once('.').unwrap_or(("PUBLIC", &name));
        let full = ObjectName::qualified(database, schema, last);
        let found = match kind {
            "schema" => self.schema_id(database, &name),
            "stage" => self.session.stage(&full).unwrap().map(|stage| stage.id),
            "file format" => self.session.file_format(&full).unwrap().map(|format| format.id),
            "function" | "procedure" => {
                let all = self.session.routines(database).unwrap();
                let is_named = |word: &str| word.eq_ignore_ascii_case(kind);
                let mut named = all.iter().filter(|found| found.routine.name == full);
                named.find(|found| is_named(found.routine.kind.word())).map(|found| found.id)
            }
            _ => self.session.describe(&full).unwrap().map(|object| object.id),
        };
        found.unwrap_or_default()
    }

    /// An empty database and another session: an engine for each case would take too long.
    fn start_again(&mut self, number: usize) {
        self.session = self.engine.open_session().unwrap();
        self.engine.detach_database("DB").unwrap();
        let file = self.folder.path().join(format!("db{number}.firn"));
        self.engine.create_database("DB", &file, "ACCOUNTADMIN", 1).unwrap();
    }

    fn schema_id(&self, database: &str, name: &str) -> Option<i64> {
        let all = self.session.schemas(database).unwrap();
        all.into_iter().find(|schema| schema.name == name).map(|schema| schema.id)
    }
}

const TABLE: &str = "create table o (a int default 1, b varchar)";
const VIEW: &str = "create view o as select 1 as a";
const SEQUENCE: &str = "create sequence o";
const STAGE: &str = "create stage o";
const FORMAT: &str = "create file format o type = csv";
const FUNCTION: &str = "create function o(x int) returns int as 'x + 1'";
const PROCEDURE: &str = "create procedure o() returns int language sql as 'begin return 1; end'";
const SCHEMA: &str = "create schema o";
const TEMPORARY_TABLE: &str = "create temporary table o (a int)";
const TEMPORARY_STAGE: &str = "create temporary stage o";

/// Kind, how `O` is created, the statements, the name afterwards, and what became of the identity.
const CASES: &[(&str, &str, &str, &str, Fate)] = &[
    ("table", TABLE, "alter table o add column c int", "o", Same),
    ("table", TABLE, "alter table o alter column a drop default", "o", Same),
    ("table", TABLE, "alter table o set comment = 'x'", "o", Same),
    ("table", TABLE, "comment on table o is 'x'", "o", Same),
    ("table", TABLE, "comment on column o.a is 'x'", "o", Same),
    ("table", TABLE, "alter table o rename to p", "p", Same),
    ("table", TABLE, "create schema s; alter table o rename to s.p", "s.p", Same),
    ("table", TABLE, "insert into o values (1, 'x'); truncate table o", "o", Same),
    ("table", TABLE, "drop table o; undrop table o", "o", Same),
    ("table", TABLE, "create table p (a int); alter table o swap with p", "p", Same),
    ("table", TABLE, "create table p (a int); alter table o swap with p", "o", New),
    ("table", TABLE, "create table if not exists o (z int)", "o", Same),
    ("table", TABLE, "create or replace table o (z int)", "o", New),
    ("table", TABLE, "drop table o; create table o (z int)", "o", New),
    ("table", TABLE, "drop table o; create table o (z int); alter table o rename to p; undrop table o", "o", Same),
    ("table", TABLE, "drop table o; create table o (z int); alter table o rename to p; undrop table o", "p", New),
    ("table", TABLE, "create table p clone o", "o", Same),
    ("table", TABLE, "create table p clone o", "p", New),
    ("table", TABLE, "create table p like o", "p", New),
    ("table", TABLE, "create table p as select * from o", "p", New),
    ("table", TABLE, "alter schema public rename to t", "t.o", Same),
    ("table", TABLE, "create schema t clone public", "t.o", New),
    ("table", TABLE, "create schema t clone public", "o", Same),
    ("table", TABLE, "drop schema public; undrop schema public", "o", Same),
    ("table", TABLE, "create schema t; alter schema public swap with t", "t.o", Same),
    ("temporary table", TEMPORARY_TABLE, "alter table o add column c int", "o", Same),
    ("temporary table", TEMPORARY_TABLE, "alter table o rename to p", "p", Same),
    ("temporary table", TEMPORARY_TABLE, "create or replace temporary table o (a int)", "o", New),
    ("temporary table", TEMPORARY_TABLE, "create table o (a int); drop table o", "o", New),
    ("view", VIEW, "alter view o rename to p", "p", Same),
    ("view", VIEW, "alter view o set comment = 'x'", "o", Same),
    ("view", VIEW, "alter view o set secure", "o", Same),
    ("view", VIEW, "create view if not exists o as select 2 as a", "o", Same),
    ("view", VIEW, "create or alter view o as select 2 as a", "o", Same),
    ("view", VIEW, "create or replace view o as select 2 as a", "o", New),
    ("view", VIEW, "drop view o; create view o as select 2 as a", "o", New),
    ("view", VIEW, "alter schema public rename to t", "t.o", Same),
    ("view", VIEW, "create schema t clone public", "t.o", New),
    ("view", VIEW, "drop schema public; undrop schema public", "o", Same),
    ("view", VIEW, "create schema t; alter schema public swap with t", "t.o", Same),
    ("sequence", SEQUENCE, "alter sequence o rename to p", "p", Same),
    ("sequence", SEQUENCE, "alter sequence o set increment = 5", "o", Same),
    ("sequence", SEQUENCE, "alter sequence o set comment = 'x'", "o", Same),
    ("sequence", SEQUENCE, "create sequence if not exists o start = 3", "o", Same),
    ("sequence", SEQUENCE, "create or replace sequence o start = 3", "o", New),
    ("sequence", SEQUENCE, "drop sequence o; create sequence o", "o", New),
    ("sequence", SEQUENCE, "alter schema public rename to t", "t.o", Same),
    ("sequence", SEQUENCE, "create schema t clone public", "t.o", New),
    ("sequence", SEQUENCE, "drop schema public; undrop schema public", "o", Same),
    ("sequence", SEQUENCE, "create schema t; alter schema public swap with t", "t.o", Same),
    ("stage", STAGE, "alter stage o rename to p", "p", Same),
    ("stage", STAGE, "alter stage o set comment = 'x'", "o", Same),
    ("stage", STAGE, "create stage if not exists o", "o", Same),
    ("stage", STAGE, "create or replace stage o", "o", New),
    ("stage", STAGE, "drop stage o; create stage o", "o", New),
    ("stage", STAGE, "alter schema public rename to t", "t.o", Same),
    ("stage", STAGE, "drop schema public; undrop schema public", "o", Same),
    ("stage", STAGE, "create schema t; alter schema public swap with t", "t.o", Same),
    ("stage", TEMPORARY_STAGE, "alter stage o rename to p", "p", Same),
    ("stage", TEMPORARY_STAGE, "create or replace temporary stage o", "o", New),
    ("file format", FORMAT, "alter file format o rename to p", "p", Same),
    ("file format", FORMAT, "alter file format o set skip_header = 1", "o", Same),
    ("file format", FORMAT, "create file format if not exists o type = json", "o", Same),
    ("file format", FORMAT, "create or replace file format o type = json", "o", New),
    ("file format", FORMAT, "alter schema public rename to t", "t.o", Same),
    ("file format", FORMAT, "create schema t clone public", "t.o", New),
    ("file format", FORMAT, "drop schema public; undrop schema public", "o", Same),
    ("function", FUNCTION, "alter function o(int) rename to p", "p", Same),
    ("function", FUNCTION, "alter function o(int) set comment = 'x'", "o", Same),
    ("function", FUNCTION, "create function if not exists o(x int) returns int as 'x'", "o", Same),
    ("function", FUNCTION, "create or replace function o(x int) returns int as 'x'", "o", New),
    ("function", FUNCTION, "alter schema public rename to t", "t.o", Same),
    ("function", FUNCTION, "create schema t clone public", "t.o", New),
    ("function", FUNCTION, "drop schema public; undrop schema public", "o", Same),
    ("procedure", PROCEDURE, "alter procedure o() execute as caller", "o", Same),
    ("procedure", PROCEDURE, "alter procedure o() rename to p", "p", Same),
    ("procedure", PROCEDURE, "drop procedure o(); create procedure o() returns int language sql as '1'", "o", New),
    ("procedure", PROCEDURE, "alter schema public rename to t", "t.o", Same),
    ("procedure", PROCEDURE, "create schema t clone public", "t.o", New),
    ("schema", SCHEMA, "alter schema o rename to p", "p", Same),
    ("schema", SCHEMA, "alter schema o set comment = 'x'", "o", Same),
    ("schema", SCHEMA, "alter schema o enable managed access", "o", Same),
    ("schema", SCHEMA, "comment on schema o is 'x'", "o", Same),
    ("schema", SCHEMA, "create schema if not exists o", "o", Same),
    ("schema", SCHEMA, "create or replace schema o", "o", New),
    ("schema", SCHEMA, "create schema p clone o", "p", New),
    ("schema", SCHEMA, "drop schema o; undrop schema o", "o", Same),
    ("schema", SCHEMA, "drop schema o; create schema o", "o", New),
    ("schema", SCHEMA, "create schema p; alter schema o swap with p", "p", Same),
    ("schema", SCHEMA, "create schema p; alter schema o swap with p", "o", New),
];

#[test]
fn an_identity_lives_as_long_as_its_object() {
    let mut differences = Vec::new();
    let mut bench = Bench::new();
    for (number, &(kind, create, statements, name, expected)) in CASES.iter().enumerate() {
        bench.start_again(number);
        let created = bench.run(create);
        let before = bench.id(kind, "o");
        let outcome = bench.run(statements);
        let after = bench.id(kind, name);
        let fate = if before == after { Same } else { New };
        if before <= 0 || after <= 0 || fate != expected {
            differences.push(format!("{create}; {statements}: {before} -> {after} ({created}; {outcome})"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

const FILLED: &str = "create table t (a int); create view v as select a from t; create sequence q; \
                      create file format f type = csv; create function g(x int) returns int as 'x'; \
                      create procedure p() returns int language sql as 'begin return 1; end'; create schema s; \
                      create table s.t (a int); create stage i";

const ALL: &[(&str, &str)] = &[
    ("schema", "public"),
    ("schema", "s"),
    ("table", "t"),
    ("view", "v"),
    ("sequence", "q"),
    ("file format", "f"),
    ("function", "g"),
    ("procedure", "p"),
    ("table", "s.t"),
    ("stage", "i"),
];

fn ids(bench: &Bench, database: &str, objects: &[(&str, &str)]) -> Vec<i64> {
    objects.iter().map(|(kind, name)| bench.id_in(database, kind, name)).collect()
}

#[test]
fn identities_differ() {
    let mut bench = Bench::new();
    bench.run(FILLED);
    let distinct: HashSet<i64> = ids(&bench, "DB", ALL).into_iter().filter(|id| *id > 0).collect();
    assert_eq!(distinct.len(), ALL.len());
    assert_eq!(bench.id("view", "information_schema.tables"), 0);
}

#[test]
fn identities_stay_with_the_file_of_a_database() {
    let mut bench = Bench::new();
    bench.run(FILLED);
    let before = ids(&bench, "DB", ALL);
    let file = bench.folder.path().join("db.firn");
    bench.engine.rename_database("DB", "DB2").unwrap();
    assert_eq!(ids(&bench, "DB2", ALL), before);
    bench.engine.detach_database("DB2").unwrap();
    bench.engine.attach_database("DB", &file, 1).unwrap();
    assert_eq!(ids(&bench, "DB", ALL), before);
}

#[test]
fn a_cloned_database_has_the_identities_of_its_source() {
    let mut bench = Bench::new();
    bench.run(FILLED);
    bench.engine.clone_database("DB", "COPY", &bench.folder.path().join("copy.firn"), "OTHER", (1, 2)).unwrap();
    let copied: Vec<(&str, &str)> = ALL.iter().copied().filter(|(kind, _)| *kind != "stage").collect();
    assert_eq!(ids(&bench, "COPY", &copied), ids(&bench, "DB", &copied));
}

#[test]
fn what_was_dropped_is_listed_with_its_identity() {
    let mut bench = Bench::new();
    bench.run("create table t (a int); create schema s");
    let before = [bench.id("table", "t"), bench.id("schema", "s")];
    bench.run("drop table t; drop schema s");
    let dropped = bench.session.dropped("DB").unwrap();
    assert_eq!(dropped.iter().map(|dropped| dropped.id).collect::<Vec<_>>(), before);
}

#[test]
fn a_renamed_schema_leaves_its_sequences_with_their_owners() {
    let mut bench = Bench::new();
    bench.run("create schema s; create sequence s.q start = 5");
    let name = ObjectName::qualified("DB", "S", "Q");
    let id = bench.session.describe(&name).unwrap().unwrap().id;
    let target = OwnershipTarget::Object { kind: ObjectKind::Sequence, name };
    let ddl = Command::Ddl(Ddl::GrantOwnership { target, id, role: "OTHER".to_owned() });
    drop(bench.session.execute(&ddl, &bench.context).unwrap());
    bench.run("alter schema s rename to t");
    let sequence = bench.session.describe(&ObjectName::qualified("DB", "T", "Q")).unwrap().unwrap();
    assert_eq!((sequence.owner.as_str(), sequence.id), ("OTHER", id));
    bench.check("select t.q.nextval", r#"["5"]"#);
}

#[test]
fn routines_are_handed_over_with_the_rest() {
    let mut bench = Bench::new();
    bench.run(FUNCTION);
    bench.engine.hand_over(FormerOwner::Renamed("ACCOUNTADMIN"), "OTHER", i64::MAX).unwrap();
    assert_eq!(bench.session.routines("DB").unwrap()[0].owner, "OTHER");
}

#[test]
fn what_a_dropped_role_owned_in_a_managed_schema_goes_to_the_schema_s_owner() {
    let mut bench = Bench::new();
    bench.run("create schema managed with managed access");
    bench.run("create view managed.v as select 1 as a");
    bench.run("create view public.v as select 1 as a");
    let target = OwnershipTarget::Schema(SchemaName { database: Some("DB".to_owned()), schema: "MANAGED".to_owned() });
    let schemas = bench.session.schemas("DB").unwrap();
    let id = schemas.iter().find(|schema| schema.name == "MANAGED").unwrap().id;
    let ddl = Command::Ddl(Ddl::GrantOwnership { target, id, role: "MANAGER".to_owned() });
    drop(bench.session.execute(&ddl, &bench.context).unwrap());
    let owner = |bench: &Bench, schema: &str| {
        bench.session.describe(&ObjectName::qualified("DB", schema, "V")).unwrap().unwrap().owner.clone()
    };
    bench.engine.hand_over(FormerOwner::Renamed("ACCOUNTADMIN"), "FORMER", i64::MAX).unwrap();
    assert_eq!((owner(&bench, "MANAGED"), owner(&bench, "PUBLIC")), ("FORMER".to_owned(), "FORMER".to_owned()));
    bench.engine.hand_over(FormerOwner::Dropped("FORMER"), "HEIR", i64::MAX).unwrap();
    assert_eq!((owner(&bench, "MANAGED"), owner(&bench, "PUBLIC")), ("MANAGER".to_owned(), "HEIR".to_owned()));
}
