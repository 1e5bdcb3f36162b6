//! Questions that were answered with figures of something else: units that nothing is in, the life of another thing, the
//! number of things in stock for how often they were wanted.

use super::asked_model::AskedModel;
use super::body_on_one_line;
use super::listed_values::ListedValues;
use super::{Category, DOUBTED_BELOW};

const ORCHARD: AskedModel = AskedModel {
    yaml: include_str!("honest_questions/orchard.yaml"),
    data: ListedValues {
        values: &[("variety", &["Elstar", "Boskoop"]), ("maker", &["Arvid", "Botan"]), ("town", &["Ulm", "Bonn"])],
        with_gaps: &["felled_on"],
        latest_days: &[],
    },
};

#[test]
fn a_unit_that_figures_are_not_in_is_named() {
    for (question, unit) in [
        ("yield in tonnes in 2024", "tonnes"),
        ("crop in pounds by variety", "pounds"),
        ("average height in feet", "feet"),
        ("rental income in dollars by month", "dollars"),
    ] {
        let answer = ORCHARD.answer(question);
        assert!(answer.unused.iter().any(|word| word == unit), "{question}: {answer:?}");
        assert!(answer.confidence < DOUBTED_BELOW, "{question}: {answer:?}");
    }
    for question in ["crop in kilos by variety", "average height in metres", "rental income in euros by month"] {
        let answer = ORCHARD.answer(question);
        assert!(answer.sql.is_some() && answer.unused.is_empty(), "{question}: {answer:?}");
    }
    assert!(ORCHARD.answer("crop in kilograms by variety").unused.is_empty());
}

#[test]
fn a_verb_that_tells_of_no_day_and_a_pronoun_for_nothing_are_named() {
    for (question, word) in [("How many fields were flooded in 2024?", "flooded"), ("list its trees", "its")] {
        let answer = ORCHARD.answer(question);
        assert!(answer.confidence < DOUBTED_BELOW, "{question}: {answer:?}");
        assert!(answer.sql.is_none() || answer.unused.iter().any(|unused| unused == word), "{question}: {answer:?}");
    }
}

#[test]
fn a_number_of_rows_is_restated_as_it_was_asked() {
    let restatement = ORCHARD.answer("fields with fewer than 4 trees").restatement;
    assert!(restatement.contains("field has fewer than 4 trees"), "{restatement}");
}

#[test]
fn advice_is_no_query() {
    for question in ["Should we plant more trees?", "Which ladder should I buy?"] {
        let answer = ORCHARD.answer(question);
        assert!(answer.sql.is_none() && answer.category == Category::OutOfScope, "{question}: {answer:?}");
        assert!(answer.doubts.iter().any(|doubt| doubt.contains("what should be done")), "{:?}", answer.doubts);
    }
}

#[test]
fn the_life_of_something_else_tells_no_age() {
    let sql = body_on_one_line(&ORCHARD.answer("oldest tree").sql.unwrap_or_default());
    assert!(sql.contains("ORDER BY trees.planted_on") && !sql.contains("grower"), "{sql}");
    ORCHARD.check("oldest picker", &["ORDER BY pickers.birth_date"]);
}

#[test]
fn things_are_popular_by_their_events() {
    let sql = body_on_one_line(&ORCHARD.answer("most popular maker in 2024").sql.unwrap_or_default());
    assert!(sql.contains("rentals.rented_on") && !sql.contains("bought_on"), "{sql}");
    let answer = ORCHARD.answer("most popular variety");
    assert!(answer.confidence < DOUBTED_BELOW, "{answer:?}");
    ORCHARD.check("most common maker of ladders", &["FROM ladders GROUP BY ladders.maker"]);
}

#[test]
fn a_year_of_plans_is_theirs_whatever_the_table_is_called() {
    let sql = ORCHARD.answer("crop against plan by town in 2024").sql.unwrap_or_default();
    assert!(sql.contains("plan_year = 2024"), "{sql}");
}

#[test]
fn a_judgement_is_asked_back_with_measures_of_what_is_judged() {
    for (question, suggestion) in
        [("best variety", "top 5 varieties by crop"), ("good months", "What is the crop by month?")]
    {
        let answer = ORCHARD.answer(question);
        assert!(answer.suggestions.iter().any(|other| other == suggestion), "{question}: {:?}", answer.suggestions);
        assert!(ORCHARD.answer(suggestion).sql.is_some(), "{suggestion}");
    }
}

#[test]
fn trimmings_change_nothing() {
    let plain = ORCHARD.answer("crop by variety").sql;
    assert!(plain.is_some());
    for question in
        ["crop by variety, thanks a lot", "plot crop by variety", "crop by variety as a pie chart", "variety wise crop"]
    {
        assert_eq!(ORCHARD.answer(question).sql, plain, "{question}");
    }
}

#[test]
fn a_part_of_the_question_before_is_dropped() {
    let history = ["crop by variety in 2024"];
    let answer = ORCHARD.answer_after(&history, "drop the year");
    assert_eq!(answer.sql, ORCHARD.answer("crop by variety").sql, "{:?}", answer.doubts);
    let history = ["crop of Elstar in 2024"];
    let answer = ORCHARD.answer_after(&history, "remove the variety filter");
    assert_eq!(answer.sql, ORCHARD.answer("crop in 2024").sql, "{:?}", answer.doubts);
    let answer = ORCHARD.answer_after(&history, "delete all harvests");
    assert!(answer.sql.is_none() && answer.category == Category::OutOfScope, "{answer:?}");
}

#[test]
fn what_has_not_happened_is_in_no_year() {
    ORCHARD.check("How many trees were felled each year?", &["COUNT(*)", "trees.felled_on IS NOT NULL"]);
}
