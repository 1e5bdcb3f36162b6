//! Questions whose measures a wrong join would multiply, restrict or exchange for another one.

use super::Answer;
use super::DOUBTED_BELOW;
use super::asked_model::AskedModel;
use super::body_on_one_line;
use super::listed_values::ListedValues;

const HONEY: AskedModel = AskedModel {
    yaml: include_str!("join_questions/honey.yaml"),
    data: ListedValues {
        values: &[("honey_type", &["lime", "clover"]), ("buyer", &["Ann", "Bob"])],
        with_gaps: &[],
        latest_days: &[],
    },
};

const PUMPS: AskedModel = AskedModel {
    yaml: include_str!("join_questions/pumps.yaml"),
    data: ListedValues {
        values: &[("region", &["North", "South", "East"]), ("colour", &["red", "green"])],
        with_gaps: &[],
        latest_days: &[],
    },
};

const TARGETS: AskedModel = AskedModel {
    yaml: include_str!("join_questions/targets.yaml"),
    data: ListedValues {
        values: &[("shop_name", &["Talhaus", "Gipfelstation"]), ("country", &["Austria", "Italy"])],
        with_gaps: &[],
        latest_days: &[],
    },
};

const VISITS: AskedModel = AskedModel {
    yaml: include_str!("join_questions/visits.yaml"),
    data: ListedValues { values: &[("town", &["Ulm", "Bonn"])], with_gaps: &[], latest_days: &[] },
};

/// Tickets of sailings between two ports, some of which were cancelled and never departed.
const SAILINGS: AskedModel = AskedModel {
    yaml: include_str!("join_questions/sailings.yaml"),
    data: ListedValues {
        values: &[("island", &["Norland", "Sudland"]), ("fare_class", &["car", "adult", "child"])],
        with_gaps: &["departed_at"],
        latest_days: &[],
    },
};

fn sql_of(answer: &Answer) -> String {
    body_on_one_line(answer.sql.as_deref().unwrap_or_default())
}

#[test]
fn a_column_that_repeats_in_both_tables_joins_nothing() {
    let yield_by_type = "SELECT harvests.honey_type, SUM(harvests.kilograms) AS yield FROM harvests GROUP BY \
                         harvests.honey_type";
    assert_eq!(sql_of(&HONEY.answer("yield by honey type")), yield_by_type);
    HONEY.check("amount by honey type", &["SUM(honey_sales.amount)", "FROM honey_sales GROUP BY"]);
    for question in ["yield by buyer", "How much yield did Bob buy?"] {
        let answer = HONEY.answer(question);
        assert!(!sql_of(&answer).contains("JOIN") && answer.confidence < DOUBTED_BELOW, "{question}: {answer:?}");
    }
    let both =
        &["SUM(harvests.kilograms)", "SUM(honey_sales.amount)", "FULL OUTER JOIN", "GROUP BY honey_sales.honey_type"];
    HONEY.check("yield and amount by honey type", both);
    for question in HONEY.answer("yield by nothing").suggestions {
        assert!(!sql_of(&HONEY.answer(&question)).contains("JOIN"), "{question}");
    }
}

#[test]
fn references_lead_to_groups_before_rows_that_repeat() {
    for question in ["volume by region", "number of pumps by region", "number of readings by region"] {
        let sql = sql_of(&PUMPS.answer(question));
        assert!(sql.contains("sites.held_by") && !sql.contains("checks"), "{question}: {sql}");
    }
    let sql = sql_of(&PUMPS.answer("volume of the region North"));
    assert!(sql.contains("sites.held_by") && !sql.contains("checks"), "{sql}");
}

#[test]
fn rows_that_count_in_several_groups_are_doubted() {
    let answer = PUMPS.answer("volume by colour");
    assert!(answer.confidence < DOUBTED_BELOW, "{answer:?}");
    assert!(answer.doubts.iter().any(|doubt| doubt.contains("several")), "{:?}", answer.doubts);
    assert!(PUMPS.answer("volume by region").doubts.is_empty());
}

#[test]
fn a_target_is_no_actual() {
    for question in [
        "revenue by shop",
        "revenue by country in 2024",
        "What was the revenue of each shop in 2024?",
        "revenue of Talhaus in 2024",
        "top 3 shops by revenue",
        "Which shop had the highest revenue in 2024?",
    ] {
        let sql = sql_of(&TARGETS.answer(question));
        assert!(sql.contains("SUM(rental_lines.line_amount)") && !sql.contains("target"), "{question}: {sql}");
    }
    TARGETS.check("target revenue by shop", &["SUM(season_targets.target_revenue)"]);
    let both = &["SUM(season_targets.target_revenue)", "SUM(rental_lines.line_amount)"];
    TARGETS.check("revenue and target revenue by country", both);
}

#[test]
fn a_synonym_of_a_table_is_no_role() {
    for question in ["How many members are there?", "members by town", "How many people are there?"] {
        let sql = sql_of(&VISITS.answer(question));
        assert!(sql.contains("COUNT(*)") && !sql.contains("visits"), "{question}: {sql}");
    }
}

#[test]
fn several_ways_to_a_group_are_doubted() {
    let answer = SAILINGS.answer("revenue by island");
    assert!(answer.confidence < DOUBTED_BELOW, "{answer:?}");
    assert!(answer.doubts.iter().any(|doubt| doubt.contains("several ways")), "{:?}", answer.doubts);
    let doubts = SAILINGS.answer("revenue by vessel").doubts;
    assert!(!doubts.iter().any(|doubt| doubt.contains("several ways")), "{doubts:?}");
}

#[test]
fn what_did_not_happen_is_dated_by_its_schedule() {
    let sql = sql_of(&SAILINGS.answer("How many sailings were cancelled in 2024?"));
    assert!(sql.contains("YEAR(sailings.scheduled_at) = 2024") && !sql.contains("departed_at"), "{sql}");
    SAILINGS.check("How many sailings departed in 2024?", &["YEAR(sailings.departed_at) = 2024"]);
}

#[test]
fn a_flag_is_used_beside_a_column_with_its_verb() {
    for question in ["number of cancelled sailings", "How many sailings were cancelled?"] {
        SAILINGS.check(question, &["COUNT(*)", "WHERE sailings.cancelled"]);
    }
    SAILINGS.check("revenue of cancelled sailings", &["SUM(tickets.total)", "WHERE sailings.cancelled"]);
}

#[test]
fn pieces_are_counted_where_the_rows_are_not_named() {
    for question in ["How many cars were there in 2024?", "number of cars by month in 2024"] {
        SAILINGS.check(question, &["SUM(tickets.quantity)", "tickets.fare_class = 'car'"]);
    }
    SAILINGS.check("number of tickets for cars", &["COUNT(*)", "tickets.fare_class = 'car'"]);
}

#[test]
fn several_ways_through_one_table_stay_several() {
    let doubts = SAILINGS.answer("number of tickets of cancelled sailings by island").doubts;
    assert!(doubts.iter().any(|doubt| doubt.contains("several ways")), "{doubts:?}");
}

#[test]
fn a_word_that_picks_nothing_is_doubted() {
    for question in ["revenue by vessel last", "running total of revenue by month in 2024 last"] {
        let answer = SAILINGS.answer(question);
        assert!(answer.confidence < DOUBTED_BELOW, "{question}: {answer:?}");
    }
}

#[test]
fn the_same_period_of_another_year_is_as_long() {
    let answer = SAILINGS.answer("revenue this year compared to the same period last year");
    let sql = sql_of(&answer);
    assert!(sql.contains("'2025-07-01'") && sql.contains("'2024-07-01'") && !sql.contains("'2026-01-01'"), "{sql}");
}
