//! Measurements, run by hand: `cargo test --release --workspace --test live_engine speed -- --ignored --nocapture`.

use std::sync::Arc;
use std::time::Instant;

use firn_duckdb_lower::dialect::{self, RewriteContext, Visibility};
use firn_duckdb_lower::lookup::Lookup;
use firn_duckdb_lower::stored::StoredObject;
use firn_duckdb_lower::temporary::TemporaryTables;
use firn_engine::{EngineError, ExecutionContext, ObjectDescription, Outcome, RowBudget, Session};
use firn_sql::{Command, ObjectName, print};
use mimalloc::MiMalloc;

use crate::bench::{Bench, prepare};

/// As in the server.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Microseconds per statement, parsed beforehand.
fn measure(bench: &mut Bench, sql: &str) -> f64 {
    const RUNS: u32 = 200;
    let statement = prepare(sql).unwrap().remove(0);
    let started = Instant::now();
    for _ in 0..RUNS {
        if let Outcome::Rows(mut rows) = bench.session.execute(&statement.command, &bench.context).unwrap() {
            let mut out = Vec::new();
            while !rows.encode(&mut out, RowBudget { bytes: usize::MAX, rows: u64::MAX }).unwrap().ended {}
        }
    }
    started.elapsed().as_secs_f64() * 1e6 / f64::from(RUNS)
}

#[test]
#[ignore = "a measurement"]
fn small_statements() {
    let mut bench = Bench::new();
    bench.run("create table t (a int, b varchar(10), c number(10,2), d timestamp_tz, v variant)");
    bench.run("insert into t values (1, 'x', 1.5, '2020-01-01 00:00:00 +01:00', null)");
    for sql in [
        "select 1 + 1",
        "select * from t where a = 1",
        "select a::varchar, c / 2, b || 'x' from t",
        "select v:a.b::string from t where v:a = 'x'",
        "select dateadd(day, 1, d::date), date_trunc('month', d::timestamp) from t",
        "select count(*) from information_schema.columns",
        "insert into t (a, b) values (2, 'y')",
        "insert into t (a, d) values (2, '2020-01-01 00:00:00 +01:00')",
        "insert into t (a, b) select a, b from t where a = -1",
        "update t set b = 'z' where a = -1",
        "delete from t where a = -1",
    ] {
        println!("{:>9.1} µs  {sql}", measure(&mut bench, sql));
    }
}

#[test]
#[ignore = "a measurement"]
fn many_privileges() {
    let mut bench = Bench::new();
    for table in 0..1_000 {
        bench.run(&format!("create table t{table} (a int)"));
    }
    let ids: Vec<i64> = bench.session.objects("DB", None).unwrap().iter().map(|object| object.id).collect();
    bench.context.granted_schemas = bench.session.schemas("DB").unwrap().iter().map(|schema| schema.id).collect();
    bench.context.visible_owners = Some(vec!["READER".to_owned()]);
    for count in [0, 100, 1_000, 10_000] {
        bench.context.granted_objects = ids.iter().copied().chain(1..).take(count).collect();
        for view in ["tables", "columns"] {
            let sql = format!("select count(*) from information_schema.{view}");
            println!("{:>9.1} µs  {count:>6} privileges, {view}", measure(&mut bench, &sql));
        }
    }
}

/// The tables that a session describes; no view is read here.
struct Tables<'session>(&'session dyn Session);

impl Lookup for Tables<'_> {
    fn find(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        self.0.describe(name)
    }

    fn find_view(&self, _: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
        Ok(None)
    }
}

/// What firn does with a query before the engine sees it: parse, resolve, every pass, print.
fn front(session: &dyn Session, context: &ExecutionContext, text: &str) -> String {
    let Command::Query(mut query) = prepare(text).unwrap().remove(0).command else { panic!("no query") };
    let rewrite_context = RewriteContext {
        temporary: &TemporaryTables::default(),
        visibility: Visibility::of(context),
        account_rows: &context.account_rows,
        views_of_owners: &context.views_of_owners,
        lookup: &Tables(session),
        formats: &context.formats,
        weeks: context.weeks,
        inputs: &context.inputs,
        repeated_matches: context.repeated_matches,
        integers: context.integers,
    };
    dialect::rewrite(&mut *query, &rewrite_context).unwrap();
    print::into_sql(*query)
}

#[test]
#[ignore = "a measurement"]
fn front_of_a_long_query() {
    const RUNS: u32 = 200;
    let text = include_str!("../../../../bench/front.sql");
    let mut bench = Bench::new();
    bench.run("create table orders (id int, customer_id int, ordered_at timestamp, status varchar, amount number(12,2), quantity int, details variant)");
    bench.run("create table customers (id int, name varchar, region varchar, since date, closed_on date)");
    assert_eq!(bench.run(text), "", "the query runs over empty tables");
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let started = Instant::now();
            assert!(!front(&*bench.session, &bench.context, text).is_empty());
            started.elapsed().as_secs_f64() * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("front: {:.0} µs", times[times.len() / 2]);
}

#[test]
#[ignore = "a measurement"]
fn encoding() {
    let mut bench = Bench::new();
    bench.run(
        "create table t as select n as a, ((n * 17 % 1000003) / 100)::number(12,2) as b, random() / 1e18 as c,
         dateadd(day, n % 9000, '2000-01-01'::date) as d, 'customer number ' || n as e
         from (select seq8() n from table(generator(rowcount => 5000000)))",
    );
    let statement = prepare("select a, b, c, d, e from t").unwrap().remove(0);
    for _ in 0..3 {
        let started = Instant::now();
        let outcome = bench.session.execute(&statement.command, &bench.context).unwrap();
        let Outcome::Rows(mut rows) = outcome else { panic!("no rows") };
        let (mut out, mut count, mut bytes) = (Vec::new(), 0, 0);
        loop {
            out.clear();
            let encoded = rows.encode(&mut out, RowBudget { bytes: 16 << 20, rows: u64::MAX }).unwrap();
            count += encoded.rows;
            bytes += out.len();
            if encoded.ended {
                break;
            }
        }
        println!("{count} rows, {bytes} bytes: pulled and encoded in {:?}", started.elapsed());
    }
}
