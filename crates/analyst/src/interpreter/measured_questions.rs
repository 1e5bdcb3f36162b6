//! Questions about measures and time over a small model of a bank, with the SQL they become.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use chrono::NaiveDate;

use super::listed_values::ListedValues;
use super::{Answer, Interpreter, body_on_one_line};
use crate::semantic_model::read_yaml;

const MODEL: &str = include_str!("measured_questions/bank.yaml");

const DATA: ListedValues = ListedValues {
    values: &[
        ("branch_name", &["Main Street", "Riverside"]),
        ("region", &["North", "South"]),
        ("customer_name", &["Ada Berg", "Tom Hill"]),
        ("gender", &["female", "male"]),
        ("purpose", &["Car", "Home", "Business"]),
        ("loan_status", &["Approved", "Rejected", "Repaid"]),
        ("kind", &["Deposit", "Withdrawal", "Transfer"]),
    ],
    with_gaps: &["approved_on", "repaid_on"],
    latest_days: &[],
};

fn answer(question: &str) -> Answer {
    let model = read_yaml(MODEL).unwrap().model;
    let interpreter = Interpreter::new(&model, &DATA);
    interpreter.interpret(question, &[], NaiveDate::from_ymd_opt(2025, 6, 30).unwrap())
}

fn check(question: &str, expected: &str) {
    let sql = answer(question).sql.unwrap_or_default();
    assert_eq!(body_on_one_line(&sql), expected, "{question}");
}

/// What both readers read alike is surer than what one of them reads.
#[test]
fn agreement_makes_sure() {
    let agreed = answer("turnover by region").confidence;
    let measured = answer("six-month moving average of turnover").confidence;
    let lossy = answer("turnover of zeppelins by region").confidence;
    assert!(agreed > measured && measured > lossy, "{agreed} {measured} {lossy}");
}

#[test]
fn a_bare_year_or_period_is_of_the_measures_own_date() {
    check(
        "loans per branch 2024",
        "SELECT branches.branch_name, COUNT(*) AS number_of_loans FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN loans ON customers.customer_id = loans.loan_customer_id WHERE YEAR(loans.requested_on) = 2024 GROUP BY branches.branch_name",
    );
    check(
        "loans 2024 by purpose and gender",
        "SELECT loans.purpose, customers.gender, COUNT(*) AS number_of_loans FROM loans JOIN customers ON loans.loan_customer_id = customers.customer_id WHERE YEAR(loans.requested_on) = 2024 GROUP BY loans.purpose, customers.gender",
    );
    check(
        "default rate by purpose 2024",
        "SELECT loans.purpose, 100.0 * COUNT_IF(loans.STATUS = 'Defaulted') / COUNT(*) AS default_rate FROM loans WHERE YEAR(loans.requested_on) = 2024 GROUP BY loans.purpose",
    );
    check(
        "turnover in the last 3 months",
        "SELECT SUM(transactions.amount) AS turnover FROM transactions WHERE (transactions.booked_at >= '2025-03-30' AND transactions.booked_at < '2025-07-01')",
    );
    check(
        "withdrawals in May 2025 per branch",
        "SELECT branches.branch_name, COUNT(*) AS number_of_transactions FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN transactions ON customers.customer_id = transactions.transaction_customer_id WHERE transactions.kind = 'Withdrawal' AND (transactions.booked_at >= '2025-05-01' AND transactions.booked_at < '2025-06-01') GROUP BY branches.branch_name",
    );
    check(
        "How many customers joined in 2023?",
        "SELECT COUNT(*) AS number_of_customers FROM customers WHERE YEAR(customers.joined_on) = 2023",
    );
    check(
        "how many loans were approved in March 2024",
        "SELECT COUNT(*) AS number_of_loans FROM loans WHERE (loans.approved_on >= '2024-03-01' AND loans.approved_on < '2024-04-01')",
    );
    check(
        "how many different customers took loans in 2024",
        "SELECT COUNT(DISTINCT customers.customer_id) AS number_of_customers FROM loans JOIN customers ON loans.loan_customer_id = customers.customer_id WHERE YEAR(loans.requested_on) = 2024",
    );
}

/// `rental date` is the synonym of a later column.
#[test]
fn the_date_that_is_called_after_a_table_is_its_own() {
    let rentals = "name: m\ntables:\n- name: rentals\n  base_table: {table: RENTALS}\n  primary_key: {columns: [rental_id]}\n  dimensions: [{name: rental_id, expr: RENTAL_ID}, {name: branch, expr: BRANCH, synonyms: [station]}]\n  time_dimensions:\n  - {name: booked_on, expr: BOOKED_ON, data_type: DATE}\n  - {name: picked_up_on, expr: PICKED_UP_ON, data_type: DATE, synonyms: [rental date]}\n  facts: [{name: fee, expr: FEE, data_type: NUMBER}]\n  metrics: [{name: rental_count, expr: COUNT(*), synonyms: [rentals]}]\n";
    let model = read_yaml(rentals).unwrap().model;
    let today = NaiveDate::from_ymd_opt(2025, 6, 30).unwrap();
    for question in ["rentals by branch 2024", "How many rentals were there per branch in 2024?"] {
        let sql = Interpreter::new(&model, &DATA).interpret(question, &[], today).sql.unwrap_or_default();
        assert!(sql.contains("YEAR(__rentals.picked_up_on) = 2024"), "{question}: {sql}");
    }
    let of_another_day = Interpreter::new(&model, &DATA).interpret("total fee by branch 2024", &[], today);
    assert!(of_another_day.sql.is_some() && of_another_day.confidence < 0.885, "{}", of_another_day.confidence);
}

#[test]
fn units_of_time_group() {
    check(
        "turnover by region and quarter",
        "SELECT branches.region, DATE_TRUNC('QUARTER', transactions.booked_at) AS quarter, SUM(transactions.amount) AS turnover FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN transactions ON customers.customer_id = transactions.transaction_customer_id GROUP BY branches.region, DATE_TRUNC('QUARTER', transactions.booked_at) ORDER BY quarter",
    );
    check(
        "interest rate by year",
        "SELECT YEAR(loans.requested_on) AS year, AVG(loans.interest_rate) AS average_interest_rate FROM loans GROUP BY YEAR(loans.requested_on) ORDER BY year",
    );
    check(
        "weekly turnover this year",
        "SELECT DATE_TRUNC('WEEK', transactions.booked_at) AS week, SUM(transactions.amount) AS turnover FROM transactions WHERE (transactions.booked_at >= '2025-01-01' AND transactions.booked_at < '2026-01-01') GROUP BY DATE_TRUNC('WEEK', transactions.booked_at) ORDER BY week",
    );
    check(
        "transactions per weekday",
        "SELECT DAYNAME(transactions.booked_at) AS weekday, COUNT(*) AS number_of_transactions FROM transactions GROUP BY DAYNAME(transactions.booked_at)",
    );
    check(
        "transactions by hour of the day",
        "SELECT HOUR(transactions.booked_at) AS hour, COUNT(*) AS number_of_transactions FROM transactions GROUP BY HOUR(transactions.booked_at)",
    );
    check(
        "deposits on weekends",
        "SELECT COUNT(*) AS number_of_transactions FROM transactions WHERE transactions.kind = 'Deposit' AND (DAYOFWEEKISO(transactions.booked_at) = 6 OR DAYOFWEEKISO(transactions.booked_at) = 7)",
    );
    check(
        "number of new customers per month",
        "SELECT DATE_TRUNC('MONTH', customers.joined_on) AS month, COUNT(*) AS number_of_customers FROM customers GROUP BY DATE_TRUNC('MONTH', customers.joined_on) ORDER BY month",
    );
}

#[test]
fn shares_are_of_the_whole_or_of_a_part() {
    check(
        "What percentage of loans were rejected?",
        "SELECT 100.0 * COUNT(CASE WHEN loans.loan_status = 'Rejected' THEN 1 END) / NULLIF(COUNT(*), 0) AS number_of_loans_share_percent FROM loans",
    );
    check(
        "What share of customers are women?",
        "SELECT 100.0 * COUNT(CASE WHEN customers.gender = 'female' THEN 1 END) / NULLIF(COUNT(*), 0) AS number_of_customers_share_percent FROM customers",
    );
    check(
        "what percentage of loans were rejected, by region",
        "SELECT branches.region, 100.0 * COUNT(CASE WHEN loans.loan_status = 'Rejected' THEN 1 END) / NULLIF(COUNT(*), 0) AS number_of_loans_share_percent FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN loans ON customers.customer_id = loans.loan_customer_id GROUP BY branches.region",
    );
    check(
        "share of turnover by branch in percent",
        "SELECT branches.branch_name, 100.0 * SUM(transactions.amount) / NULLIF(SUM(SUM(transactions.amount)) OVER (), 0) AS turnover_share_percent FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN transactions ON customers.customer_id = transactions.transaction_customer_id GROUP BY branches.branch_name",
    );
    check(
        "loan amount as a percentage of turnover by branch",
        "SELECT part_0.group_0 AS branch_name, 100.0 * part_0.measure_0 / NULLIF(part_1.measure_0, 0) AS loan_amount_percent_of_turnover FROM (SELECT branches.branch_name, SUM(loans.principal) FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN loans ON customers.customer_id = loans.loan_customer_id GROUP BY branches.branch_name) AS part_0 (group_0, measure_0) LEFT JOIN (SELECT branches.branch_name, SUM(transactions.amount) FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN transactions ON customers.customer_id = transactions.transaction_customer_id GROUP BY branches.branch_name) AS part_1 (group_0, measure_0) ON part_0.group_0 IS NOT DISTINCT FROM part_1.group_0",
    );
}

#[test]
fn measures_are_divided_each_over_its_own_rows() {
    check(
        "turnover per teller by branch",
        "SELECT part_1.group_0 AS branch_name, part_1.measure_0 * 1.0 / NULLIF(part_0.measure_0, 0) AS turnover_per_total_tellers FROM (SELECT branches.branch_name, SUM(transactions.amount) FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN transactions ON customers.customer_id = transactions.transaction_customer_id GROUP BY branches.branch_name) AS part_1 (group_0, measure_0) LEFT JOIN (SELECT branches.branch_name, SUM(branches.tellers) FROM branches GROUP BY branches.branch_name) AS part_0 (group_0, measure_0) ON part_1.group_0 IS NOT DISTINCT FROM part_0.group_0",
    );
    check(
        "loans per customer by region",
        "SELECT part_1.group_0 AS region, part_1.measure_0 * 1.0 / NULLIF(part_0.measure_0, 0) AS number_of_loans_per_customer FROM (SELECT branches.region, COUNT(*) FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN loans ON customers.customer_id = loans.loan_customer_id GROUP BY branches.region) AS part_1 (group_0, measure_0) LEFT JOIN (SELECT branches.region, COUNT(*) FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id GROUP BY branches.region) AS part_0 (group_0, measure_0) ON part_1.group_0 IS NOT DISTINCT FROM part_0.group_0",
    );
    check(
        "average number of loans per customer",
        "SELECT AVG(by_group.value_of_group) AS average_number_of_loans FROM (SELECT COUNT(*) FROM customers JOIN loans ON customers.customer_id = loans.loan_customer_id GROUP BY customers.customer_name, customers.customer_id) AS by_group (value_of_group)",
    );
    check(
        "number of loans divided by number of customers",
        "SELECT part_1.measure_0 * 1.0 / NULLIF(part_0.measure_0, 0) AS number_of_loans_per_customer FROM (SELECT COUNT(*) FROM loans) AS part_1 (measure_0) CROSS JOIN (SELECT COUNT(*) FROM customers) AS part_0 (measure_0)",
    );
}

#[test]
fn periods_are_compared() {
    check(
        "year over year growth of turnover in percent",
        "SELECT YEAR(transactions.booked_at) AS year, 100.0 * (SUM(transactions.amount) - LAG(SUM(transactions.amount)) OVER (ORDER BY YEAR(transactions.booked_at))) / NULLIF(LAG(SUM(transactions.amount)) OVER (ORDER BY YEAR(transactions.booked_at)), 0) AS turnover_growth_percent FROM transactions GROUP BY YEAR(transactions.booked_at) ORDER BY year",
    );
    check(
        "turnover growth from 2023 to 2024",
        "SELECT 100.0 * (SUM(CASE WHEN transactions.booked_at >= '2024-01-01' AND transactions.booked_at < '2025-01-01' THEN transactions.amount END) - SUM(CASE WHEN transactions.booked_at >= '2023-01-01' AND transactions.booked_at < '2024-01-01' THEN transactions.amount END)) / NULLIF(SUM(CASE WHEN transactions.booked_at >= '2023-01-01' AND transactions.booked_at < '2024-01-01' THEN transactions.amount END), 0) AS turnover_change_percent FROM transactions WHERE (transactions.booked_at >= '2023-01-01' AND transactions.booked_at < '2025-01-01')",
    );
    check(
        "turnover ytd vs same period last year",
        "SELECT SUM(CASE WHEN transactions.booked_at >= '2025-01-01' AND transactions.booked_at < '2025-07-01' THEN transactions.amount END) AS turnover_from_2025_01_01, SUM(CASE WHEN transactions.booked_at >= '2024-01-01' AND transactions.booked_at < '2024-07-01' THEN transactions.amount END) AS turnover_from_2024_01_01 FROM transactions WHERE ((transactions.booked_at >= '2025-01-01' AND transactions.booked_at < '2025-07-01') OR (transactions.booked_at >= '2024-01-01' AND transactions.booked_at < '2024-07-01'))",
    );
    check(
        "turnover Q1 2025 vs Q1 2024 by region",
        "SELECT branches.region, SUM(CASE WHEN transactions.booked_at >= '2025-01-01' AND transactions.booked_at < '2025-04-01' THEN transactions.amount END) AS turnover_2025_01, SUM(CASE WHEN transactions.booked_at >= '2024-01-01' AND transactions.booked_at < '2024-04-01' THEN transactions.amount END) AS turnover_2024_01 FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN transactions ON customers.customer_id = transactions.transaction_customer_id WHERE ((transactions.booked_at >= '2025-01-01' AND transactions.booked_at < '2025-04-01') OR (transactions.booked_at >= '2024-01-01' AND transactions.booked_at < '2024-04-01')) GROUP BY branches.region",
    );
    check(
        "monthly turnover with the change to the previous month",
        "SELECT DATE_TRUNC('MONTH', transactions.booked_at) AS month, SUM(transactions.amount) AS turnover, SUM(transactions.amount) - LAG(SUM(transactions.amount)) OVER (ORDER BY DATE_TRUNC('MONTH', transactions.booked_at)) AS turnover_change FROM transactions GROUP BY DATE_TRUNC('MONTH', transactions.booked_at) ORDER BY month",
    );
}

#[test]
fn measures_run_along_time() {
    check(
        "six-month moving average of turnover",
        "SELECT DATE_TRUNC('MONTH', transactions.booked_at) AS month, AVG(SUM(transactions.amount)) OVER (ORDER BY DATE_TRUNC('MONTH', transactions.booked_at) ROWS BETWEEN 5 PRECEDING AND CURRENT ROW) AS moving_average_of_turnover FROM transactions GROUP BY DATE_TRUNC('MONTH', transactions.booked_at) ORDER BY month",
    );
    check(
        "cumulative loan amount by month in 2024",
        "SELECT DATE_TRUNC('MONTH', loans.requested_on) AS month, SUM(SUM(loans.principal)) OVER (ORDER BY DATE_TRUNC('MONTH', loans.requested_on)) AS running_total_of_loan_amount FROM loans WHERE YEAR(loans.requested_on) = 2024 GROUP BY DATE_TRUNC('MONTH', loans.requested_on) ORDER BY month",
    );
}

#[test]
fn spans_of_time_are_measured() {
    check(
        "How long does it take on average from request to approval?",
        "SELECT AVG(DATEDIFF('DAY', loans.requested_on, loans.approved_on)) AS average_days_from_requested_on_to_approved_on FROM loans",
    );
    check(
        "How many days pass on average until a loan is repaid, by purpose?",
        "SELECT loans.purpose, AVG(DATEDIFF('DAY', loans.requested_on, loans.repaid_on)) AS average_days_from_requested_on_to_repaid_on FROM loans GROUP BY loans.purpose",
    );
}

#[test]
fn things_are_asked_for_by_a_measure() {
    check(
        "Which branch has the highest turnover?",
        "SELECT branches.branch_name FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN transactions ON customers.customer_id = transactions.transaction_customer_id GROUP BY branches.branch_name ORDER BY SUM(transactions.amount) DESC NULLS LAST, branches.branch_name LIMIT 1",
    );
    check(
        "Which customers had more than 20000 dollars of deposits in 2024?",
        "SELECT customers.customer_name FROM customers JOIN transactions ON customers.customer_id = transactions.transaction_customer_id WHERE transactions.kind = 'Deposit' AND YEAR(transactions.booked_at) = 2024 GROUP BY customers.customer_id, customers.customer_name HAVING SUM(transactions.amount) > 20000",
    );
    check(
        "top 3 branches by loan amount in 2024",
        "SELECT branches.branch_name, SUM(loans.principal) AS loan_amount FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN loans ON customers.customer_id = loans.loan_customer_id WHERE YEAR(loans.requested_on) = 2024 GROUP BY branches.branch_name ORDER BY loan_amount DESC NULLS LAST, branches.branch_name LIMIT 3",
    );
    check(
        "North vs South turnover",
        "SELECT branches.region, SUM(transactions.amount) AS turnover FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN transactions ON customers.customer_id = transactions.transaction_customer_id WHERE (branches.region = 'North' OR branches.region = 'South') GROUP BY branches.region",
    );
}

#[test]
fn conditions_restrict_the_measure() {
    check(
        "turnover excluding transfers",
        "SELECT SUM(transactions.amount) AS turnover FROM transactions WHERE transactions.kind <> 'Transfer'",
    );
    check(
        "turnover of premium customers by region",
        "SELECT branches.region, SUM(transactions.amount) AS turnover FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN transactions ON customers.customer_id = transactions.transaction_customer_id WHERE (customers.TIER = 'P') GROUP BY branches.region",
    );
    check(
        "total principal of home loans since 2023",
        "SELECT SUM(loans.principal) AS total_principal FROM loans WHERE loans.purpose = 'Home' AND loans.requested_on >= '2023-01-01'",
    );
    check(
        "repaid loans by branch",
        "SELECT branches.branch_name, COUNT(*) AS number_of_loans FROM branches JOIN customers ON branches.branch_id = customers.customer_branch_id JOIN loans ON customers.customer_id = loans.loan_customer_id WHERE loans.loan_status = 'Repaid' GROUP BY branches.branch_name",
    );
}
