//! How questions look as cues, and queries as aspects.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use chrono::NaiveDate;

use super::{Aspects, Cues};
use crate::accounting::{Usage, losses};
use crate::evidence::NoEvidence;
use crate::interpretation::query::{Comparison, Condition, Direction, Expr, Function, Literal, Operand, Query};
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

fn check_aspects(query: &Query, expected: [&str; 8]) {
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
    check_aspects(&plain, ["2", "2", "none", "none", "none", "0", "0", "text+key"]);
    let measure = Query {
        select: vec![Expr::Column(name), Expr::Aggregate(Function::Sum, tonnage), Expr::CountRows(ships)],
        order: vec![(Expr::CountRows(ships), Direction::Descending)],
        limit: Some(1),
        ..Query::default()
    };
    check_aspects(&measure, ["3", "1", "count+sum", "group", "down+count+one", "0", "0", "text"]);
    let above = |number| {
        let literal = Operand::Literal(Literal::Number(number));
        Condition::Compare(Expr::Column(tonnage), Comparison::Greater, literal)
    };
    let compared = Query {
        select: vec![Expr::CountRows(ships)],
        conditions: vec![Condition::Any(vec![above(1.0), above(2.0)])],
        ..Query::default()
    };
    check_aspects(&compared, ["1", "0", "count", "none", "none", "2", "0", "none"]);
}
