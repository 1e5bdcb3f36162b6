//! Tables of statements and what they are bound to.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use std::time::Instant;

use firn_sql::ast::{Expr, Ident, SelectItem, SetExpr};
use firn_sql::command::Command;

use crate::testing::{Catalog, check, check_error, parse};
use crate::{NodeId, Reference, bind};

#[test]
fn names_are_resolved_by_scope_and_not_by_name_alone() {
    check("select avg(a), a / b from t1 group by a, b", "AVG(A) NUMBER(38,8), A / B NUMBER(16,8)");
    check(
        "with y as (select a from t2) select avg(a), a / b from t1 group by a, b",
        "AVG(A) NUMBER(38,8), A / B NUMBER(16,8)",
    );
    check("select t1.a, t2.a from t1, t2", "A NUMBER(10,2), A VARCHAR(16777216)");
    check("select x.a from t1 as x join (select a from t2) as y on x.c = y.a", "A NUMBER(10,2)");
}

#[test]
fn expressions_have_types() {
    check(
        "select 1, 1.50, 'ab', true, null, 1e200",
        "1 NUMBER(1,0)!, 1.50 NUMBER(3,2)!, 'AB' VARCHAR(2)!, TRUE BOOLEAN!, NULL NULL, 1E200 FLOAT!",
    );
    check(
        "select a + b, a * a, a % 2, -a, a / 0 from t1",
        "A + B NUMBER(13,2), A * A NUMBER(20,4), A % 2 NUMBER(38,2), -A NUMBER(10,2), A / 0 NUMBER(16,8)",
    );
    check("select c || 'x', c || a from t1", "C || 'X' VARCHAR(11), C || A VARCHAR(134217728)");
    check(
        "select concat(c, 'x', c), concat(c), concat(c, 1) from t1",
        "CONCAT(C, 'X', C) VARCHAR(21), CONCAT(C) VARCHAR(10), CONCAT(C, 1) VARCHAR(134217728)",
    );
    check(
        "select a * 2 as x, x + 1 as y, y / 2 as z, s.n from t1, lateral (select a + 1 as n) s",
        "X NUMBER(11,2), Y NUMBER(12,2), Z NUMBER(18,8), N NUMBER(11,2)",
    );
    check("select $1, $2 from values (1, 'ab'), (2.5, 'c')", "$1 NUMBER(2,1), $2 VARCHAR(2)");
    check(
        "select b = 1, b is null, not true, b in (1) from t1",
        "B = 1 BOOLEAN, B IS NULL BOOLEAN!, NOT TRUE BOOLEAN!, B IN (1) BOOLEAN",
    );
    check(
        "select '1'::int, c::date, try_cast(c as number(5,1)) from t1",
        "'1'::INT NUMBER(38,0)!, C::DATE DATE, TRY_CAST(C AS NUMBER(5,1)) NUMBER(5,1)",
    );
    check(
        "select case when b = 1 then a else 1.2345 end, iff(true, 1, a), coalesce(null, a) from t1",
        "CASE WHEN B = 1 THEN A ELSE 1.2345 END NUMBER(12,4), IFF(TRUE, 1, A) NUMBER(10,2), COALESCE(NULL, A) NUMBER(10,2)",
    );
    check(
        "select d - d, d + 1, ts + interval '1 day' from t2 join t3 on true",
        "D - D NUMBER(9,0), D + 1 DATE, TS + INTERVAL '1 DAY' TIMESTAMP_NTZ(3)",
    );
    check(
        "select v:a, v:a.b[0]::float, m['k'], o:x from t3, s",
        "V:A VARIANT, V:A.B[0]::FLOAT FLOAT, M['K'] NUMBER(38,0), O:X NUMBER(5,1)",
    );
}

#[test]
fn calls_have_the_types_of_the_function_table() {
    check(
        "select sum(a), avg(b), count(*), max(c), median(a) from t1",
        "SUM(A) NUMBER(22,2), AVG(B) NUMBER(38,6), COUNT(*) NUMBER(18,0)!, MAX(C) VARCHAR(10), MEDIAN(A) NUMBER(38,5)",
    );
    check(
        "select upper(c), length(c), substr(c, 1), round(a, 1), abs(a) from t1",
        "UPPER(C) VARCHAR(134217728), LENGTH(C) NUMBER(18,0), SUBSTR(C, 1) VARCHAR(10), ROUND(A, 1) NUMBER(10,1), ABS(A) NUMBER(10,2)",
    );
    check(
        "select dateadd(day, 1, d), dateadd(hour, 1, d), datediff(day, d, d), date_trunc('month', d), year(d) from t2",
        "DATEADD(DAY, 1, D) DATE, DATEADD(HOUR, 1, D) TIMESTAMP_NTZ(9), DATEDIFF(DAY, D, D) NUMBER(9,0), DATE_TRUNC('MONTH', D) DATE, YEAR(D) NUMBER(4,0)",
    );
    check(
        "select row_number() over (order by a), lag(a) over (order by b) from t1",
        "ROW_NUMBER() OVER (ORDER BY A) NUMBER(18,0)!, LAG(A) OVER (ORDER BY B) NUMBER(10,2)",
    );
    check(
        "select percentile_cont(0.5) within group (order by a) from t1",
        "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY A) NUMBER(38,5)",
    );
    check(
        "select to_number(c), to_number(c, 10, 2), to_decimal('1', '99.9', 3, 1), decode(b, 1, 'a', 2, 'bcd', 'x') from t1",
        "TO_NUMBER(C) NUMBER(38,0), TO_NUMBER(C, 10, 2) NUMBER(10,2), TO_DECIMAL('1', '99.9', 3, 1) NUMBER(3,1)!, DECODE(B, 1, 'A', 2, 'BCD', 'X') VARCHAR(3)",
    );
    check(
        "select transform([1, 2], x int -> x + 1), array_size(v) from t3",
        "TRANSFORM([1, 2], X INT -> X + 1) ARRAY, ARRAY_SIZE(V) NUMBER(9,0)",
    );
    check(
        "select reduce([1], 0, (x, y) -> x + y) as a, reduce(['a'], '', (x, y) -> x || y) as b, \
         reduce(['a'], 'b' || 'c', (x, y) -> x || y) as c",
        "A VARIANT, B VARCHAR(134217728), C VARCHAR(134217728)",
    );
    check(
        "select get(m, 'k'), get(o, 'x'), get(v, 0), map_keys(m) from t3, s",
        "GET(M, 'K') NUMBER(38,0), GET(O, 'X') NUMBER(5,1), GET(V, 0) VARIANT, MAP_KEYS(M) ARRAY",
    );
    check("select map_keys({'1': 'a'}::map(int, varchar)) as k", "K ARRAY(NUMBER(38,0) NOT NULL)");
}

#[test]
fn relations_of_from_have_columns() {
    check("select * from t1", "A NUMBER(10,2), B NUMBER(10,0)!, C VARCHAR(10)");
    check("select x.* from t1 x, t2", "A NUMBER(10,2), B NUMBER(10,0)!, C VARCHAR(10)");
    check("select * exclude (a, c) from t1", "B NUMBER(10,0)!");
    check("select * rename (a as z) from (select a, b from t1)", "Z NUMBER(10,2), B NUMBER(10,0)!");
    check("select * replace (1.5 as a) from (select a from t1)", "A NUMBER(2,1)!");
    check("select * ilike '%D' from t2", "ID NUMBER(38,0), D DATE");
    check("select * from (select a as x from t1) as q (y)", "Y NUMBER(10,2)");
    check("select * from values (1, 'a'), (2.5, null)", "COLUMN1 NUMBER(2,1), COLUMN2 VARCHAR(1)");
    check("select $1, $2 from t1", "$1 NUMBER(10,2), $2 NUMBER(10,0)!");
    check(
        "select f.value, f.index, id from t3, lateral flatten(input => v) f",
        "VALUE VARIANT, INDEX NUMBER(38,0), ID NUMBER(38,0)!",
    );
    check("select value from table(split_to_table('a b', ' '))", "VALUE VARCHAR(134217728)");
    check("select * from t1 unpivot (n for what in (a, b))", "C VARCHAR(10), WHAT VARCHAR(134217728), N NUMBER(12,2)");
}

#[test]
fn joins_merge_columns_and_make_them_nullable() {
    check(
        "select * from t2 join t3 using (id)",
        "A VARCHAR(16777216), ID NUMBER(38,0), D DATE, V VARIANT, TS TIMESTAMP_NTZ(3), F FLOAT",
    );
    check("select id from t2 natural join t3", "ID NUMBER(38,0)");
    check("select id from t2 right join t3 using (id)", "ID NUMBER(38,0)!");
    check("select t1.b from t2 left join t1 on true", "B NUMBER(10,0)");
    check("select t1.b from t1 left join t2 on true", "B NUMBER(10,0)!");
    check("select b, count(*) from t1 group by rollup (b)", "B NUMBER(10,0), COUNT(*) NUMBER(18,0)!");
}

#[test]
fn queries_hold_the_values_of_all_branches() {
    check("select a from t1 union all select 1.2345", "A NUMBER(12,4)");
    check("select 'a' as x union select 'bcd'", "X VARCHAR(3)");
    check("select 1 as x union all by name select 2 as y, 3.5 as x", "X NUMBER(2,1), Y NUMBER(1,0)");
    check(
        "with recursive r (n) as (select 1 union all select n + 1 from r where n < 5) select n from r",
        "N NUMBER(38,0)",
    );
    check(
        "with recursive r (n) as (select 1.5 union all select 20 union all select n + 1 from r where n < 5 union all \
         select n from r) select n from r",
        "N NUMBER(38,1)",
    );
    check("with x as (select a from t1), y as (select a + 1 as b from x) select b from y", "B NUMBER(11,2)");
    check("select (select max(a) from t1) as m", "M NUMBER(10,2)");
}

/// Every level is bound a few times at most, so that many of them do not take for ever.
#[test]
fn recursive_queries_may_be_nested() {
    for wrap in [
        |level: usize, inner: &str| {
            format!(
                "with recursive r{level} as (select n from ({inner}) union all select n + 1 from r{level}) select n from r{level}"
            )
        },
        |level: usize, inner: &str| {
            format!(
                "with recursive r{level} as (select 1 as n union all select r{level}.n + x.n from r{level}, ({inner}) x) \
                 select n from r{level}"
            )
        },
    ] {
        let sql = (0..24).fold("select 1 as n".to_owned(), |inner, level| wrap(level, &inner));
        check(&sql, "N NUMBER(38,0)");
    }
}

#[test]
fn aliases_are_found_after_columns() {
    check("select a + 1 as x, x * 2 as y from t1", "X NUMBER(11,2), Y NUMBER(12,2)");
    check("select c as a, a as z from t1", "A VARCHAR(10), Z NUMBER(10,2)");
    check(
        "select a as x from t1 where x > 1 group by x having x > 2 qualify row_number() over (order by x) = 1 order by x",
        "X NUMBER(10,2)",
    );
    check(
        "select a from t1 where exists (select 1 from t2 where t2.id = t1.b and d is null and c = 'x')",
        "A NUMBER(10,2)",
    );
    check("select a from t1 order by upper(c)", "A NUMBER(10,2)");
}

#[test]
fn wrong_names_are_reported_with_their_position() {
    for (sql, expected) in [
        ("select nope from t1", "000904  error line 1 at position 7 invalid identifier 'NOPE'"),
        ("select a,\n  t2.b from t1", "000904  error line 2 at position 2 invalid identifier 'T2.B'"),
        ("select a from t1, t2", "002028  error line 1 at position 7 ambiguous column name 'A'"),
        ("select 1 from t2 join t3 using (nope)", "000904  error line 1 at position 32 invalid identifier 'NOPE'"),
        ("select t1.a from t1 x", "000904  error line 1 at position 7 invalid identifier 'T1.A'"),
        (
            "select t1.a from t1 asof join t2 match_condition (t1.b >= t2.nope) on t1.c = t2.a",
            "000904  error line 1 at position 58 invalid identifier 'T2.NOPE'",
        ),
        ("select a from (select a, c as a from t1) x", "002028  error line 1 at position 7 ambiguous column name 'A'"),
        (
            "select x.a from (select a, c as a from t1) x",
            "002028  error line 1 at position 7 ambiguous column name 'A'",
        ),
        (
            "select a from t1 union select 1 union all select 2, 3",
            "001789  invalid number of result columns for set operator input branches, expected 1, got 2 in branch {3}",
        ),
        ("select \"a\" from t1", "000904  error line 1 at position 7 invalid identifier '\"a\"'"),
        ("select 1 from nope", "002003  Object 'D.S.NOPE' does not exist or not authorized."),
        ("select x.a from (select a as b from t1) x", "000904  error line 1 at position 7 invalid identifier 'X.A'"),
        (
            "select y from (select x.b as y from t2) q, t1 x",
            "000904  error line 1 at position 22 invalid identifier 'X.B'",
        ),
        ("insert into t1 (nope) select 1", "000904  error line 1 at position 16 invalid identifier 'NOPE'"),
        ("update t1 set nope = 1", "000904  error line 1 at position 14 invalid identifier 'NOPE'"),
        ("update t1 set a = nope", "000904  error line 1 at position 18 invalid identifier 'NOPE'"),
        ("delete from t1 where nope = 1", "000904  error line 1 at position 21 invalid identifier 'NOPE'"),
        (
            "merge into t1 using t2 on t1.b = t2.id when matched then update set a = nope",
            "000904  error line 1 at position 72 invalid identifier 'NOPE'",
        ),
    ] {
        check_error(sql, expected);
    }
}

#[test]
fn changes_bind_targets_and_sources() {
    for sql in [
        "insert into t1 (a, b) select id, id from t2",
        "insert into t1 values (1, default, 'x')",
        "update t1 set a = t2.id from t2 where t1.b = t2.id",
        "delete from t1 using t2 where t1.b = t2.id and c is null",
        "merge into t1 using (select id as b from t2) s on t1.b = s.b when not matched then insert (b) values (b)",
        "merge into t1 using (select id, d from t2) s on t1.b = s.id when matched and s.d is null then delete when not matched then insert (a) values (s.id)",
    ] {
        check(sql, "");
    }
}

/// The type of a column is found after the tree around it was rewritten.
#[test]
fn nodes_keep_their_identity() {
    let mut statement = parse("select t2.a, sum(b) + 1 from t1, t2 where t1.a > 0");
    let Command::Query(query) = &mut statement.command else { panic!("not a query") };
    let bound = bind(&mut **query, &Catalog).unwrap();
    let SetExpr::Select(select) = &*query.body else { panic!("not a select") };
    let shown = |place: usize| match &select.projection[place] {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => expr.clone(),
        _ => panic!("not an expression"),
    };
    let moved = Expr::Nested(Box::new(shown(0)));
    assert_eq!(bound.type_of(&moved).data_type.to_string(), "VARCHAR(16777216)");
    assert_eq!(bound.type_of(&shown(1)).data_type.to_string(), "NUMBER(23,0)");
    let Some(Reference::Column { relation, column: 0 }) = bound.node(&shown(0)).and_then(|node| node.reference) else {
        panic!("not resolved")
    };
    assert_eq!(bound.relation(relation).unwrap().name, "T2");
}

/// A call that takes the place of another has its type.
#[test]
fn calls_hand_on_their_identity() {
    let mut statement = parse("select avg(a) from t1");
    let Command::Query(query) = &mut statement.command else { panic!("not a query") };
    let bound = bind(&mut **query, &Catalog).unwrap();
    let SetExpr::Select(select) = &*query.body else { panic!("not a select") };
    let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = &select.projection[0] else {
        panic!("not an expression")
    };
    let Expr::Function(call) = expr else { panic!("not a call") };
    let mut lowered = call.clone();
    lowered.name = vec![Ident::new("quotient")].into();
    assert!(bound.node(&Expr::Function(lowered.clone())).is_none());
    let mut lowered = Expr::Function(lowered);
    NodeId::of(expr).unwrap().put(&mut lowered);
    assert_eq!(bound.type_of(&lowered).data_type.to_string(), "NUMBER(38,8)");
}

/// Prints how long binding takes; `cargo test --release -p firn-binder binding_a_long_query -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn binding_a_long_query() {
    const RUNS: u32 = 2_000;
    let mut statement = parse(include_str!("../../../../bench/front.sql"));
    let Command::Query(query) = &mut statement.command else { panic!("not a query") };
    let start = Instant::now();
    for _ in 0..RUNS {
        assert!(bind(&mut **query, &Catalog).unwrap().errors.is_empty());
    }
    println!("binding: {} µs", start.elapsed().as_micros() / u128::from(RUNS));
}
