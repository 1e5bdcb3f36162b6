//! The time between two days of a row: `the average time between shipping and delivery`.

use super::operators::Operator;
use super::parser::{Asked, DETERMINERS, Parser};
use super::query::{Expr, Function, Lapse};
use crate::links::model_index::{ColumnId, ColumnKind, TableId};
use crate::question::lemma::stem;

impl Parser<'_> {
    /// `the average number of days between X and Y`, `how long does it take from X to Y on average`.
    pub(super) fn elapsed_at(&mut self, at: usize, functions: &[Operator], from: usize) -> bool {
        let [Operator::Aggregate(function)] = functions else { return false };
        let opens = |place: usize| self.operator(place) == Some(Operator::Between) || self.text(place) == "from";
        let Some(opening) = (from..(from + 4).min(self.chunks.len())).find(|&place| opens(place)) else { return false };
        let says_time = (at..opening).any(|place| self.says_time(place));
        let left = self.skip(opening + 1, DETERMINERS);
        let right = self.skip(left + 2, DETERMINERS);
        if !says_time || !matches!(self.text(left + 1), "and" | "to" | "until") {
            return false;
        }
        let tables: Vec<TableId> =
            self.main_table().into_iter().chain(self.tables_named.iter().map(|(_, table)| *table)).collect();
        let all = 0..self.index.tables.len();
        let both = tables.into_iter().chain(all).find_map(|table| {
            Some((self.day_called(table, left)?, self.day_called(table, right)?)).filter(|(first, last)| first != last)
        });
        let Some((first, last)) = both else { return false };
        self.used[at..=right].fill(true);
        self.entity.get_or_insert(self.index.columns[first].table);
        self.select(at, Asked::Expr(Expr::Elapsed(*function, Lapse::DAYS, first, last)));
        true
    }

    /// `how long does it take from X to Y`: on average, where nothing else is said.
    pub(super) fn how_long_at(&mut self, at: usize) -> bool {
        let functions = [Operator::Aggregate(Function::Average)];
        let end = (at + 6).min(self.chunks.len());
        let opens = |place: &usize| self.operator(*place) == Some(Operator::Between) || self.text(*place) == "from";
        let Some(opening) = (at + 1..end).find(opens) else { return false };
        let is_done = self.elapsed_at(at, &functions, opening);
        let rest = (at..self.chunks.len()).filter(|&place| is_done && self.says_average(place)).collect::<Vec<_>>();
        rest.into_iter().for_each(|place| self.used[place] = true);
        is_done
    }

    fn says_average(&self, at: usize) -> bool {
        self.operator(at) == Some(Operator::Aggregate(Function::Average))
    }

    fn says_time(&self, at: usize) -> bool {
        let words = &self.words[self.chunks[at].start..self.chunks[at].end];
        words.iter().any(|word| matches!(word.lemma.as_str(), "time" | "day" | "duration" | "delay" | "long"))
    }

    /// The day of a table that a word names: `shipping`, `delivered`, `the order date`.
    fn day_called(&self, table: TableId, at: usize) -> Option<ColumnId> {
        let chunk = self.chunks.get(at)?;
        let columns = self.index.tables[table].columns.iter().copied();
        let mut times = columns.filter(|column| self.index.columns[*column].kind == ColumnKind::Time);
        let named = |column: &ColumnId| {
            self.mention(at)
                .is_some_and(|mention| mention.columns.iter().any(|(other, score)| other == column && *score >= 0.9))
        };
        let said: Vec<String> = self.words[chunk.start..chunk.end].iter().map(|word| stem(&word.lower)).collect();
        let stems = |column: &ColumnId| {
            let words = &self.index.columns[*column].words;
            words
                .iter()
                .any(|word| !matches!(word.as_str(), "on" | "at" | "date" | "day") && said.contains(&stem(word)))
        };
        times.clone().find(stems).or_else(|| times.find(named))
    }
}
