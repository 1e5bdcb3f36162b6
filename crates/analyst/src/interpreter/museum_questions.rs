//! Questions about validity, roles, inclusion and days over a small model of a museum, with the SQL they become.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use chrono::NaiveDate;

use super::listed_values::ListedValues;
use super::{Answer, Interpreter, body_on_one_line};
use crate::semantic_model::read_yaml;

const MODEL: &str = include_str!("museum_questions/museum.yaml");

const DATA: ListedValues = ListedValues {
    values: &[
        ("guide_name", &["Ada Berg", "Tom Lund"]),
        ("pass_status", &["Paid", "Cancelled", "No Photo"]),
        ("exhibit_code", &["EX-1", "EX-2"]),
    ],
    with_gaps: &["valid_to", "left_on", "badge_valid_until", "checked_by", "repaired_on"],
    latest_days: &[],
};

fn answer(question: &str) -> Answer {
    let model = read_yaml(MODEL).unwrap().model;
    Interpreter::new(&model, &DATA).interpret(question, &[], NaiveDate::from_ymd_opt(2024, 5, 15).unwrap())
}

/// The question is answered by the query with what follows its FROM.
fn check(question: &str, expected: &str) {
    let sql = answer(question).sql.unwrap_or_default();
    let body = body_on_one_line(&sql);
    let from = body.split_once(" FROM ").map_or(body.as_str(), |(_, from)| from);
    assert_eq!(from, expected, "{question}: {body}");
}

const VALID: &str =
    "(passes.valid_from <= '2024-05-15' AND (passes.valid_to IS NULL OR passes.valid_to >= '2024-05-15'))";

#[test]
fn what_is_valid_has_begun_and_not_ended() {
    let today = format!("passes WHERE {VALID} AND passes.pass_status <> 'Cancelled'");
    for question in [
        "How many passes are valid today?",
        "How many passes are valid?",
        "How many passes are currently valid?",
        "How many passes are still valid?",
        "How many passes are in force?",
    ] {
        check(question, &today);
    }
    check(
        "How many passes were valid in 2023?",
        "passes WHERE (passes.valid_from < '2024-01-01' AND (passes.valid_to IS NULL OR passes.valid_to >= '2023-01-01')) \
         AND passes.pass_status <> 'Cancelled'",
    );
    check(
        "How many passes were valid at the end of 2023?",
        "passes WHERE (passes.valid_from <= '2023-12-31' AND (passes.valid_to IS NULL OR passes.valid_to >= '2023-12-31')) \
         AND passes.pass_status <> 'Cancelled'",
    );
}

#[test]
fn what_has_expired_ended_before_today_or_in_a_period() {
    check(
        "Which passes have expired?",
        "passes WHERE passes.valid_to < '2024-05-15' AND passes.pass_status <> 'Cancelled'",
    );
    check(
        "How many passes expired in 2023?",
        "passes WHERE (passes.valid_to >= '2023-01-01' AND passes.valid_to < '2024-01-01') \
         AND passes.pass_status <> 'Cancelled'",
    );
    check(
        "How many passes expired in 2024?",
        "passes WHERE (passes.valid_to >= '2024-01-01' AND passes.valid_to < '2024-05-15') \
         AND passes.pass_status <> 'Cancelled'",
    );
}

#[test]
fn a_single_day_tells_how_long_a_thing_is_valid() {
    check("How many guides have an expired badge?", "guides WHERE guides.badge_valid_until < '2024-05-15'");
    check("How many guides have a valid badge?", "guides WHERE guides.badge_valid_until >= '2024-05-15'");
    check("Whose badge has expired?", "guides WHERE guides.badge_valid_until < '2024-05-15'");
    check(
        "badges that run out in the next 3 months",
        "guides WHERE (guides.badge_valid_until >= '2024-05-15' AND guides.badge_valid_until < '2024-08-16')",
    );
}

#[test]
fn a_period_tells_when_a_filter_holds() {
    check(
        "How many guides were on duty in 2022?",
        "guides WHERE (guides.hired_on < '2023-01-01' AND (guides.left_on IS NULL OR guides.left_on >= '2022-01-01'))",
    );
}

#[test]
fn what_is_included_lifts_the_default() {
    check("How many passes are there?", "passes WHERE passes.pass_status <> 'Cancelled'");
    for question in [
        "How many passes are there including cancelled ones?",
        "How many passes including cancelled passes are there?",
        "How many passes are there regardless of status?",
    ] {
        check(question, "passes");
    }
    check("takings including cancelled passes", "passes");
}

#[test]
fn defaults_hold_in_nested_queries() {
    check(
        "How many guides have no passes?",
        "guides WHERE guides.guide_id NOT IN (SELECT passes.sold_by FROM passes WHERE passes.sold_by IS NOT NULL \
         AND passes.pass_status <> 'Cancelled')",
    );
}

#[test]
fn a_verb_tells_the_role() {
    check(
        "Which guides have never checked a pass?",
        "guides WHERE guides.guide_id NOT IN (SELECT passes.checked_by FROM passes WHERE passes.checked_by IS NOT NULL \
         AND passes.pass_status <> 'Cancelled')",
    );
    check(
        "Which guides have checked a pass?",
        "guides WHERE guides.guide_id IN (SELECT passes.checked_by FROM passes WHERE passes.checked_by IS NOT NULL \
         AND passes.pass_status <> 'Cancelled')",
    );
    check(
        "Which guides did not check any pass in 2023?",
        "guides WHERE guides.guide_id NOT IN (SELECT passes.checked_by FROM passes WHERE YEAR(passes.valid_from) = 2023 \
         AND passes.checked_by IS NOT NULL AND passes.pass_status <> 'Cancelled')",
    );
    check(
        "How many passes were checked by the same guide who sold them?",
        "passes WHERE passes.checked_by = passes.sold_by AND passes.pass_status <> 'Cancelled'",
    );
    check(
        "How many passes were not checked?",
        "passes WHERE passes.checked_by IS NULL AND passes.pass_status <> 'Cancelled'",
    );
}

#[test]
fn things_under_a_mark_are_listed() {
    let listed = answer("exhibits acquired in 2023").sql.unwrap_or_default();
    let body = body_on_one_line(&listed);
    assert_eq!(body, "SELECT exhibits.exhibit_code FROM exhibits WHERE YEAR(exhibits.acquired_on) = 2023");
    check(
        "exhibits with more than 3 repairs",
        "exhibits JOIN repairs ON exhibits.exhibit_code = repairs.repaired_exhibit GROUP BY exhibits.exhibit_code \
         HAVING COUNT(*) > 3",
    );
    check(
        "the 2 newest exhibits",
        "exhibits ORDER BY exhibits.acquired_on DESC NULLS LAST, exhibits.exhibit_code LIMIT 2",
    );
}

#[test]
fn days_are_compared_with_days() {
    check(
        "How many repairs were reported before the acquired date?",
        "repairs JOIN exhibits ON repairs.repaired_exhibit = exhibits.exhibit_code \
         WHERE repairs.reported_on < exhibits.acquired_on",
    );
    check(
        "How many repairs took longer than 5 days?",
        "repairs WHERE DATEDIFF('DAY', repairs.reported_on, repairs.repaired_on) > 5",
    );
    check(
        "How many repairs were repaired within 3 days?",
        "repairs WHERE repairs.repaired_on IS NOT NULL AND DATEDIFF('DAY', repairs.reported_on, repairs.repaired_on) >= 0 \
         AND DATEDIFF('DAY', repairs.reported_on, repairs.repaired_on) <= 3",
    );
}

#[test]
fn verbs_name_measures_and_days() {
    check(
        "How much did we collect per quarter in 2023?",
        "passes WHERE YEAR(passes.valid_from) = 2023 AND passes.pass_status <> 'Cancelled' \
         GROUP BY DATE_TRUNC('QUARTER', passes.valid_from) ORDER BY quarter",
    );
    let answer = answer("How many days does it take on average to fix a repair?");
    let body = body_on_one_line(&answer.sql.unwrap_or_default());
    assert!(body.contains("AVG(DATEDIFF('DAY', repairs.reported_on, repairs.repaired_on))"), "{body}");
    assert!(answer.unused.is_empty(), "{:?}", answer.unused);
}

#[test]
fn what_says_another_thing_is_not_answered() {
    let answer = answer("How many passes have no photo?");
    assert!(answer.confidence < 0.5, "{}", answer.confidence);
}

/// A doubtful answer says what else may be meant, a sure one does not.
#[test]
fn a_rival_is_named() {
    let expected = "It may also mean: show the average pass price for each guide name.";
    assert_eq!(answer("average price by guide").doubts, [expected]);
    assert!(answer("takings by year").doubts.is_empty());
}
