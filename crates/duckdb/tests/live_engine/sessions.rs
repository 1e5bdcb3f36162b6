//! Sessions among others: databases, concurrent writers, ownership, origins.

use std::{fs, thread};

use firn_engine::{Engine, Outcome};
use firn_sql::ObjectName;

use crate::bench::{Bench, context, prepare, run};

#[test]
fn a_database_is_renamed_with_all_that_refers_to_it() {
    let mut bench = Bench::new();
    bench.run("create sequence s start = 5");
    bench.run("create table t (id int autoincrement, n int default s.nextval, v varchar)");
    bench.run("insert into t (v) values ('a')");
    bench.run("create view w as select id, n, t.v from db.public.t");
    bench.engine.rename_database("DB", "DB2").unwrap();
    bench.check("insert into db2.public.t (v) values ('b')", "inserted 1");
    bench.check("select * from db2.public.t order by id", r#"["1","5","a"],["2","6","b"]"#);
    assert!(bench.run("select * from db2.public.w").starts_with("002037"), "what a view names stays as it was written");
    assert!(bench.session.describe(&ObjectName::qualified("DB", "PUBLIC", "T")).unwrap().is_none());
}

#[test]
fn a_database_survives_being_detached() {
    let mut bench = Bench::new();
    bench.run("create table t (id int autoincrement, v varchar(3)); insert into t (v) values ('a')");
    let file = bench.folder.path().join("db.firn");
    bench.engine.checkpoint().unwrap();
    bench.engine.detach_database("DB").unwrap();
    bench.check("select * from t", "002003 SQL compilation error:\nDatabase 'DB' does not exist or not authorized.");
    bench.engine.attach_database("DB", &file, 1).unwrap();
    bench.check("insert into t (v) values ('b'); select * from t order by id", r#"["1","a"],["2","b"]"#);
}

/// What a statement left that failed on a full disk is past the last block; rows that are in blocks and only the log refers to
/// are not.
#[test]
fn a_file_with_blocks_that_nobody_knows_is_shortened() {
    let mut bench = Bench::new();
    bench.run("create table t (n int, a int, b int)");
    bench.engine.checkpoint().unwrap();
    bench.run("insert into t select seq4(), random(), random() from table(generator(rowcount => 500000))");
    let crashed = |ending: &str| bench.folder.path().join(format!("db.firn{ending}"));
    let copied = |ending: &str| bench.folder.path().join(format!("copy.firn{ending}"));
    for ending in ["", ".wal"] {
        fs::copy(crashed(ending), copied(ending)).unwrap();
    }
    let needed = copied("").metadata().unwrap().len();
    assert!(needed > 4 << 20, "the rows are in blocks: {needed}");
    fs::OpenOptions::new().write(true).open(copied("")).unwrap().set_len(needed + (64 << 20)).unwrap();
    bench.engine.attach_database("COPY", &copied(""), 1).unwrap();
    assert!(copied("").metadata().unwrap().len() < needed + (8 << 20));
    bench.check("select count(*), sum(n) from copy.public.t", r#"["500000","124999750000"]"#);
    bench.check("insert into copy.public.t select * from db.public.t", "inserted 500000");
    bench.check("select count(distinct hash(*)) from copy.public.t", r#"["500000"]"#);
}

#[test]
fn a_database_is_cloned_whole() {
    let mut bench = Bench::new();
    bench.run("create table t (id int autoincrement, v varchar); insert into t (v) values ('a')");
    bench.run("create schema s; create view s.w as select v from db.public.t; create sequence s.q start = 3");
    bench.engine.clone_database("DB", "COPY", &bench.folder.path().join("copy.firn"), "OTHER", (1, 2)).unwrap();
    bench.check("insert into copy.public.t (v) values ('b')", "inserted 1");
    bench.check("select v from copy.public.t order by v", r#"["a"],["b"]"#);
    bench.check("select v from db.public.t", r#"["a"]"#);
    bench.check("select v from copy.s.w", r#"["a"]"#);
    bench.check("select copy.s.q.nextval", r#"["3"]"#);
}

#[test]
fn writers_of_one_table_wait_their_turn() {
    let mut bench = Bench::new();
    bench.run("create table t (a int, n int); insert into t select 1, 0");
    let engine = &bench.engine;
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut session = engine.open_session().unwrap();
                for _ in 0..10 {
                    assert_eq!(run(&mut *session, &context(), "update t set n = n + 1 where a = 1"), "updated 1");
                    assert_eq!(run(&mut *session, &context(), "insert into t values (2, 0)"), "inserted 1");
                }
            });
        }
    });
    bench.check("select n from t where a = 1", r#"["40"]"#);
    bench.check("select count(*) from t", r#"["41"]"#);
}

#[test]
fn transactions_that_reserve_never_wait_for_each_other() {
    let mut bench = Bench::new();
    bench.run("create table a (n int); create table b (n int); insert into a values (0); insert into b values (0)");
    let engine = &bench.engine;
    let tables = |names: [&str; 2]| names.map(|name| ObjectName::qualified("DB", "PUBLIC", name));
    thread::scope(|scope| {
        for (first, second) in [("A", "B"), ("B", "A")] {
            scope.spawn(move || {
                let mut session = engine.open_session().unwrap();
                for _ in 0..10 {
                    session.reserve(&tables([first, second])).unwrap();
                    let script = format!("begin; update {first} set n = n + 1; update {second} set n = n + 1; commit");
                    assert_eq!(run(&mut *session, &context(), &script), "Statement executed successfully.");
                }
            });
        }
    });
    bench.check("select a.n, b.n from a, b", r#"["20","20"]"#);
}

#[test]
fn tables_are_made_by_many_at_once() {
    let mut bench = Bench::new();
    let engine = &bench.engine;
    thread::scope(|scope| {
        for worker in 0..4 {
            scope.spawn(move || {
                let mut session = engine.open_session().unwrap();
                for index in 0..8 {
                    let script =
                        format!("create table t{worker}_{index} (a int); insert into t{worker}_{index} values (1)");
                    assert_eq!(run(&mut *session, &context(), &script), "inserted 1");
                }
            });
        }
    });
    bench.check("select count(*) from information_schema.tables", r#"["32"]"#);
}

#[test]
fn temporary_tables_are_their_session_s_own() {
    let mut bench = Bench::new();
    bench.run("create temporary table t (a int); insert into t values (1)");
    let mut other = bench.engine.open_session().unwrap();
    assert!(run(&mut *other, &context(), "select * from t").starts_with("002003"));
    assert_eq!(bench.session.objects("DB", None).unwrap().len(), 1);
    assert_eq!(other.objects("DB", None).unwrap().len(), 0);
}

#[test]
fn information_schema_shows_what_a_role_owns() {
    let mut bench = Bench::new();
    bench.run("create table mine (a int)");
    bench.context.role = "ANALYST".to_owned();
    bench.run("create table theirs (a int)");
    bench.context.visible_owners = Some(vec!["ANALYST".to_owned()]);
    bench.context.granted_schemas = bench.session.schemas("DB").unwrap().iter().map(|schema| schema.id).collect();
    bench.check("select table_name from information_schema.tables", r#"["THEIRS"]"#);
    bench.context.visible_owners = Some(vec!["NOBODY".to_owned()]);
    bench.check("select count(*) from information_schema.tables", r#"["0"]"#);
}

/// The origin of every column of a query: `NAME < TABLE, length, nullable`.
fn origins(bench: &mut Bench, query: &str) -> String {
    let statement = prepare(query).unwrap().remove(0);
    let outcome = bench.session.execute(&statement.command, &context()).unwrap();
    let Outcome::Rows(rows) = outcome else { return String::new() };
    let origins: Vec<String> = rows
        .columns()
        .iter()
        .map(|column| {
            let nullable = if column.nullable { "null" } else { "not null" };
            format!("{} < {} {} {nullable}", column.name, column.table, column.length.unwrap_or_default())
        })
        .collect();
    origins.join(", ")
}

#[test]
fn columns_know_where_they_come_from() {
    let mut bench = Bench::new();
    bench.run("create table t (a varchar(3) not null, b varchar(5)); create table u (c varchar(7) not null)");
    for (query, expected) in [
        ("select a, b as x from t", "A < T 3 not null, X < T 5 null"),
        ("select * from t, u", "A < T 3 not null, B < T 5 null, C < U 7 not null"),
        ("select q.a from (select * from t) q", "A < T 3 not null"),
        ("with c as (select b from t) select * from c", "B < T 5 null"),
        ("select u.c from t left join u on t.a = u.c", "C < U 7 null"),
        ("select upper(a) as a from t", "A <  134217728 null"),
        ("select a from t union all select c from u", "A <  7 null"),
    ] {
        assert_eq!(origins(&mut bench, query), expected, "{query}");
    }
}

#[test]
fn descriptions_follow_changes() {
    let mut bench = Bench::new();
    let name = ObjectName::qualified("DB", "PUBLIC", "T");
    let columns = |bench: &Bench| {
        let described = bench.session.describe(&name).unwrap();
        described.map(|table| table.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>().join(","))
    };
    assert_eq!(columns(&bench), None);
    bench.run("create table t (a int, b varchar)");
    assert_eq!(columns(&bench).as_deref(), Some("A,B"));
    bench.run("alter table t add column c int");
    assert_eq!(columns(&bench).as_deref(), Some("A,B,C"));
    bench.run("create or replace table t (z int)");
    assert_eq!(columns(&bench).as_deref(), Some("Z"));
    bench.run("drop table t");
    assert_eq!(columns(&bench), None);
}
