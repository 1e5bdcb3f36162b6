//! Names before and after resolution, and what is noted as used.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use super::{Access, UsedKind, Uses, resolve};
use crate::command::{Command, Ddl, Scope, TableSource};
use crate::names::Namespace;
use crate::privileges::Privilege;
use crate::testing::parse;
use crate::{Failure, Statement};

fn resolved(text: &str) -> Result<(Statement, Uses), Failure> {
    let namespace = Namespace { database: Some("D".into()), schema: Some("S".into()) };
    let mut statement = parse(text)?;
    let uses = resolve(&mut statement, &namespace)?;
    Ok((statement, uses))
}

fn check(before: &str, after: &str) {
    let (statement, _) = resolved(before).unwrap();
    let printed = match statement.command {
        Command::Query(query) => query.to_string(),
        Command::Dml(dml) => dml.statement.to_string(),
        Command::Ddl(Ddl::CreateView(view)) => view.query.to_string(),
        Command::Ddl(Ddl::CreateTable(table)) => match (table.source, &table.columns[..]) {
            (TableSource::Query(query), _) => query.to_string(),
            (_, [column, ..]) => column.default.as_ref().unwrap().to_string(),
            _ => panic!("{before}"),
        },
        other => panic!("{before}: {other:?}"),
    };
    assert_eq!(printed, after, "{before}");
}

fn uses(text: &str) -> Vec<String> {
    let (_, uses) = resolved(text).unwrap();
    let objects = uses.objects.iter().map(|used| format!("{:?} {:?} {}", used.access, used.kind, used.name));
    let schemas = uses.schemas.iter().map(|used| format!("{:?} Schema {}", used.access, used.name));
    let databases = uses.databases.iter().map(|used| format!("{:?} Database {}", used.access, used.name));
    objects.chain(schemas).chain(databases).collect()
}

fn check_uses(text: &str, expected: &[&str]) {
    assert_eq!(uses(text), expected, "{text}");
}

#[test]
fn relations_become_three_quoted_names_and_identifiers_fold() {
    check("select a, \"b\", t.C from t", r#"SELECT "A", "b", "T"."C" FROM "D"."S"."T""#);
    check("select x.t.a, d2.x.t.a from d2.x.t", r#"SELECT "X"."T"."A", "D2"."X"."T"."A" FROM "D2"."X"."T""#);
    check("select 1 as one from d2..t", r#"SELECT 1 AS "ONE" FROM "D2"."PUBLIC"."T""#);
    check("select * from \"file.csv\" as f", r#"SELECT * FROM "D"."S"."file.csv" AS "F""#);
    check("select * from identifier('x.\"t\"')", r#"SELECT * FROM "D"."X"."t""#);
    check(
        "select * from information_schema.tables where table_name = 'X'",
        r#"SELECT * FROM "D"."INFORMATION_SCHEMA"."TABLES" WHERE "TABLE_NAME" = 'X'"#,
    );
    check(
        "select count(*) as n from t a join u b using (id)",
        r#"SELECT COUNT(*) AS "N" FROM "D"."S"."T" "A" JOIN "D"."S"."U" "B" USING("ID")"#,
    );
    check("select v:Key.b, v['K'] from t", r#"SELECT "V":Key.b AS "V:KEY.B", "V"['K'] AS "V['K']" FROM "D"."S"."T""#);
    check("select cast(a as timestamp_ltz) as a", r#"SELECT CAST("A" AS TIMESTAMP_LTZ(9)) AS "A""#);
    check("select dateadd(day, 1, day) as x from t", r#"SELECT DATEADD('day', 1, "DAY") AS "X" FROM "D"."S"."T""#);
    check(
        "select current_date as x, a.* exclude (b) from t a",
        r#"SELECT CURRENT_DATE AS "X", "A".* EXCLUDE ("B") FROM "D"."S"."T" "A""#,
    );
    check("select exists (select 1 as y from u) as x", r#"SELECT EXISTS (SELECT 1 AS "Y" FROM "D"."S"."U") AS "X""#);
}

#[test]
fn dml_targets_are_resolved() {
    check("insert into t (a, t.b) values (1, default)", r#"INSERT INTO "D"."S"."T" ("A", "B") VALUES (1, DEFAULT)"#);
    check("insert into x.t select * from t", r#"INSERT INTO "D"."X"."T" SELECT * FROM "D"."S"."T""#);
    check(
        "update t set a = u.a from u where t.id = u.id",
        r#"UPDATE "D"."S"."T" SET "A" = "U"."A" FROM "D"."S"."U" WHERE "T"."ID" = "U"."ID""#,
    );
    check(
        "delete from t using u where t.a = u.a",
        r#"DELETE FROM "D"."S"."T" USING "D"."S"."U" WHERE "T"."A" = "U"."A""#,
    );
    check(
        "merge into t using u on t.a = u.a when matched then update set t.b = 1 when not matched then insert (a) values (u.a)",
        r#"MERGE INTO "D"."S"."T" USING "D"."S"."U" ON "T"."A" = "U"."A" WHEN MATCHED THEN UPDATE SET "B" = 1 WHEN NOT MATCHED THEN INSERT ("A") VALUES ("U"."A")"#,
    );
    check("truncate table if exists t", r#"TRUNCATE TABLE IF EXISTS "D"."S"."T""#);
}

#[test]
fn ctes_are_seen_where_they_are_visible_only() {
    check("with x as (select 1 as a) select a from x", r#"WITH "X" AS (SELECT 1 AS "A") SELECT "A" FROM "X""#);
    check(
        "with x as (select * from y), y as (select * from x) select * from y, z",
        r#"WITH "X" AS (SELECT * FROM "D"."S"."Y"), "Y" AS (SELECT * FROM "X") SELECT * FROM "Y", "D"."S"."Z""#,
    );
    check(
        "with t as (select * from t) select * from t",
        r#"WITH "T" AS (SELECT * FROM "D"."S"."T") SELECT * FROM "T""#,
    );
    check(
        "with t as (select 1 as a union all select a + 1 as a from t where a < 9) select * from t",
        r#"WITH RECURSIVE "T" AS (SELECT 1 AS "A" UNION ALL SELECT "A" + 1 AS "A" FROM "T" WHERE "A" < 9) SELECT * FROM "T""#,
    );
    check(
        "select * from (with x as (select 1 as a) select * from x) q, x",
        r#"SELECT * FROM (WITH "X" AS (SELECT 1 AS "A") SELECT * FROM "X") "Q", "D"."S"."X""#,
    );
    check(
        "with x as (select 1 as a) select (select max(a) from x) as m, s.x.a from s.x",
        r#"WITH "X" AS (SELECT 1 AS "A") SELECT (SELECT MAX("A") AS "MAX(A)" FROM "X") AS "M", "S"."X"."A" FROM "D"."S"."X""#,
    );
    check(
        "with x as (with y as (select 1 as a) select * from y) select * from x, y",
        r#"WITH "X" AS (WITH "Y" AS (SELECT 1 AS "A") SELECT * FROM "Y") SELECT * FROM "X", "D"."S"."Y""#,
    );
}

#[test]
fn sequences_become_calls_with_their_whole_name() {
    check("select q.nextval", r#"SELECT NEXTVAL('"D"."S"."Q"') AS "NEXTVAL""#);
    check("select d2.x.\"q'\".nextval as n", r#"SELECT NEXTVAL('"D2"."X"."q''"') AS "N""#);
    check("create table t (a int default q.nextval)", r#"NEXTVAL('"D"."S"."Q"')"#);
    check_uses("insert into t select q.nextval", &["Write Table D.S.T", "Read Sequence D.S.Q"]);
    assert_eq!(resolved("select nextval('\"D2\".\"S\".\"Q\"')").unwrap_err().code, "002139");
}

#[test]
fn uses_are_noted() {
    check_uses("select * from t, t, u", &["Read Relation D.S.T", "Read Relation D.S.U"]);
    check_uses("update t set a = (select max(a) from t)", &["Write Table D.S.T", "Read Relation D.S.T"]);
    check_uses("create table t as select * from x.u", &["Create Table D.S.T", "Read Relation D.X.U"]);
    check_uses("create table t like u", &["Create Table D.S.T", "Read Table D.S.U"]);
    check_uses(
        "create table t (a int references u, b int references t (a))",
        &["Create Table D.S.T", "Read Table D.S.U"],
    );
    check_uses("create view v as select 1 as a", &["Create View D.S.V"]);
    check_uses("alter table t rename to x.u", &["Change Table D.S.T", "Create Table D.X.U"]);
    check_uses("drop view x.v", &["Drop View D.X.V"]);
    check_uses("create schema x", &["Create Schema D.X"]);
    check_uses("drop database z", &["Drop Database Z"]);
    check_uses("show tables in database", &["Read Database D"]);
    check_uses("show tables in schema", &["Read Schema D.S"]);
    check_uses("show columns in table x.t", &["Read Relation D.X.T"]);
    check_uses("describe table t", &["Read Relation D.S.T"]);
    check_uses("describe schema x", &["Read Schema D.X"]);
    check_uses("use schema x", &["Read Schema D.X"]);
    check_uses("grant ownership on table t to role r", &[]);
    check_uses("create or replace table t (a int)", &["Replace Table D.S.T"]);
    check_uses("comment on column t.c is 'x'", &["Change Table D.S.T"]);
    check_uses("describe user u", &[]);
}

#[test]
fn a_scope_without_a_name_is_the_sessions_own() {
    let (statement, _) = resolved("show views in schema").unwrap();
    let Command::Show(show) = statement.command else { panic!("no SHOW") };
    assert!(matches!(show.scope, Scope::Schema(name) if name.to_string() == "D.S"));
}

#[test]
fn names_of_others_do_not_exist() {
    for text in [
        "select * from '/etc/passwd'",
        "select * from d.__firn.columns",
        "select * from d.\"__firn\".columns",
        "select * from memory.main.t",
        "select * from \"system\".information_schema.tables",
        "insert into temp.main.t values (1)",
        "create schema __firn",
        "drop database temp",
        "use database memory",
        "select a.b.c.d.nextval",
        "select * from a.b.c.d",
    ] {
        let failure = resolved(text).unwrap_err();
        assert_eq!(failure.code, "002003", "{text}: {}", failure.message);
    }
    assert_eq!(resolved("create view v as select $1 as a from @stage").unwrap_err().code, "000002");
}

#[test]
fn a_session_without_a_namespace_says_so() {
    for (text, code) in [("select * from t", "090105"), ("select * from s.t", "090105"), ("create schema s", "090105")]
    {
        let mut statement = parse(text).unwrap();
        assert_eq!(resolve(&mut statement, &Namespace::default()).unwrap_err().code, code, "{text}");
    }
    let only_database = Namespace { database: Some("D".into()), schema: None };
    let mut statement = parse("select * from t").unwrap();
    assert_eq!(resolve(&mut statement, &only_database).unwrap_err().code, "090106");
    let mut statement = parse("select * from d.s.t").unwrap();
    let uses = resolve(&mut statement, &Namespace::default()).unwrap();
    assert_eq!((uses.objects[0].access, uses.objects[0].kind), (Access::Read, UsedKind::Relation));
}

/// The privileges that the first use of the statement needs.
fn needs(text: &str) -> Vec<&'static str> {
    let (_, uses) = resolved(text).unwrap();
    let needed = uses.objects.first().map(|used| used.needs);
    let needed = needed.or(uses.schemas.first().map(|used| used.needs));
    let needed = needed.or(uses.databases.first().map(|used| used.needs)).unwrap();
    let all = Privilege::EVERY.iter().filter(|privilege| needed.contains(**privilege));
    all.map(|privilege| privilege.words()).collect()
}

#[test]
fn uses_need_privileges() {
    let cases: &[(&str, &[&str])] = &[
        ("select * from t", &["SELECT"]),
        ("select q.nextval", &["USAGE"]),
        ("describe table t", &[]),
        ("insert into t values (1)", &["INSERT"]),
        ("insert overwrite into t values (1)", &["DELETE", "INSERT"]),
        ("update t set a = 1", &["SELECT", "UPDATE"]),
        ("delete from t", &["DELETE"]),
        ("delete from t where a = 1", &["DELETE", "SELECT"]),
        ("truncate table t", &["TRUNCATE"]),
        ("merge into t using u on t.a = u.a when matched then delete", &["DELETE", "SELECT"]),
        (
            "merge into t using u on t.a = u.a when matched then update set a = 1 when not matched then insert values (1)",
            &["INSERT", "SELECT", "UPDATE"],
        ),
        ("create table t (a int)", &["CREATE TABLE"]),
        ("create temporary table t (a int)", &[]),
        ("create view v as select 1 as a", &["CREATE VIEW"]),
        ("create materialized view v as select 1 as a", &["CREATE MATERIALIZED VIEW"]),
        ("create sequence q", &["CREATE SEQUENCE"]),
        ("create stage g", &["CREATE STAGE"]),
        ("create file format f type = csv", &["CREATE FILE FORMAT"]),
        ("create function f() returns int as '1'", &["CREATE FUNCTION"]),
        ("create schema x", &["CREATE SCHEMA"]),
        ("create database x", &["CREATE DATABASE"]),
        ("alter table t add column b int", &["OWNERSHIP"]),
        ("alter schema x set comment = 'c'", &["MODIFY"]),
        ("alter schema x rename to y", &["OWNERSHIP"]),
        ("drop table t", &["OWNERSHIP"]),
        ("drop database x", &["OWNERSHIP"]),
        ("use schema x", &["USAGE"]),
        ("list @g", &["READ"]),
        ("remove @g", &["WRITE"]),
        ("list @%t", &["OWNERSHIP"]),
        ("copy into @g from t", &["WRITE"]),
    ];
    for (text, expected) in cases {
        assert_eq!(needs(text), *expected, "{text}");
    }
}

#[test]
fn names_in_a_view_are_those_of_its_schema() {
    check("create view x.v as select a from t", r#"SELECT "A" FROM "D"."X"."T""#);
}
