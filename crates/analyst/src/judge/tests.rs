//! How questions look as cues, and queries as aspects.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use chrono::NaiveDate;

use super::{Aspects, Cues, FEATURES, Feature, Features, Preferred, features};
use crate::accounting::{Usage, account, losses};
use crate::evidence::NoEvidence;
use crate::interpretation::query::{
    Comparison, Condition, Direction, Expr, Function, Literal, Operand, Query, SetOperation,
};
use crate::lattice::Lattice;
use crate::links::model_index::ModelIndex;
use crate::question::words::words;
use crate::semantic_model::read_yaml;

const MODEL: &str = "
name: harbour
tables:
- name: ships
  base_table: {table: SHIPS}
  primary_key: {columns: [ship_id]}
  dimensions:
  - {name: ship_id, data_type: NUMBER, unique: true}
  - {name: name, data_type: TEXT, sample_values: [Ariel]}
  - {name: tonnage, data_type: NUMBER}
  - {name: berth, data_type: NUMBER}
  - {name: berth_fee, data_type: NUMBER}
- name: crews
  base_table: {table: CREWS}
  primary_key: {columns: [crew_id]}
  dimensions:
  - {name: crew_id, data_type: NUMBER, unique: true}
  - {name: ship_id, data_type: NUMBER}
  - {name: crews, data_type: NUMBER}
  - {name: name, data_type: TEXT, sample_values: [Ariel]}
relationships:
- {name: r, left_table: crews, right_table: ships, relationship_columns: [{left_column: ship_id, right_column: ship_id}]}
";

fn index() -> ModelIndex {
    ModelIndex::new(&read_yaml(MODEL).unwrap().model, &NoEvidence)
}

fn check_cues(question: &str, expected: &[&str], absent: &[&str]) {
    let (index, words) = (index(), words(question));
    let lattice = Lattice::new(&index, &words, NaiveDate::default());
    let names = Cues::of(&lattice, &losses(&lattice)).names;
    for cue in expected {
        assert!(names.iter().any(|name| name == cue), "{question}: no {cue} in {names:?}");
    }
    for cue in absent {
        assert!(!names.iter().any(|name| name == cue), "{question}: {cue} in {names:?}");
    }
}

#[test]
fn names_of_the_model_are_no_cues() {
    check_cues(
        "How many ships are there?",
        &["# how many", "many <table>", "1 <table>", "0 <value>"],
        &["ship", "ships"],
    );
    check_cues("ships with tonnage above 300", &["with <column>", "above <number>", "any"], &["300", "tonnage"]);
    check_cues("what is the tonnage of 'Ariel'", &["# what", "of <value>"], &["Ariel", "ariel"]);
    check_cues("names of all ships", &["name of", "all <table>"], &["2 <table>"]);
}

fn check_aspects(query: &Query, expected: [&str; 10]) {
    let index = index();
    assert_eq!(Aspects::of(&index, query, &Usage::of(&index, query)).values, expected, "{query:?}");
}

#[test]
fn queries_are_distinguished_by_their_aspects() {
    let index = index();
    let ships = index.table_named("ships").unwrap();
    let column = |name: &str| index.column_named(ships, name).unwrap();
    let (key, name, tonnage) = (column("ship_id"), column("name"), column("tonnage"));
    let plain = Query { select: vec![Expr::Column(name), Expr::Column(key)], ..Query::default() };
    check_aspects(&plain, ["2", "2", "none", "none", "none", "0", "0", "text+key", "plain", "none"]);
    let measure = Query {
        select: vec![Expr::Column(name), Expr::Aggregate(Function::Sum, tonnage), Expr::CountRows(ships)],
        order: vec![(Expr::CountRows(ships), Direction::Descending)],
        limit: Some(1),
        ..Query::default()
    };
    check_aspects(&measure, ["3", "1", "count+sum", "group", "down+count+one", "0", "0", "text", "grouped", "none"]);
    let above = |number| {
        let literal = Operand::Literal(Literal::Number(number));
        Condition::Compare(Expr::Column(tonnage), Comparison::Greater, literal)
    };
    let compared = Query {
        select: vec![Expr::CountRows(ships)],
        conditions: vec![Condition::Any(vec![above(1.0), above(2.0)])],
        ..Query::default()
    };
    check_aspects(&compared, ["1", "0", "count", "none", "none", "2", "0", "none", "grouped", "or"]);
    let mut distinct = Query { distinct: true, ..plain.clone() };
    distinct.combined = Some((SetOperation::Except, Box::new(plain)));
    check_aspects(&distinct, ["2", "2", "none", "none", "none", "0", "0", "text+key", "distinct", "except"]);
}

/// The value of a feature of a query as a reading of a question.
fn feature(question: &str, query: &Query, feature: Feature) -> f32 {
    let (index, words) = (index(), words(question));
    let lattice = Lattice::new(&index, &words, NaiveDate::default());
    let usage = Usage::of(&index, query);
    let accounting = account(&index, &lattice, &losses(&lattice), &usage);
    features(&index, &lattice, query, &usage, &accounting).get(feature)
}

#[test]
fn what_else_the_words_may_mean_is_seen() {
    let index = index();
    let (ships, crews) = (index.table_named("ships").unwrap(), index.table_named("crews").unwrap());
    let shown = |table, name: &str| Expr::Column(index.column_named(table, name).unwrap());
    let of = |select: Expr| Query { select: vec![select], ..Query::default() };
    let fee = "what is the berth fee of ships";
    assert_eq!(feature(fee, &of(shown(ships, "berth")), Feature::NameSplit), 1.0);
    assert_eq!(feature(fee, &of(shown(ships, "berth_fee")), Feature::NameSplit), 0.0);
    let called = |condition: Condition| Query { conditions: vec![condition], ..of(shown(ships, "tonnage")) };
    let ariel = Operand::Literal(Literal::Text("Ariel".into()));
    let equal = called(Condition::Compare(shown(ships, "name"), Comparison::Equal, ariel));
    let name = index.column_named(ships, "name").unwrap();
    let part = "tonnage of ships with 'Ariel' in their name";
    assert_eq!(feature(part, &equal, Feature::PatternMissed), 1.0);
    assert_eq!(feature(part, &called(Condition::Like(name, "%Ariel%".into())), Feature::PatternMissed), 0.0);
    let many = "how many crews are there";
    assert_eq!(feature(many, &of(Expr::CountRows(crews)), Feature::CountOfNamesake), 1.0);
    assert_eq!(feature(many, &of(Expr::CountRows(ships)), Feature::CountOfNamesake), 0.0);
    let mut named = of(shown(crews, "name"));
    named.select.push(shown(ships, "tonnage"));
    assert_eq!(feature("the name and tonnage of ships", &named, Feature::NearerSibling), 1.0);
    named.select[0] = shown(ships, "name");
    assert_eq!(feature("the name and tonnage of ships", &named, Feature::NearerSibling), 0.0);
}

#[test]
fn parts_that_agree_with_the_preferred_query_are_seen() {
    let index = index();
    let ships = index.table_named("ships").unwrap();
    let column = |name: &str| Expr::Column(index.column_named(ships, name).unwrap());
    let preferred = Query { select: vec![column("name"), column("tonnage")], limit: Some(1), ..Query::default() };
    let other = Query { select: vec![column("tonnage"), column("name")], distinct: true, ..Query::default() };
    let mut found = Features { values: vec![0.0; FEATURES.len()] };
    Preferred::new(&index, &preferred).compare(&other, &Usage::of(&index, &other), &mut found);
    let agreed = [Feature::AgreesShown, Feature::AgreesConditions, Feature::AgreesTables];
    let differing = [Feature::AgreesOrder, Feature::AgreesRepeats];
    assert!(agreed.iter().all(|feature| found.get(*feature) == 1.0));
    assert!(differing.iter().all(|feature| found.get(*feature) == 0.0));
}

#[test]
fn conditions_and_orders_that_exclude_each_other_are_seen() {
    let index = index();
    let ships = index.table_named("ships").unwrap();
    let column = |name: &str| Expr::Column(index.column_named(ships, name).unwrap());
    let is = |name: &str, value: Literal| Condition::Compare(column(name), Comparison::Equal, Operand::Literal(value));
    let named = |name: &str| is("name", Literal::Text(name.into()));
    let weighs = |number: f64| is("tonnage", Literal::Number(number));
    let of = |conditions: Vec<Condition>| Query { select: vec![column("name")], conditions, ..Query::default() };
    let question = "names of ships called Ariel of tonnage 1 or Bounty of tonnage 2";
    let crossed = of(vec![named("Ariel"), Condition::Any(vec![weighs(1.0), named("Bounty")]), weighs(2.0)]);
    assert_eq!(feature(question, &crossed, Feature::Contradiction), 2.0);
    let pair = |name: &str, number: f64| Condition::All(vec![named(name), weighs(number)]);
    let paired = of(vec![Condition::Any(vec![pair("Ariel", 1.0), pair("Bounty", 2.0)])]);
    assert_eq!(feature(question, &paired, Feature::Contradiction), 0.0);
    let mut sorted = of(Vec::new());
    sorted.order = vec![(column("tonnage"), Direction::Ascending), (column("tonnage"), Direction::Descending)];
    assert_eq!(feature(question, &sorted, Feature::Contradiction), 1.0);
}

#[test]
fn what_cannot_hold_or_changes_nothing_is_a_contradiction() {
    let index = index();
    let ships = index.table_named("ships").unwrap();
    let column = |name: &str| index.column_named(ships, name).unwrap();
    let equal = |name: &str, text: &str| {
        let literal = Operand::Literal(Literal::Text(text.into()));
        Condition::Compare(Expr::Column(column(name)), Comparison::Equal, literal)
    };
    let check = |query: &Query, expected: f32| {
        assert_eq!(feature("ships", query, Feature::Contradiction), expected, "{query:?}");
    };
    let shown = |conditions| Query { select: vec![Expr::Column(column("tonnage"))], conditions, ..Query::default() };
    let impossible = shown(vec![equal("name", "Ariel"), equal("name", "Dart")]);
    check(&impossible, 1.0);
    let combined = |other| Query { combined: Some((SetOperation::Intersect, Box::new(other))), ..shown(Vec::new()) };
    check(&combined(impossible), 1.0);
    check(&combined(shown(vec![equal("name", "Dart")])), 0.0);
    let total = Query {
        select: vec![Expr::Aggregate(Function::Average, column("tonnage"))],
        order: vec![(Expr::CountRows(ships), Direction::Ascending)],
        limit: Some(1),
        ..Query::default()
    };
    check(&total, 1.0);
    check(&Query { group: vec![Expr::Column(column("berth"))], ..total }, 0.0);
    let names = |conditions| Query {
        select: vec![Expr::Aggregate(Function::CountDistinct, column("name"))],
        conditions,
        ..Query::default()
    };
    check(&names(vec![equal("name", "Ariel")]), 1.0);
    check(&names(vec![equal("berth", "2")]), 0.0);
}
