//! What was asked before a question, which a follow-up goes on with. A question that a verified query answered stands for that
//! query: what its author left out or defined holds in what is asked next.

use chrono::NaiveDate;

use super::{ANSWERED_FROM, HISTORY_MAX, Interpreter, UNREAD_CONFIDENCE_MAX, Understood};
use crate::interpretation::query::Query;
use crate::read_back::read_back;
use crate::semantic_model::VerifiedQuery;

pub(super) struct Earlier<'a> {
    pub(super) query: Option<Query>,
    /// What goes on with a question that was not answered is no surer than this.
    pub(super) confidence_max: f32,
    /// The verified query that was the answer, where no typed query stands for it: `query` is a reading of its question instead.
    unread: Option<&'a VerifiedQuery>,
}

impl<'a> Interpreter<'a> {
    /// The oldest question of the history comes first.
    pub(super) fn earlier(&self, history: &[String], today: NaiveDate) -> Earlier<'a> {
        let mut earlier = Earlier { query: None, confidence_max: 1.0, unread: None };
        for question in history.iter().rev().take(HISTORY_MAX).rev() {
            if let Some(found) = self.verified(question, today) {
                let query = read_back(&self.index, &found.sql);
                earlier.unread = query.is_none().then_some(found.query);
                let read = || self.understand(question, earlier.query.as_ref(), today).query();
                earlier.query = query.or_else(read).or(earlier.query);
                earlier.confidence_max = 1.0;
                continue;
            }
            if !self.leans_on(question, &earlier, today) {
                earlier.unread = None;
            }
            let understood = self.understand(question, earlier.query.as_ref(), today);
            earlier.confidence_max = if is_answered(&understood) { 1.0 } else { UNREAD_CONFIDENCE_MAX };
            earlier.query = understood.query().or(earlier.query);
        }
        earlier
    }

    /// What speaks against a question's answer, as it goes on with a verified query whose meaning nobody knows here.
    pub(super) fn unread_before(&self, question: &str, earlier: &Earlier<'_>, today: NaiveDate) -> Option<String> {
        let verified = earlier.unread.filter(|_| self.leans_on(question, earlier, today))?;
        Some(format!(
            "The answer before is the verified query `{}`, and this one may not compute the same: it is a reading of its own.",
            verified.name
        ))
    }

    /// Whether the question means something else without what was asked before.
    fn leans_on(&self, question: &str, earlier: &Earlier<'_>, today: NaiveDate) -> bool {
        let Some(previous) = &earlier.query else { return false };
        self.understand(question, Some(previous), today).query() != self.understand(question, None, today).query()
    }
}

fn is_answered(understood: &Understood) -> bool {
    understood.reading.is_some() && understood.confidence >= ANSWERED_FROM
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::evidence::NoEvidence;
    use crate::semantic_model::read_yaml;

    const MODEL: &str = "
name: shop
tables:
- name: orders
  base_table: {database: D, schema: S, table: ORDERS}
  primary_key: {columns: [order_id]}
  dimensions:
  - {name: order_id, expr: ORDER_ID, data_type: NUMBER}
  - {name: channel, expr: CHANNEL, data_type: VARCHAR}
  - {name: country, expr: COUNTRY, data_type: VARCHAR}
  - {name: status, expr: STATUS, data_type: VARCHAR}
  time_dimensions:
  - {name: order_date, expr: ORDER_DATE, data_type: DATE}
  facts:
  - {name: amount, synonyms: [revenue], expr: AMOUNT, data_type: NUMBER, default_aggregation: sum}
verified_queries:
- name: revenue by channel
  question: What is the revenue by channel?
  sql: SELECT o.channel, SUM(o.amount) AS revenue FROM __orders o WHERE o.status <> 'Cancelled' GROUP BY o.channel
- name: best month
  question: What was the best month for revenue?
  sql: |
    WITH months AS (SELECT MONTH(order_date) AS m, SUM(amount) AS revenue FROM __orders WHERE status <> 'Cancelled' GROUP BY 1)
    SELECT m FROM months QUALIFY RANK() OVER (ORDER BY revenue DESC) = 1
";

    #[test]
    fn what_goes_on_with_a_verified_answer_keeps_its_meaning_or_is_not_sure() {
        let model = read_yaml(MODEL).unwrap().model;
        let interpreter = Interpreter::new(&model, &NoEvidence);
        let today = NaiveDate::from_ymd_opt(2026, 1, 2).unwrap();
        let asked = |earlier: &[&str], question: &str| {
            let earlier: Vec<String> = earlier.iter().map(|text| (*text).to_owned()).collect();
            interpreter.interpret(question, &earlier, today)
        };
        let verified = "What is the revenue by channel?";
        for (history, question) in [
            (&[verified][..], "only in 2024"),
            (&[verified], "by country"),
            (&[verified, "only in 2024"], "by country"),
        ] {
            let answer = asked(history, question);
            let sql = answer.sql.unwrap();
            assert!(sql.contains("status <> 'Cancelled'"), "{question}: {sql}");
            assert!(answer.doubts.is_empty(), "{question}: {:?}", answer.doubts);
        }
        let unread = "What was the best month for revenue?";
        let answer = asked(&[unread], "only in 2024");
        assert!(answer.confidence <= 0.6 && answer.doubts[0].contains("`best month`"), "{answer:?}");
        // A question of its own means what it says.
        let alone = asked(&[unread], "How many orders are there by country?");
        assert!(!alone.doubts.iter().any(|doubt| doubt.contains("best month")), "{:?}", alone.doubts);
    }
}
