//! Reads the tokens of a question from left to right into a frame. It gives up at the first token that has no place.

use super::Context;
use super::clauses::{Bound, Clause, Many, Polarity, Role, Told, When};
use super::cover::Token;
use super::reach::{is_of_several_tables, leads_to_one};
use super::states::State;
use crate::interpretation::operators::{Adjectives, Operator};
use crate::interpretation::query::{Comparison, Direction, Expr, Function, TimeUnit};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, TableId};
use crate::question::time::unit;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    Count,
    Rows,
    Persons,
    Amount,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    Table(TableId),
    Column(ColumnId),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Group {
    Column(ColumnId, Option<Role>),
    Rows(TableId, Option<Role>),
    Unit(TimeUnit),
}

/// What rows are ranked by.
#[derive(Debug, Clone, PartialEq)]
pub enum By {
    Measure(Expr),
    Rows(TableId),
    Column(ColumnId),
}

#[derive(Debug, Clone)]
pub struct Rank {
    pub direction: Direction,
    pub limit: u64,
    pub by: Option<By>,
    /// By how many rows have a value: `most common`.
    pub is_common: bool,
    /// `oldest`: it tells the measure, unless another is told.
    pub adjective: Option<Adjectives>,
}

#[derive(Debug, Clone, Default)]
pub struct Frame {
    pub want: Option<Want>,
    pub head: Option<Head>,
    pub measures: Vec<Expr>,
    pub groups: Vec<Group>,
    pub rank: Option<Rank>,
    /// The clause of the rows asked for, and then those of the events they have or lack.
    pub clauses: Vec<Clause>,
    pub shown: Vec<ColumnId>,
    /// What rows are ranked by is shown too: `and how many`.
    pub shows_measure: bool,
    /// Two named values are set side by side.
    pub is_versus: bool,
    pub order: Option<Direction>,
    /// `nobody is assigned`: the rows refer to no person.
    pub lacks_person: bool,
    pub cost: f32,
    /// What only a follow-up tells.
    pub edit: Edit,
}

/// Changes of the question before that lean on what it told.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    /// It speaks of what was shown: `they`, `it`.
    pub has_pronoun: bool,
    /// It adds to what was shown: `also`.
    pub is_addition: bool,
    /// A comparison without its number.
    pub comparison: Option<Comparison>,
    /// A comparison with a number of whatever was measured.
    pub bare_number: Option<(Comparison, f64)>,
    pub bare_range: Option<(f64, f64)>,
    pub is_share: bool,
    pub limit: Option<u64>,
}

/// How a question is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Whole,
    /// As an edit of the question before.
    Edit,
}

/// The frame of a question; none where some token has no place in it.
pub fn read(context: &Context<'_>, tokens: &[Token], mode: Mode) -> Option<Frame> {
    let mut reader = Reader {
        context,
        mode,
        tokens,
        at: 0,
        frame: Frame { clauses: vec![Clause::default()], ..Frame::default() },
        clause: 0,
        polarity: Polarity::Told,
        function: None,
        role: None,
        fact: None,
        number: None,
        is_contrast: false,
        is_both: false,
        awaits_measure: false,
        is_ratio_told: false,
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
    /// The clause that things are told of.
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
    is_ratio_told: bool,
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
                let polarity = self.polarity.take();
                self.clause().tell(Told::Flag(column), polarity);
                Some(())
            }
            Token::Value(column, value) => {
                self.value(column, value);
                Some(())
            }
            Token::Number(number) => self.number(number),
            Token::Period(range) => self.period(When { column: None, range, bound: Bound::Inside }),
            Token::Year(range) => self.period(When { column: None, range, bound: Bound::Year }),
            Token::State(state) => self.state(state),
            Token::Role(reference) => self.role(reference),
            Token::Undone(column) => {
                let is_filter = self.context.index.columns[column].kind == ColumnKind::Filter;
                let (told, polarity) = if is_filter {
                    (Told::Flag(column), Polarity::Denied)
                } else {
                    (Told::Missing(column), Polarity::Told)
                };
                self.clause().tell(told, polarity);
                Some(())
            }
            Token::Unit => Some(()),
            Token::Date(_) => None,
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        let is_first = self.at <= 1 + usize::from(self.mode == Mode::Edit) && self.frame.head.is_none();
        match word {
            "by" | "per" => return self.groups(),
            "which" | "what" if is_first => self.frame.want = Some(Want::Rows),
            "who" if is_first => self.frame.want = Some(Want::Persons),
            "list" | "name" if is_first && self.frame.want.is_none() => self.frame.want = Some(Want::Rows),
            "how" if self.frame.rank.is_some() && self.is_word(1, &["often", "much"]) => return self.shows_measure(),
            "person" | "people" | "persons" if self.frame.head.is_none() && self.frame.want != Some(Want::Count) => {
                self.frame.want = Some(Want::Persons);
            }
            "how" if self.is_word(1, &["much"]) => {
                self.frame.want = Some(Want::Amount);
                self.at += 1;
            }
            "why" if self.mode == Mode::Edit => {}
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
            "none" => self.deny()?,
            "nobody" => self.frame.lacks_person = true,
            "them" | "it" if self.mode == Mode::Whole && self.frame.head.is_some() && self.is_last() => {}
            _ if PRONOUNS.contains(&word) && self.at > 0 && !(word == "that" && self.is_relative()) => return None,
            "." | "?" | "!" | ";" if self.at + 1 < self.tokens.len() => return None,
            _ => {}
        }
        Some(())
    }

    /// Whether nothing but marks follows.
    fn is_last(&self) -> bool {
        self.tokens[self.at + 1..]
            .iter()
            .all(|token| matches!(token, Token::Word(word) if matches!(word.as_str(), "?" | "." | "!")))
    }

    /// `that` behind a noun and before a verb.
    fn is_relative(&self) -> bool {
        matches!(self.before(), Some(Token::Table(_) | Token::Column(_)))
    }

    fn operator(&mut self, operator: Operator) -> Option<()> {
        match operator {
            Operator::Count if self.frame.rank.is_some() && self.frame.head.is_some() => return self.shows_measure(),
            Operator::Count if self.awaits_measure => {}
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
            Operator::Compare(comparison) => return self.compare(comparison),
            Operator::CompareBy(adjective) => {
                let larger = adjective.measures().next().is_some_and(|measure| adjective.wants_larger(measure));
                self.fact?;
                return self.compare(if larger { Comparison::Greater } else { Comparison::Less });
            }
            Operator::Between => return self.between(),
            Operator::Not | Operator::Without | Operator::Except => self.deny()?,
            Operator::Versus => self.frame.is_versus = true,
            Operator::Sorted(direction) => self.frame.order = Some(direction),
            Operator::Share if self.mode == Mode::Edit => self.frame.edit.is_share = true,
            Operator::Both => self.is_both = true,
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

    /// A new ranking; a question has one.
    fn rank(&mut self, direction: Direction, number: Option<f64>) -> Option<()> {
        if self.frame.rank.is_some() {
            return None;
        }
        self.number = None;
        let limit = number.map_or(1, |number| number as u64);
        self.frame.rank = Some(Rank { direction, limit, by: None, is_common: false, adjective: None });
        self.awaits_measure = self.mode == Mode::Whole;
        Some(())
    }

    fn rank_by(&mut self, by: By) -> Option<()> {
        self.awaits_measure = false;
        let rank = self.frame.rank.as_mut().filter(|rank| rank.by.is_none())?;
        rank.by = Some(by);
        Some(())
    }

    /// `and how many`: nothing may follow that tells more.
    fn shows_measure(&mut self) -> Option<()> {
        let rest = &self.tokens[self.at + 1..];
        let says_more = |token: &Token| !matches!(token, Token::Word(_) | Token::Unit | Token::Operator(Operator::And));
        if rest.iter().any(says_more) {
            return None;
        }
        self.frame.shows_measure = true;
        self.at = self.tokens.len();
        Some(())
    }

    /// The next thing told is denied; behind `but` it is denied of what was told before.
    fn deny(&mut self) -> Option<()> {
        self.polarity = Polarity::Denied;
        if self.is_contrast {
            self.is_contrast = false;
            let like = self.clause;
            let clause = Clause { polarity: Polarity::Denied, like: Some(like), ..Clause::default() };
            self.frame.clauses.push(clause);
            self.clause = self.frame.clauses.len() - 1;
            self.polarity = Polarity::Told;
        }
        Some(())
    }

    fn metric(&mut self, column: ColumnId) -> Option<()> {
        let measure = Expr::Aggregate(Function::Metric, column);
        if is_of_several_tables(self.context.index, column) {
            return None;
        }
        match self.function.take() {
            None | Some(Function::Sum) => {}
            Some(_) => return None,
        }
        self.measure(measure)
    }

    fn measure(&mut self, measure: Expr) -> Option<()> {
        if self.awaits_measure && self.frame.head.is_some() {
            return self.rank_by(By::Measure(measure));
        }
        if self.polarity == Polarity::Denied {
            return None;
        }
        let column = |measure: &Expr| match measure {
            Expr::Aggregate(_, column) => Some(*column),
            _ => None,
        };
        if self.frame.measures.iter().any(|known| column(known) == column(&measure)) {
            return Some(());
        }
        let is_listed = matches!(self.before(), Some(Token::Operator(Operator::And)))
            || matches!(self.before(), Some(Token::Word(word)) if matches!(word.as_str(), "," | "and" | "the"));
        if !self.frame.measures.is_empty() && !is_listed {
            return None;
        }
        self.frame.measures.push(measure);
        Some(())
    }

    fn column(&mut self, column: ColumnId) -> Option<()> {
        let entry = &self.context.index.columns[column];
        let is_number = entry.data == DataKind::Number && !self.context.index.is_reference(column);
        if self.polarity == Polarity::Denied {
            let table = entry.table;
            let is_event =
                matches!(self.frame.head, Some(Head::Table(head)) if !leads_to_one(self.context.index, head, table));
            if is_event {
                return self.table(table);
            }
            self.polarity = Polarity::Told;
            self.clause().tell(Told::Missing(column), Polarity::Told);
            return Some(());
        }
        if self.names_value(column) {
            return Some(());
        }
        match entry.kind {
            ColumnKind::Time => self.time(column),
            _ if is_number && !self.context.index.is_key(column) => self.fact(column),
            _ => self.dimension(column),
        }
    }

    /// `the channel web`, `the Enterprise plan`: the column of a value beside it.
    fn names_value(&self, column: ColumnId) -> bool {
        let is_of = |token: Option<&Token>| matches!(token, Some(Token::Value(other, _)) if *other == column);
        let behind = (1..4).find(|offset| !matches!(self.token(*offset), Some(Token::Word(_)))).unwrap_or(1);
        is_of(self.before()) || is_of(self.token(behind))
    }

    fn time(&mut self, column: ColumnId) -> Option<()> {
        if self.awaits_measure && self.frame.head.is_some() {
            return self.rank_by(By::Column(column));
        }
        let table = self.context.index.columns[column].table;
        if self.awaits_measure && self.frame.want.is_none() && self.frame.measures.is_empty() {
            self.frame.head = Some(Head::Table(table));
            return self.rank_by(By::Column(column));
        }
        let is_counted = self.frame.want == Some(Want::Count) || self.frame.want.is_none();
        if self.frame.head.is_none() && self.frame.measures.is_empty() && is_counted {
            self.frame.head = Some(Head::Table(table));
        }
        let clause = self.clause();
        if clause.time.is_some() {
            return None;
        }
        clause.time = Some(column);
        for when in &mut clause.periods {
            when.column.get_or_insert(column);
        }
        Some(())
    }

    fn fact(&mut self, column: ColumnId) -> Option<()> {
        if let Some(function) = self.function.take() {
            return self.measure(Expr::Aggregate(function, column));
        }
        let entry = &self.context.index.columns[column];
        let is_compared = (1..4).any(|offset| {
            matches!(
                self.token(offset),
                Some(Token::Operator(Operator::Compare(_) | Operator::CompareBy(_) | Operator::Between))
            ) && (1..offset).all(|between| matches!(self.token(between), Some(Token::Word(_))))
        });
        if is_compared {
            self.fact = Some(column);
            return Some(());
        }
        if self.awaits_measure && self.frame.head == Some(Head::Table(entry.table)) {
            return self.rank_by(By::Column(column));
        }
        let is_persons = self.frame.want == Some(Want::Persons);
        if self.awaits_measure && (self.frame.head.is_some() || is_persons) {
            return self.rank_by(By::Measure(Expr::Aggregate(Function::Metric, column)));
        }
        let is_sum = entry.aggregation == Some(crate::semantic_model::DefaultAggregation::Sum);
        if is_sum && self.frame.head.is_none() && self.frame.want == Some(Want::Count) && self.frame.measures.is_empty()
        {
            self.frame.want = None;
            return self.measure(Expr::Aggregate(Function::Sum, column));
        }
        if entry.aggregation.is_some() && self.frame.head.is_none() && self.frame.want != Some(Want::Count) {
            return self.measure(Expr::Aggregate(Function::Metric, column));
        }
        None
    }

    fn dimension(&mut self, column: ColumnId) -> Option<()> {
        let index = self.context.index;
        if self.function.is_some() {
            return None;
        }
        if self.mode == Mode::Edit {
            self.frame.shown.push(column);
            return Some(());
        }
        // `most booked room type`: the verb is what is counted.
        if let (true, Some(Head::Table(table))) = (self.awaits_measure, self.frame.head) {
            if self.frame.want.is_some() || !leads_to_one(index, table, index.columns[column].table) {
                return None;
            }
            self.frame.head = Some(Head::Column(column));
            return self.rank_by(By::Rows(table));
        }
        match self.frame.head {
            None if self.frame.measures.is_empty() => {
                let table = index.columns[column].table;
                let is_label = index.label(table) == [column];
                self.frame.head = Some(if is_label { Head::Table(table) } else { Head::Column(column) });
                Some(())
            }
            Some(Head::Table(table)) if index.label(table) == [column] => Some(()),
            _ => None,
        }
    }

    fn table(&mut self, table: TableId) -> Option<()> {
        let index = self.context.index;
        if self.function.is_some() {
            return None;
        }
        if self.mode == Mode::Edit && self.polarity == Polarity::Told && self.frame.want.is_none() {
            self.frame.cost += 0.1;
            return Some(());
        }
        if self.polarity == Polarity::Denied {
            self.polarity = Polarity::Told;
            if self.frame.head.is_none() && self.frame.want != Some(Want::Persons) {
                return None;
            }
            let clause = Clause { table: Some(table), polarity: Polarity::Denied, ..Clause::default() };
            self.frame.clauses.push(clause);
            self.clause = self.frame.clauses.len() - 1;
            return Some(());
        }
        if self.clause > 0 && self.clause().like.is_some() && self.clause().is_empty() {
            let clause = self.clause();
            clause.like = None;
            clause.table = Some(table);
            return Some(());
        }
        match self.frame.head {
            Some(head) if self.awaits_measure && head != Head::Table(table) => self.rank_by(By::Rows(table)),
            None if self.frame.measures.is_empty() && self.frame.want != Some(Want::Persons) => {
                self.frame.head = Some(Head::Table(table));
                Some(())
            }
            Some(Head::Table(head)) if head == table || leads_to_one(index, head, table) => Some(()),
            Some(Head::Table(_)) | None if self.frame.measures.is_empty() => {
                if self.frame.clauses[self.clause].table == Some(table) {
                    return Some(());
                }
                self.frame.clauses.push(Clause { table: Some(table), ..Clause::default() });
                self.clause = self.frame.clauses.len() - 1;
                Some(())
            }
            Some(Head::Column(column)) if leads_to_one(index, table, index.columns[column].table) => {
                self.frame.clauses[0].table.get_or_insert(table);
                Some(())
            }
            Some(Head::Column(_)) => None,
            _ => Some(()),
        }
    }

    fn value(&mut self, column: ColumnId, value: String) {
        let role = self.role.take();
        // `excluding A and B`: what is denied of one value is denied of its neighbours.
        let goes_on = matches!(self.at.checked_sub(2).and_then(|at| self.tokens.get(at)),
            Some(Token::Value(other, _)) if *other == column);
        let last = self.frame.clauses[self.clause].told.last().map(|(_, polarity)| *polarity);
        let polarity = match (self.polarity.take(), last) {
            (Polarity::Told, Some(last)) if goes_on => last,
            (polarity, _) => polarity,
        };
        self.clause().tell(Told::Equals { column, values: vec![value], role }, polarity);
    }

    fn number(&mut self, number: f64) -> Option<()> {
        let is_ranked = |token: &Token| {
            matches!(token, Token::Operator(Operator::Superlative(_) | Operator::Top(_) | Operator::MostCommon(_)))
        };
        if (1900.0..2100.0).contains(&number) {
            return None;
        }
        if self.mode == Mode::Edit
            && number.fract() == 0.0
            && !matches!(self.token(1), Some(Token::Operator(Operator::OrMore(_))))
        {
            match self.tokens[self.at + 1..].iter().any(is_ranked) {
                true => self.number = Some(number),
                false => self.frame.edit.limit = Some(number as u64),
            }
            return Some(());
        }
        match self.token(1).cloned() {
            Some(Token::Operator(Operator::OrMore(comparison))) => {
                self.at += 1;
                self.compared(comparison, number)
            }
            Some(Token::Column(column)) => {
                let Some(Token::Operator(Operator::OrMore(comparison))) = self.token(2).cloned() else { return None };
                self.at += 2;
                self.compare_fact(column, comparison, number)
            }
            Some(Token::Operator(
                Operator::Superlative(_) | Operator::SuperlativeBy(_) | Operator::MostCommon(_) | Operator::Top(_),
            )) => {
                self.number = Some(number);
                Some(())
            }
            Some(Token::Table(table)) if self.frame.head.is_some() => {
                self.at += 1;
                self.many(Expr::CountRows(table), Some(table), Comparison::Equal, number)
            }
            _ => None,
        }
    }

    fn period(&mut self, mut when: When) -> Option<()> {
        when.column = when.column.or(self.clause().time);
        if self.polarity == Polarity::Denied {
            return None;
        }
        // Two whole periods are set side by side, which is no frame's business.
        let is_whole = |when: &When| matches!(when.bound, Bound::Inside | Bound::Year);
        if self.clause().periods.iter().any(is_whole) && is_whole(&when) {
            return None;
        }
        self.clause().periods.push(when);
        Some(())
    }

    fn state(&mut self, state: State) -> Option<()> {
        let state = match (self.polarity.take(), state) {
            (Polarity::Told, state) => state,
            (Polarity::Denied, State::Ongoing) => State::Ended,
            (Polarity::Denied, State::Ended) => State::Ongoing,
            (Polarity::Denied, _) => return None,
        };
        self.clause().states.push(state);
        Some(())
    }

    /// `country of origin`, `origin city`.
    fn role(&mut self, reference: ColumnId) -> Option<()> {
        let role = Role::Reference(reference);
        let is_behind = matches!(self.before(), Some(Token::Word(word)) if word == "of");
        if let (true, Some(Group::Column(_, told) | Group::Rows(_, told))) = (is_behind, self.frame.groups.last_mut()) {
            *told = Some(role);
            return Some(());
        }
        self.role = Some(role);
        Some(())
    }

    fn compare(&mut self, comparison: Comparison) -> Option<()> {
        let behind = self.behind(1);
        let is_alone = self.tokens[self.at + 1..].iter().all(|token| matches!(token, Token::Word(_)));
        if self.mode == Mode::Edit && is_alone {
            self.frame.edit.comparison = Some(comparison);
            return Some(());
        }
        match self.token(behind).cloned()? {
            Token::Number(number) => {
                self.at += behind;
                if let Some(Token::Operator(Operator::OrMore(wider))) = self.token(1).cloned() {
                    self.at += 1;
                    return self.compared(wider, number);
                }
                self.compared(comparison, number)
            }
            Token::Period(range) | Token::Year(range) => {
                self.at += behind;
                let bound = match comparison {
                    Comparison::Less => Bound::Before,
                    Comparison::Greater => Bound::After,
                    Comparison::GreaterOrEqual => Bound::From,
                    Comparison::LessOrEqual => Bound::Until,
                    Comparison::Equal | Comparison::NotEqual => return None,
                };
                self.period(When { column: None, range, bound })
            }
            _ => None,
        }
    }

    /// A number that something is compared with: the column before or behind it, or rows that are counted.
    fn compared(&mut self, comparison: Comparison, number: f64) -> Option<()> {
        let has_unit = matches!(self.token(1), Some(Token::Unit));
        self.at += usize::from(has_unit);
        if has_unit && self.is_word(1, &["a", "an", "per", "each"]) {
            return None;
        }
        let polarity = self.polarity.take();
        let comparison = if polarity == Polarity::Denied { comparison.negated() } else { comparison };
        if let Some(fact) = self.fact.take() {
            return self.compare_fact(fact, comparison, number);
        }
        let behind = self.behind(1);
        match self.token(behind).cloned() {
            Some(Token::Column(column)) if self.context.index.columns[column].data == DataKind::Number => {
                self.at += behind;
                self.compare_fact(column, comparison, number)
            }
            Some(Token::Metric(metric)) => {
                self.at += behind;
                let table = self.context.index.columns[metric].table;
                self.many(Expr::Aggregate(Function::Metric, metric), Some(table), comparison, number)
            }
            Some(Token::Table(table)) => {
                self.at += behind;
                self.many(Expr::CountRows(table), Some(table), comparison, number)
            }
            Some(Token::Word(word)) if word == "times" => {
                self.at += behind;
                let told = self.frame.clauses[self.clause].table;
                let own = match self.frame.head {
                    Some(Head::Column(column)) => Some(self.context.index.columns[column].table),
                    _ => None,
                };
                let timed = self.frame.clauses[self.clause].time.map(|time| self.context.index.columns[time].table);
                let table = told.or(timed).or(own)?;
                self.many(Expr::CountRows(table), Some(table), comparison, number)
            }
            _ if self.mode == Mode::Edit => {
                self.frame.edit.bare_number = Some((comparison, number));
                Some(())
            }
            _ => None,
        }
    }

    /// A column of the rows themselves, or what a group of events sums up to.
    fn compare_fact(&mut self, fact: ColumnId, comparison: Comparison, number: f64) -> Option<()> {
        use crate::semantic_model::DefaultAggregation;
        let index = self.context.index;
        let entry = &index.columns[fact];
        let is_summed = entry.aggregation == Some(DefaultAggregation::Sum);
        let is_own = match self.frame.head {
            Some(Head::Table(head)) => leads_to_one(index, head, entry.table),
            _ => true,
        };
        if is_summed && !is_own {
            return self.many(Expr::Aggregate(Function::Metric, fact), Some(entry.table), comparison, number);
        }
        self.clause().tell(Told::Compare(fact, comparison, number), Polarity::Told);
        Some(())
    }

    fn many(&mut self, measure: Expr, table: Option<TableId>, comparison: Comparison, number: f64) -> Option<()> {
        let is_events = matches!((self.frame.head, table), (Some(Head::Table(head)), Some(table)) if head != table);
        if is_events && self.frame.clauses[self.clause].table != table {
            self.frame.clauses.push(Clause { table, ..Clause::default() });
            self.clause = self.frame.clauses.len() - 1;
        }
        self.clause().many.push(Many { measure, comparison, number });
        Some(())
    }

    fn between(&mut self) -> Option<()> {
        let (Some(Token::Number(low)), Some(Token::Number(high))) = (self.token(1).cloned(), self.token(3).cloned())
        else {
            return None;
        };
        self.at += 3;
        let Some(column) = self.fact.take() else {
            self.frame.edit.bare_range = Some((low, high));
            return (self.mode == Mode::Edit).then_some(());
        };
        self.clause().tell(Told::Between(column, low, high), Polarity::Told);
        Some(())
    }

    /// Groups behind `by`, or what a ranking goes by.
    fn groups(&mut self) -> Option<()> {
        let mut is_any = false;
        loop {
            let behind = self.behind(1);
            if let Some(Token::Role(reference)) = self.token(behind) {
                self.role = Some(Role::Reference(*reference));
                self.at += behind;
                continue;
            }
            let is_number = |column: ColumnId| self.context.index.columns[column].data == DataKind::Number;
            let group = match self.token(behind).cloned() {
                Some(Token::Column(column)) if self.awaits_measure && is_number(column) => {
                    self.at += behind - 1;
                    self.frame.shows_measure = true;
                    return Some(());
                }
                Some(Token::Table(table)) if !is_any && self.is_averaged_over(table) => {
                    self.at += behind;
                    return Some(());
                }
                // `revenue per room by hotel`: the first is what is divided by.
                _ if !is_any && !self.frame.groups.is_empty() && self.is_ratio_told => return None,
                Some(Token::Column(column)) => self.group_column(column)?,
                Some(Token::Table(table)) => {
                    if self.frame.rank.as_ref().is_some_and(|rank| rank.by.is_none())
                        && !is_any
                        && self.awaits_measure
                        && self.frame.head.is_some()
                        && !self.is_every()
                    {
                        return None;
                    }
                    // Rows without a name make no groups: a measure per order is a ratio.
                    if self.context.index.label(table) == self.context.index.tables[table].key {
                        return None;
                    }
                    Group::Rows(table, self.role.take())
                }
                Some(Token::Word(word)) => Group::Unit(unit(&word)?),
                Some(Token::Metric(_)) if self.awaits_measure => {
                    self.at += behind - 1;
                    self.frame.shows_measure = true;
                    return Some(());
                }
                Some(Token::Operator(Operator::Count)) if self.awaits_measure => {
                    self.at += behind;
                    self.frame.shows_measure = true;
                    return Some(());
                }
                Some(Token::Value(..)) if !is_any => return Some(()),
                _ => return None,
            };
            self.is_ratio_told |= self.says_per() && matches!(group, Group::Rows(..));
            self.at += behind;
            self.frame.groups.push(group);
            is_any = true;
            if let (true, Some(Token::Role(_))) = (self.is_word(1, &["of"]), self.token(2)) {
                self.at += 2;
                let Some(Token::Role(reference)) = self.token(0).cloned() else { return None };
                self.role(reference)?;
            }
            let goes_on =
                self.is_word(1, &[",", "and"]) || matches!(self.token(1), Some(Token::Operator(Operator::And)));
            let next = self
                .tokens
                .get(self.at + 2..)
                .and_then(|rest| rest.iter().find(|token| !matches!(token, Token::Word(word) if word == "the")));
            let is_group = match next {
                Some(Token::Column(_) | Token::Table(_) | Token::Role(_)) => true,
                Some(Token::Word(word)) => unit(word).is_some(),
                _ => false,
            };
            if !goes_on || !is_group {
                return Some(());
            }
            self.at += 1;
        }
    }

    /// `per`, not `by` or `for each`.
    fn says_per(&self) -> bool {
        let lattice = self.context.lattice;
        lattice.words.iter().any(|word| word.lower == "per")
    }

    /// `the average cost per order`, where each order has a cost: the average over the orders.
    fn is_averaged_over(&self, table: TableId) -> bool {
        matches!(self.frame.measures.last(), Some(Expr::Aggregate(Function::Average | Function::Median, column))
            if self.context.index.columns[*column].table == table)
    }

    fn is_every(&self) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Operator(Operator::Each | Operator::GroupBy)))
    }

    fn group_column(&mut self, column: ColumnId) -> Option<Group> {
        let index = self.context.index;
        let entry = &index.columns[column];
        if entry.kind == ColumnKind::Time || entry.aggregation.is_some() {
            return None;
        }
        if index.is_reference(column) {
            return Some(Group::Rows(index.referred_table(column)?, Some(Role::Reference(column))));
        }
        Some(Group::Column(column, self.role.take()))
    }

    fn finish(mut self) -> Option<Frame> {
        let is_open = self.function.is_some() || self.fact.is_some() || self.number.is_some();
        if is_open || self.polarity == Polarity::Denied || self.is_contrast {
            return None;
        }
        if self.is_both {
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

    /// `both an appointment and a stay in 2023`: the time holds for both.
    fn share_periods(&mut self) -> Option<()> {
        let last = self.frame.clauses.last()?.periods.clone();
        if self.frame.clauses.len() < 3 {
            return None;
        }
        for clause in &mut self.frame.clauses[1..] {
            if clause.periods.is_empty() {
                clause.periods = last.iter().map(|when| When { column: None, ..*when }).collect();
            }
        }
        Some(())
    }
}
