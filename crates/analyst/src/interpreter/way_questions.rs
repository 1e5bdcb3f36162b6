//! Questions that can be answered over several ways between the same tables: each is offered with its own SQL.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use super::asked_model::AskedModel;
use super::body_on_one_line;
use super::listed_values::ListedValues;
use super::{Alternative, Interpreter};

/// Flights between airports, whose dates stand in a calendar; tickets are sold by agencies and to customers, both of a region.
const FLIGHTS: AskedModel = AskedModel {
    yaml: include_str!("way_questions/flights.yaml"),
    data: ListedValues {
        values: &[("city", &["Oslo", "Bern"]), ("region_name", &["North", "South"])],
        with_gaps: &[],
        latest_days: &[],
    },
};

fn body(other: &Alternative) -> String {
    body_on_one_line(other.sql.as_deref().unwrap_or_default())
}

/// The SQL of the answer, and the ways that are offered beside it.
fn ways(model: &AskedModel, question: &str) -> (String, Vec<(String, String)>) {
    let answered = model.answer(question);
    let answered = body_on_one_line(answered.sql.as_deref().unwrap_or_default());
    let others = model.alternatives(question).into_iter().filter(|one| one.sql.is_some() && body(one) != answered);
    let others = others.map(|one| (one.restatement.clone(), body(&one))).collect();
    (answered, others)
}

#[track_caller]
fn check(model: &AskedModel, question: &str, used: &str, other: &str) {
    let (answered, others) = ways(model, question);
    assert!(answered.contains(used) && !answered.contains(other), "{question}: {answered}");
    let is_other = |(_, sql): &(String, String)| sql.contains(other) && !sql.contains(used);
    assert!(others.iter().any(is_other), "{question}: {others:#?}");
}

#[test]
fn two_references_to_one_table_are_two_readings() {
    check(&FLIGHTS, "revenue by city", "origin_airport_id", "destination_airport_id");
    check(&FLIGHTS, "number of flights by city", "origin_airport_id", "destination_airport_id");
    check(&FLIGHTS, "revenue of Oslo", "origin_airport_id", "destination_airport_id");
    check(&FLIGHTS, "revenue by quarter name", "sold_day_id", "flown_day_id");
}

#[test]
fn two_ways_over_other_tables_are_two_readings() {
    check(&FLIGHTS, "revenue by region name", "agencies", "customers");
}

#[test]
fn the_restatement_of_another_way_names_it_and_is_read_again() {
    let (_, others) = ways(&FLIGHTS, "revenue by city");
    let (restatement, sql) = others.iter().find(|(_, sql)| sql.contains("destination_airport_id")).unwrap();
    assert!(restatement.contains("by way of the destination airport of flights"), "{restatement}");
    assert_eq!(body_on_one_line(&FLIGHTS.answer(restatement).sql.unwrap()), *sql);

    // What continues it goes the same way.
    let next = FLIGHTS.answer_after(&[restatement], "only for Oslo");
    let next = body_on_one_line(&next.sql.unwrap());
    assert!(next.contains("destination_airport_id") && next.contains("'Oslo'"), "{next}");
}

#[test]
fn beside_a_way_that_is_named_no_other_is_offered() {
    let (answered, others) = ways(&FLIGHTS, "number of flights by destination city");
    assert!(answered.contains("destination_airport_id") && !answered.contains("origin_airport_id"), "{answered}");
    assert!(!others.iter().any(|(restatement, _)| restatement.contains("by way of")), "{others:#?}");
}

#[test]
fn where_one_way_leads_there_none_is_offered() {
    for question in ["revenue by cabin", "number of flights", "revenue by agency name"] {
        let (_, others) = ways(&FLIGHTS, question);
        assert!(!others.iter().any(|(restatement, _)| restatement.contains("by way of")), "{question}: {others:#?}");
    }
}

/// Sums are those of the tickets, whichever way leads from them.
#[test]
fn no_way_is_offered_that_counts_rows_more_often() {
    for question in ["revenue by city", "revenue by region name", "revenue by quarter name"] {
        for (_, sql) in ways(&FLIGHTS, question).1.iter().filter(|(restatement, _)| restatement.contains("by way of")) {
            assert!(sql.contains("SUM(tickets.price)") && !sql.contains("DISTINCT"), "{question}: {sql}");
        }
    }
}

impl AskedModel {
    fn alternatives(&self, question: &str) -> Vec<Alternative> {
        let model = crate::semantic_model::read_yaml(self.yaml).unwrap().model;
        let today = chrono::NaiveDate::from_ymd_opt(2025, 6, 30).unwrap();
        Interpreter::new(&model, &self.data).alternatives(question, &[], today)
    }
}
