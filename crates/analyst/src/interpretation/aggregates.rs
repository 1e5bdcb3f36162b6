//! Counts, sums, averages, minima and maxima.

use super::context::Want;
use super::operators::Operator;
use super::parser::{Asked, DETERMINERS, LINKING_WORDS, Parser, Phase};
use super::query::{Condition, Expr, Function, Literal, Operand, Query};
use crate::links::mentions::Mention;
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, TableId};
use crate::links::synonyms::is_person;

impl Parser<'_> {
    pub(super) fn aggregate_at(&mut self, at: usize) {
        let (functions, mention_at) = self.functions_at(at);
        if self.elapsed_at(at, &functions, mention_at) || self.summarised_count(at, &functions, mention_at) {
            return;
        }
        if self.counted_filter(at, &functions, mention_at) || self.amount_of_rows(at, &functions, mention_at) {
            return;
        }
        let Some((expressions, end)) = self.aggregated(&functions, mention_at) else {
            self.aggregate_without_noun(at, &functions);
            return;
        };
        self.used[at..end].fill(true);
        let behind = self.skip(end, &["that", "they", "is", "are", "was", "were", "which", "of"]);
        if self.above_average_of(behind, &expressions, &functions) {
            return;
        }
        if let Some(Operator::Compare(comparison)) = self.operator(behind)
            && self.phase == Phase::Filter
            && let [expr] = expressions.as_slice()
        {
            let comparison = self.with_or_equal(behind, comparison);
            let number_at = self.skip(behind + 1, &["the", "of", "to", "than", "or", "equal to", "equal", "$"]);
            if let Some((nested, nested_end)) = self.nested_aggregate(number_at) {
                self.used[behind..nested_end].fill(true);
                self.add_having(Condition::Compare(expr.clone(), comparison, Operand::Query(Box::new(nested))));
                return;
            }
            if let Some(value) = self.number(number_at) {
                self.used[behind..=number_at].fill(true);
                let value = match expr {
                    Expr::Aggregate(_, column) => self.in_unit_of(*column, value),
                    _ => value,
                };
                let literal = Operand::Literal(Literal::Number(value));
                self.add_having(Condition::Compare(expr.clone(), comparison, literal));
                return;
            }
        }
        if let ([Expr::Aggregate(Function::Sum, column)], Some(Operator::Between)) =
            (expressions.as_slice(), self.operator(behind))
            && functions == [Operator::Count]
            && self.selected_in(self.sentence)
        {
            self.pending = Some((at, *column));
            return;
        }
        if self.extreme_of(at, behind, &functions, &expressions) {
            return;
        }
        if let ([Operator::Aggregate(function)], [Expr::Aggregate(Function::Metric, _)]) =
            (functions.as_slice(), expressions.as_slice())
        {
            self.shape.summary = Some(*function);
        }
        let counts = functions == [Operator::Count];
        for expr in expressions {
            if let (true, Expr::Aggregate(function, column)) = (counts, &expr)
                && (*function == Function::Sum || self.is_counted_before(*column))
            {
                self.counted_columns.push(*column);
            }
            self.select(at, Asked::Expr(expr));
        }
    }

    /// `types whose average price is above the average price of all products`.
    fn above_average_of(&mut self, behind: usize, expressions: &[Expr], functions: &[Operator]) -> bool {
        let (Some(Operator::AboveAverage(comparison)), [expr @ Expr::Aggregate(_, column)]) =
            (self.operator(behind), expressions)
        else {
            return false;
        };
        if self.phase != Phase::Filter && !self.selected_in(self.sentence) {
            return false;
        }
        let next = self.skip(behind + 1, DETERMINERS);
        let stated = self.resolve(next, Want::Number).map(|(column, _)| column);
        let average = Expr::Aggregate(Function::Average, stated.unwrap_or(*column));
        let last = if stated.is_some() { next } else { behind };
        self.used[behind..=last].fill(true);
        let whole = Query { select: vec![average], ..Query::default() };
        let whole = Operand::Query(Box::new(whole));
        match functions {
            // `a number of floors above the average` is a column of each row.
            [Operator::Count] => {
                self.add_condition(Condition::Compare(Expr::Column(*column), comparison, whole));
            }
            _ => self.add_having(Condition::Compare(expr.clone(), comparison, whole)),
        }
        true
    }

    /// `number of matches`, `years played`: a column that tells how many, though it is stored as text.
    fn is_counted_before(&self, column: ColumnId) -> bool {
        let first = self.index.columns[column].words.first().map(String::as_str);
        matches!(first, Some("number" | "count" | "total" | "year" | "day" | "hour"))
    }

    /// A number that is neither a key nor a reference.
    fn adds_up(&self, column: usize) -> bool {
        self.index.columns[column].data == DataKind::Number
            && !self.index.is_key(column)
            && !self.index.is_reference(column)
    }

    /// `the average number of orders per customer`.
    fn summarised_count(&mut self, at: usize, functions: &[Operator], mention_at: usize) -> bool {
        let [Operator::Aggregate(function)] = functions else { return false };
        let named = self.tables_named.iter().find(|(place, _)| *place == mention_at).map(|(_, table)| *table);
        let Some(table) = named.filter(|_| self.text(at).ends_with("number of")) else { return false };
        if !(mention_at..self.chunks.len()).any(|place| self.operator(place) == Some(Operator::Each)) {
            return false;
        }
        self.used[at..=mention_at].fill(true);
        self.shape.summary = Some(*function);
        self.shape.counts_for_groups = true;
        self.join_table(table);
        self.select(at, Asked::Expr(Expr::CountRows(table)));
        true
    }

    /// `with the maximum price`, `whose total quantity is the largest`: these order rows.
    fn extreme_of(&mut self, at: usize, behind: usize, functions: &[Operator], expressions: &[Expr]) -> bool {
        let [expr] = expressions else { return false };
        if self.phase != Phase::Filter || !self.selected_in(self.sentence) {
            return false;
        }
        let after = self.skip(behind, &["the", "is", "are"]);
        if let Some(Operator::Superlative(direction)) = self.operator(after) {
            self.used[after] = true;
            self.order_by(expr.clone(), direction, None);
            return true;
        }
        let direction = match functions {
            [Operator::Aggregate(Function::Maximum)] => super::query::Direction::Descending,
            [Operator::Aggregate(Function::Minimum)] => super::query::Direction::Ascending,
            _ => return false,
        };
        let Expr::Aggregate(_, column) = expr else { return false };
        if !matches!(self.before(at), "with" | "has" | "have" | "having" | "had") {
            return false;
        }
        self.order_by(Expr::Column(*column), direction, None);
        true
    }

    /// `how many big orders`: a filter of the model names the rows.
    fn counted_filter(&mut self, at: usize, functions: &[Operator], mention_at: usize) -> bool {
        let Some(column) = self.condition_named(mention_at) else { return false };
        if functions != [Operator::Count] || self.tables_named.iter().any(|(place, _)| *place == mention_at) {
            return false;
        }
        self.used[at..=mention_at].fill(true);
        self.add_condition(Condition::Named(column));
        let table = self.index.columns[column].table;
        self.entity.get_or_insert(table);
        self.join_table(table);
        self.select(at, Asked::Expr(Expr::CountRows(table)));
        true
    }

    /// `… and how many are there?`, `how old on average`.
    fn aggregate_without_noun(&mut self, at: usize, functions: &[Operator]) {
        match functions {
            [Operator::Count] => {
                self.counts_anything = true;
                self.selected.push(super::parser::Selected { at, asked: Asked::Count, sentence: self.sentence });
            }
            [Operator::Aggregate(function)] => {
                if let Some(Asked::Expr(expr)) = self.selected.last_mut().map(|selected| &mut selected.asked)
                    && let Expr::Column(column) | Expr::Aggregate(Function::Sum, column) = expr
                    && self.index.columns[*column].data == DataKind::Number
                {
                    *expr = Expr::Aggregate(*function, *column);
                }
            }
            _ => {}
        }
    }

    fn nested_aggregate(&self, at: usize) -> Option<(Query, usize)> {
        matches!(self.operator(at), Some(Operator::Aggregate(_))).then_some(())?;
        let (expr, end) = self.expression_at(at)?;
        Some((Query { select: vec![expr], ..Query::default() }, end))
    }

    /// `the number of times it was ordered`: rows that refer to what is asked about.
    pub(super) fn count_times_at(&mut self, at: usize) {
        let behind = self.tables_named.iter().find(|(place, _)| *place > at).map(|(_, table)| *table);
        if let Some(table) = behind.or_else(|| self.counted_table()) {
            self.join_table(table);
            self.select(at, Asked::Expr(Expr::CountRows(table)));
        }
    }

    /// `the minimum, mean, and maximum age`: all functions before one mention.
    fn functions_at(&self, at: usize) -> (Vec<Operator>, usize) {
        let mut functions = Vec::new();
        let mut place = at;
        loop {
            match self.operator(place) {
                Some(operator @ (Operator::Count | Operator::Aggregate(_))) => {
                    if !functions.contains(&operator) {
                        functions.push(operator);
                    }
                }
                Some(Operator::And) if functions != [Operator::Count] => {}
                Some(Operator::Distinct) => {}
                Some(Operator::Superlative(direction)) if !functions.is_empty() => {
                    let function = if direction == super::query::Direction::Descending {
                        Function::Maximum
                    } else {
                        Function::Minimum
                    };
                    functions.push(Operator::Aggregate(function));
                }
                _ if matches!(self.text(place), "," | "the" | "of" | "all" | "a" | "their" | "its" | "different") => {}
                _ => break,
            }
            place += 1;
        }
        (functions, place)
    }

    /// What the functions are applied to, and where that ends.
    pub(super) fn aggregated(&self, functions: &[Operator], mention_at: usize) -> Option<(Vec<Expr>, usize)> {
        let distinct =
            (mention_at.saturating_sub(3)..mention_at).any(|place| self.operator(place) == Some(Operator::Distinct));
        if functions == [Operator::Count] {
            return self.counted(mention_at, distinct);
        }
        let value_between = self.mention(mention_at).is_some_and(|mention| mention.is_value_first());
        let mention_at = if value_between { mention_at + 1 } else { mention_at };
        let mention_at = if self.is_quantity_of_rows(mention_at) { mention_at + 1 } else { mention_at };
        let (column, _) = self.resolve(mention_at, Want::Number)?;
        let only_sum = functions == [Operator::Aggregate(Function::Sum)];
        let is_row = self.index.is_key(column) || self.index.is_reference(column);
        let named = self.tables_named.iter().any(|(place, _)| *place == mention_at);
        let is_text = self.index.columns[column].data == DataKind::Text && !self.is_quantity_word(column);
        if (is_text || (is_row && named)) && only_sum {
            return self.counted(mention_at, distinct);
        }
        let expressions = functions
            .iter()
            .map(|operator| match operator {
                Operator::Aggregate(_) if self.index.columns[column].kind == ColumnKind::Metric => {
                    Expr::Aggregate(Function::Metric, column)
                }
                Operator::Aggregate(function) => Expr::Aggregate(*function, column),
                _ if self.adds_up(column) => Expr::Aggregate(Function::Sum, column),
                _ => Expr::CountRows(self.index.columns[column].table),
            })
            .collect();
        Some((expressions, mention_at + 1))
    }

    /// `the total sponsorship amount`: the number behind a table is the table's own.
    fn is_quantity_of_rows(&self, at: usize) -> bool {
        let named = self.tables_named.iter().find(|(place, _)| *place == at).map(|(_, table)| *table);
        let behind = self.mention(at + 1).filter(|next| next.best_column_score() >= 0.8 && next.tables.is_empty());
        let (Some(table), Some((column, _))) = (named, behind.and_then(|_| self.resolve(at + 1, Want::Number))) else {
            return false;
        };
        self.index.columns[column].table == table && self.adds_up(column)
    }

    /// `the total amount of sponsorship`, where its rows have an amount.
    fn amount_of_rows(&mut self, at: usize, functions: &[Operator], mention_at: usize) -> bool {
        let [Operator::Aggregate(function)] = functions else { return false };
        let named = self.tables_named.iter().find(|(place, _)| *place == mention_at).map(|(_, table)| *table);
        let Some(table) = named.filter(|_| self.text(at).ends_with("amount of")) else { return false };
        let Some(column) = self.column_by_words(table, &["amount"], Want::Number) else { return false };
        self.used[at..=mention_at].fill(true);
        self.select(at, Asked::Expr(Expr::Aggregate(*function, column)));
        true
    }

    /// A quantity, though the table keeps it as text.
    fn is_quantity_word(&self, column: usize) -> bool {
        let last = self.index.columns[column].words.last().map(String::as_str);
        matches!(last, Some("quantity" | "amount" | "price" | "cost" | "score" | "count" | "total" | "weight"))
    }

    fn counted(&self, mention_at: usize, distinct: bool) -> Option<(Vec<Expr>, usize)> {
        let mention_at = self.skip(mention_at, DETERMINERS);
        let value_between = self.mention(mention_at).is_some_and(|mention| mention.is_value_first())
            || self.names_its_column(mention_at);
        let value_at = mention_at;
        let mention_at =
            if value_between && self.mention(mention_at + 1).is_some() { mention_at + 1 } else { mention_at };
        if let Some(rows) = self.kinds_of_rows(mention_at) {
            return self.counted(rows, true);
        }
        let mention_at = if self.is_named_by_next(mention_at) { mention_at + 1 } else { mention_at };
        let place = if self.mention(mention_at).is_some() { mention_at } else { self.next_noun(mention_at)? };
        let place = if self.is_counted_column(place + 1) { place + 1 } else { place };
        let is_table = self.tables_named.iter().any(|(named, _)| *named == place);
        if let (true, Some((table, _))) = (is_table, self.mention(place)?.best_table()) {
            let end = if value_between { place } else { place + 1 };
            let counted = if distinct { self.different_rows(table) } else { Expr::CountRows(table) };
            return Some((vec![counted], if value_between { value_at } else { end }));
        }
        if self.is_rather_value(place) {
            let table = self.column_of_value(place).map(|column| self.index.columns[column].table)?;
            return Some((vec![Expr::CountRows(table)], value_at.min(place)));
        }
        if let Some((column, score)) = self.resolve(place, Want::Any)
            && score > 0.35
        {
            let entry = &self.index.columns[column];
            let counts_value = |mention: &Mention| mention.values.iter().any(|(of, _, _)| *of == column);
            if value_between && self.mention(value_at).is_some_and(counts_value) {
                return Some((vec![Expr::CountRows(entry.table)], value_at));
            }
            let is_someone = matches!(entry.words.as_slice(), [word] if is_person(word));
            let numeric = self.adds_up(column) && !is_someone;
            let expr = match (numeric, distinct) {
                _ if entry.kind == ColumnKind::Metric => Expr::Aggregate(Function::Metric, column),
                (true, false) => Expr::Aggregate(Function::Sum, column),
                _ if self.index.is_key(column) => Expr::CountRows(entry.table),
                _ => Expr::Aggregate(Function::CountDistinct, column),
            };
            return Some((vec![expr], place + 1));
        }
        let table = self.mention(place)?.values.first().map(|(column, _, _)| self.index.columns[*column].table)?;
        Some((vec![Expr::CountRows(table)], if value_between { value_at } else { place }))
    }

    /// `how many kinds of enzymes`: the enzymes, where they have no kind.
    fn kinds_of_rows(&self, at: usize) -> Option<usize> {
        const KINDS: &[&str] = &["kind", "type", "category", "sort"];
        let word = &self.words[self.chunks.get(at)?.start];
        let behind = self.skip(at + 1, &["of", "the", "different"]);
        let of = KINDS.contains(&word.lemma.as_str()) && behind > at + 1;
        let (_, table) = self.tables_named.iter().find(|(place, _)| of && *place == behind)?;
        let has_kind =
            |column: &ColumnId| self.index.columns[*column].words.iter().any(|word| KINDS.contains(&word.as_str()));
        (!self.index.tables[*table].columns.iter().any(has_kind)).then_some(behind)
    }

    /// `gas companies`: a word that hardly names anything, before one that names a table.
    fn is_named_by_next(&self, at: usize) -> bool {
        let hardly = self.mention(at).is_some_and(|mention| {
            mention.best_table().is_some_and(|(_, score)| score < 0.5) && mention.best_column_score() < 0.5
        });
        hardly && self.tables_named.iter().any(|(place, _)| *place == at + 1)
    }

    /// Rows that others refer to count once, however often they do.
    pub(super) fn different_rows(&self, table: TableId) -> Expr {
        let beside_others = self.tables_named.iter().any(|(_, other)| *other != table);
        match self.index.tables[table].key.as_slice() {
            [key] if beside_others => Expr::Aggregate(Function::CountDistinct, *key),
            _ => Expr::CountRows(table),
        }
    }

    /// `how many captain ranks`: the column behind the table is what is counted.
    fn is_counted_column(&self, at: usize) -> bool {
        let Some(mention) = self.mention(at) else { return false };
        let column_first =
            mention.best_column_score() >= 0.8 && mention.best_table().is_none_or(|(_, score)| score < 0.5);
        let plural =
            self.chunks.get(at).is_some_and(|chunk| self.words[chunk.end - 1].lower != self.words[chunk.end - 1].lemma);
        let behind = self.skip(at + 1, LINKING_WORDS);
        column_first
            && plural
            && !mention.is_value()
            && self.number(behind).is_none()
            && self.mention(behind).is_none_or(|next| !next.is_value_first())
    }

    /// The mention behind words that link to nothing.
    fn next_noun(&self, from: usize) -> Option<usize> {
        let end =
            (from..self.chunks.len()).find(|&at| matches!(self.text(at), "." | "?" | ",")).unwrap_or(self.chunks.len());
        (from..end.min(from + 3)).find(|&at| self.mention(at).is_some_and(|mention| !mention.is_value_first()))
    }

    /// An expression to order or group by, from a chunk on.
    pub(super) fn expression_at(&self, from: usize) -> Option<(Expr, usize)> {
        let at = self.skip(from, DETERMINERS);
        if matches!(self.operator(at), Some(Operator::Count | Operator::Aggregate(_))) {
            let (functions, mention_at) = self.functions_at(at);
            let counts = functions == [Operator::Count];
            let Some((expressions, end)) = self.aggregated(&functions, mention_at) else {
                let table = self.stated_count().or_else(|| self.counted_table());
                let table = table.filter(|_| counts && self.ends_at(mention_at))?;
                return Some((Expr::CountRows(table), mention_at));
            };
            return expressions.into_iter().next().map(|expr| match expr {
                Expr::Aggregate(Function::Sum, column) if counts => (Expr::Column(column), end),
                expr => (expr, end),
            });
        }
        if let Some(table) = self.stated_count().filter(|_| matches!(self.text(at), "number" | "count" | "total")) {
            let ends = self.ends_at(at + 1) || self.operator(at + 1).is_some();
            return ends.then_some((Expr::CountRows(table), at + 1));
        }
        let at = if self.mention(at).is_some() { at } else { self.skip_unlinked(at) };
        let place = if self.mention(at).is_some() { at } else { self.skip(at, LINKING_WORDS) };
        let mention = self.mention(place)?;
        let is_table = self.tables_named.iter().any(|(named, _)| *named == place);
        let owned = self.mention(place + 1).is_some() || self.text(place + 1) == "'s";
        if is_table && owned && !mention.tables.is_empty() {
            let next = if self.text(place + 1) == "'s" { place + 2 } else { place + 1 };
            if let Some((column, _)) = self.resolve(next, Want::Any) {
                return Some((Expr::Column(column), next + 1));
            }
        }
        if is_table && mention.best_column_score() < 0.9 {
            return None;
        }
        self.resolve(place, Want::Any).map(|(column, _)| (self.as_expression(column), place + 1))
    }

    /// The rows whose number is asked for already.
    fn stated_count(&self) -> Option<TableId> {
        self.selected.iter().find_map(|selected| match selected.asked {
            Asked::Expr(Expr::CountRows(table)) => Some(table),
            _ => None,
        })
    }

    fn ends_at(&self, at: usize) -> bool {
        matches!(self.text(at), "" | "." | "?" | ",")
    }

    pub(super) fn as_expression(&self, column: usize) -> Expr {
        match self.index.columns[column].kind {
            ColumnKind::Metric => Expr::Aggregate(Function::Metric, column),
            _ => Expr::Column(column),
        }
    }
}
