//! Shapes of business questions over a small model of a travel agency, with the SQL they become.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use chrono::NaiveDate;

use super::Interpreter;
use super::asked_model::AskedModel;
use super::listed_values::ListedValues;
use crate::semantic_model::read_yaml;

const MODEL: &str = include_str!("shape_questions/travel.yaml");

const DATA: ListedValues = ListedValues {
    values: &[
        ("tour_name", &["Fjords", "Alps"]),
        ("guide_name", &["Ada Berg", "Tom Hill"]),
        ("area", &["North", "South"]),
        ("town", &["Lund", "Ystad", "Malmo"]),
        ("tier", &["Premium", "Basic"]),
    ],
    with_gaps: &["booking_guide_id", "recommended_by"],
    latest_days: &[],
};

const TRAVEL: AskedModel = AskedModel { yaml: MODEL, data: DATA };

#[test]
fn things_are_ranked_within_each_group() {
    TRAVEL.check(
        "best selling tour in each area",
        &[
            "SELECT guides.area, tours.tour_name, COUNT(*)",
            "QUALIFY ROW_NUMBER() OVER (PARTITION BY guides.area ORDER BY COUNT(*) DESC",
        ],
    );
    TRAVEL.check(
        "top tour in each area by income",
        &["SELECT guides.area, tours.tour_name, SUM(bookings.PRICE)", "PARTITION BY guides.area", "<= 1"],
    );
    TRAVEL.check("Which area has the highest income in each year?", &["PARTITION BY YEAR(bookings.booked_on)"]);
    // `per tour` may divide.
    assert!(TRAVEL.answer("Which area has the highest income per tour?").confidence < 0.885);
}

#[test]
fn a_verb_of_the_rows_says_nothing_more_of_their_facts() {
    TRAVEL.check(
        "growth of booked seats from 2023 to 2024 in percent",
        &["100.0 * (SUM(CASE WHEN bookings.booked_on >= '2024-01-01'", "THEN bookings.seats END)"],
    );
}

#[test]
fn values_are_excluded_that_some_row_has() {
    TRAVEL.check(
        "towns with no premium travellers",
        &[
            "SELECT DISTINCT travellers.town FROM travellers WHERE travellers.town NOT IN (SELECT travellers.town",
            "travellers.tier = 'Premium'",
        ],
    );
}

#[test]
fn nothing_denies_the_only_deeds_there_are() {
    TRAVEL.check(
        "guides who sold nothing in 2024",
        &[
            "SELECT guides.guide_name FROM guides WHERE guides.guide_id NOT IN (SELECT bookings.booking_guide_id",
            "YEAR(bookings.booked_on) = 2024",
        ],
    );
}

#[test]
fn rows_that_others_refer_to_are_counted_by_them() {
    TRAVEL.check(
        "Who recommended the most travellers?",
        &["JOIN travellers AS recommended_by_of_travellers", "ORDER BY COUNT(*) DESC", "LIMIT 1"],
    );
}

#[test]
fn days_are_compared_with_each_other() {
    TRAVEL.check(
        "How many bookings were made less than 7 days before departure?",
        &["SELECT COUNT(*)", "DATEDIFF('DAY', bookings.booked_on, bookings.departure_date) < 7"],
    );
    TRAVEL.check(
        "How many bookings were there within 30 days of the traveller signup?",
        &["DATEDIFF('DAY', travellers.signup_date, bookings.booked_on) <= 30"],
    );
}

#[test]
fn rows_without_a_partner_stay_where_the_model_says_so() {
    TRAVEL.check("income by area", &["FROM bookings LEFT JOIN guides ON"]);
    TRAVEL.check("income by tour", &["FROM tours JOIN bookings ON"]);
    TRAVEL.check("Which guide has the most bookings?", &["JOIN bookings ON"]);
}

#[test]
fn rows_with_and_without_something_stand_side_by_side() {
    TRAVEL.check(
        "average seats of bookings with and without a guide",
        &[
            "SELECT bookings.booking_guide_id IS NOT NULL",
            "AVG(bookings.seats)",
            "GROUP BY bookings.booking_guide_id IS NOT NULL",
        ],
    );
    TRAVEL.check(
        "number of travellers with a booking compared with those without",
        &["SELECT travellers.traveller_id IN (SELECT bookings.booking_traveller_id", "COUNT(*)"],
    );
}

#[test]
fn ages_are_counted_from_the_day_of_birth() {
    TRAVEL
        .check("average age of travellers", &["AVG(FLOOR(MONTHS_BETWEEN('2025-06-30', travellers.birth_date) / 12))"]);
    TRAVEL.check(
        "How old is the oldest premium traveller?",
        &["MAX(FLOOR(MONTHS_BETWEEN(", "travellers.tier = 'Premium'"],
    );
    TRAVEL.check("average age of travellers by town", &["SELECT travellers.town, AVG(FLOOR("]);
}

#[test]
fn suggestions_are_about_what_was_named() {
    let refused = TRAVEL.answer("zorbing seats by town");
    assert!(refused.sql.is_none(), "{:?}", refused.sql);
    assert_eq!(refused.suggestions.first().map(String::as_str), Some("What is the total seats by town?"));
    let is_about =
        |question: &String| ["seats", "town", "booking", "traveller"].iter().any(|word| question.contains(word));
    assert!(refused.suggestions.iter().all(is_about), "{:?}", refused.suggestions);
}

/// The table of goods has no good rows.
#[test]
fn a_judgement_is_no_table() {
    let goods = "- name: goods\n  base_table: {table: GOODS}\n  primary_key: {columns: [goods_id]}\n  dimensions: [{name: goods_id, expr: GOODS_ID, unique: true}, {name: goods_name, expr: GOODS_NAME}]\nrelationships:";
    let model = read_yaml(&MODEL.replacen("relationships:", goods, 1)).unwrap().model;
    let today = NaiveDate::from_ymd_opt(2025, 6, 30).unwrap();
    let sql = Interpreter::new(&model, &DATA).interpret("good travellers", &[], today).sql.unwrap_or_default();
    assert!(!sql.contains("GOODS"), "{sql}");
    let sql =
        Interpreter::new(&model, &DATA).interpret("How many goods are there?", &[], today).sql.unwrap_or_default();
    assert!(sql.contains("GOODS"), "{sql}");
}
