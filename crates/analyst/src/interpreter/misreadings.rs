//! Conditions that say another thing than the words they come from: readings with these are not answered.

use crate::accounting::Usage;
use crate::frame::reach::references_to;
use crate::frame::states::{State, end_of_filter, states_at};
use crate::frame::validity::is_end;
use crate::frame::{denies_having, is_done_by, is_form_of, is_payment_verb};
use crate::interpretation::query::{Comparison, Condition, Expr, Function, Literal, Operand, Query, TimeUnit};
use crate::interpretation::{contradict, flatten, missing_column};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::links::phrase_match::{Phrase, Target};
use crate::links::targets::TargetMeasure;
use crate::measures::compares_with_target;
use crate::question::lemma::stem;
use crate::question::time::{YEARS, grain_of, unit};
use crate::question::words::Word;
use crate::semantic_model::DefaultAggregation;
use crate::sql_generation::join_paths::leads_to_one;
use crate::sql_generation::year_column;

/// Whether a reading misreads its question.
pub(super) fn is_misread(index: &ModelIndex, words: &[Word], query: &Query, usage: &Usage) -> bool {
    contradict(&query.conditions)
        || denies_itself(query)
        || restricts_to_included(words, usage)
        || reads_no_as_name(words, usage)
        || misreads_validity(index, words, query)
        || misreads_filter(index, words, query)
        || drops_vacancy(index, words, query)
        || takes_another_role(index, words, usage)
        || drops_day(index, words, query)
        || takes_another_unit(index, words, query)
        || equates_key_with_year(index, query)
        || takes_value_for_unit(index, words, query, usage)
        || counts_what_is_single(index, query)
        || drops_future(words, query)
        || averages_what_was_paid(index, words, query)
        || drops_target(index, words, query, usage)
        || equates_another_year(index, words, query)
        || intersects_totals(query)
        || takes_group_for_value(index, words, usage)
}

/// `did we reach the goal for moves` by the goal alone, or without it.
fn drops_target(index: &ModelIndex, words: &[Word], query: &Query, usage: &Usage) -> bool {
    let mut counted = Vec::new();
    let compared = query.having.iter().filter_map(|condition| match condition {
        Condition::Compare(expr, ..) => Some(expr),
        _ => None,
    });
    let ordered = query.order.iter().map(|(expr, _)| expr);
    query.select.iter().chain(compared).chain(ordered).for_each(|expr| expr.tables(&mut counted));
    let has_both = |pair: &TargetMeasure| {
        let has_actual = match pair.actual {
            Expr::Aggregate(_, column) => usage.has_column(column),
            _ => counted.contains(&pair.owner),
        };
        usage.has_column(pair.fact) && has_actual
    };
    !index.targets.is_empty() && compares_with_target(words) && !index.targets.iter().any(has_both)
}

/// Rows that have other rows and lack the same ones, or that are of two years.
fn denies_itself(query: &Query) -> bool {
    let mut all = Vec::new();
    query.conditions.iter().for_each(|condition| flatten(condition, &mut all));
    let is_denied = |condition: &&Condition| match condition {
        Condition::Not(inner) => all.contains(&&**inner),
        _ => false,
    };
    let years: Vec<(ColumnId, f64)> = all.iter().filter_map(|condition| year_of(condition)).collect();
    let is_of_two = |(column, year): &(ColumnId, f64)| years.iter().any(|(other, of)| other == column && of != year);
    all.iter().any(is_denied) || years.iter().any(is_of_two)
}

fn year_of(condition: &Condition) -> Option<(ColumnId, f64)> {
    match condition {
        Condition::Compare(
            Expr::Part(TimeUnit::Year, column),
            Comparison::Equal,
            Operand::Literal(Literal::Number(year)),
        ) => Some((*column, *year)),
        _ => None,
    }
}

/// `how much did members pay` as an average fee: the money of all of them is asked for.
fn averages_what_was_paid(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let says = |said: &[&str]| words.iter().any(|word| said.contains(&word.lower.as_str()));
    let asks = words.windows(2).any(|pair| pair[0].lower == "how" && pair[1].lower == "much");
    let is_average = |expr: &Expr| match expr {
        Expr::Aggregate(Function::Average, _) => true,
        Expr::Aggregate(Function::Metric, fact) => index.columns[*fact].aggregation == Some(DefaultAggregation::Avg),
        _ => false,
    };
    asks && words.iter().any(is_payment_verb)
        && !says(&["average", "mean", "typical", "typically", "usually"])
        && query.select.iter().any(is_average)
}

/// `wage by team lead` of the team leads: rows are grouped by the reference of that name, though it is a value too.
fn takes_group_for_value(index: &ModelIndex, words: &[Word], usage: &Usage) -> bool {
    let is_reference = |said: &[Word]| {
        let is_said = |phrase: &Phrase| match phrase.target {
            Target::Column(column) if index.is_reference(column) => {
                let name = phrase.words.strip_suffix(&["id".to_owned()]).unwrap_or(&phrase.words);
                name.len() == said.len() && name.iter().zip(said).all(|(name, word)| *name == word.lemma)
            }
            _ => false,
        };
        index.vocabulary.phrases.iter().any(is_said)
    };
    usage.texts.iter().any(|(_, text)| {
        let length = text.split_whitespace().count();
        (1..words.len()).filter(|at| matches!(words[at - 1].lower.as_str(), "by" | "per" | "each")).any(|at| {
            words.get(at..at + length).is_some_and(|said| {
                let spelled: Vec<&str> = said.iter().map(|word| word.lemma.as_str()).collect();
                spelled.join(" ").eq_ignore_ascii_case(text) && is_reference(said)
            })
        })
    })
}

/// `annual subscriptions` by year, though `Annual` is a value of theirs.
fn takes_value_for_unit(index: &ModelIndex, words: &[Word], query: &Query, usage: &Usage) -> bool {
    let is_by_time = |expr: &Expr| matches!(expr, Expr::Truncated(..) | Expr::Part(..));
    let is_grouped = query.group.iter().chain(&query.select).any(is_by_time);
    let is_taken = |word: &Word| {
        grain_of(&word.lower).is_some()
            && index.values.is_exact(&word.lower)
            && !usage.texts.iter().any(|(_, text)| text.eq_ignore_ascii_case(&word.lower))
    };
    is_grouped && words.iter().any(is_taken)
}

/// `average number of guests per booking`: a booking refers to one guest, so that there is nothing to count.
fn counts_what_is_single(index: &ModelIndex, query: &Query) -> bool {
    let keys = query.group.iter().chain(&query.select).filter_map(|expr| match expr {
        Expr::Column(column) if index.is_key(*column) => Some(index.columns[*column].table),
        _ => None,
    });
    let counted = query.select.iter().filter_map(|expr| match expr {
        Expr::CountRows(table) => Some(*table),
        _ => None,
    });
    let counted: Vec<TableId> = counted.collect();
    keys.into_iter().any(|key| counted.iter().any(|table| *table != key && leads_to_one(index, key, *table)))
}

/// `upcoming visits` without a day to come: visits of any time.
fn drops_future(words: &[Word], query: &Query) -> bool {
    let is_upcoming = |at: usize| states_at(words, at).iter().any(|(state, _)| *state == State::Upcoming);
    let mut bounds = Vec::new();
    query.conditions.iter().for_each(|condition| note_bounds(condition, &mut bounds));
    (0..words.len()).any(is_upcoming) && !bounds.iter().any(|(_, bound)| *bound == Bound::From)
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
    let lacks = (0..words.len()).any(|at| denies_having(words, at));
    lacks && usage.texts.iter().any(|(_, text)| text.to_lowercase().starts_with("no "))
}

/// What is valid has not ended; what has expired ended, and no other day of its rows says when.
fn misreads_validity(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let is_said =
        |wanted: State| (0..words.len()).any(|at| states_at(words, at).into_iter().any(|(state, _)| state == wanted));
    let (is_valid, is_expired) = (is_said(State::Valid), is_said(State::Expired) || is_said(State::Expiring));
    if !is_valid && !is_expired {
        return false;
    }
    let mut bounds = Vec::new();
    query.conditions.iter().for_each(|condition| note_bounds(condition, &mut bounds));
    bounds.retain(|(column, _)| index.columns[*column].kind == ColumnKind::Time);
    let ends: Vec<&(ColumnId, Bound)> = bounds.iter().filter(|(column, _)| is_end(index, *column)).collect();
    let is_other = |(column, _): &(ColumnId, Bound)| {
        ends.iter().any(|(end, _)| end != column && index.columns[*end].table == index.columns[*column].table)
    };
    let is_missed = |wanted: &[Bound]| !bounds.is_empty() && !ends.iter().any(|(_, bound)| wanted.contains(bound));
    let is_at = ends.iter().any(|(_, bound)| *bound == Bound::At);
    is_valid && (is_missed(&[Bound::From]) || is_at)
        || is_expired && !is_valid && (is_missed(&[Bound::Before, Bound::At]) || bounds.iter().any(is_other))
}

/// `vacant offices` without a condition on what takes them up: offices of any kind.
fn drops_vacancy(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let is_vacancy = |(state, _): &(State, usize)| matches!(state, State::Vacant | State::Occupied);
    let is_said = |at: usize| !index.vocabulary.knows(&words[at].lemma) && states_at(words, at).iter().any(is_vacancy);
    let is_taken = |condition: &Condition| match condition {
        Condition::In(..) => true,
        Condition::Not(inner) => matches!(**inner, Condition::In(..)),
        _ => false,
    };
    (0..words.len()).any(is_said) && !query.conditions.iter().any(is_taken)
}

/// `in service in 2022` by the day of delivery: the year tells when the filter holds.
fn misreads_filter(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let says_year = |word: &&Word| word.number().is_some_and(|number| YEARS.contains(&number));
    let filters = query.conditions.iter().filter_map(|condition| match condition {
        Condition::Named(filter) if end_of_filter(index, *filter).is_some() => Some(*filter),
        _ => None,
    });
    filters.into_iter().any(|filter| {
        let last = index.columns[filter].words.last();
        let is_last = |word: &Word| last.is_some_and(|last| word.lower == *last || word.lemma == *last);
        words.windows(3).any(|three| {
            is_last(&three[0]) && matches!(three[1].lower.as_str(), "in" | "during" | "on") && says_year(&&three[2])
        })
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    From,
    Before,
    /// In a range of days.
    At,
    /// A single day, or any day at all.
    Other,
}

/// The days that a condition bounds, those in alternatives too.
fn note_bounds(condition: &Condition, found: &mut Vec<(ColumnId, Bound)>) {
    match condition {
        Condition::All(all) => {
            let mut inner = Vec::new();
            all.iter().for_each(|condition| note_bounds(condition, &mut inner));
            let both =
                |column: ColumnId| inner.contains(&(column, Bound::From)) && inner.contains(&(column, Bound::Before));
            let joined = inner.iter().map(|(column, bound)| (*column, if both(*column) { Bound::At } else { *bound }));
            found.extend(joined.collect::<Vec<_>>());
        }
        Condition::Any(any) => any.iter().for_each(|condition| note_bounds(condition, found)),
        Condition::Compare(Expr::Column(column), comparison, _) => found.push(match comparison {
            Comparison::Greater | Comparison::GreaterOrEqual => (*column, Bound::From),
            Comparison::Less | Comparison::LessOrEqual => (*column, Bound::Before),
            Comparison::Equal | Comparison::NotEqual => (*column, Bound::Other),
        }),
        Condition::Compare(Expr::Part(_, column) | Expr::Truncated(_, column), ..)
        | Condition::Between(Expr::Column(column), ..) => found.push((*column, Bound::At)),
        Condition::Not(inner) => found.extend(missing_column(inner).map(|column| (column, Bound::Other))),
        Condition::In(_, query) => query.conditions.iter().for_each(|condition| note_bounds(condition, found)),
        _ => {}
    }
}

/// `payments after the due date`: the day is compared with no other.
fn drops_day(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let mut beside = Vec::new();
    query.conditions.iter().for_each(|condition| note_days_beside(condition, &mut beside));
    let is_determiner = |word: &Word| matches!(word.lower.as_str(), "the" | "their" | "its" | "than");
    (0..words.len()).filter(|at| matches!(words[*at].lower.as_str(), "after" | "before" | "later" | "earlier")).any(
        |at| {
            let start = (at + 1..words.len()).find(|place| !is_determiner(&words[*place])).unwrap_or(words.len());
            let is_named = |column: &ColumnId| {
                let entry = &index.columns[*column];
                let name = &entry.words;
                entry.kind == ColumnKind::Time
                    && name.len() > 1
                    && words[start..].len() >= name.len()
                    && words[start..].iter().zip(name).all(|(word, part)| word.lower == *part || word.lemma == *part)
            };
            let named: Vec<ColumnId> = (0..index.columns.len()).filter(is_named).collect();
            !named.is_empty() && !named.iter().any(|column| beside.contains(column))
        },
    )
}

/// `longer than 5 days` by a number of hours.
fn takes_another_unit(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let counted = words.windows(2).filter_map(|pair| Some((pair[0].number()?, time_unit(&pair[1].lemma)?)));
    let counted: Vec<(f64, &str)> = counted.collect();
    let mut all = Vec::new();
    query.conditions.iter().for_each(|condition| flatten(condition, &mut all));
    all.into_iter().any(|condition| match condition {
        Condition::Compare(Expr::Column(column), _, Operand::Literal(Literal::Number(number))) => {
            let own = index.columns[*column].words.iter().find_map(|word| time_unit(word));
            counted.iter().any(|(said, unit)| said == number && own.is_some_and(|own| own != *unit))
        }
        _ => false,
    })
}

/// `written in 2024` by the officer 2024.
fn equates_key_with_year(index: &ModelIndex, query: &Query) -> bool {
    let mut all = Vec::new();
    query.conditions.iter().for_each(|condition| flatten(condition, &mut all));
    all.into_iter().any(|condition| match condition {
        Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Literal(Literal::Number(number))) => {
            let entry = &index.columns[*column];
            let is_measure = entry.kind == ColumnKind::Fact && !entry.words.iter().any(|word| word == "year");
            (index.is_reference(*column) || is_measure) && YEARS.contains(number)
        }
        // `managers with more than 5 reports` by the number of the manager's row.
        Condition::Compare(Expr::Column(column), comparison, Operand::Literal(Literal::Number(_))) => {
            let is_order = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
            is_order && index.is_reference(*column)
        }
        _ => false,
    })
}

/// `calls in 2024` by the year in which their vessels were built, of which the question does not speak.
fn equates_another_year(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let mut all = Vec::new();
    query.conditions.iter().for_each(|condition| flatten(condition, &mut all));
    let is_said =
        |part: &String| words.iter().any(|word| word.lemma == *part || word.lower == *part || is_form_of(part, word));
    all.into_iter().any(|condition| match condition {
        Condition::Compare(Expr::Column(column), _, Operand::Literal(Literal::Number(number))) => {
            let entry = &index.columns[*column];
            let Some((last, rest)) = entry.words.split_last() else { return false };
            let is_attribute = last == "year" && !rest.is_empty() && year_column(index, entry.table) != Some(*column);
            is_attribute && YEARS.contains(number) && !rest.iter().any(is_said)
        }
        _ => false,
    })
}

/// The totals of two sets of rows have nothing in common.
fn intersects_totals(query: &Query) -> bool {
    let is_total = |query: &Query| !query.select.is_empty() && query.select.iter().all(Expr::is_aggregate);
    query.combined.as_ref().is_some_and(|(_, other)| is_total(query) && is_total(other))
}

/// The unit of time that a word names in the singular or the plural.
fn time_unit(word: &str) -> Option<&str> {
    let singular = word.strip_suffix('s').unwrap_or(word);
    (unit(singular).is_some() || matches!(singular, "hour" | "minute" | "second")).then_some(singular)
}

/// The days that a condition compares with another one.
fn note_days_beside(condition: &Condition, found: &mut Vec<ColumnId>) {
    match condition {
        Condition::All(all) | Condition::Any(all) => all.iter().for_each(|one| note_days_beside(one, found)),
        Condition::Not(inner) => note_days_beside(inner, found),
        Condition::In(_, query) => query.conditions.iter().for_each(|one| note_days_beside(one, found)),
        Condition::Compare(left, _, Operand::Expr(right)) => {
            left.columns(found);
            right.columns(found);
        }
        Condition::Compare(span @ Expr::Span(..), ..) => span.columns(found),
        _ => {}
    }
}

/// `officers who never reviewed a citation` by who issued it: another reference to the same table is named.
fn takes_another_role(index: &ModelIndex, words: &[Word], usage: &Usage) -> bool {
    let is_named = |column: &ColumnId| {
        let role = index.columns[*column].words.first();
        let says = |word: &Word| {
            role.is_some_and(|role| stem(&word.lemma) == stem(role) || word.lower == *role)
                || is_done_by(index, *column, word)
        };
        words.iter().any(says)
    };
    let is_used = |column: &ColumnId| usage.has_column(*column);
    index.joins.iter().any(|join| {
        let roles = references_to(index, join.left, join.right).into_iter();
        let (named, others): (Vec<ColumnId>, Vec<ColumnId>) = roles.partition(is_named);
        !named.is_empty() && !named.iter().any(is_used) && others.iter().any(is_used)
    })
}
