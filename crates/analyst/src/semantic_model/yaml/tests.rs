#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use super::*;
use crate::semantic_model::{AccessModifier, DefaultAggregation, JoinType, TableSource};

const WHOLE: &str = r#"
name: shop
description: Orders of a shop
tables:
- name: orders
  synonyms: [purchases]
  description: One row per order
  base_table: {database: DEMO, schema: PUBLIC, table: ORDERS}
  primary_key: {columns: [id]}
  unique_keys: [{columns: [day, customer_id]}]
  dimensions:
  - name: status
    synonyms: ["order state"]
    expr: o_status
    data_type: TEXT
    sample_values: [open, 1, 2.5, true]
    is_enum: true
    labels: [filter]
    cortex_search_service: {service: s, literal_column: status, database: d, schema: p}
  - name: customer_id
  time_dimensions:
  - name: day
    expr: ordered_on::date
    data_type: DATE
    unique: false
  measures:
  - name: amount
    expr: quantity * price
    default_aggregation: SUM
    access_modifier: private_access
  metrics:
  - name: revenue
    expr: SUM(amount)
    non_additive_dimensions: [{table: orders, dimension: day, sort_direction: descending}]
    using_relationships: [of_customer]
  filters:
  - name: recent
    expr: day > '2024-01-01'
- name: customers
  base_table: {definition: "select id, name from people;"}
  dimensions: [{name: id, unique: true}]
relationships:
- name: of_customer
  left_table: orders
  right_table: customers
  relationship_columns: [{left_column: customer_id, right_column: id}]
  join_type: left_outer
  relationship_type: many_to_one
metrics:
- name: revenue_per_customer
  expr: orders.revenue / COUNT(customers.id)
verified_queries:
- name: q
  question: How much?
  sql: SELECT SUM(amount) FROM __orders
  verified_at: 1714497970
  verified_by: Ann
  use_as_onboarding_question: true
custom_instructions: Round to cents.
module_custom_instructions: {sql_generation: a, question_categorization: b}
"#;

#[test]
fn a_whole_model_is_read() {
    let read = read_yaml(WHOLE).unwrap();
    assert_eq!(read.warnings, Vec::<String>::new());
    let model = read.model;
    let [orders, customers] = model.tables.as_slice() else { panic!("{model:?}") };
    assert_eq!(orders.primary_key, ["id"]);
    assert_eq!(orders.unique_keys, [["day", "customer_id"]]);
    let status = &orders.dimensions[0];
    assert_eq!(status.sample_values, ["open", "1", "2.5", "true"]);
    assert!(status.is_enum && status.is_filter);
    assert_eq!(status.search_service.as_ref().unwrap().service, "s");
    assert_eq!(orders.dimensions[1].expr, "customer_id");
    assert_eq!(orders.time_dimensions[0].expr, "ordered_on::date");
    assert_eq!(orders.facts[0].default_aggregation, Some(DefaultAggregation::Sum));
    assert_eq!(orders.facts[0].access_modifier, AccessModifier::Private);
    assert_eq!(orders.metrics[0].non_additive_dimensions[0].dimension, "day");
    assert_eq!(orders.filters[0].name, "recent");
    assert_eq!(customers.source, TableSource::Definition("select id, name from people".to_owned()));
    assert_eq!(model.relationships[0].join_type, Some(JoinType::LeftOuter));
    assert_eq!(model.metrics[0].name, "revenue_per_customer");
    assert_eq!(model.verified_queries[0].verified_at, Some(1_714_497_970));
    assert!(model.verified_queries[0].use_as_onboarding_question);
    assert_eq!(model.module_custom_instructions.question_categorization.as_deref(), Some("b"));
}

fn check_error(text: &str, expected: &str) {
    assert_eq!(read_yaml(text).unwrap_err().to_string(), expected, "{text}");
}

#[test]
fn mistakes_are_told_with_their_place() {
    check_error("", "line 1, column 1: the model is empty; a model has a name and tables");
    check_error("- a", "line 1, column 1: the model must be a mapping of fields, such as `name: …`");
    check_error(
        "name: a\ntables: x",
        "line 2, column 9: `tables` of the model must be a list; begin each entry with `- `",
    );
    check_error("name: a", "line 1, column 1: the model has no `tables`");
    check_error("tables: []", "line 1, column 1: the model has no `name`");
    check_error(
        "name: a\ntables:\n- name: t",
        "line 3, column 3: table `t` has no `base_table`; give its database, schema and table",
    );
    let table = "name: a\ntables:\n- name: t\n  base_table: {table: t}\n";
    check_error(&format!("{table}  metrics:\n  - name: m"), "line 6, column 5: metric `m` has no `expr`");
    check_error(
        &format!("{table}  facts:\n  - name: f\n    default_aggregation: most"),
        "line 7, column 26: `default_aggregation` of fact `f` is 'most'; it can be sum, avg, average, median, min, max, \
         count, count_distinct",
    );
    check_error(
        &format!("{table}  dimensions:\n  - name: d\n  facts:\n  - name: D"),
        "line 8, column 5: the name `D` is used twice",
    );
    check_error(
        &format!("{table}relationships:\n- {{left_table: t, right_table: u}}"),
        "line 6, column 3: a relationship names the table `u`; the model has t",
    );
    check_error(
        &format!("{table}  facts: []\n  measures: []"),
        "line 6, column 3: `facts` and `measures` of table `t` mean the same; keep one",
    );
    let expression = format!("{table}  dimensions:\n  - name: d\n    expr: a) from x --");
    let error = read_yaml(&expression).unwrap_err();
    assert_eq!((error.line, error.column), (7, 11), "{error}");
    assert!(error.message.starts_with("`expr` of dimension `d` is no expression: "), "{error}");
    let two = format!("{table}  dimensions:\n  - name: d\n    expr: a, b");
    assert!(read_yaml(&two).is_err());
    let definition = "name: a\ntables:\n- name: t\n  base_table: {definition: drop table t}";
    check_error(definition, "line 4, column 15: `definition` is no query: it is not a query");
}

#[test]
fn what_is_unknown_is_a_warning() {
    let text = "name: a\ncolour: red\ntables:\n- name: t\n  base_table: {table: t, x: 1}\n  dimensions:\n  - name: d\n    \
                synonyms: [s]\n    kind: z\n  - name: e\n    synonyms: [S]\n";
    let warnings = read_yaml(text).unwrap().warnings;
    let expected = [
        "line 5, column 26: the field `x` of `base_table` of table `t` is not known and ignored",
        "line 9, column 5: the field `kind` of dimension `d` is not known and ignored",
        "line 10, column 5: the synonym 'S' stands for `d` and for `e`",
        "line 2, column 1: the field `colour` of the model is not known and ignored",
    ];
    assert_eq!(warnings, expected);
}

#[test]
fn many_columns_are_a_warning() {
    let mut text = "name: a\ntables:\n- name: t\n  base_table: {table: t}\n  dimensions:\n".to_owned();
    for column in 0..11 {
        text.push_str(&format!("  - name: c{column}\n"));
    }
    let warnings = read_yaml(&text).unwrap().warnings;
    assert_eq!(warnings, ["Table 't' has 11 columns, which is more than the recommended maximum of 10."]);
}

#[test]
fn deep_nesting_is_refused_and_never_overflows() {
    for text in ["- ".repeat(100_000), "? ".repeat(100_000), "[".repeat(100_000), "{a: ".repeat(100_000)] {
        assert!(read_yaml(&text).is_err());
    }
    let steps: String = (0..3_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert!(read_yaml(&steps).is_err());
    let laughs = (1..40)
        .fold("a0: &a0 x\n".to_owned(), |text, n| text + &format!("a{n}: &a{n} [*a{p}, *a{p}, *a{p}]\n", p = n - 1));
    assert!(read_yaml(&laughs).is_err());
}
