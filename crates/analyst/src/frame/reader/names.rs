//! Names of the model and values of the data, each in the place that the tokens around it give it.

use super::Reader;
use crate::frame::clauses::{Clause, Polarity, Predicate, Role};
use crate::frame::cover::{Token, is_deed};
use crate::frame::money::is_money_verb;
use crate::frame::parts::{By, Group, Head, Mode, Want};
use crate::frame::reach::{is_of_several_tables, is_own_row};
use crate::frame::subjects::names_people;
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Comparison, Direction, Expr, Function};
use crate::lattice::Meaning;
use crate::links::amounts::amount_of;
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, TableId};
use crate::links::person_roles::is_persons;
use crate::semantic_model::DefaultAggregation;
use crate::sql_generation::join_paths::leads_to_one;

/// Adjectives of size before a noun.
const SIZES: &[&str] = &["largest", "biggest", "greatest", "highest", "smallest", "lowest"];

impl Reader<'_> {
    pub(super) fn metric(&mut self, column: ColumnId) -> Option<()> {
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

    pub(super) fn measure(&mut self, measure: Expr) -> Option<()> {
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

    pub(super) fn column(&mut self, column: ColumnId) -> Option<()> {
        let entry = &self.context.index.columns[column];
        let is_number = entry.data == DataKind::Number && !self.context.index.is_reference(column);
        if self.is_further {
            return self.show_beside(column);
        }
        if self.polarity == Polarity::Denied {
            let table = entry.table;
            let is_event =
                matches!(self.frame.head, Some(Head::Table(head)) if !is_own_row(self.context.index, head, table));
            if is_event && entry.kind == ColumnKind::Time && entry.has_gaps && self.is_open_deed() {
                self.polarity = Polarity::Affirmed;
                self.open_clause(table, Polarity::Affirmed);
                self.clause().add_predicate(Predicate::Missing(column), Polarity::Affirmed);
                return Some(());
            }
            if is_event {
                return self.table(table);
            }
            self.polarity = Polarity::Affirmed;
            let is_amount = is_number && entry.kind == ColumnKind::Fact;
            let predicate = if is_amount { Predicate::Lacking(column) } else { Predicate::Missing(column) };
            self.clause().add_predicate(predicate, Polarity::Affirmed);
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

    /// `machines that have not been repaired yet`: a repair is still open, while `never repaired` denies that there is one.
    fn is_open_deed(&self) -> bool {
        let is_period = |token: &Token| matches!(token, Token::Period(_) | Token::Year(_) | Token::Table(_));
        let says_never = self.context.lattice.words.iter().any(|word| word.lower == "never");
        !says_never && !self.tokens[self.at + 1..].iter().any(is_period)
    }

    /// `the channel web`, `the Enterprise plan`: the column of a value beside it.
    pub(super) fn names_value(&self, column: ColumnId) -> bool {
        let is_of = |token: Option<&Token>| matches!(token, Some(Token::Value(other, _)) if *other == column);
        let behind = (1..4).find(|offset| !matches!(self.token(*offset), Some(Token::Word(_)))).unwrap_or(1);
        is_of(self.before()) || is_of(self.token(behind))
    }

    pub(super) fn time(&mut self, column: ColumnId) -> Option<()> {
        if self.awaits_measure && self.frame.head.is_some() {
            return self.rank_by(By::Column(column));
        }
        let table = self.context.index.columns[column].table;
        if let Some(Head::Table(head)) = self.frame.head {
            let index = self.context.index;
            // `machines hired in 2025` are not hired as people are.
            if head != table && !leads_to_one(index, table, head) && !leads_to_one(index, head, table) {
                return None;
            }
        }
        if self.awaits_measure && self.frame.want.is_none() && self.frame.measures.is_empty() {
            self.frame.head = Some(Head::Table(table));
            return self.rank_by(By::Column(column));
        }
        let is_counted = self.frame.want == Some(Want::Count) || self.frame.want.is_none();
        if self.frame.head.is_none() && self.frame.measures.is_empty() && is_counted {
            self.frame.head = Some(Head::Table(table));
            self.frame.is_head_implied = true;
        }
        let is_event = self.context.index.is_event(table);
        if is_event {
            self.affirms_after_denial(table);
        }
        let clause = self.clause();
        if clause.time.is_some() {
            return None;
        }
        // `have a contract but never visited`: the verb tells of events of its own.
        if is_event && clause.like.is_some() && clause.is_empty() && clause.table.is_none() {
            clause.like = None;
            clause.table = Some(table);
        }
        clause.time = Some(column);
        for when in &mut clause.periods {
            when.column.get_or_insert(column);
        }
        Some(())
    }

    pub(super) fn fact(&mut self, column: ColumnId) -> Option<()> {
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
        let is_sum = entry.aggregation == Some(DefaultAggregation::Sum);
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

    pub(super) fn dimension(&mut self, column: ColumnId) -> Option<()> {
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
        // `who referred the most customers`: the rows that others refer to in this role.
        if self.frame.head.is_none() && self.frame.want.is_some() && index.refers_to_own_table(column) {
            self.frame.head = Some(Head::Table(index.columns[column].table));
            self.frame.head_role = Some(Role::Reference(column));
            return Some(());
        }
        // `top 3 reviewing officers`: by how many rows refer to them in this role.
        if let (None, true, Some(referred)) = (self.frame.head, self.awaits_measure, index.referred_table(column))
            && is_deed(&index.columns[column].name)
        {
            self.frame.head = Some(Head::Table(referred));
            self.frame.head_role = Some(Role::Reference(column));
            return self.rank_by(By::Rows(index.columns[column].table));
        }
        match self.frame.head {
            None if self.frame.measures.is_empty() => {
                let table = index.columns[column].table;
                let is_label = index.row_name(table) == [column];
                self.frame.head = Some(if is_label { Head::Table(table) } else { Head::Column(column) });
                Some(())
            }
            Some(Head::Table(table)) if index.row_name(table) == [column] => Some(()),
            _ => None,
        }
    }

    pub(super) fn table(&mut self, table: TableId) -> Option<()> {
        let index = self.context.index;
        if self.is_further {
            return match index.row_name(table).as_slice() {
                [label] => self.show_beside(*label),
                _ => None,
            };
        }
        if let Some(function) = self.function.take_if(|_| !self.is_duration) {
            // `the median fine`: of what the rows amount to.
            return self.measure(Expr::Aggregate(function, amount_of(index, table)?));
        }
        if self.mode == Mode::Edit && self.polarity == Polarity::Affirmed && self.frame.want.is_none() {
            self.frame.cost += 0.1;
            return Some(());
        }
        if self.polarity == Polarity::Denied {
            self.polarity = Polarity::Affirmed;
            if self.frame.head.is_none() && self.frame.want != Some(Want::Persons) {
                self.frame.head = Some(Head::Table(self.table_of_value()?));
            }
            self.open_clause(table, Polarity::Denied);
            return Some(());
        }
        if self.affirms_after_denial(table) {
            return Some(());
        }
        if self.clause > 0 && self.clause().like.is_some() && self.clause().is_empty() {
            let clause = self.clause();
            clause.like = None;
            clause.table = Some(table);
            return Some(());
        }
        if std::mem::take(&mut self.frame.is_head_implied) && self.frame.head != Some(Head::Table(table)) {
            self.frame.head = Some(Head::Table(table));
            return Some(());
        }
        // `members who never booked a class`: the classes belong to what is denied.
        let denied = self.frame.clauses[self.clause].table.filter(|_| {
            let clause = &self.frame.clauses[self.clause];
            clause.polarity == Polarity::Denied && self.clause > 0
        });
        if denied.is_some_and(|denied| denied != table && leads_to_one(index, denied, table)) {
            return Some(());
        }
        match self.frame.head {
            // `the largest order`: one of them is large, while `the most orders` counts them.
            Some(head) if self.awaits_measure && head != Head::Table(table) && self.is_one_of(table) => {
                let function = match self.frame.rank.as_ref()?.direction {
                    Direction::Descending => Function::Maximum,
                    Direction::Ascending => Function::Minimum,
                };
                self.rank_by(By::Measure(Expr::Aggregate(function, amount_of(index, table)?)))
            }
            // `who paid the most in fines`: how much, not how many.
            Some(head) if self.awaits_measure && head != Head::Table(table) && self.tells_money(table) => {
                self.rank_by(By::Measure(Expr::Aggregate(Function::Metric, amount_of(index, table)?)))
            }
            Some(head) if self.awaits_measure && (head != Head::Table(table) || self.frame.head_role.is_some()) => {
                if let Some(reference) = self.take_role_of(table) {
                    self.frame.head_role = Some(Role::Reference(reference));
                }
                self.rank_by(By::Rows(table))
            }
            // `the lowest scoring field`: the measure stands before what it ranks.
            None if self.awaits_measure
                && self.frame.measures.len() == 1
                && self.frame.want != Some(Want::Persons)
                && matches!(self.before(), Some(Token::Column(_) | Token::Metric(_))) =>
            {
                self.awaits_measure = false;
                self.frame.head = Some(Head::Table(table));
                Some(())
            }
            // `who assisted at the most visits`.
            None if self.awaits_measure && self.frame.want == Some(Want::Persons) && !is_persons(index, table) => {
                self.rank_by(By::Rows(table))
            }
            // `how many dogs do Spanish owners have`: what the value names is counted.
            None if self.frame.want == Some(Want::Count) && self.counted_kind(table).is_some() => {
                self.frame.head = self.counted_kind(table).map(Head::Table);
                Some(())
            }
            None if self.frame.measures.is_empty() && self.frame.want != Some(Want::Persons) => {
                self.frame.head_role = self.role.take();
                self.frame.head = Some(Head::Table(table));
                Some(())
            }
            Some(Head::Table(head)) if head == table || leads_to_one(index, head, table) => Some(()),
            Some(Head::Table(_)) | None if self.frame.measures.is_empty() => {
                if self.frame.clauses[self.clause].table == Some(table) {
                    return Some(());
                }
                self.open_clause(table, Polarity::Affirmed);
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

    /// `which supervisors have never …`: the rows are named by what they are.
    pub(super) fn table_of_value(&self) -> Option<TableId> {
        match self.frame.clauses[0].predicates.as_slice() {
            [(Predicate::Equals { column, .. }, Polarity::Affirmed)]
                if self.frame.want.is_some() || names_people(self.context, *column) =>
            {
                Some(self.context.index.columns[*column].table)
            }
            _ => None,
        }
    }

    /// A clause of events that rows have or lack.
    pub(super) fn open_clause(&mut self, table: TableId, polarity: Polarity) {
        let role = self.take_role_of(table);
        self.frame.clauses.push(Clause { table: Some(table), polarity, role, ..Clause::default() });
        self.clause = self.frame.clauses.len() - 1;
    }

    /// `officers who reviewed citations`: the reference of the events to the rows asked for that a verb names.
    fn take_role_of(&mut self, events: TableId) -> Option<ColumnId> {
        let index = self.context.index;
        let Some(Role::Reference(reference)) = self.role else { return None };
        let is_of_events = index.columns[reference].table == events;
        let is_of_head =
            matches!(self.frame.head, Some(Head::Table(head)) if index.referred_table(reference) == Some(head));
        (is_of_events && is_of_head).then(|| self.role.take()).flatten().map(|_| reference)
    }

    /// `reviewed by the same officer who issued them`: two references of a row lead to one.
    pub(super) fn same_role(&mut self) -> bool {
        let index = self.context.index;
        let Some(Role::Reference(first)) = self.role else { return false };
        let is_other = |token: &Token| match token {
            Token::Role(second) => {
                *second != first
                    && index.columns[*second].table == index.columns[first].table
                    && index.referred_table(*second) == index.referred_table(first)
            }
            _ => false,
        };
        let says_same = self.is_word(self.behind(1), &["same"]);
        let Some(place) = self.tokens[self.at..].iter().position(is_other).filter(|_| says_same) else { return false };
        let Token::Role(second) = self.tokens[self.at + place] else { return false };
        self.role = None;
        self.at += place;
        let predicate = Predicate::Beside(first, Comparison::Equal, Expr::Column(second));
        self.clause().add_predicate(predicate, Polarity::Affirmed);
        true
    }

    /// `how many citations were reviewed`: somebody did it.
    pub(super) fn note_deed(&mut self) {
        let index = self.context.index;
        let Some(Role::Reference(reference)) = self.role else { return };
        let entry = &index.columns[reference];
        let is_of_head = self.frame.head == Some(Head::Table(entry.table));
        if is_of_head && is_deed(&entry.name) && entry.has_gaps && self.frame.groups.is_empty() {
            let polarity = match self.polarity.take() {
                Polarity::Affirmed => Polarity::Denied,
                Polarity::Denied => Polarity::Affirmed,
            };
            self.frame.clauses[0].add_predicate(Predicate::Missing(reference), polarity);
            self.role = None;
        }
        // `officers who never reviewed anything`.
        let is_by_head =
            matches!(self.frame.head, Some(Head::Table(head)) if index.referred_table(reference) == Some(head));
        if is_by_head && self.polarity.take() == Polarity::Denied {
            self.open_clause(entry.table, Polarity::Denied);
        }
    }

    /// The things that a value right behind `how many` names, where they belong to the rows of another table.
    fn counted_kind(&self, owner: TableId) -> Option<TableId> {
        let index = self.context.index;
        let counted = self.tokens.iter().position(|token| matches!(token, Token::Operator(Operator::Count)))?;
        let Some(Token::Value(column, _)) = self.tokens.get(counted + 1) else { return None };
        let table = index.columns[*column].table;
        let is_kind = table != owner && !index.row_name(table).contains(column) && leads_to_one(index, table, owner);
        let is_behind = self.tokens[counted + 2..self.at].iter().any(|token| matches!(token, Token::Word(_)));
        (is_kind && is_behind).then_some(table)
    }

    /// Whether a verb tells of money that the rows of a table hold: `paid the most in fines`.
    fn tells_money(&self, table: TableId) -> bool {
        let is_said = self.context.lattice.words.iter().any(is_money_verb);
        let is_led = matches!(self.before(), Some(Token::Word(word)) if matches!(word.as_str(), "in" | "for" | "on"));
        is_said && is_led && amount_of(self.context.index, table).is_some()
    }

    /// Whether a size is said of a single row of a table.
    fn is_one_of(&self, table: TableId) -> bool {
        let lattice = self.context.lattice;
        lattice.items.iter().any(|item| {
            let last = &lattice.words[item.end - 1];
            let before = item.start.checked_sub(1).map_or("", |before| lattice.words[before].lower.as_str());
            item.meaning == Meaning::Table(table) && last.lower == last.lemma && SIZES.contains(&before)
        })
    }

    pub(super) fn value(&mut self, column: ColumnId, value: String) {
        let role = self.role.take();
        if let Some(table) = self.denied_events(column) {
            self.deny_events(table);
        } else if let Some(table) = self.stated_events(column) {
            self.open_clause(table, Polarity::Affirmed);
        }
        // `excluding A and B`: what is denied of one value is denied of its neighbours.
        let goes_on = matches!(self.at.checked_sub(2).and_then(|at| self.tokens.get(at)),
            Some(Token::Value(other, _)) if *other == column);
        let last = self.frame.clauses[self.clause].predicates.last().map(|(_, polarity)| *polarity);
        let polarity = match (self.polarity.take(), last) {
            (Polarity::Affirmed, Some(last)) if goes_on => last,
            (polarity, _) => polarity,
        };
        self.clause().add_predicate(Predicate::Equals { column, values: vec![value], role }, polarity);
    }

    /// `country of origin`, `origin city`.
    pub(super) fn role(&mut self, reference: ColumnId) -> Option<()> {
        let role = Role::Reference(reference);
        let is_behind = matches!(self.before(), Some(Token::Word(word)) if word == "of");
        if let (true, Some(Group::Column(_, stated) | Group::Rows(_, stated))) =
            (is_behind, self.frame.groups.last_mut())
        {
            *stated = Some(role);
            return Some(());
        }
        self.role = Some(role);
        Some(())
    }
}
