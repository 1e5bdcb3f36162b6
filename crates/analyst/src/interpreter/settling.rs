//! What every reader for curated models leaves to be said: fractions, quotients, roles and names.

use super::Interpreter;
use super::counted_pieces::count_pieces;
use super::named_rows::show_names;
use super::peers::ask_for_peers;
use super::roles_played::{Played, play_roles};
use super::undone_events::{date_what_was_undone, drop_what_has_not_happened};
use super::unit_quotients::divide_by_units;
use crate::interpretation::query::{Condition, Expr, Function, Literal, Operand, Query};
use crate::links::model_index::{ColumnKind, ModelIndex};
use crate::question::words::Word;

impl Interpreter<'_> {
    /// Completes a query; whether it can stand for the roles of the question.
    pub(super) fn settle(&self, words: &[Word], query: &mut Query) -> Played {
        in_fractions(&self.index, words, query);
        date_what_was_undone(&self.index, words, query);
        drop_what_has_not_happened(&self.index, words, query);
        count_pieces(&self.index, words, query);
        divide_by_units(&self.index, words, query);
        let played = play_roles(&self.index, words, query);
        show_names(&self.index, words, query);
        ask_for_peers(&self.index, words, query);
        played
    }
}

/// `a rate below 60 %`: a metric that is a fraction is compared with 0.6.
fn in_fractions(index: &ModelIndex, words: &[Word], query: &mut Query) {
    let percents: Vec<f64> = words.iter().filter(|word| word.is_percent).filter_map(Word::number).collect();
    for condition in &mut query.having {
        if let Condition::Compare(expr, _, Operand::Literal(Literal::Number(number))) = condition
            && is_fraction(index, expr)
            && percents.contains(number)
        {
            *number /= 100.0;
        }
    }
}

/// Whether a measure is a quotient that nobody has made percent of.
fn is_fraction(index: &ModelIndex, expr: &Expr) -> bool {
    match expr {
        Expr::Ratio(..) => true,
        Expr::Aggregate(Function::Metric, column) => {
            let expression = index.columns[*column].expression.to_ascii_uppercase();
            let is_share = expression.starts_with("AVG(CASE") || expression.contains('/');
            index.columns[*column].kind == ColumnKind::Metric && is_share && !expression.contains("100")
        }
        _ => false,
    }
}
