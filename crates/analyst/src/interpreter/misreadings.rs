//! Conditions that say another thing than the words they come from: readings with these are not answered.

use std::collections::BTreeSet;

use crate::accounting::Usage;
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand, Query};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex};
use crate::question::lemma::stem;
use crate::question::words::Word;

/// Whether a reading misreads its question.
pub(super) fn is_misread(index: &ModelIndex, words: &[Word], query: &Query, usage: &Usage) -> bool {
    cannot_hold(query)
        || restricts_to_included(words, usage)
        || reads_no_as_name(words, usage)
        || misreads_validity(index, words, query)
        || takes_another_role(index, words, usage)
}

/// `orders including cancelled ones`: those beside the others, not those alone.
fn restricts_to_included(words: &[Word], usage: &Usage) -> bool {
    let Some(at) = words.iter().position(|word| matches!(word.lower.as_str(), "including" | "incl")) else {
        return false;
    };
    let is_said = |part: &str| words[at + 1..].iter().any(|word| word.lower == part || word.lemma == part);
    usage.texts.iter().any(|(_, text)| text.to_lowercase().split_whitespace().any(is_said))
}

/// `vehicles have no permit`: the rows without one, though `No Permit` is a value.
fn reads_no_as_name(words: &[Word], usage: &Usage) -> bool {
    let has = |word: &Word| matches!(word.lemma.as_str(), "have" | "with" | "own" | "hold" | "get");
    let lacks = words.windows(2).any(|pair| has(&pair[0]) && pair[1].lower == "no");
    lacks && usage.texts.iter().any(|(_, text)| text.to_lowercase().starts_with("no "))
}

/// Conditions of which no row fulfils all: a column with and without a value, or a range without days.
fn cannot_hold(query: &Query) -> bool {
    let mut all = Vec::new();
    query.conditions.iter().for_each(|condition| flatten(condition, &mut all));
    let missing: BTreeSet<ColumnId> = all.iter().filter_map(|condition| missing_column(condition)).collect();
    let needs = |condition: &&Condition| {
        let mut columns = Vec::new();
        match condition {
            Condition::Not(inner) => columns.extend(missing_column(inner)),
            Condition::Compare(Expr::Column(column), ..) | Condition::Between(Expr::Column(column), ..) => {
                columns.push(*column);
            }
            _ => {}
        }
        columns.iter().any(|column| missing.contains(column))
    };
    all.iter().any(needs) || is_empty_range(&all)
}

fn flatten<'a>(condition: &'a Condition, all: &mut Vec<&'a Condition>) {
    match condition {
        Condition::All(conditions) => conditions.iter().for_each(|condition| flatten(condition, all)),
        other => all.push(other),
    }
}

fn missing_column(condition: &Condition) -> Option<ColumnId> {
    match condition {
        Condition::Missing(column) => Some(*column),
        _ => None,
    }
}

/// A day from which on, and one before which, in the wrong order.
fn is_empty_range(all: &[&Condition]) -> bool {
    let bounds = |is_lower: bool| {
        all.iter().filter_map(move |condition| match condition {
            Condition::Compare(Expr::Column(column), comparison, Operand::Literal(Literal::Date(day))) => {
                let is_wanted = match comparison {
                    Comparison::Greater | Comparison::GreaterOrEqual => is_lower,
                    Comparison::Less => !is_lower,
                    _ => false,
                };
                is_wanted.then_some((*column, day))
            }
            _ => None,
        })
    };
    bounds(true).any(|(column, from)| bounds(false).any(|(other, to)| other == column && from >= to))
}

/// What is valid begins before a day and does not end before it; what has expired ended before one.
fn misreads_validity(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let is_said = |stems: &[&str]| words.iter().any(|word| stems.contains(&stem(&word.lemma).as_str()));
    let (is_valid, is_expired) = (is_said(&[&stem("valid")]), is_said(&[&stem("expire"), &stem("expired")]));
    if !is_valid && !is_expired {
        return false;
    }
    let mut all = Vec::new();
    query.conditions.iter().for_each(|condition| flatten(condition, &mut all));
    let is_time = |column: ColumnId| index.columns[column].kind == ColumnKind::Time;
    let times: Vec<(ColumnId, Bound)> =
        all.iter().filter_map(|condition| bound(condition)).filter(|(column, _)| is_time(*column)).collect();
    let has = |column: ColumnId, wanted: Bound| times.contains(&(column, wanted));
    let is_odd = times.iter().any(|(_, bound)| *bound == Bound::Other);
    let is_ranged = times.iter().any(|(column, _)| has(*column, Bound::From) && has(*column, Bound::Before));
    let is_split = times.iter().any(|(column, _)| *column != times[0].0);
    is_odd || is_valid && is_ranged || is_expired && !is_valid && is_split
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    From,
    Before,
    /// A day, a year, or any day at all.
    Other,
}

fn bound(condition: &Condition) -> Option<(ColumnId, Bound)> {
    match condition {
        Condition::Compare(Expr::Column(column), comparison, _) => Some(match comparison {
            Comparison::Greater | Comparison::GreaterOrEqual => (*column, Bound::From),
            Comparison::Less | Comparison::LessOrEqual => (*column, Bound::Before),
            Comparison::Equal | Comparison::NotEqual => (*column, Bound::Other),
        }),
        Condition::Compare(Expr::Part(_, column) | Expr::Truncated(_, column), ..)
        | Condition::Between(Expr::Column(column), ..) => Some((*column, Bound::Other)),
        Condition::Not(inner) => missing_column(inner).map(|column| (column, Bound::Other)),
        _ => None,
    }
}

/// `officers who never reviewed a citation` by who issued it: another reference to the same table is named.
fn takes_another_role(index: &ModelIndex, words: &[Word], usage: &Usage) -> bool {
    let references: Vec<ColumnId> = (0..index.columns.len()).filter(|column| index.is_reference(*column)).collect();
    let is_named = |column: ColumnId| {
        let role = index.columns[column].words.first();
        role.is_some_and(|role| words.iter().any(|word| stem(&word.lemma) == stem(role) || word.lower == *role))
    };
    references.iter().any(|&named| {
        let (table, target) = (index.columns[named].table, index.referred_table(named));
        let is_rival = |other: &&ColumnId| {
            **other != named && index.columns[**other].table == table && index.referred_table(**other) == target
        };
        let rivals: Vec<ColumnId> = references.iter().filter(is_rival).copied().collect();
        is_named(named)
            && !usage.has_column(named)
            && rivals.iter().any(|rival| usage.has_column(*rival) && !is_named(*rival))
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use chrono::NaiveDate;

    use crate::evidence::NoEvidence;
    use crate::interpreter::Interpreter;
    use crate::semantic_model::read_yaml;

    const MODEL: &str = "
name: museum
tables:
- name: guides
  base_table: {table: GUIDES}
  primary_key: {columns: [guide_id]}
  dimensions:
  - {name: guide_id, expr: ID, data_type: NUMBER}
  - {name: guide_name, expr: NAME, data_type: TEXT, sample_values: [Ada Berg, Tom Lund]}
- name: passes
  base_table: {table: PASSES}
  primary_key: {columns: [pass_id]}
  dimensions:
  - {name: pass_id, expr: ID, data_type: NUMBER}
  - {name: pass_status, expr: STATUS, data_type: TEXT, is_enum: true, sample_values: [Paid, Cancelled, No Photo]}
  - {name: sold_by, expr: SOLD_BY, data_type: NUMBER}
  - {name: checked_by, expr: CHECKED_BY, data_type: NUMBER}
  time_dimensions:
  - {name: valid_from, expr: VALID_FROM, data_type: DATE}
  - {name: valid_to, expr: VALID_TO, data_type: DATE}
  facts:
  - {name: price, expr: PRICE, data_type: NUMBER, default_aggregation: sum}
  metrics:
  - {name: takings, expr: SUM(PRICE)}
relationships:
- {name: sold, left_table: passes, right_table: guides, relationship_columns: [{left_column: sold_by, right_column: guide_id}]}
- {name: checked, left_table: passes, right_table: guides, relationship_columns: [{left_column: checked_by, right_column: guide_id}]}
";

    #[test]
    fn what_says_another_thing_is_not_answered() {
        let model = read_yaml(MODEL).unwrap().model;
        let interpreter = Interpreter::new(&model, &NoEvidence);
        let today = NaiveDate::from_ymd_opt(2024, 5, 15).unwrap();
        let confidence = |question: &str| interpreter.interpret(question, &[], today).confidence;
        for question in [
            "How many passes are there including cancelled ones?",
            "takings including cancelled passes",
            "How many passes are valid today?",
            "How many passes were valid in 2023?",
            "How many passes have no photo?",
        ] {
            assert!(confidence(question) < 0.5, "{question}: {}", confidence(question));
        }
        for question in ["How many cancelled passes are there?", "takings of paid passes"] {
            assert!(confidence(question) > 0.8, "{question}: {}", confidence(question));
        }
    }
}
