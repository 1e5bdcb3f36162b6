//! Questions over a curated model of a lending library: sets, roles, states, rankings, follow-ups and refusals.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use chrono::NaiveDate;

use super::{Answer, Category, Interpreter, body_on_one_line};
use crate::evidence::Evidence;
use crate::semantic_model::read_yaml;

const MODEL: &str = "
name: library
tables:
- name: members
  synonyms: [readers]
  base_table: {database: D, schema: S, table: MEMBERS}
  primary_key: {columns: [member_id]}
  dimensions:
  - {name: member_id, expr: member_id, data_type: NUMBER, unique: true}
  - {name: member_name, expr: member_name, data_type: VARCHAR, unique: true}
  - {name: gender, expr: gender, data_type: VARCHAR}
  - {name: town, expr: town, data_type: VARCHAR}
  time_dimensions:
  - {name: joined_on, expr: joined_on, data_type: DATE}
  - {name: left_on, expr: left_on, data_type: DATE}
  - {name: birth_date, expr: birth_date, data_type: DATE}
- name: branches
  base_table: {database: D, schema: S, table: BRANCHES}
  primary_key: {columns: [branch_id]}
  dimensions:
  - {name: branch_id, expr: branch_id, data_type: NUMBER, unique: true}
  - {name: branch_name, expr: branch_name, data_type: VARCHAR, unique: true}
- name: books
  base_table: {database: D, schema: S, table: BOOKS}
  primary_key: {columns: [book_id]}
  dimensions:
  - {name: book_id, expr: book_id, data_type: NUMBER, unique: true}
  - {name: title, expr: title, data_type: VARCHAR}
  - {name: genre, expr: genre, data_type: VARCHAR}
  facts:
  - {name: pages, expr: pages, data_type: NUMBER, default_aggregation: avg}
- name: loans
  base_table: {database: D, schema: S, table: LOANS}
  primary_key: {columns: [loan_id]}
  dimensions:
  - {name: loan_id, expr: loan_id, data_type: NUMBER, unique: true}
  - {name: loan_member_id, expr: member_id, data_type: NUMBER}
  - {name: loan_book_id, expr: book_id, data_type: NUMBER}
  - {name: loan_branch_id, expr: branch_id, data_type: NUMBER}
  time_dimensions:
  - {name: borrowed_on, expr: borrowed_on, data_type: DATE}
  - {name: due_on, expr: due_on, data_type: DATE}
  - {name: returned_on, expr: returned_on, data_type: DATE}
  metrics:
  - {name: fees, synonyms: [fee income], expr: SUM(fee)}
- name: transfers
  base_table: {database: D, schema: S, table: TRANSFERS}
  primary_key: {columns: [transfer_id]}
  dimensions:
  - {name: transfer_id, expr: transfer_id, data_type: NUMBER, unique: true}
  - {name: source_branch_id, expr: source_branch_id, data_type: NUMBER}
  - {name: target_branch_id, expr: target_branch_id, data_type: NUMBER}
  time_dimensions:
  - {name: sent_on, expr: sent_on, data_type: DATE}
- name: fines
  base_table: {database: D, schema: S, table: FINES}
  primary_key: {columns: [fine_id]}
  dimensions:
  - {name: fine_id, expr: fine_id, data_type: NUMBER, unique: true}
  - {name: fine_loan_id, expr: loan_id, data_type: NUMBER}
  - {name: reason, expr: reason, data_type: VARCHAR}
  time_dimensions:
  - {name: issued_on, expr: issued_on, data_type: DATE}
  - {name: paid_on, expr: paid_on, data_type: DATE}
  facts:
  - {name: amount, expr: amount, data_type: NUMBER, default_aggregation: sum}
  filters:
  - {name: settled, expr: status = 'Settled'}
relationships:
- {name: r0, left_table: fines, right_table: loans, relationship_columns: [{left_column: fine_loan_id, right_column: loan_id}]}
- {name: r1, left_table: loans, right_table: members, relationship_columns: [{left_column: loan_member_id, right_column: member_id}]}
- {name: r2, left_table: loans, right_table: books, relationship_columns: [{left_column: loan_book_id, right_column: book_id}]}
- {name: r3, left_table: loans, right_table: branches, relationship_columns: [{left_column: loan_branch_id, right_column: branch_id}]}
- {name: r4, left_table: transfers, right_table: branches, relationship_columns: [{left_column: source_branch_id, right_column: branch_id}]}
- {name: r5, left_table: transfers, right_table: branches, relationship_columns: [{left_column: target_branch_id, right_column: branch_id}]}
";

struct Data;

impl Evidence for Data {
    fn values(&self, _table: &str, column: &str) -> Vec<String> {
        let values: &[&str] = match column {
            "branch_name" => &["Harbour", "Castle", "Station"],
            "genre" => &["Crime", "Poetry", "Travel"],
            "town" => &["Leeds", "York"],
            "gender" => &["female", "male"],
            "member_name" => &["Ida Falk", "Ned Moss"],
            "reason" => &["Late", "Lost"],
            _ => &[],
        };
        values.iter().map(ToString::to_string).collect()
    }

    fn distinct_count(&self, _table: &str, _column: &str) -> Option<u64> {
        None
    }

    fn row_count(&self, _table: &str) -> Option<u64> {
        Some(500)
    }

    fn has_gaps(&self, _table: &str, column: &str) -> Option<bool> {
        Some(matches!(column, "left_on" | "returned_on" | "paid_on"))
    }
}

fn answer(questions: &[&str]) -> Answer {
    let model = read_yaml(MODEL).unwrap().model;
    let interpreter = Interpreter::new(&model, &Data);
    let (last, history) = questions.split_last().unwrap();
    let history: Vec<String> = history.iter().map(ToString::to_string).collect();
    interpreter.interpret(last, &history, NaiveDate::from_ymd_opt(2025, 6, 30).unwrap())
}

/// The query behind the common tables has all of the parts.
fn says(questions: &[&str], parts: &[&str]) {
    let answer = answer(questions);
    let body = answer.sql.as_deref().map(body_on_one_line).unwrap_or_default();
    for part in parts {
        assert!(body.contains(part), "{questions:?} lacks `{part}`: {body} {:?} {:?}", answer.unused, answer.doubts);
    }
}

#[test]
fn events_in_groups_are_counted() {
    says(
        &["loans by branch 2024"],
        &["SELECT branches.branch_name, COUNT(*)", "YEAR(loans.borrowed_on) = 2024", "GROUP BY branches.branch_name"],
    );
    says(&["loans by genre and branch"], &["SELECT books.genre, branches.branch_name, COUNT(*)"]);
    says(&["loans 2023"], &["SELECT COUNT(*)", "YEAR(loans.borrowed_on) = 2023"]);
    says(&["fees per year since 2022"], &["YEAR(loans.borrowed_on)", "borrowed_on >= '2022-01-01'"]);
}

#[test]
fn rows_are_restricted_by_the_events_they_have() {
    let nested = "members.member_id IN (SELECT loans.loan_member_id FROM loans";
    says(&["Which members borrowed books in 2024?"], &["SELECT members.member_name FROM members WHERE", nested]);
    says(
        &["Which members had loans in 2023 but none in 2024?"],
        &[nested, "AND members.member_id NOT IN (SELECT loans.loan_member_id", "= 2024"],
    );
    says(&["Which readers have never had a loan?"], &["members.member_id NOT IN (SELECT loans.loan_member_id"]);
    says(&["members with at least 5 loans"], &["JOIN loans", "HAVING COUNT(*) >= 5"]);
    says(&["loans by branch without Castle"], &["branches.branch_name <> 'Castle'"]);
}

#[test]
fn states_speak_of_the_days_of_an_end_or_a_deadline() {
    says(&["Which members are no longer with us?"], &["WHERE members.left_on IS NOT NULL"]);
    says(&["How many members are still active?"], &["COUNT(*)", "members.left_on IS NULL"]);
    says(&["How many loans are overdue?"], &["loans.due_on < '2025-06-30' AND loans.returned_on IS NULL"]);
    says(&["unreturned loans per branch"], &["loans.returned_on IS NULL", "GROUP BY branches.branch_name"]);
    says(&["Which members have left?"], &["members.left_on IS NOT NULL"]);
}

#[test]
fn several_references_to_a_table_keep_their_roles() {
    let both = ["__source_branch_id_of_transfers".replace("__", ""), "target_branch_id_of_transfers".to_owned()];
    says(
        &["How many transfers went from Harbour to Castle?"],
        &[&format!("{}.branch_name = 'Harbour'", both[0]), &format!("{}.branch_name = 'Castle'", both[1])],
    );
    says(
        &["How many transfers went from Harbour to Castle?", "the other way round"],
        &[&format!("{}.branch_name = 'Castle'", both[0]), &format!("{}.branch_name = 'Harbour'", both[1])],
    );
    says(&["transfers per target branch"], &[&format!("SELECT {}.branch_name", both[1])]);
}

#[test]
fn rankings_show_what_is_asked_for() {
    says(
        &["Which branch has the most loans?"],
        &["SELECT branches.branch_name FROM", "ORDER BY COUNT(*) DESC", "LIMIT 1"],
    );
    says(&["Which branch has the most loans, and how many?"], &["SELECT branches.branch_name, COUNT(*)", "LIMIT 1"]);
    says(
        &["the two biggest members by fees in every town"],
        &["SELECT members.town, members.member_name, SUM(loans.fee)", "PARTITION BY members.town", "<= 2"],
    );
    says(&["top 3 members by fees in 2024"], &["YEAR(loans.borrowed_on) = 2024", "LIMIT 3"]);
}

#[test]
fn two_named_values_are_two_rows() {
    says(
        &["Harbour vs Castle number of loans"],
        &["SELECT branches.branch_name, COUNT(*)", "'Harbour' OR", "GROUP BY branches.branch_name"],
    );
    says(&["Crime vs Poetry loans, how many of each?"], &["SELECT books.genre, COUNT(*)", "GROUP BY books.genre"]);
}

#[test]
fn follow_ups_change_one_thing() {
    let first = "loans by branch 2024";
    says(&[first, "and in 2023?"], &["= 2023", "GROUP BY branches.branch_name"]);
    says(&[first, "only women"], &["members.gender = 'female'", "= 2024"]);
    says(&[first, "the same by genre"], &["SELECT books.genre, COUNT(*)", "= 2024"]);
    says(&[first, "highest first"], &["ORDER BY number_of_loans DESC"]);
    says(&[first, "only the ones with more than 7"], &["HAVING COUNT(*) > 7"]);
    says(&["top 5 members by fees", "and the three at the bottom?"], &["ORDER BY fees, ", "LIMIT 3"]);
    says(&["How many loans were there in Q4 2024?", "in the quarter after that"], &["'2025-01-01'", "'2025-04-01'"]);
}

#[test]
fn names_that_the_data_lack_are_refused_by_name() {
    for (question, name) in [("loans in the Paris branch", "Paris"), ("royalties by branch", "royalties")] {
        let answer = answer(&[question]);
        assert_eq!((answer.category, answer.sql.is_none()), (Category::OutOfScope, true), "{question}");
        assert!(answer.doubts.iter().any(|doubt| doubt.contains(name)), "{question}: {:?}", answer.doubts);
    }
}

#[test]
fn judgements_without_a_measure_are_asked_back() {
    for question in ["Who is our best member?", "List the important branches.", "Which branch does well?"] {
        let answer = answer(&[question]);
        assert_eq!((answer.category, answer.sql.is_none()), (Category::Ambiguous, true), "{question}");
    }
    let back = answer(&["Which branch performs best?"]);
    assert_eq!(back.suggestions, ["top 5 branches by fees"]);
}

#[test]
fn what_is_compared_with_may_be_another_row_column_or_name() {
    says(
        &["Which branches have more loans than Castle?"],
        &["SELECT branches.branch_name FROM", "HAVING COUNT(*) > (SELECT COUNT(*)", "= 'Castle'"],
    );
    says(&["How many loans were returned before they were due?"], &["loans.returned_on < loans.due_on"]);
    says(&["members older than 60"], &["WHERE members.birth_date < '1965-06-30'"]);
    says(&["How many members are under 18?"], &["COUNT(*)", "members.birth_date > '2007-06-30'"]);
    says(&["How many loans are older than 30 days?"], &["loans.borrowed_on < '2025-05-31'"]);
    says(&["fines over 20 euros"], &["fines.amount > 20"]);
    says(&["How many fines had no amount?"], &["fines.amount = 0 OR fines.amount IS NULL"]);
}

#[test]
fn amounts_are_those_of_the_rows() {
    says(&["median fine"], &["SELECT MEDIAN(fines.amount)"]);
    says(&["How many euros of fines were paid in 2024?"], &["SUM(fines.amount)", "YEAR(fines.paid_on) = 2024"]);
    says(&["Which branch had the largest fine?"], &["ORDER BY MAX(fines.amount) DESC", "LIMIT 1"]);
}

#[test]
fn several_values_events_and_denials_keep_apart() {
    let crime = "WHERE books.genre = 'Crime'";
    let poetry = "WHERE books.genre = 'Poetry'";
    says(&["Which members borrowed both Crime and Poetry?"], &[crime, poetry, "AND members.member_id IN"]);
    says(&["Which loans never had a Lost fine?"], &["NOT IN (SELECT fines.fine_loan_id", "fines.reason = 'Lost'"]);
    let plain = answer(&["Which loans never had a Lost fine?"]);
    assert_eq!(plain.sql.unwrap().matches(" IN (").count(), 1);
}

#[test]
fn days_and_orders_that_words_tell() {
    let day = "(loans.borrowed_on >= '2025-02-28' AND loans.borrowed_on < '2025-03-01')";
    says(&["loans on 2025-02-28"], &[day]);
    says(&["loans due in the next 2 weeks"], &["loans.due_on >= '2025-06-30' AND loans.due_on < '2025-07-15'"]);
    says(&["Which members joined after 2010, newest first?"], &["ORDER BY members.joined_on DESC"]);
    let first = answer(&["Which members joined after 2010, newest first?"]);
    assert!(!first.sql.unwrap().contains("LIMIT"));
}

#[test]
fn follow_ups_add_time_and_replace_filters_and_say_how_sure_they_are() {
    says(&["fees by branch", "and by year"], &["branches.branch_name", "YEAR(loans.borrowed_on)"]);
    says(&["loans in 2024", "without Castle"], &["branches.branch_name <> 'Castle'", "= 2024"]);
    let agreed = answer(&["loans by branch 2024", "and in 2023?"]);
    let framed = answer(&["loans by branch 2024", "the same by genre"]);
    assert!(agreed.confidence > framed.confidence, "{} {}", agreed.confidence, framed.confidence);
    let shown = answer(&["top 3 members by fees", "which of them live in York?"]);
    assert!(shown.sql.is_none(), "{:?}", shown.sql);
}

#[test]
fn what_no_query_says_is_not_sure() {
    for question in ["How many first loans did each branch have?", "How many other loans were there in 2024?"] {
        assert!(answer(&[question]).confidence < 0.8, "{question}");
    }
    let marked = answer(&["loans by branch %"]);
    assert!(marked.confidence < 0.8 && marked.unused.contains(&"%".to_owned()), "{:?}", marked.unused);
    assert!(answer(&["How satisfied are our members?"]).confidence < 0.5);
}
