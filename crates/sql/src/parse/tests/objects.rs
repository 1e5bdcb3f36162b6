//! Databases, schemas, tables, views, sequences, DML, transactions, sessions.

use super::{check, refused};

#[test]
fn databases_and_schemas() {
    check(
        "create database d",
        &[
            "CreateDatabase { name: D, mode: New, clone_of: None, link: None, comment: None, retention_days: None, tags: [] }",
        ],
    );
    check("create or replace transient database \"d\" clone x", &["name: d, mode: OrReplace, clone_of: Some(X)"]);
    check("create database if not exists d data_retention_time_in_days = 1 comment = 'x'", &["IfNotExists", "Some(x)"]);
    check(
        "alter database if exists d rename to e",
        &["AlterDatabase { name: D, if_missing: Skip, change: Rename(E) }"],
    );
    check("alter database d set comment = 'x'", &["SetComment(Some(x))"]);
    check("alter database d unset comment", &["SetComment(None)"]);
    check("drop database if exists d cascade", &["DropDatabase { name: D, if_missing: Skip }"]);
    check(
        "create schema d.s with managed access",
        &["CreateSchema { name: SchemaName { database: Some(D), schema: S }"],
    );
    check("create schema if not exists s clone t comment = 'c'", &["IfNotExists, clone_of: Some({ T })", "Some(c)"]);
    check("alter schema d.s rename to d.t", &["Rename(T)"]);
    check("drop schema s restrict", &["refuse_if_filled: true"]);
    check("drop schema s", &["refuse_if_filled: false"]);
}

#[test]
fn tables() {
    check("create table t (a int)", &["CreateTable { name: { T }, mode: New, persistence: Permanent", "Integer"]);
    check("create or replace transient table d.s.t (a int)", &["OrReplace, persistence: Transient"]);
    for word in ["temporary", "temp", "volatile", "local temp", "global temporary"] {
        check(&format!("create {word} table if not exists t (a int)"), &["IfNotExists, persistence: Temporary"]);
    }
    check(
        "create table t (
            id number(10,0) not null autoincrement start 5 increment 2 noorder primary key,
            \"n\" varchar(20) default 'a' not null comment 'name',
            p int identity(10, -1), d timestamp_ntz default current_timestamp(),
            u string unique, f int constraint fk references x.p (id) on delete cascade not enforced,
            e float default -1.5 null, s int default q.nextval,
            constraint pk primary key (id, \"n\") rely, unique (u), foreign key (f) references p (id) match full
        ) cluster by (id, to_date(d)) data_retention_time_in_days = 1 change_tracking = true copy grants comment = 'all'",
        &[
            "name: ID, data_type: Some(Number { precision: 10, scale: 0 }), not_null: true",
            "autoincrement: Some(Autoincrement { start: 5, increment: 2 })",
            "name: n, data_type: Some(Varchar { length: Some(20) }), not_null: true",
            "comment: Some(name)",
            "Autoincrement { start: 10, increment: -1 }",
            "TableConstraint { name: None, columns: [ID], kind: PrimaryKey }",
            "TableConstraint { name: Some(FK), columns: [F], kind: ForeignKey",
            "TableConstraint { name: Some(PK), columns: [ID, n], kind: PrimaryKey }",
            "TableConstraint { name: None, columns: [U], kind: Unique }",
            "comment: Some(all)",
        ],
    );
    check("create table t as select 1 as a", &["source: Query"]);
    check("create table t (a, b) as select 1, 2", &["name: A, data_type: None", "source: Query"]);
    check("create table t like d.s.u", &["source: Like(ObjectName { database: Some(D), schema: Some(S), name: U })"]);
    check("create table t clone u copy grants", &["source: Clone({ U })"]);
    refused("create table t", "001003", "unexpected '<EOF>'");
    refused("create table t (a)", "001003", "'A' needs a data type");
    refused("create table t (a int check (a > 1))", "000002", "CHECK");
    check("create table t (a int masking policy p) row access policy r on (a)", &["SetMasking", "AddRowAccess"]);
    refused("create table t (a int) stage_file_format = (type = csv)", "000002", "STAGE_FILE_FORMAT");
}

#[test]
fn changes_of_tables() {
    for (change, expected) in [
        ("rename to u", "Rename({ U })"),
        ("swap with u", "SwapWith({ U })"),
        ("add column a int, b string default 'x'", "AddColumns { columns: [ColumnDefinition { name: A"),
        ("add if not exists a int", "if_not_exists: true"),
        ("add constraint k unique (a)", "AddConstraint(TableConstraint { name: Some(K), columns: [A], kind: Unique })"),
        ("drop column if exists a, b", "DropColumns { columns: [A, B], if_exists: true }"),
        ("drop primary key", "DropConstraint(PrimaryKey)"),
        ("drop constraint k cascade", "DropConstraint(Named(K))"),
        ("drop foreign key (a)", "DropConstraint(ForeignKey([A]))"),
        ("rename column a to b", "RenameColumn { from: A, to: B }"),
        ("alter column a set not null", "SetNotNull(A)"),
        ("modify a drop not null", "DropNotNull(A)"),
        ("alter a set default 1 + 1", "SetDefault { column: A"),
        ("alter column a drop default", "DropDefault(A)"),
        (
            "alter a set data type number(20,2)",
            "SetDataType { column: A, data_type: Number { precision: 20, scale: 2 } }",
        ),
        ("modify column a varchar(50)", "SetDataType { column: A, data_type: Varchar { length: Some(50) } }"),
        ("alter column a comment 'x'", "SetColumnComment { column: A, comment: Some(x) }"),
        ("set comment = 'x'", "SetComment(Some(x))"),
        ("unset comment", "SetComment(None)"),
        ("set data_retention_time_in_days = 3", "SetRetention(Some(3))"),
        ("cluster by (a)", "SetClustering(Some(A))"),
        ("drop clustering key", "SetClustering(None)"),
    ] {
        check(&format!("alter table if exists t {change}"), &["name: { T }, if_missing: Skip", expected]);
    }
    check("alter table t modify (column a int, column b int)", &["Several([SetDataType"]);
    check("alter table t set tag x = 'y', s.z = 'w'", &["Tags { column: None", "value: Some(y)", "schema: Some(S)"]);
    check(
        "alter table t alter a set tag x = 'y', column b unset tag x, z",
        &["column: Some(A)", "column: Some(B)", "name: { Z }"],
    );
    check("create table tag (tag int) tag (x = 'y')", &["Tags { column: None"]);
    check("create warehouse w with tag (x = 'y') comment = 'c'", &["CreateWarehouse", "Tags", "value: Some(y)"]);
    check("alter warehouse if exists w unset tag x", &["if_missing: Skip", "value: None"]);
    check("alter tag t set masking policy p, masking policy q force", &["SetTagPolicies", "force: true"]);
}

#[test]
fn views_and_sequences() {
    check(
        "create or replace secure view v (a, \"b\") copy grants comment = 'c' as select 1, 2",
        &[
            "CreateView { name: { V }, mode: OrReplace, or_alter: false, persistence: Permanent, columns: [ViewColumn { name: A, comment: None }, ViewColumn { name: b",
            "comment: Some(c)",
            "text: create or replace secure",
        ],
    );
    check("create view if not exists v as with x as (select 1 as a) select * from x", &["IfNotExists"]);
    check("alter view v rename to w", &["Rename({ W })"]);
    check("alter view v set comment = 'x'", &["SetComment(Some(x))"]);
    refused("create materialized table t (a int)", "000002", "CREATE MATERIALIZED TABLE");
    check("create or replace temporary view v as select 1", &["persistence: Temporary"]);
    refused("create view v (a, b) partition by (a) as select 1, 2", "000002", "PARTITION BY on views");
    refused("create view v (a partition by, b) as select 1, 2", "000002", "PARTITION BY on views' columns");
    refused("create transient view v as select 1", "000002", "CREATE TRANSIENT VIEW");
    refused("create temporary materialized view v as select 1", "000002", "CREATE TEMPORARY MATERIALIZED VIEW");
    check("create sequence q", &["start: 1, increment: 1 }, order: Ordered, comment: None"]);
    check(
        "create or replace sequence q start with = 5 increment by -2 order comment = 'x'",
        &["OrReplace, numbering: Autoincrement { start: 5, increment: -2 }, order: Ordered, comment: Some(x)"],
    );
    check(
        "create sequence if not exists q start 5, increment 3",
        &["IfNotExists, numbering: Autoincrement { start: 5, increment: 3 }"],
    );
    check("alter sequence q set increment by 4", &["SetIncrement(4)"]);
    check("drop sequence if exists q", &["Drop { kind: Sequence, name: { Q }, if_missing: Skip }"]);
    refused("create sequence q increment 0", "001007", "INCREMENT");
}

#[test]
fn queries_and_dml() {
    for text in ["select 1", "with x as (select 1) select * from x", "(select 1) union (select 2)", "values (1), (2)"] {
        check(text, &["Query"]);
    }
    check("insert into d.s.t values (1)", &["Insert D.S.T"]);
    check("insert into t (a) select 1", &["Insert T"]);
    check("insert overwrite into t select 1", &["Overwrite T"]);
    check("update \"t\" x set a = 1", &["Update \"t\"".replace('"', "").as_str()]);
    check("delete from t where a = 1", &["Delete T"]);
    check("merge into t using u on t.a = u.a when matched then delete", &["Merge T"]);
    check("truncate t", &["Truncate T"]);
    check("truncate table if exists t", &["Truncate T"]);
    refused("delete from t returning *", "000002", "RETURNING");
    refused("insert into t select 1 returning a", "000002", "RETURNING");
}

#[test]
fn transactions_and_sessions() {
    for text in ["begin", "begin work", "begin transaction name x", "start transaction", "start transaction name x"] {
        check(text, &["Transaction(Begin)"]);
    }
    check("commit work", &["Transaction(Commit)"]);
    check("rollback", &["Transaction(Rollback)"]);
    refused("begin select 1", "001003", "unexpected '1'");
    check("use d", &["UseDatabase(D)"]);
    check("use database \"d\"", &["UseDatabase(d)"]);
    check("use d.s", &["UseSchema(SchemaName { database: Some(D), schema: S })"]);
    check("use schema s", &["UseSchema({ S })"]);
    check("use role r", &["UseRole(R)"]);
    check("use warehouse w", &["UseWarehouse(W)"]);
    refused("use secondary roles r", "000002", "USE SECONDARY ROLES");
    check(
        "alter session set timezone = 'UTC', rows_per_resultset = 5 query_tag='x'",
        &["SetParameters([(TIMEZONE, UTC), (ROWS_PER_RESULTSET, 5), (QUERY_TAG, x)])"],
    );
    check("alter session unset timezone, query_tag", &["UnsetParameters([TIMEZONE, QUERY_TAG])"]);
}

#[test]
fn comments_and_ownership() {
    check("comment on table t is 'x'", &["Comment { target: Object { kind: Table, name: { T } }, if_missing: Fail"]);
    check("comment if exists on column s.t.c is 'x'", &["Column { table: ObjectName", "column: C }, if_missing: Skip"]);
    check("comment on database d is 'x'", &["Database(D)"]);
    check("comment on user u is 'x'", &["AlterUser { name: U", "COMMENT"]);
    check("grant ownership on view v to role r copy current grants", &["kind: Of(View), names: [Object({ V })]"]);
    check("grant ownership on warehouse w to role r", &["kind: Of(Warehouse), names: [OfAccount(W)]"]);
    refused("grant ownership on task t to role r", "000002", "TASK");
}

#[test]
fn policies_are_read_with_their_bodies_as_written() {
    check(
        "create or replace masking policy p as (v varchar, o boolean) returns varchar -> case when o then v end \
         comment = 'c' exempt_other_policies = true",
        &["kind: MaskingPolicy", "body: case when o then v end", "comment: Some(c)"],
    );
    check("create row access policy p as (a int) returns boolean -> a > 1", &["kind: RowAccessPolicy", "body: a > 1"]);
    check("alter masking policy p set body -> upper(v)", &["SetBody(upper(v), [])"]);
    check("alter table t alter a set masking policy p using (a, b) force", &["using: [A, B]", "force: true"]);
    check("alter table t drop row access policy p, add row access policy q on (a)", &["DropRowAccess", "AddRowAccess"]);
    check("alter view v drop all row access policies", &["DropAllRowAccess"]);
    refused("create masking policy p as () returns int -> 1", "001003", "at least one argument");
    refused("create masking policy p as (a int) returns varchar -> 'x'", "001003", "returns the type");
    refused("create row access policy p as (a int) returns int -> 1", "001003", "returns BOOLEAN");
}
