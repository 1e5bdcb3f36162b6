#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use super::*;
use crate::semantic_model::read_yaml;

const MODEL: &str = "
name: m
tables:
- name: sales
  base_table: {database: D, schema: S, table: SALES}
  primary_key: {columns: [id]}
  dimensions: [{name: id, expr: ID}, {name: status, expr: STATE}, {name: buyer, expr: BUYER_ID}]
  time_dimensions: [{name: day, expr: SOLD_ON}]
  facts: [{name: price, expr: PRICE}, {name: pieces, expr: N}]
  metrics: [{name: highest, expr: MAX(PRICE)}]
  filters: [{name: open, expr: STATE = 'open'}]
- name: buyers
  base_table: {database: D, schema: S, table: BUYERS}
  dimensions: [{name: id, expr: ID}, {name: city, expr: CITY}]
- name: hidden
  base_table: {database: D, schema: S, table: HIDDEN}
  dimensions: [{name: secret, expr: SECRET}]
";

fn past(text: &str) -> PastQuery {
    let (database, schema) = (Some("D".to_owned()), Some("S".to_owned()));
    PastQuery { text: text.to_owned(), database, schema, user_id: 1, ran_on_ms: 5 }
}

fn known(model: &SemanticModel) -> KnownTables<'_> {
    let columns = |names: &str| Some(names.split(' ').map(str::to_owned).collect());
    let columns = vec![columns("ID STATE BUYER_ID SOLD_ON PRICE N DISCOUNT"), columns("ID CITY"), None];
    KnownTables { model, columns }
}

#[test]
fn queries_are_read_over_logical_tables() {
    let model = read_yaml(MODEL).unwrap().model;
    let check = |text: &str, expected: Option<&str>| {
        assert_eq!(over_logical_tables(&known(&model), &past(text)).as_deref(), expected, "{text}");
    };
    check("select sum(n) from sales", Some("SELECT SUM(pieces) FROM __sales"));
    check("select s.state from d.s.sales as s order by 1", Some("SELECT status FROM __sales ORDER BY 1"));
    check(
        "select b.city, count(*) c from sales s join buyers b on s.buyer_id = b.id group by city order by c desc",
        Some(
            "SELECT buyers.city, COUNT(*) AS c FROM __sales AS sales JOIN __buyers AS buyers ON sales.buyer = buyers.id \
             GROUP BY buyers.city ORDER BY c DESC",
        ),
    );
    check(
        "select datediff(day, sold_on, current_date) from sales",
        Some("SELECT DATEDIFF('day', day, CURRENT_DATE) FROM __sales"),
    );
    for other in [
        "select * from sales",
        "select max(discount) from sales",
        "select id from other.s.sales",
        "select \"state\" from sales",
        "select secret from hidden",
        "select id from sales where id in (select id from buyers)",
        "with x as (select id from sales) select id from x",
        "select a.id from sales a join sales b on a.id = b.id",
        "select id from sales join buyers using (id)",
        "delete from sales",
    ] {
        check(other, None);
    }
}

fn check_definitions(queries: &[&str], expected: &[&str]) {
    let model = read_yaml(MODEL).unwrap().model;
    let queries = distinct_queries(queries.iter().map(|text| past(text)).collect());
    let found = frequent_definitions(&known(&model), &queries);
    let shown = found.iter().map(|found| {
        let Definition { kind, table, name, expr, usage } = found;
        format!("{kind:?} {table}.{name} = {expr} {}", usage.frequency)
    });
    assert_eq!(shown.collect::<Vec<_>>(), expected, "{queries:?}");
}

#[test]
fn what_several_queries_use_is_a_definition() {
    let by_alias = "select sum(s.price * s.n) from sales s where s.n > 10 and s.state <> 'gone'";
    let in_table =
        "select city, sum(price * n) from sales join buyers on buyer_id = buyers.id where n > 10 group by city";
    check_definitions(
        &[by_alias, in_table],
        &[
            "Filter sales.pieces_over_10 = pieces > 10 2",
            "Fact sales.price_times_pieces = price * pieces 2",
            "Metric sales.total_price_times_pieces = SUM(price * pieces) 2",
        ],
    );
    let ratio = "select sum(price) / nullif(count(distinct buyer_id), 0) from sales";
    check_definitions(
        &[ratio, ratio, ratio],
        &[
            "Metric sales.total_price_per_nullif_number_of_different_buyer_0 = SUM(price) / NULLIF(COUNT(DISTINCT buyer), 0) 3",
        ],
    );
    let analysts_own = "WITH __sales AS (\n SELECT STATE AS status, N AS pieces FROM D.S.SALES\n)\nSELECT AVG(pieces) FROM \
                        __sales WHERE status IS NULL";
    check_definitions(
        &[analysts_own, analysts_own],
        &["Filter sales.status_is_missing = status IS NULL 2", "Metric sales.average_pieces = AVG(pieces) 2"],
    );
}

#[test]
fn keys_known_definitions_and_hidden_tables_are_none() {
    for text in [
        "select id from sales where id = 3",
        "select max(price), count(*) from sales where state = 'open'",
        "select max(secret) from hidden where secret = 'x'",
        "select price, row_number() over (order by price) from sales where sales.buyer_id = sales.id",
        "select sum(price) over (partition by state) from sales",
        "select sum(price + city) from sales join buyers on true",
    ] {
        check_definitions(&[text, text], &[]);
    }
    check_definitions(&["select avg(n) from sales"], &[]);
}
