//! Sessions end to end: DDL, DML, transactions and queries as the dialect has them.

use super::testing::Bench;

#[test]
fn tables_are_made_filled_changed_and_dropped() {
    let mut bench = Bench::new();
    bench.check("create table t (a int, b varchar(3) not null)", "Table T successfully created.");
    bench.check("create table t (a int)", "002002 SQL compilation error:\nObject 'T' already exists.");
    bench.check("create table if not exists t (a int)", "T already exists, statement succeeded.");
    bench.check("insert into t values (1, 'x'), (2, 'y')", "inserted 2");
    bench.check("insert into t values (3, 'long')", "100078 String 'long' is too long and would be truncated");
    bench.check("insert into t select 3, 'long'", "100078 String 'long' is too long and would be truncated");
    bench.check("insert into t (a) values (3)", "100072 NULL result in a non-nullable column");
    bench.check("update t set a = a + 10 where b = 'x'", "updated 1");
    bench.check("delete from t where a = 2", "deleted 1");
    bench.check("select * from t", r#"["11","x"]"#);
    bench.check("select z from t", "000904 SQL compilation error: error line 1 at position 7\ninvalid identifier 'Z'");
    bench.check("drop table t", "T successfully dropped.");
    bench.check("drop table t", "002003 SQL compilation error:\nTable 'DB.PUBLIC.T' does not exist or not authorized.");
    bench.check("drop table if exists t", "Drop statement executed successfully (T already dropped).");
}
