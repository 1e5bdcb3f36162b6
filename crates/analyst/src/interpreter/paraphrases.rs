//! One thing said in several ways, over models of different words: a bank, a gym and a port. Each way becomes the same SQL.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use chrono::NaiveDate;

use super::{Answer, Interpreter, body_on_one_line};
use crate::evidence::Evidence;
use crate::semantic_model::read_yaml;

const BANK: &str = include_str!("measured_questions/bank.yaml");
const GYM: &str = include_str!("paraphrases/gym.yaml");
const PORT: &str = include_str!("paraphrases/port.yaml");

struct Data;

impl Evidence for Data {
    fn values(&self, _table: &str, column: &str) -> Vec<String> {
        let values: &[&str] = match column {
            "region" => &["North", "South"],
            "purpose" => &["Car", "Home", "Business"],
            "loan_status" => &["Approved", "Rejected", "Repaid"],
            "tariff" => &["Basic", "Gold"],
            "town" => &["Ulm", "Trier"],
            "cargo" => &["Grain", "Cars", "Boxes"],
            "status" => &["Cleared", "Held"],
            _ => &[],
        };
        values.iter().map(ToString::to_string).collect()
    }

    fn distinct_count(&self, _table: &str, _column: &str) -> Option<u64> {
        None
    }

    fn row_count(&self, _table: &str) -> Option<u64> {
        Some(1000)
    }

    fn has_gaps(&self, _table: &str, column: &str) -> Option<bool> {
        Some(matches!(column, "approved_on" | "repaid_on" | "left_on" | "trainer_ref" | "paid_on"))
    }
}

fn answer(model: &str, question: &str) -> Answer {
    let model = read_yaml(model).unwrap().model;
    Interpreter::new(&model, &Data).interpret(question, &[], NaiveDate::from_ymd_opt(2025, 6, 30).unwrap())
}

/// The SQL without the names of its columns, which are the user's own words.
fn without_names(sql: &str) -> String {
    let mut words_left: Vec<String> = Vec::new();
    let mut words = sql.split(' ');
    while let Some(word) = words.next() {
        if word != "AS" {
            words_left.push(word.to_owned());
            continue;
        }
        let name = words.next().unwrap_or_default();
        if let Some(last) = words_left.last_mut() {
            last.push_str(&name[name.trim_end_matches([',', ')']).len()..]);
        }
    }
    words_left.join(" ")
}

/// Every way of asking becomes the SQL.
fn check(model: &str, questions: &[&str], expected: &str) {
    let wrong: Vec<String> = questions
        .iter()
        .map(|question| (question, body_on_one_line(&answer(model, question).sql.unwrap_or_default())))
        .filter(|(_, sql)| without_names(sql) != without_names(expected))
        .map(|(question, sql)| format!("{question}\n  {sql}"))
        .collect();
    assert!(wrong.is_empty(), "expected {expected}\n{}", wrong.join("\n"));
}

#[test]
fn rows_are_compared_with_numbers() {
    check(
        GYM,
        &[
            "How many visits lasted more than 90 minutes, by club?",
            "number of visits longer than 90 minutes by club",
            "visits over 90 minutes per club",
            "visits with a duration above 90 per club",
            "count of visits with more than 90 minutes for each club",
        ],
        "SELECT clubs.club_name, COUNT(*) AS number_of_visits FROM clubs JOIN members ON clubs.club_id = members.member_club_id JOIN visits ON members.member_id = visits.visit_member_id WHERE visits.minutes > 90 GROUP BY clubs.club_name",
    );
    check(
        PORT,
        &[
            "How many containers weigh more than 20000 kg, by status?",
            "containers heavier than 20000 kg by status",
            "number of containers over 20000 kg per status",
            "containers with a weight of more than 20000 kg by status",
        ],
        "SELECT containers.status, COUNT(*) AS number_of_containers FROM containers WHERE containers.weight_kg > 20000 GROUP BY containers.status",
    );
    check(
        BANK,
        &[
            "How many transactions above 500 euros were there by kind?",
            "transactions over 500 euros by kind",
            "number of transactions with an amount above 500 by kind",
            "transactions of more than 500 dollars per kind",
        ],
        "SELECT transactions.kind, COUNT(*) AS number_of_transactions FROM transactions WHERE transactions.amount > 500 GROUP BY transactions.kind",
    );
}

#[test]
fn percentiles() {
    check(
        GYM,
        &[
            "90th percentile of visit duration by club",
            "p90 of minutes by club",
            "What is the 90th percentile of the duration for each club?",
        ],
        "SELECT clubs.club_name, PERCENTILE_CONT(0.90) WITHIN GROUP (ORDER BY visits.minutes) AS percentile_90_of_minute FROM clubs JOIN members ON clubs.club_id = members.member_club_id JOIN visits ON members.member_id = visits.visit_member_id GROUP BY clubs.club_name",
    );
    check(
        PORT,
        &["95th percentile of waiting time by cargo", "p95 waiting time per cargo"],
        "SELECT calls.cargo, PERCENTILE_CONT(0.95) WITHIN GROUP (ORDER BY calls.waiting_hours) AS percentile_95_of_waiting_time FROM calls GROUP BY calls.cargo",
    );
    check(
        BANK,
        &["upper quartile of the interest rate by purpose", "75th percentile of interest rate per purpose"],
        "SELECT loans.purpose, PERCENTILE_CONT(0.75) WITHIN GROUP (ORDER BY loans.interest_rate) AS percentile_75_of_interest_rate FROM loans GROUP BY loans.purpose",
    );
}

#[test]
fn the_first_ones_and_the_rest() {
    check(
        PORT,
        &[
            "top 3 lines by dues and the rest as others",
            "top 3 lines by dues with the rest",
            "top 3 shipping lines by dues, the rest as others",
            "the 3 largest lines by dues and all others",
        ],
        "SELECT CASE WHEN ranked.place <= 3 THEN CAST(ranked.group_0 AS VARCHAR) ELSE 'Others' END AS line_name, SUM(ranked.value_of_group) AS dues FROM (SELECT by_group.group_0, by_group.value_of_group, ROW_NUMBER() OVER (ORDER BY by_group.value_of_group DESC NULLS LAST, by_group.group_0) AS place FROM (SELECT lines.line_name, SUM(calls.port_dues) FROM lines JOIN calls ON lines.line_id = calls.call_line_id GROUP BY lines.line_name) AS by_group (group_0, value_of_group)) AS ranked GROUP BY CASE WHEN ranked.place <= 3 THEN CAST(ranked.group_0 AS VARCHAR) ELSE 'Others' END ORDER BY MIN(ranked.place)",
    );
    // What is no sum has no rest that could be added up.
    let averaged = answer(GYM, "top 3 clubs by average duration and the rest as others");
    assert!(averaged.sql.is_none_or(|sql| !sql.contains("Others")));
}

#[test]
fn rows_that_have_others_or_lack_them() {
    check(
        GYM,
        &[
            "How many members have no trainer?",
            "number of members without a trainer",
            "count of members with no trainer",
        ],
        "SELECT COUNT(*) AS number_of_members FROM members WHERE members.trainer_ref IS NULL",
    );
    check(
        PORT,
        &["How many containers were never inspected?", "number of containers without inspections"],
        "SELECT COUNT(*) AS number_of_containers FROM containers WHERE containers.container_id NOT IN (SELECT inspections.inspected_container_id FROM inspections WHERE inspections.inspected_container_id IS NOT NULL)",
    );
    check(
        PORT,
        &[
            "share of containers that were inspected",
            "What percentage of containers was inspected?",
            "what share of containers were inspected",
        ],
        "SELECT 100.0 * part_1.measure_0 / NULLIF(part_0.measure_0, 0) AS share FROM (SELECT COUNT(DISTINCT inspections.inspected_container_id) FROM inspections) AS part_1 (measure_0) CROSS JOIN (SELECT COUNT(*) FROM containers) AS part_0 (measure_0)",
    );
}

#[test]
fn filters_that_begin_with_a_preposition() {
    check(
        GYM,
        &["How many members are on a break?", "how many members are on break", "number of members on break"],
        "SELECT COUNT(*) AS number_of_members FROM members WHERE (members.PAUSED)",
    );
    check(
        PORT,
        &["port dues of calls under arrest by cargo", "dues by cargo for calls under arrest"],
        "SELECT calls.cargo, SUM(calls.port_dues) AS dues FROM calls WHERE (calls.ARRESTED) GROUP BY calls.cargo",
    );
}

#[test]
fn things_are_counted_once() {
    check(
        GYM,
        &["trainers per club", "number of trainers by club", "How many trainers does each club have?"],
        "SELECT clubs.club_name, COUNT(DISTINCT trainers.trainer_id) AS number_of_trainers FROM clubs JOIN members ON clubs.club_id = members.member_club_id JOIN trainers ON members.trainer_ref = trainers.trainer_id GROUP BY clubs.club_name",
    );
    check(
        PORT,
        &["number of lines by cargo", "how many lines per cargo"],
        "SELECT calls.cargo, COUNT(DISTINCT lines.line_id) AS number_of_lines FROM calls JOIN lines ON calls.call_line_id = lines.line_id GROUP BY calls.cargo",
    );
}

#[test]
fn states_of_what_is_counted() {
    check(
        GYM,
        &[
            "current members by club",
            "number of active members per club",
            "How many members does each club currently have?",
            "members per club at the moment",
        ],
        "SELECT clubs.club_name, COUNT(*) AS number_of_members FROM clubs JOIN members ON clubs.club_id = members.member_club_id WHERE members.left_on IS NULL GROUP BY clubs.club_name",
    );
    check(
        BANK,
        &["transactions over 5,000 by kind", "how many transactions above 5000 per kind"],
        "SELECT transactions.kind, COUNT(*) AS number_of_transactions FROM transactions WHERE transactions.amount > 5000 GROUP BY transactions.kind",
    );
    check(
        PORT,
        &["How long does a call wait on average, by cargo?", "how long do calls take on average by cargo"],
        "SELECT calls.cargo, AVG(calls.waiting_hours) AS average_waiting_hours FROM calls GROUP BY calls.cargo",
    );
}

#[test]
fn averages_over_things() {
    check(
        GYM,
        &[
            "average number of visits per member",
            "visits per member on average",
            "How many visits does a member make on average?",
        ],
        "SELECT AVG(by_group.value_of_group) AS average_number_of_visits FROM (SELECT COUNT(*) FROM members JOIN visits ON members.member_id = visits.visit_member_id GROUP BY members.member_name, members.member_id) AS by_group (value_of_group)",
    );
    check(
        PORT,
        &["containers per call on average", "How many containers does a call bring on average?"],
        "SELECT AVG(by_group.value_of_group) AS average_number_of_containers FROM (SELECT COUNT(*) FROM calls JOIN containers ON calls.call_id = containers.container_call_id GROUP BY calls.call_id) AS by_group (value_of_group)",
    );
}

#[test]
fn shares_of_each_group() {
    check(
        GYM,
        &["share of Gold members by club", "What percentage of members is Gold by club?"],
        "SELECT clubs.club_name, 100.0 * COUNT(CASE WHEN members.tariff = 'Gold' THEN 1 END) / NULLIF(COUNT(*), 0) AS share FROM clubs JOIN members ON clubs.club_id = members.member_club_id GROUP BY clubs.club_name",
    );
    check(
        PORT,
        &["share of held containers", "What share of containers is held?", "percentage of containers that are held"],
        "SELECT 100.0 * COUNT(CASE WHEN containers.status = 'Held' THEN 1 END) / NULLIF(COUNT(*), 0) AS share FROM containers",
    );
}

#[test]
fn sides_and_peaks() {
    check(
        PORT,
        &["compare the dues of 2023 and 2024", "dues 2023 vs 2024", "dues in 2023 compared with 2024"],
        "SELECT SUM(CASE WHEN calls.arrived_on >= '2023-01-01' AND calls.arrived_on < '2024-01-01' THEN calls.port_dues END) AS a, SUM(CASE WHEN calls.arrived_on >= '2024-01-01' AND calls.arrived_on < '2025-01-01' THEN calls.port_dues END) AS b FROM calls WHERE ((calls.arrived_on >= '2023-01-01' AND calls.arrived_on < '2024-01-01') OR (calls.arrived_on >= '2024-01-01' AND calls.arrived_on < '2025-01-01'))",
    );
    check(
        GYM,
        &["busiest weekday for visits", "Which weekday has the most visits?"],
        "SELECT DAYNAME(visits.visited_on) AS weekday FROM visits GROUP BY DAYNAME(visits.visited_on) ORDER BY COUNT(*) DESC, weekday LIMIT 1",
    );
}

#[test]
fn rates_of_what_a_noun_is_made_from() {
    check(
        BANK,
        &["rejection rate by purpose", "What is the rejection rate for each purpose?"],
        "SELECT loans.purpose, 100.0 * COUNT(CASE WHEN loans.loan_status = 'Rejected' THEN 1 END) / NULLIF(COUNT(*), 0) AS rate FROM loans GROUP BY loans.purpose",
    );
    check(
        PORT,
        &["Which cargo has the highest clearance rate?", "which cargo has the largest clearance rate"],
        "SELECT calls.cargo FROM calls JOIN containers ON calls.call_id = containers.container_call_id GROUP BY calls.cargo ORDER BY 100.0 * COUNT(CASE WHEN containers.status = 'Cleared' THEN 1 END) / NULLIF(COUNT(*), 0) DESC NULLS LAST, calls.cargo LIMIT 1",
    );
}

#[test]
fn restatements_use_the_names_of_the_model() {
    let text = |model: &str, question: &str| answer(model, question).restatement;
    assert!(text(PORT, "average waiting time by cargo").contains("waiting hours"), "the plural stays");
    assert!(text(GYM, "How many members are on a break?").contains("on break"), "a filter by its own name");
}

#[test]
fn what_is_not_said_is_not_sure() {
    for (model, question) in [
        (GYM, "top 10 percent of members by visits"),
        (PORT, "top 20 percent of lines by dues"),
        (BANK, "top 5 percent of customers by turnover"),
        (GYM, "which trainer has the fewest members?"),
        (PORT, "line with the fewest calls"),
        (GYM, "how many visits did he make?"),
        (PORT, "containers neither cleared nor held"),
    ] {
        let answer = answer(model, question);
        assert!(answer.sql.is_none() || answer.confidence < 0.885, "{question} {}", answer.confidence);
    }
}

#[test]
fn a_metric_happens_on_the_day_that_it_names() {
    check(
        GYM,
        &["collected fees in 2024", "fee income 2024", "What were the collected fees in 2024?"],
        "SELECT SUM(CASE WHEN payments.paid_on IS NOT NULL THEN payments.amount END) AS fee_income FROM payments WHERE YEAR(payments.paid_on) = 2024",
    );
}
