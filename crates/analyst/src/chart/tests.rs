//! What the rules read: a question, and the SQL that must be among the queries they make of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use chrono::NaiveDate;

use super::queries;
use crate::accounting::{Loss, Usage, account, losses};
use crate::evidence::NoEvidence;
use crate::lattice::Lattice;
use crate::links::model_index::ModelIndex;
use crate::question::words::words;
use crate::semantic_model::{SemanticModel, read_yaml};
use crate::sql_generation::sql;

const MODEL: &str = "
name: shop
tables:
- name: shops
  base_table: {table: SHOPS}
  primary_key: {columns: [shop_id]}
  dimensions:
  - {name: shop_id, data_type: NUMBER, unique: true}
  - {name: name, data_type: TEXT, sample_values: [Corner, Harbour]}
  - {name: city, data_type: TEXT, sample_values: [Oslo, Bergen]}
  - {name: year_opened, data_type: NUMBER}
- name: sellers
  base_table: {table: SELLERS}
  primary_key: {columns: [seller_id]}
  dimensions:
  - {name: seller_id, data_type: NUMBER, unique: true}
  - {name: shop_id, data_type: NUMBER}
  - {name: full_name, data_type: TEXT, sample_values: [Ann, Bo]}
  - {name: age, data_type: NUMBER}
  - {name: salary, data_type: NUMBER}
relationships:
- {name: r, left_table: sellers, right_table: shops, relationship_columns: [{left_column: shop_id, right_column: shop_id}]}
";

fn model() -> SemanticModel {
    read_yaml(MODEL).unwrap().model
}

fn check(question: &str, expected: &str) {
    let model = model();
    let index = ModelIndex::new(&model, &NoEvidence);
    let words = words(question);
    let lattice = Lattice::new(&index, &words, NaiveDate::default());
    let found: Vec<String> = queries(&index, &lattice, &losses(&lattice))
        .iter()
        .filter_map(|query| sql(&model, &index, query))
        .map(|text| text.rsplit_once(")\nSELECT").map_or(text.clone(), |(_, body)| format!("SELECT{body}")))
        .map(|text| text.replace("__", "").split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert!(found.iter().any(|text| text.contains(expected)), "{question}\n{}", found.join("\n"));
}

#[test]
fn conditions_are_read() {
    check("names of shops in Oslo", "shops.city = 'Oslo'");
    check("sellers with salary above 100", "WHERE sellers.salary > 100");
    check("sellers older than 30", "WHERE sellers.age > 30");
    check("shops in Oslo or Bergen", "(shops.city = 'Oslo' OR shops.city = 'Bergen')");
    check("sellers with age over 60 or under 20", "(sellers.age > 60 OR sellers.age < 20)");
    check("shops opened between 1990 and 1999", "shops.year_opened BETWEEN 1990 AND 1999");
    check("shops without sellers", "shops.shop_id NOT IN");
    check("sellers whose salary is above the average", "sellers.salary > ( SELECT AVG(sellers.salary) FROM sellers )");
}

#[test]
fn measures_groups_and_orders_are_read() {
    check("how many sellers are there in each city", "COUNT(*)");
    check("what is the average age and salary of sellers", "AVG(sellers.age)");
    check("the minimum and maximum salary of sellers", "MAX(sellers.salary)");
    check("average salary by city", "GROUP BY shops.city");
    check("the seller with the highest salary", "ORDER BY sellers.salary DESC");
    check("shops with more than 2 sellers", "HAVING COUNT(*) > 2");
    check("which shop has the most sellers", "ORDER BY COUNT(*) DESC");
    check("the most common city of shops", "GROUP BY shops.city");
}

/// The words that a query without conditions leaves unused.
fn check_unused(question: &str, expected: &[(&str, Loss)]) {
    let model = model();
    let index = ModelIndex::new(&model, &NoEvidence);
    let words = words(question);
    let lattice = Lattice::new(&index, &words, NaiveDate::default());
    let shops = index.table_named("shops").unwrap();
    let names = index.label(shops).into_iter().map(crate::interpretation::query::Expr::Column).collect();
    let query = crate::interpretation::query::Query { select: names, ..Default::default() };
    let accounting = account(&index, &lattice, &losses(&lattice), &Usage::of(&index, &query));
    let unused: Vec<(&str, Loss)> =
        accounting.unused.iter().map(|(at, loss)| (words[*at].lower.as_str(), *loss)).collect();
    assert_eq!(unused, expected, "{question}");
}

#[test]
fn what_a_query_leaves_out_is_accounted_for() {
    check_unused("show the names of all shops please", &[]);
    check_unused("names of shops in Oslo", &[("oslo", Loss::Name)]);
    check_unused("names of shops that are not open", &[("not", Loss::Negation), ("open", Loss::Content)]);
    check_unused("names of the 5 largest shops", &[("5", Loss::Number), ("largest", Loss::Superlative)]);
    check_unused("names of shops with zeppelins", &[("zeppelins", Loss::Content)]);
}
