//! Reads the tokens of a question from left to right into a frame. It gives up at the first token that has no place.

mod denial;
mod further;
mod grouping;
mod implied;
mod names;
mod numbers;
mod picking;
mod ranking;

use super::Context;
use super::clauses::{Bound, Clause, Polarity, Predicate, Role, When};
use super::cover::{Token, is_done};
use super::parts::{Frame, Group, Head, Mode, Want};
use super::plain_words::LIGHT_VERBS;
use super::states::{State, Stated, end_of_filter};
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Comparison, Direction, Expr, Function};
use crate::links::model_index::{ColumnId, ColumnKind};
use crate::question::intent::asks_which_is_more;
use crate::question::units::is_currency;
use crate::question::words::Word;

/// The frame of a question; none where some token has no place in it.
pub fn read(context: &Context<'_>, tokens: &[Token], mode: Mode) -> Option<Frame> {
    let mut reader = Reader {
        context,
        mode,
        tokens,
        at: 0,
        frame: Frame { clauses: vec![Clause::default()], ..Frame::default() },
        clause: 0,
        polarity: Polarity::Affirmed,
        function: None,
        role: None,
        fact: None,
        number: None,
        is_contrast: false,
        is_both: false,
        awaits_measure: false,
        has_ratio: false,
        is_further: false,
        is_picked: false,
        extreme_day: None,
        is_duration: false,
        is_age: false,
    };
    while reader.at < tokens.len() {
        reader.step()?;
        reader.at += 1;
    }
    reader.finish()
}

struct Reader<'a> {
    context: &'a Context<'a>,
    mode: Mode,
    tokens: &'a [Token],
    at: usize,
    frame: Frame,
    /// The clause that things are stated of.
    clause: usize,
    polarity: Polarity,
    /// An aggregate that waits for its column.
    function: Option<Function>,
    role: Option<Role>,
    /// A number column that waits for its comparison.
    fact: Option<ColumnId>,
    /// A number that waits for what it limits.
    number: Option<f64>,
    is_contrast: bool,
    is_both: bool,
    /// A superlative that waits for its measure.
    awaits_measure: bool,
    /// A group behind `per`, which may be what is divided by.
    has_ratio: bool,
    /// A second part of the question asks what else is to be shown of the rows.
    is_further: bool,
    /// One row is picked by its day.
    is_picked: bool,
    /// Which day of many is asked for.
    extreme_day: Option<Function>,
    /// How long something takes is asked for.
    is_duration: bool,
    /// How old somebody is is asked for.
    is_age: bool,
}

/// Adjectives that compare how long ago something began.
const AGES: &[&str] = &["older", "younger", "newer"];

/// Verbs that tell what somebody did at some time, and not what became of them.
const DEEDS: &[&str] = &[
    "bought",
    "purchased",
    "placed",
    "ordered",
    "took",
    "visited",
    "received",
    "used",
    "got",
    "shopped",
    "spent",
    "paid",
    "sold",
];

/// `what did we spend`: what was done is asked for.
fn asks_what_is_done(words: &[Word]) -> bool {
    let [first, second, ..] = words else { return false };
    first.lower == "what" && matches!(second.lower.as_str(), "do" | "does" | "did" | "have" | "has")
}

/// Words that lean on another question or on another row.
const PRONOUNS: &[&str] =
    &["their", "its", "his", "her", "them", "they", "it", "those", "these", "this", "that", "'s", "same"];

impl Reader<'_> {
    fn clause(&mut self) -> &mut Clause {
        &mut self.frame.clauses[self.clause]
    }

    fn token(&self, offset: usize) -> Option<&Token> {
        self.tokens.get(self.at + offset)
    }

    fn is_word(&self, offset: usize, words: &[&str]) -> bool {
        matches!(self.token(offset), Some(Token::Word(word)) if words.contains(&word.as_str()))
    }

    /// How far behind the present token the next one is that is no determiner.
    fn behind(&self, from: usize) -> usize {
        let skipped = ["the", "a", "an", "any", "of", "all", "our", "single", "of our"];
        (from..).find(|offset| !self.is_word(*offset, &skipped)).unwrap_or(from)
    }

    fn before(&self) -> Option<&Token> {
        self.at.checked_sub(1).and_then(|before| self.tokens.get(before))
    }

    fn step(&mut self) -> Option<()> {
        match self.tokens[self.at].clone() {
            Token::Word(word) => self.word(&word),
            Token::Operator(operator) => self.operator(operator),
            Token::Metric(column) => self.metric(column),
            Token::Column(column) => self.column(column),
            Token::Table(table) => self.table(table),
            Token::Flag(column) => {
                if let Some(table) = self.denied_events(column) {
                    self.deny_events(table);
                }
                let polarity = self.polarity.take();
                self.clause().add_predicate(Predicate::Flag(column), polarity);
                Some(())
            }
            Token::Value(column, value) => {
                self.value(column, value);
                Some(())
            }
            Token::Number(number) => self.number(number),
            Token::Period(range) => self.period(When { column: None, range, bound: Bound::Inside }),
            Token::Year(range) => self.period(When { column: None, range, bound: Bound::Year }),
            Token::Days(days) => self.period(When::on_days(days, self.context.today)),
            Token::State(state) => self.state(state),
            Token::Role(reference) => self.role(reference),
            Token::Undone(column) => {
                let is_filter = self.context.index.columns[column].kind != ColumnKind::Time;
                let (predicate, polarity) = if is_filter {
                    (Predicate::Flag(column), Polarity::Denied)
                } else {
                    (Predicate::Missing(column), Polarity::Affirmed)
                };
                self.clause().add_predicate(predicate, polarity);
                Some(())
            }
            Token::Unit(_) => Some(()),
            Token::Rate(_) | Token::Date(_) | Token::Weekday => None,
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let is_first = self.at <= 1 + usize::from(self.mode == Mode::Edit) && self.frame.head.is_none();
        match word {
            "by" if self.same_role() => {}
            "by" | "per" => return self.groups(),
            "which" | "what" | "who" | "where" if self.asks_further() => self.is_further = true,
            "which" | "what" if is_first => self.frame.want = Some(Want::Rows),
            "who" if is_first => self.frame.want = Some(Want::Persons),
            "list" | "name" if is_first && self.frame.want.is_none() => self.frame.want = Some(Want::Rows),
            "how" if self.frame.rank.is_some() && self.is_word(1, &["often", "much"]) => return self.shows_measure(),
            "how long" | "how far" if self.frame.rank.is_some() => return self.shows_measure(),
            "person" | "people" | "persons"
                if !self.is_duration && self.frame.head.is_none() && self.frame.want != Some(Want::Count) =>
            {
                self.frame.want = Some(Want::Persons);
            }
            "anybody" | "anyone" | "somebody" | "someone" if self.frame.head.is_none() && self.frame.want.is_none() => {
                self.frame.want = Some(Want::Persons);
            }
            "how" if self.is_word(1, &["much"]) => {
                self.frame.want = Some(Want::Amount);
                self.at += 1;
            }
            "how" if is_first && self.is_word(1, &["often"]) => {
                self.frame.want = Some(Want::Count);
                self.at += 1;
            }
            "how long" if is_first && self.mode == Mode::Whole => self.is_duration = true,
            "length of" if self.mode == Mode::Whole && self.frame.head.is_none() && self.frame.measures.is_empty() => {
                self.is_duration = true;
            }
            "how old" if is_first && self.mode == Mode::Whole => self.is_age = true,
            "how long" | "how old" | "how far" | "length of" => return None,
            "people" | "person" if self.is_duration => {}
            "first" | "last" if self.ranks_by_day(word) => {}
            "next" if self.extreme_day.is_some() => {}
            "first" | "last" | "next" if self.picks_by_day(word) => {}
            "next" => return None,
            "name" | "names" if self.asks_for_names() => self.is_further = true,
            "when" if is_first && self.mode == Mode::Whole => return self.day(),
            "compare" if is_first && self.mode == Mode::Whole => self.frame.is_versus = true,
            "they" if self.frame.want == Some(Want::Count) && !self.frame.groups.is_empty() => {}
            "why" if self.mode == Mode::Edit => {}
            "whose" if self.names_deadline_next() => self.at += 1,
            "whose" if self.is_stated_next() => self.frame.want = self.frame.want.or(is_first.then_some(Want::Rows)),
            "how" | "when" | "where" | "why" | "whose" | "if" => return None,
            "also" | "additionally" | "add" | "plus" | "include" if self.mode == Mode::Edit => {
                self.frame.edit.is_addition = true;
            }
            "it" | "they" | "them" | "their" | "those" | "these" if self.mode == Mode::Edit => {
                self.frame.edit.has_pronoun = true;
            }
            _ if self.mode == Mode::Edit && PRONOUNS.contains(&word) => {}
            "." | "?" | "!" | ";" if self.mode == Mode::Edit => {}
            "from" => self.role = Some(Role::Source),
            "to" => self.role = Some(Role::Target),
            "outgoing" => self.role = Some(Role::Source),
            "incoming" => self.role = Some(Role::Target),
            "but" => self.is_contrast = true,
            // Something else than a number is compared with, or more is shown than rows are called by.
            "than" | "information" | "details" | "everything" => return None,
            "name" | "names" if self.goes_on() => return None,
            "and" if self.mode == Mode::Edit && self.at == 0 => self.frame.edit.is_addition = self.is_grouped_next(),
            "nothing" | "nobody" if self.deny_deeds() => {}
            "none" | "nothing" => self.deny()?,
            "nobody" if self.tells_events() => self.deny()?,
            "nobody" => self.frame.lacks_person = true,
            "them" | "it" if self.mode == Mode::Whole && self.frame.head.is_some() && self.is_last() => {}
            "their" if self.pairs_with_head() => {}
            "their" | "its" if self.asks_for_column() => {
                self.is_further = true;
                self.frame.want = Some(Want::Rows);
            }
            _ if PRONOUNS.contains(&word) && self.at > 0 && !(word == "that" && self.is_relative()) => return None,
            "." | "?" | "!" | ";" if self.at + 1 < self.tokens.len() => return None,
            _ => self.frame.does_something |= DEEDS.contains(&word) || is_done(word) && !LIGHT_VERBS.contains(&word),
        }
        Some(())
    }

    /// `names and countries`: another thing of the same rows follows.
    fn goes_on(&self) -> bool {
        self.is_word(1, &["and", ","]) || matches!(self.token(1), Some(Token::Operator(Operator::And)))
    }

    /// `courses nobody has registered for`: events follow.
    fn tells_events(&self) -> bool {
        self.tokens[self.at..].iter().any(|token| matches!(token, Token::Table(_)))
    }

    /// Whether nothing but marks follows.
    fn is_last(&self) -> bool {
        self.tokens[self.at + 1..]
            .iter()
            .all(|token| matches!(token, Token::Word(word) if matches!(word.as_str(), "?" | "." | "!")))
    }

    /// `that` behind a noun and before a verb.
    fn is_relative(&self) -> bool {
        let is_named = |token: &Token| !matches!(token, Token::Word(_) | Token::Operator(_));
        self.before().is_some_and(is_named)
    }

    fn operator(&mut self, operator: Operator) -> Option<()> {
        match operator {
            Operator::Count
                if self.frame.rank.is_some()
                    && (self.frame.head.is_some() || self.frame.want == Some(Want::Persons)) =>
            {
                return self.shows_measure();
            }
            Operator::Count if self.awaits_measure => {}
            // `how many euros of fines`.
            Operator::Count if matches!(self.token(1), Some(Token::Unit(unit)) if is_currency(unit)) => {
                self.at += 1;
                self.function = Some(Function::Sum);
            }
            Operator::Count if self.counts_for_head() => {}
            Operator::Count => self.frame.want = Some(Want::Count),
            Operator::Aggregate(function) => self.function = Some(function),
            Operator::Each if self.frame.is_versus && self.is_last() => {}
            Operator::Each | Operator::GroupBy => return self.groups(),
            Operator::Grain(unit) => self.frame.groups.push(Group::Unit(unit)),
            Operator::Top(direction) => {
                let number = match self.token(1) {
                    Some(Token::Number(number)) => Some(*number),
                    _ => None,
                };
                self.at += usize::from(number.is_some());
                self.rank(direction, number.or(self.number))?;
            }
            Operator::Superlative(direction) => self.rank(direction, self.number)?,
            Operator::SuperlativeBy(adjective) if self.is_word(1, &["first"]) => {
                self.at += 1;
                self.frame.sorted_by = Some(adjective);
            }
            Operator::SuperlativeBy(adjective) => {
                let larger = adjective.measures().next().is_some_and(|measure| adjective.wants_larger(measure));
                self.rank(if larger { Direction::Descending } else { Direction::Ascending }, self.number)?;
                self.frame.rank.as_mut()?.adjective = Some(adjective);
            }
            Operator::MostCommon(direction) => {
                self.rank(direction, self.number)?;
                self.frame.rank.as_mut()?.is_common = true;
                self.awaits_measure = false;
            }
            Operator::Compare(Comparison::NotEqual) => self.deny()?,
            // `after more than 60 days`: the second one compares.
            Operator::Compare(_) if matches!(self.token(1), Some(Token::Operator(Operator::Compare(_)))) => {}
            Operator::Compare(comparison) => return self.compare(comparison),
            Operator::CompareBy(adjective) => {
                let larger = adjective.measures().next().is_some_and(|measure| adjective.wants_larger(measure));
                let comparison = if larger { Comparison::Greater } else { Comparison::Less };
                return match AGES.contains(&adjective.form) && self.fact.is_none() {
                    true => self.older(comparison),
                    false => {
                        self.fact = self.fact.or(self.named_behind()).or_else(|| self.measured_fact(adjective));
                        self.fact.and_then(|_| self.compare(comparison))
                    }
                };
            }
            Operator::Between => return self.between(),
            Operator::Not | Operator::Without | Operator::Except => self.deny()?,
            Operator::Versus => self.frame.is_versus = true,
            Operator::Or if asks_which_is_more(self.context.lattice.words) => self.frame.is_versus = true,
            Operator::Sorted(direction) => self.frame.order = Some(direction),
            Operator::Share if self.mode == Mode::Edit => self.frame.edit.is_share = true,
            Operator::Both => self.is_both = true,
            Operator::And if self.mode == Mode::Edit && self.at == 0 => {
                self.frame.edit.is_addition = self.is_grouped_next();
            }
            Operator::And | Operator::Or | Operator::Either | Operator::Makes => {}
            Operator::Multiple => {
                let Some(Token::Table(table)) = self.token(1).cloned() else { return None };
                self.at += 1;
                self.many(Expr::CountRows(table), Some(table), Comparison::Greater, 1.0)?;
            }
            _ => return None,
        }
        Some(())
    }

    /// The next thing stated is denied; behind `but` it is denied of what was stated before.
    fn deny(&mut self) -> Option<()> {
        self.polarity = Polarity::Denied;
        if self.is_contrast {
            self.is_contrast = false;
            let like = self.clause;
            let clause = Clause { polarity: Polarity::Denied, like: Some(like), ..Clause::default() };
            self.frame.clauses.push(clause);
            self.clause = self.frame.clauses.len() - 1;
            self.polarity = Polarity::Affirmed;
        }
        Some(())
    }

    fn state(&mut self, stated: Stated) -> Option<()> {
        let state = match (self.polarity.take(), stated.state) {
            (Polarity::Affirmed, state) => state,
            (Polarity::Denied, State::Ongoing) => State::Ended,
            (Polarity::Denied, State::Ended) => State::Ongoing,
            (Polarity::Denied, State::Expired) => State::Valid,
            (Polarity::Denied, State::Vacant) => State::Occupied,
            (Polarity::Denied, State::Occupied) => State::Vacant,
            (Polarity::Denied, State::Valid | State::Expiring | State::Overdue | State::Upcoming) => {
                return None;
            }
        };
        // `whose license has expired`: the rows are those that have one.
        if let (None, true, Some(end)) = (self.frame.head, self.frame.measures.is_empty(), stated.end) {
            self.frame.head = Some(Head::Table(self.context.index.columns[end].table));
        }
        self.clause().states.push(Stated { state, ..stated });
        Some(())
    }

    /// `valid in 2023`, `in service in 2022`: the period tells when the state before it holds.
    fn holds_during(&mut self, when: When) -> Option<()> {
        if !matches!(when.bound, Bound::Inside | Bound::Year) {
            return None;
        }
        let before = self.tokens[..self.at].iter().rev().find(|token| !matches!(token, Token::Word(_)))?;
        match before {
            Token::State(_) => {
                let stated = self.clause().states.last_mut().filter(|stated| stated.during.is_none())?;
                stated.during = Some(when.range);
            }
            Token::Flag(filter) => {
                let end = Some(end_of_filter(self.context.index, *filter)?);
                let is_filter = Predicate::Flag(*filter);
                self.clause().predicates.retain(|(predicate, _)| *predicate != is_filter);
                self.clause().states.push(Stated { state: State::Ongoing, end, during: Some(when.range) });
            }
            _ => return None,
        }
        Some(())
    }

    fn finish(mut self) -> Option<Frame> {
        self.note_deed();
        self.measure_duration()?;
        self.measure_age()?;
        self.measure_money();
        self.deny_only_events();
        let is_open = self.function.is_some() || self.fact.is_some() || self.number.is_some() || self.is_further;
        if is_open || self.polarity == Polarity::Denied || self.is_contrast {
            return None;
        }
        // One of each group would be another question.
        if self.is_picked && !self.frame.groups.is_empty() {
            return None;
        }
        self.measure_day()?;
        self.count_deeds();
        if self.is_both {
            self.both_values();
            self.share_periods()?;
        }
        if self.frame.want == Some(Want::Amount)
            && self.frame.measures.is_empty()
            && self.frame.clauses[0].states.is_empty()
        {
            return None;
        }
        Some(self.frame)
    }
}
