//! What the rules read: a question, and the SQL that must be among the queries they make of it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use chrono::NaiveDate;

use super::queries;
use crate::accounting::{Loss, Usage, account, losses};
use crate::evidence::NoEvidence;
use crate::interpretation::query::{Expr, Query};
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
- name: sales
  base_table: {table: SALES}
  primary_key: {columns: [sale_id]}
  dimensions:
  - {name: sale_id, data_type: NUMBER, unique: true}
  - {name: taken_by, data_type: NUMBER}
  - {name: checked_by, data_type: NUMBER}
  - {name: status, data_type: TEXT, sample_values: [open, closed]}
relationships:
- {name: t, left_table: sales, right_table: sellers, relationship_columns: [{left_column: taken_by, right_column: seller_id}]}
- {name: c, left_table: sales, right_table: sellers, relationship_columns: [{left_column: checked_by, right_column: seller_id}]}
- {name: r, left_table: sellers, right_table: shops, relationship_columns: [{left_column: shop_id, right_column: shop_id}]}
";

fn model() -> SemanticModel {
    read_yaml(MODEL).unwrap().model
}

/// The SQL of a query on one line, without the common tables.
fn body(model: &SemanticModel, index: &ModelIndex, query: &Query) -> Option<String> {
    let text = sql(model, index, query)?;
    let body = text.split_once(")\nSELECT").map_or(text.clone(), |(_, body)| format!("SELECT{body}"));
    Some(body.replace("__", "").split_whitespace().collect::<Vec<_>>().join(" "))
}

fn check(question: &str, expected: &str) {
    let model = model();
    let index = ModelIndex::new(&model, &NoEvidence);
    let words = words(question);
    let lattice = Lattice::new(&index, &words, NaiveDate::default());
    let charted = queries(&index, &lattice, &losses(&lattice));
    let found: Vec<String> = charted.iter().filter_map(|query| body(&model, &index, query)).collect();
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
    check(
        "shops without sellers",
        "shops.shop_id NOT IN ( SELECT sellers.shop_id FROM sellers WHERE sellers.shop_id IS NOT NULL )",
    );
    check("sellers of age 24 or 25", "(sellers.age = 24 OR sellers.age = 25)");
    check("sellers of age either 24 or 25", "(sellers.age = 24 OR sellers.age = 25)");
    check("sellers whose salary is above the average", "sellers.salary > ( SELECT AVG(sellers.salary) FROM sellers )");
}

#[test]
fn measures_groups_and_orders_are_read() {
    check("how many sellers are there in each city", "COUNT(*)");
    check("what is the average age and salary of sellers", "AVG(sellers.age)");
    check("the minimum and maximum salary of sellers", "MAX(sellers.salary)");
    check("the highest, lowest and average salary of sellers", "MIN(sellers.salary)");
    check(
        "highest and average age of sellers",
        "SELECT MAX(sellers.age) AS highest_age, AVG(sellers.age) AS average_age FROM sellers",
    );
    check("average salary by city", "GROUP BY shops.city");
    check("the seller with the highest salary", "ORDER BY sellers.salary DESC");
    check("shops with more than 2 sellers", "HAVING COUNT(*) > 2");
    check("which shop has the most sellers", "ORDER BY COUNT(*) DESC");
    check("the most common city of shops", "GROUP BY shops.city");
}

#[test]
fn a_column_compared_twice_parts_two_sets_of_rows() {
    check(
        "cities of shops with both sellers of age above 45 and sellers of age below 35",
        "WHERE sellers.age > 45 INTERSECT SELECT",
    );
    check("names of shops in Oslo but not in Bergen", "WHERE shops.city = 'Oslo' EXCEPT SELECT");
    check(
        "names of shops in Oslo 1990 or in Bergen 1999",
        "((shops.city = 'Oslo' AND shops.year_opened = 1990) OR (shops.city = 'Bergen' AND shops.year_opened = 1999))",
    );
}

/// The question, the SQL of a query it may be read as, and the SQL that must be among the neighbours of that.
fn check_edit(question: &str, read: &str, expected: &str) {
    let model = model();
    let index = ModelIndex::new(&model, &NoEvidence);
    let words = words(question);
    let lattice = Lattice::new(&index, &words, NaiveDate::default());
    let charted = queries(&index, &lattice, &losses(&lattice));
    let own = |query: &Query| body(&model, &index, query);
    let first = charted.iter().find(|query| own(query).as_deref() == Some(read));
    let first = first.unwrap_or_else(|| panic!("{question}\n{:#?}", charted.iter().map(own).collect::<Vec<_>>()));
    let found: Vec<String> = super::edits::edits(&index, &lattice, first).iter().filter_map(own).collect();
    assert!(found.iter().any(|text| text == expected), "{question}\n{}", found.join("\n"));
}

#[test]
fn neighbours_use_what_a_query_leaves_out() {
    let names = "SELECT shops.name FROM shops";
    check_edit("names and cities of shops", names, "SELECT shops.name, shops.city FROM shops");
    let oslo = "SELECT shops.name FROM shops WHERE shops.city = 'Oslo'";
    check_edit("names of shops not part of Oslo", oslo, "SELECT shops.name FROM shops WHERE shops.city <> 'Oslo'");
    check_edit(
        "names of shops whose city includes Oslo",
        oslo,
        "SELECT shops.name FROM shops WHERE shops.city ILIKE '%Oslo%'",
    );
    check_edit(
        "names of shops in Oslo 1999",
        oslo,
        "SELECT shops.name FROM shops WHERE shops.city = 'Oslo' AND shops.year_opened = 1999",
    );
    check_edit(
        "names of shops ordered by city, then year opened",
        "SELECT shops.name, shops.year_opened FROM shops ORDER BY shops.city",
        "SELECT shops.name, shops.year_opened FROM shops ORDER BY shops.city, shops.year_opened",
    );
}

#[test]
fn neighbours_reach_rows_by_the_role_that_is_named() {
    check_edit(
        "full names of sellers and the status of sales that they checked by",
        "SELECT sellers.full_name, sales.status FROM sellers JOIN sales ON sellers.seller_id = sales.taken_by",
        "SELECT checked_by_of_sales.full_name AS checked_by_full_name, sales.status FROM sales JOIN sellers AS checked_by_of_sales ON sales.checked_by = checked_by_of_sales.seller_id",
    );
}

#[test]
fn neighbours_show_rows_once_or_as_often_as_they_are_met() {
    check_edit(
        "names of shops with sellers with age above 30",
        "SELECT shops.name FROM shops JOIN sellers ON shops.shop_id = sellers.shop_id WHERE sellers.age > 30",
        "SELECT shops.name FROM shops WHERE shops.shop_id IN ( SELECT sellers.shop_id FROM sellers WHERE sellers.age > 30 )",
    );
}

#[test]
fn neighbours_take_all_rows_of_the_largest_group() {
    check_edit(
        "full names of sellers of the shop with the most sellers",
        "SELECT sellers.full_name FROM sellers GROUP BY sellers.full_name ORDER BY COUNT(*) DESC, sellers.full_name LIMIT 1",
        "SELECT sellers.full_name FROM sellers WHERE sellers.shop_id IN ( SELECT sellers.shop_id FROM sellers GROUP BY sellers.shop_id ORDER BY COUNT(*) DESC, sellers.shop_id LIMIT 1 )",
    );
}

#[test]
fn neighbours_take_the_rows_with_the_most_common_value() {
    check_edit(
        "full names of sellers of the most common age",
        "SELECT sellers.age, sellers.full_name FROM sellers GROUP BY sellers.age, sellers.full_name ORDER BY COUNT(*) DESC, sellers.age, sellers.full_name LIMIT 1",
        "SELECT sellers.full_name FROM sellers WHERE sellers.age IN ( SELECT sellers.age FROM sellers GROUP BY sellers.age ORDER BY COUNT(*) DESC, sellers.age LIMIT 1 )",
    );
}

#[test]
fn neighbours_count_rows_that_meet_both() {
    check_edit(
        "how many shops have both the sellers Ann and Bo",
        "SELECT COUNT(DISTINCT shops.shop_id) AS number_of_shops FROM sellers JOIN shops ON sellers.shop_id = shops.shop_id WHERE (sellers.full_name = 'Ann' OR sellers.full_name = 'Bo')",
        "SELECT COUNT(*) AS number_of_shops FROM shops WHERE shops.shop_id IN ( SELECT sellers.shop_id FROM sellers WHERE sellers.full_name = 'Ann' ) AND shops.shop_id IN ( SELECT sellers.shop_id FROM sellers WHERE sellers.full_name = 'Bo' )",
    );
}

#[test]
fn neighbours_show_groups_by_their_key() {
    check_edit(
        "number of sellers of each shop",
        "SELECT shops.name, COUNT(*) AS number_of_sellers FROM shops JOIN sellers ON shops.shop_id = sellers.shop_id GROUP BY shops.name",
        "SELECT shops.shop_id, COUNT(*) AS number_of_sellers FROM shops JOIN sellers ON shops.shop_id = sellers.shop_id GROUP BY shops.shop_id",
    );
}

#[test]
fn neighbours_compute_every_function_that_is_asked_for() {
    check_edit(
        "what is the maximum of salary and also the minimum",
        "SELECT MAX(sellers.salary) AS highest_salary FROM sellers",
        "SELECT MAX(sellers.salary) AS highest_salary, MIN(sellers.salary) AS lowest_salary FROM sellers",
    );
}

#[test]
fn neighbours_pair_values_around_or() {
    check_edit(
        "names of shops in Oslo 1990 or Bergen 1999",
        "SELECT shops.name FROM shops WHERE shops.city = 'Oslo' AND (shops.year_opened = 1990 OR shops.city = 'Bergen') AND shops.year_opened = 1999",
        "SELECT shops.name FROM shops WHERE ((shops.city = 'Oslo' AND shops.year_opened = 1990) OR (shops.city = 'Bergen' AND shops.year_opened = 1999))",
    );
}

/// The words that a query without conditions leaves unused.
fn check_unused(question: &str, expected: &[(&str, Loss)]) {
    let model = model();
    let index = ModelIndex::new(&model, &NoEvidence);
    let words = words(question);
    let lattice = Lattice::new(&index, &words, NaiveDate::default());
    let shops = index.table_named("shops").unwrap();
    let names = index.label(shops).into_iter().map(Expr::Column).collect();
    let query = Query { select: names, ..Default::default() };
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
