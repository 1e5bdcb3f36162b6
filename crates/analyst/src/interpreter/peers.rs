//! Rows that refer to others of their own table: who recommended somebody, whom somebody reports to.

use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand, Query};
use crate::links::model_index::{ColumnId, ModelIndex};
use crate::links::person_roles::PersonRole;
use crate::question::words::Word;

/// `who recommended Ann` asks for the row that Ann's refers to, `who reports to Ann` for those that refer to hers; a query
/// that shows Ann herself becomes that.
pub(super) fn ask_for_peers(index: &ModelIndex, words: &[Word], query: &mut Query) {
    let said = index.peer_roles.iter().find_map(|role| {
        let at = (0..words.len()).find(|at| role.is_said(words, *at))?;
        Some((role, at))
    });
    let Some((role, at)) = said else { return };
    let [label] = index.row_name(role.persons)[..] else { return };
    let is_plain = query.select == [Expr::Column(label)] && query.group.is_empty() && query.limit.is_none();
    if !is_plain || !query.conditions.iter().any(|condition| names(condition, label)) {
        return;
    }
    let referred = Expr::Referred(role.reference, label);
    if asks_for_referrers(words, role, at) {
        for condition in query.conditions.iter_mut().filter(|condition| names(condition, label)) {
            if let Condition::Compare(expr, ..) = condition {
                *expr = referred.clone();
            }
        }
    } else {
        query.select = vec![referred];
        query.distinct = false;
    }
}

fn names(condition: &Condition, label: ColumnId) -> bool {
    matches!(condition, Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Literal(Literal::Text(_)))
        if *column == label)
}

/// `recommended by Ann`, `who reports to Ann`, but `who does Ann report to`.
fn asks_for_referrers(words: &[Word], role: &PersonRole, at: usize) -> bool {
    let next = words.get(at + 1).map_or("", |word| word.lower.as_str());
    let is_last = words[at + 1..].iter().filter(|word| word.lower.chars().any(char::is_alphanumeric)).count() <= 1;
    role.is_done(words, at) && (next == "by" || next == "to" && !is_last)
}
