//! SQL as language models write it, and what is read from it, in words.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use super::{composed_aggregates, read_back};
use crate::evidence::NoEvidence;
use crate::interpretation::query::Query;
use crate::links::model_index::ModelIndex;
use crate::restatement::restate;
use crate::semantic_model::read_yaml;

const MODEL: &str = "
name: library
tables:
- name: members
  base_table: {table: MEMBERS}
  primary_key: {columns: [member_id]}
  dimensions:
  - {name: member_id, expr: ID, data_type: NUMBER}
  - {name: town, expr: TOWN, data_type: TEXT}
  - {name: is_student, expr: STUDENT, data_type: BOOLEAN}
- name: loans
  base_table: {table: LOANS}
  primary_key: {columns: [loan_id]}
  dimensions:
  - {name: loan_id, expr: ID, data_type: NUMBER}
  - {name: member_id, expr: MEMBER_ID, data_type: NUMBER}
  - {name: shelf, expr: SHELF, data_type: TEXT}
  time_dimensions:
  - {name: lent_on, expr: LENT_ON, data_type: DATE}
  - {name: returned_on, expr: RETURNED_ON, data_type: DATE}
  facts:
  - {name: fee, expr: FEE, data_type: NUMBER}
  metrics:
  - {name: income, expr: SUM(fee) - SUM(fee * 0.1)}
  - {name: fees, expr: SUM(fee)}
relationships:
- {left_table: loans, right_table: members, relationship_columns: [{left_column: member_id, right_column: member_id}]}
";

fn check(cases: &[(&str, &str)]) {
    let model = read_yaml(MODEL).unwrap().model;
    let index = ModelIndex::new(&model, &NoEvidence);
    for (sql, expected) in cases {
        let read = read_back(&index, sql).map(|query| restate(&index, &query));
        assert_eq!(read.as_deref().unwrap_or("nothing"), *expected, "{sql}");
    }
}

#[test]
fn clauses_are_read() {
    check(&[
        ("select count(*) from loans", "Show the number of loans."),
        (
            "SELECT COUNT(DISTINCT loan_id) AS n FROM __loans l WHERE l.shelf = 'B' AND fee > 2",
            "Show the number of loans where loan shelf is 'B' and loan fee is more than 2.",
        ),
        (
            "select m.town, sum(l.fee) as total from loans l join members m on l.member_id = m.member_id \
             group by m.town order by total desc limit 3",
            "Show the fees for each member town, ordered by fees (highest first), only the first 3.",
        ),
        (
            "select town, count(*) from loans join members using (member_id) group by 1 having count(*) > 5",
            "Show the number of loans for each member town, only where number of loans is more than 5.",
        ),
        (
            "select distinct town from members where is_student = true and town is not null",
            "Show the different member town where is student and member town is there.",
        ),
        (
            "select date_trunc('month', lent_on) as m, round(avg(fee), 2) from loans group by m order by m",
            "Show the average loan fee for each month of loan lent on, ordered by month of loan lent on (lowest first).",
        ),
        (
            "select shelf, sum(fee) - sum(fee * 0.1) as i from loans group by shelf",
            "Show the income for each loan shelf.",
        ),
        ("select 100.0 * sum(fee) / nullif(count(*), 0) from loans", "Show the fees in percent of number of loans."),
        (
            "select town from members where member_id not in (select member_id from loans)",
            "Show the member town where member has no loans.",
        ),
        (
            "select count(*) from loans where lent_on >= '2024-01-01' and lent_on < date '2024-02-01'",
            "Show the number of loans where loan lent on is at least 2024-01-01 and loan lent on is less than 2024-02-01.",
        ),
        (
            "select count(*) from loans where shelf in ('A', 'B') or fee between 1 and 2",
            "Show the number of loans where (loan shelf is 'A' or loan shelf is 'B' or loan fee is between 1 and 2).",
        ),
        (
            "select town from members union select shelf from loans",
            "Show the member town, together with: show the loan shelf.",
        ),
    ]);
}

#[test]
fn what_no_typed_query_stands_for_is_not_read() {
    let cases = [
        "select sum(fee) over () from loans",
        "with x as (select * from loans) select count(*) from x",
        "select count(*) from loans, members",
        "select count(*) from loans join members on loans.loan_id = members.member_id",
        "select count(*) from loans a join loans b on a.member_id = b.member_id",
        "select sum(case when fee > 1 then 1 end) from loans",
        "select town from members qualify row_number() over (order by town) = 1",
        "select nothing from loans",
        "select count(*) from loans where shelf like 'a%'",
        "select count(*) from loans left join members on loans.member_id = members.member_id",
        "select count(*) from loans limit 5 offset 2",
        "select count(*) from loans where upper(shelf) = 'A'",
        "delete from loans",
    ];
    check(&cases.map(|sql| (sql, "nothing")));
}

#[test]
fn metrics_over_several_tables_are_computed_of_aggregates() {
    let model = read_yaml(MODEL).unwrap().model;
    let index = ModelIndex::new(&model, &NoEvidence);
    let cases = [
        ("loans.fees / COUNT(DISTINCT members.member_id)", "Show the fees per number of members."),
        (
            "100.0 * __loans.fees / NULLIF(COUNT(__members.member_id), 0)",
            "Show the fees in percent of number of members.",
        ),
        ("loans.fees - loans.income", "Show the fees less income."),
        ("SUM(fee) / COUNT(shelf)", "nothing"),
        ("SUM(loans.fee * 2) / COUNT(members.member_id)", "nothing"),
    ];
    for (expression, expected) in cases {
        let read = composed_aggregates(&index, expression);
        let words = read.map(|expr| restate(&index, &Query { select: vec![expr], ..Query::default() }));
        assert_eq!(words.as_deref().unwrap_or("nothing"), expected, "{expression}");
    }
}
