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
fn the_size_of_a_model_is_bounded() {
    let tables = |count: usize| {
        let one = |number| format!("- name: t{number}\n  base_table: {{table: t}}\n");
        format!("name: a\ntables:\n{}", (0..count).map(one).collect::<String>())
    };
    assert!(read_yaml(&tables(500)).is_ok());
    check_error(&tables(501), "line 1, column 1: the model has 501 tables; 500 are allowed");
    let items: String = (0..20_001).map(|number| format!("  - {{name: d{number}}}\n")).collect();
    check_error(
        &format!("{}  dimensions:\n{items}", tables(1)),
        "line 1, column 1: the model has 20001 dimensions, facts, metrics and filters; 20000 are allowed",
    );
}

#[test]
fn mistakes_are_reported_with_their_place() {
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
    check_error(
        "name: a\ntables:\n- name: t\n\tbase_table: {table: t}",
        "line 4, column 1: a tab stands where YAML takes spaces; replace it by spaces",
    );
    check_error("name: a\ntables: *t", "line 2, column 9: the alias `*t` has no anchor before it");
    check_error("name: \u{7}", "line 1, column 7: the character U+0007 is not allowed in YAML");
    check_error(&format!("{table}  <<: x"), "line 5, column 7: `<<` takes a mapping, or a list of mappings");
    check_error("name: a\ntables: [", "line 3, column 1: did not find expected node content while parsing a flow node");
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

/// Forms that PyYAML reads, each with what it reads there as the model's description.
#[test]
fn whatever_pyyaml_reads_is_read() {
    let check = |yaml: &str, expected: &str| {
        let text = format!("name: a\ntables: [{{name: t, base_table: {{table: t}}}}]\n{yaml}\n");
        let read = read_yaml(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(read.model.description.as_deref(), Some(expected), "{text}");
        assert_eq!(read.warnings, Vec::<String>::new(), "{text}");
    };
    check("description: \"one\ntwo\n   three\"", "one two three");
    check("description: 'it''s\n\n over\nlines'", "it's\nover lines");
    check("description: \"a \\\n  b\\tc \\u00e9\"", "a b\tc é");
    check("description: plain\n  over lines\n  # no comment: text ends\n", "plain over lines");
    check("description: |\n  kept\n   as it\n\n  is\n", "kept\n as it\n\nis\n");
    check("description: >-\n  folded\n  text\n\n  here\n", "folded text\nhere");
    check("description: |2-\n   x", " x");
    check("description: yes", "yes");
    check("description: 0o14", "0o14");
    check("description: 12:30:45", "12:30:45");
    check("description: 1_000", "1_000");
    check("description: a#b # a comment", "a#b");
    check("description: !!str 5", "5");
    check("description:\t tabbed", "tabbed");
    check("? description\n: asked", "asked");
    check("\"description\": \"quoted key\"", "quoted key");
    check("description: http://x/y?z=1,2", "http://x/y?z=1,2");
}

#[test]
fn lists_and_mappings_may_be_written_in_any_form() {
    let model = |dimensions: &str| {
        format!(
            "%YAML 1.1\n---\nname: a\ntables:\n  - name: t\n    base_table: {{table: t}}\n    dimensions:{dimensions}\n...\n"
        )
    };
    let forms = [
        " [{name: d, synonyms: [x,\ny], is_enum: yes}]",
        " [\n{\"name\": \"d\",\n\"synonyms\": [\"x\", \"y\",], \"is_enum\": true},\n]",
        "\n    - name: d\n      synonyms:\n      - x\n      - y\n      is_enum: on",
        "\n      -\n        name: d\n        synonyms: [ x , y ] # both\n        is_enum: True",
        "\n    - {<<: {is_enum: Yes, name: z}, name: d, synonyms: [x, y]}",
        "\r\n    - name: d\r\n      is_enum: true\r\n      synonyms: [x, y]\r\n",
    ];
    for form in forms {
        let read = read_yaml(&model(form)).unwrap_or_else(|error| panic!("{error}: {form}"));
        let dimension = &read.model.tables[0].dimensions[0];
        assert_eq!((dimension.name.as_str(), dimension.is_enum), ("d", true), "{form}");
        assert_eq!(dimension.synonyms, ["x", "y"], "{form}");
        assert_eq!(read.warnings, Vec::<String>::new(), "{form}");
    }
}

#[test]
fn anchors_aliases_and_merge_keys_share_parts() {
    let text = "name: a\ntables:\n- &base\n  name: t\n  base_table: {table: t}\n  dimensions: &ds [{name: d, \
                synonyms: &s [x]}]\n- {<<: *base, name: u, facts: [{name: f, synonyms: *s}]}\n- {<<: [{name: v}, *base]}\n";
    let model = read_yaml(text).unwrap().model;
    let names: Vec<&str> = model.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["t", "u", "v"]);
    assert_eq!(model.tables[1].dimensions, model.tables[0].dimensions);
    assert_eq!(model.tables[1].facts[0].synonyms, ["x"]);
}

#[test]
fn of_a_field_that_is_given_twice_the_last_counts() {
    let text = "name: a\nname: b\ntables: [{name: t, base_table: {table: t}}]";
    let read = read_yaml(text).unwrap();
    assert_eq!(read.model.name, "b");
    assert_eq!(
        read.warnings,
        ["line 1, column 1: the field `name` of the model is given again further down; that one counts"]
    );
}

/// Every field that models published for the vendor's analyst have, in one model.
#[test]
fn the_published_format_is_read_without_a_warning() {
    let text = r#"
semantic_model:
  name: Revenue
  description: >
    Revenue of products,
    day by day.
  synonyms: [sales]
  tags: {team: finance}
  tables:
    - name: daily_revenue
      description: "Daily total revenue, aligned with daily cost
      of goods"
      tags: [gold]
      base_table:
        database: demo
        schema: public
        table: daily_revenue
      primary_key: date
      dimensions:
        - name: product_line
          expr: product_line
          data_type: varchar
          cortex_search_service_name: product_line_search
          tags: [a]
          labels: [b]
          access_modifier: public_access
        - name: region
          expr: region
          cortex_search_service: {service: s, literal_column: region, database: d, schema: p}
          is_enum: false
          unique: no
      time_dimensions:
        - {name: date, expr: date, data_type: date, unique: true, labels: [day], is_enum: false}
      measures:
        - name: revenue
          expr: revenue
          data_type: number
          default_aggregation: sum
          sample_values: [1.50, 2]
          tags: []
          unique: false
      metrics:
        - name: total
          expr: sum(revenue)
          labels: [x]
          tags: [y]
          non_additive_dimensions: [{table: daily_revenue, dimension: date, sort_direction: ascending, null_order: last}]
      filters:
        - {name: recent, expr: "date > '2024-01-01'", labels: [filter], access_modifier: public_access}
    - name: product
      base_table: {database: demo, schema: public, table: product}
      primary_key: {columns: [id]}
      columns:
        - {name: id, kind: dimension, expr: id, data_type: number, unique: true}
        - {name: launched, kind: time_dimension, expr: launched, data_type: date}
        - {name: price, kind: measure, expr: price, data_type: number, default_aggregation: avg}
  relationships:
    - name: r
      description: lines
      left_table: daily_revenue
      right_table: product
      relationship_columns: [{left_column: product_id, right_column: id}]
      join_type: left_outer
      relationship_type: many_to_one
  verified_queries:
    - {name: a, question: How much?, sql: select sum(revenue) from __daily_revenue, verified_at: 1714497970,
       verified_by: Ann, semantic_model_name: Revenue, use_as_onboarding_question: false}
    - {name: b, question: How many?, sql: select count(*) from __product, verified_at: "2024-04-30"}
    - {name: c, question: Which?, sql: select id from __product, verified_at: 2024-04-30T17:26:10.5}
  custom_instructions: [Round., Be short.]
  module_custom_instructions:
    sql_generation: |
      Round.
    question_categorization: None.
"#;
    let read = read_yaml(text).unwrap();
    assert_eq!(read.warnings, Vec::<String>::new());
    let model = read.model;
    assert_eq!(model.name, "Revenue");
    assert_eq!(model.tables[0].primary_key, ["date"]);
    assert_eq!(model.tables[0].dimensions[0].search_service.as_ref().unwrap().service, "product_line_search");
    assert_eq!(model.tables[0].facts[0].sample_values, ["1.50", "2"]);
    let product = &model.tables[1];
    assert_eq!((product.dimensions.len(), product.time_dimensions.len(), product.facts.len()), (1, 1, 1));
    let verified: Vec<Option<i64>> = model.verified_queries.iter().map(|query| query.verified_at).collect();
    assert_eq!(verified, [Some(1_714_497_970), Some(1_714_435_200), Some(1_714_497_970)]);
    assert_eq!(model.custom_instructions.as_deref(), Some("Round.\nBe short."));
}

#[test]
fn all_mistakes_are_told_in_the_order_of_their_places() {
    let text = "name: shop
tables:
- name: orders
  dimensions:
  - name: a
    expr: (
  - name: b
    unique: perhaps
- name: sales
  base_table: {table: SALES}
  facts:
  - name: x
  - name: x
- base_table: {table: NAMELESS}
relationships:
- left_table: orders
  right_table: nowhere
  relationship_columns: [{left_column: a, right_column: b}]
- left_table: orders
  right_table: sales
verified_queries:
- name: q
";
    let errors = read_or_errors(text).unwrap_err();
    let told: Vec<(usize, usize, &str)> =
        errors.iter().map(|error| (error.line, error.column, error.message.as_str())).collect();
    let places: Vec<(usize, usize)> = told.iter().map(|(line, column, _)| (*line, *column)).collect();
    assert_eq!(places, [(3, 3), (6, 11), (8, 13), (13, 5), (14, 3), (19, 3), (22, 3)], "{told:?}");
    assert_eq!(read_yaml(text).unwrap_err(), errors[0]);
}

#[test]
fn parts_have_places() {
    let places = ModelPlaces::of(WHOLE);
    let text_at = |part: ModelPart| {
        let (line, column) = places.place_of(&part).unwrap();
        WHOLE.lines().nth(line - 1).unwrap()[column - 1..].to_owned()
    };
    let item = |kind, name: &str| ModelPart::Item { table: "ORDERS".to_owned(), kind, name: name.to_owned() };
    assert_eq!(text_at(item("dimension", "status")), "o_status");
    assert_eq!(text_at(item("dimension", "customer_id")), "name: customer_id");
    assert_eq!(text_at(item("fact", "amount")), "quantity * price");
    assert_eq!(text_at(item("filter", "recent")), "day > '2024-01-01'");
    assert!(text_at(ModelPart::Source { table: "orders".to_owned() }).starts_with("{database: DEMO"));
    assert!(text_at(ModelPart::Key { table: "orders".to_owned() }).starts_with("{columns: [id]}"));
    assert!(text_at(ModelPart::Metric { name: "revenue_per_customer".to_owned() }).starts_with("orders.revenue"));
    assert_eq!(text_at(ModelPart::Relationship { name: "of_customer".to_owned() }), "name: of_customer");
    assert!(text_at(ModelPart::VerifiedQuery { name: "q".to_owned() }).starts_with("SELECT SUM"));
    assert_eq!(places.place_of(&ModelPart::Source { table: "none".to_owned() }), None);
}
