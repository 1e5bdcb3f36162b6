//! Questions over ferries: measures of several tables, years without days, parts of a year, two sides of one measure, doers
//! behind a passive, names that are split, and opinions.

use super::Category;
use super::asked_model::AskedModel;
use super::listed_values::ListedValues;

const FERRIES: AskedModel = AskedModel {
    yaml: include_str!("ferry_questions/ferry.yaml"),
    data: ListedValues {
        values: &[
            ("harbour_place", &["Bergen", "Stavanger"]),
            ("county", &["Vestland", "Rogaland"]),
            ("captain_name", &["Ann Moe", "Tor Lie"]),
            ("grade", &["First", "Master"]),
        ],
        with_gaps: &[],
        latest_days: &[],
    },
};

#[test]
fn measures_of_two_tables_are_divided_or_stand_side_by_side() {
    FERRIES.check(
        "fuel cost per mile by county",
        &["measure_0 * 1.0 / NULLIF", "SUM(fuel_purchases.fuel_cost)", "SUM(trips.miles)"],
    );
    let sides = &["budgets.budget_year = 2024", "YEAR(fuel_purchases.bought_on) = 2024", "harbours.harbour_place"];
    FERRIES.check("fuel budget and fuel cost per harbour in 2024", sides);
    let defined = "What is the fuel ratio, fuel cost divided by fuel budget, for each county?";
    FERRIES.check(defined, &["measure_0 * 1.0 / NULLIF", "county"]);
}

#[test]
fn what_was_reached_stands_beside_what_was_to_be_reached() {
    let sides = &["SUM(budgets.fuel_budget)", "SUM(fuel_purchases.fuel_cost)", "budget_year = 2024", "harbour_place"];
    FERRIES.check("fuel cost against budget per harbour, 2024", sides);
    let exceeded = &["SELECT COALESCE(", "WHERE COALESCE(", "> 0", "budget_year = 2024"];
    FERRIES.check("Which harbours exceeded their fuel budget in 2024?", exceeded);
    FERRIES.check("harbours below their fuel budget in 2024", &["< 0"]);
    FERRIES.check(
        "Did Bergen reach its fuel budget in 2024?",
        &["SUM(budgets.fuel_budget)", "SUM(fuel_purchases.fuel_cost)"],
    );
    FERRIES.check("Which harbour was furthest below its budget in 2024?", &["ORDER BY COALESCE(", "LIMIT 1"]);
}

#[test]
fn parts_of_a_year_are_the_last_ones_that_have_begun() {
    FERRIES.check("trips in the second quarter", &["COUNT(*)", ">= '2025-04-01'", "< '2025-07-01'"]);
    FERRIES.check("trips in the first half of last year", &[">= '2024-01-01'", "< '2024-07-01'"]);
    FERRIES.check("trips in May compared with April", &["'2025-05-01'", "'2025-04-01'"]);
    FERRIES.check("miles in March and April", &["SUM(trips.miles)", ">= '2025-03-01'", "< '2025-05-01'"]);
}

#[test]
fn two_periods_leave_out_what_lies_between_them() {
    let years = ["'2023-03-01'", "'2023-04-01'", "'2025-03-01'", "'2025-04-01'", " OR "];
    FERRIES.check("How many trips were there in March 2023 and March 2025?", &years);
    FERRIES.check("miles by county in March 2023 and March 2025", &years);
    FERRIES.check("miles in March and May 2025", &["'2025-04-01'", "'2025-05-01'", " OR "]);
    FERRIES.check("miles in Q1 2024 and Q1 2025", &["'2024-04-01'", "'2025-01-01'", " OR "]);
    FERRIES.check("miles in Q1 and Q3 2024", &["'2024-04-01'", "'2024-07-01'", " OR "]);
    FERRIES.check("miles between March 2023 and March 2025", &[">= '2023-03-01'", "< '2025-04-01'"]);
    for question in ["miles in 2022 and 2024", "miles between March 2023 and March 2025"] {
        let sql = FERRIES.answer(question).sql.unwrap_or_default();
        assert_eq!(sql.contains(" OR "), question.ends_with("2024"), "{question}: {sql}");
    }
}

#[test]
fn what_follows_a_question_goes_on_from_it() {
    let check = |history: &str, question: &str, expected: &[&str], absent: &str| {
        let answer = FERRIES.answer_after(&[history], question);
        let sql = super::body_on_one_line(answer.sql.as_deref().unwrap_or_default());
        assert!(expected.iter().all(|part| sql.contains(part)) && !sql.contains(absent), "{history} {question}: {sql}");
    };
    for question in ["in March", "and in March?", "what about March?"] {
        check("How many trips were there in 2024?", question, &["'2024-03-01'", "'2024-04-01'"], "2025");
    }
    for question in ["by county too", "split by county as well", "also by county"] {
        check("miles by grade", question, &["captains.grade", "harbours.county", "GROUP BY"], "WHERE");
    }
    for question in ["exclude Bergen", "leave out Bergen", "ignore Bergen", "hide Bergen", "all but Bergen"] {
        check("miles by harbour", question, &["<> 'Bergen'", "GROUP BY"], "= 'Bergen'");
    }
}

#[test]
fn all_but_one_are_the_others() {
    FERRIES.check("miles of all harbours but Bergen", &["<> 'Bergen'"]);
    FERRIES.check("captains whose grade is anything but Master", &["<> 'Master'"]);
}

#[test]
fn two_sides_of_a_measure_are_two_rows() {
    let sides = &["SELECT harbours.harbour_place, COUNT(*)", "'Bergen'", "'Stavanger'", "GROUP BY"];
    FERRIES.check("Did Bergen have more trips than Stavanger in 2024?", sides);
    FERRIES.check("Were there more trips in Bergen or in Stavanger?", sides);
    FERRIES.check("Bergen vs the rest, miles", &["harbours.harbour_place = 'Bergen'", "SUM(trips.miles)", "GROUP BY"]);
    FERRIES.check("miles of chartered vs non-chartered trips", &["chartered", "SUM(trips.miles)", "GROUP BY"]);
    FERRIES.check("chartered trips vs ordinary ones, miles", &["chartered", "SUM(trips.miles)", "GROUP BY"]);
}

#[test]
fn doers_with_something_said_of_them_restrict() {
    let sql = FERRIES.answer("trips commanded by captains of the grade Master").sql.unwrap_or_default();
    assert!(sql.contains("captains.grade = 'Master'") && !sql.contains("GROUP BY"), "{sql}");
    FERRIES.check("trips commanded by captain", &["GROUP BY"]);
}

#[test]
fn what_is_denied_takes_its_flag_along() {
    let parts = &["captains.captain_id NOT IN", "trips.chartered"];
    FERRIES.check("Which captains commanded no chartered trip?", parts);
    let sql = FERRIES.answer("Which captains commanded no chartered trip?").sql.unwrap_or_default();
    assert!(!sql.contains("NOT (__trips.chartered)"), "{sql}");
}

#[test]
fn names_and_sums_are_put_together() {
    FERRIES.check("How many minutes did Ann Moe sail in May?", &["SUM(trips.minutes_sailed)", "'Ann Moe'"]);
    FERRIES.check("How much did we spend on fuel in 2024?", &["SUM(fuel_purchases.fuel_cost)", "2024"]);
    FERRIES.check("counties with fewer than 50 berths", &["HAVING SUM(harbours.berths) < 50"]);
    FERRIES.check("share of trips longer than 90 miles", &["trips.miles > 90", "100.0 *"]);
    FERRIES.check("Which is our busiest captain?", &["captains.captain_name", "COUNT(*) DESC", "LIMIT 1"]);
}

#[test]
fn what_is_counted_and_unknown_is_refused() {
    let answer = FERRIES.answer("How many bees do our captains keep?");
    assert!(answer.sql.is_none(), "{:?}", answer.sql);
    assert!(answer.doubts.iter().any(|doubt| doubt.contains("bees")), "{:?}", answer.doubts);
}

#[test]
fn opinions_are_not_in_the_data() {
    for question in ["Which captains hate chartered trips?", "How satisfied are our captains?"] {
        let answer = FERRIES.answer(question);
        assert!(answer.sql.is_none(), "{question}: {:?}", answer.sql);
        assert_eq!(answer.category, Category::OutOfScope, "{question}");
    }
    assert!(FERRIES.answer("I would like to see the trips per harbour").sql.is_some());
}
