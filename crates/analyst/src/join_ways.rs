//! The ways over which a query joins its tables, where there are several: the port that a ship left or the one that it reached,
//! the region of the customer or that of the store. A query takes the usual way unless it names joins that it avoids.

use std::collections::BTreeSet;

use crate::interpretation::query::{Condition, Expr, Operand, Query};
use crate::links::model_index::{ColumnId, ModelIndex, TableId};
use crate::question::lemma::stem;
use crate::question::words::{Word, WordKind, words};
use crate::restatement::plural;
use crate::sql_generation::join_paths::{Step, leads_to_one, path};
use crate::sql_generation::needed_tables;

/// Ways that are offered.
const WAYS_MAX: usize = 4;
/// Sets of joins that are left out to find them.
const TRIED_MAX: usize = 24;
/// What stands before the name of a way in a restatement.
const BY_WAY: [&str; 4] = ["by", "way", "of", "the"];
/// Words of references that say nothing by themselves.
const FUNCTION_WORDS: [&str; 12] = ["id", "key", "code", "no", "by", "of", "from", "to", "at", "in", "on", "for"];

/// A query over another way, with the words that only one of both ways has.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherWay {
    pub query: Query,
    /// The table that both ways lead to.
    to: TableId,
    used: BTreeSet<String>,
    other: BTreeSet<String>,
}

impl OtherWay {
    /// Whether the question names the way that the query takes anyway, and not this one.
    #[must_use]
    pub fn is_excluded(&self, asked: &[Word]) -> bool {
        says_any(asked, &self.used) && !says_any(asked, &self.other)
    }

    /// Whether the question names this way before what is at its end: `destination city`.
    #[must_use]
    pub fn is_named(&self, index: &ModelIndex, asked: &[Word]) -> bool {
        let at_end = self.words_at_end(index);
        let is_named = |pair: &[Word]| is_said(&pair[0], &self.other) && is_said(&pair[1], &at_end);
        asked.windows(2).any(is_named) && !says_any(asked, &self.used)
    }

    /// The words of the table at the end, and of its columns.
    fn words_at_end(&self, index: &ModelIndex) -> BTreeSet<String> {
        let table = &index.tables[self.to];
        let columns = table.columns.iter().flat_map(|column| &index.columns[*column].words);
        table.words.iter().chain(columns).filter(|word| !FUNCTION_WORDS.contains(&word.as_str())).cloned().collect()
    }
}

fn says_any(asked: &[Word], wanted: &BTreeSet<String>) -> bool {
    asked.iter().any(|word| is_said(word, wanted))
}

fn is_said(word: &Word, wanted: &BTreeSet<String>) -> bool {
    wanted.contains(&word.lower) || wanted.iter().any(|one| stem(one) == stem(&word.lemma))
}

/// The same query over other ways, on which no row counts more or less often.
#[must_use]
pub fn other_ways(index: &ModelIndex, query: &Query) -> Vec<OtherWay> {
    let mut found = by_other_references(index, query);
    found.extend(by_other_joins(index, query));
    found.truncate(WAYS_MAX);
    found
}

/// Rows that are referred to by name, by another reference to the same table.
fn by_other_references(index: &ModelIndex, query: &Query) -> Vec<OtherWay> {
    let mut found = Vec::new();
    for reference in references_of(query) {
        let from = index.columns[reference].table;
        let Some(to) = index.referred_table(reference).filter(|to| *to != from) else { continue };
        let joins = index.joins.iter().filter(|join| join.left == from && join.right == to && join.columns.len() == 1);
        for other in joins.filter_map(|join| index.column_named(from, &join.columns[0].0)) {
            let mut changed = query.clone();
            each_expr(&mut changed, &mut |expr| {
                if let Expr::Referred(by, _) = expr
                    && *by == reference
                {
                    *by = other;
                }
            });
            if other != reference && !references_of(&changed).contains(&reference) {
                let spelled = |column: ColumnId| words_of_column(index, column, to);
                found.push(told_apart(changed, to, &spelled(reference), &spelled(other)));
            }
        }
    }
    found
}

/// Leaves out joins that the query takes, one after the other, while another way leads to the same tables.
fn by_other_joins(index: &ModelIndex, query: &Query) -> Vec<OtherWay> {
    let levels = levels_of(index, query);
    if levels.iter().all(|tables| tables.len() < 2) || !has_circle(index) {
        return Vec::new();
    }
    let usual = Joins::without(index, &query.avoided);
    let mut found: Vec<OtherWay> = Vec::new();
    let mut tried: Vec<Vec<usize>> = vec![query.avoided.clone()];
    let mut at = 0;
    while at < tried.len() && tried.len() < TRIED_MAX && found.len() < WAYS_MAX {
        let avoided = tried[at].clone();
        at += 1;
        for join in Joins::without(index, &avoided).between(&levels) {
            let mut further = avoided.clone();
            further.push(join);
            further.sort_unstable();
            let other = Joins::without(index, &further);
            let is_sound = levels.iter().all(|tables| is_as_sound(index, &other.index, tables));
            if !is_sound || tried.contains(&further) {
                continue;
            }
            tried.push(further.clone());
            let Some((used, taken)) = changed_way(&usual, &other, &levels) else { continue };
            let Some(to) = taken.last().map(|step| step.to) else { continue };
            let changed = Query { avoided: further, ..query.clone() };
            let way = told_apart(changed, to, &words_of_way(index, &used), &words_of_way(index, &taken));
            let is_same = |one: &OtherWay| way_in_words(index, &one.query) == way_in_words(index, &way.query);
            if !found.iter().any(is_same) {
                found.push(way);
            }
        }
    }
    found
}

/// Whether joins lead back to a table over others than they came by: only then there are several ways.
fn has_circle(index: &ModelIndex) -> bool {
    let mut group: Vec<TableId> = (0..index.tables.len()).collect();
    index.joins.iter().filter(|join| join.left != join.right).any(|join| {
        let (left, right) = (group[join.left], group[join.right]);
        group.iter_mut().filter(|one| **one == left).for_each(|one| *one = right);
        left == right
    })
}

/// Whether the tables are joined, and the same of them have one row for each of another one.
fn is_as_sound(usual: &ModelIndex, other: &ModelIndex, tables: &[TableId]) -> bool {
    pairs(tables).all(|(from, to)| {
        path(other, from, to).is_some()
            && leads_to_one(usual, from, to) == leads_to_one(other, from, to)
            && leads_to_one(usual, to, from) == leads_to_one(other, to, from)
    })
}

fn told_apart(query: Query, to: TableId, used: &[String], other: &[String]) -> OtherWay {
    let own = |own: &[String], rest: &[String]| own.iter().filter(|word| !rest.contains(word)).cloned().collect();
    OtherWay { query, to, used: own(used, other), other: own(other, used) }
}

/// The joins of a model but for some, which keep their numbers.
struct Joins {
    index: ModelIndex,
    /// The number in the whole model of each join that is left.
    numbers: Vec<usize>,
}

impl Joins {
    fn without(index: &ModelIndex, avoided: &[usize]) -> Self {
        let numbers = (0..index.joins.len()).filter(|join| !avoided.contains(join)).collect();
        Self { index: index.without_joins(avoided), numbers }
    }

    fn way(&self, from: TableId, to: TableId) -> Vec<Step> {
        let steps = path(&self.index, from, to).unwrap_or_default();
        steps.into_iter().map(|step| Step { join: self.numbers[step.join], ..step }).collect()
    }

    /// The joins that connect the tables of each level.
    fn between(&self, levels: &[Vec<TableId>]) -> BTreeSet<usize> {
        let ways = levels.iter().flat_map(|tables| pairs(tables)).flat_map(|(from, to)| self.way(from, to));
        ways.map(|step| step.join).collect()
    }
}

fn pairs(tables: &[TableId]) -> impl Iterator<Item = (TableId, TableId)> {
    let each = move |at: usize| tables[at + 1..].iter().map(move |to| (tables[at], *to));
    (0..tables.len()).flat_map(each)
}

/// The shortest way between two tables that is another one, before and after.
fn changed_way(usual: &Joins, other: &Joins, levels: &[Vec<TableId>]) -> Option<(Vec<Step>, Vec<Step>)> {
    let ways = levels.iter().flat_map(|tables| pairs(tables));
    let ways = ways.map(|(from, to)| (usual.way(from, to), other.way(from, to)));
    ways.filter(|(used, taken)| used != taken).min_by_key(|(used, taken)| used.len() + taken.len())
}

/// What tells the way of a query from the usual one: `to port of sailings`, `stores`.
#[must_use]
pub fn way_in_words(index: &ModelIndex, query: &Query) -> Option<String> {
    if query.avoided.is_empty() {
        return None;
    }
    let (usual, taken) = (Joins::without(index, &[]), Joins::without(index, &query.avoided));
    let (used, taken) = changed_way(&usual, &taken, &levels_of(index, query))?;
    let table_words = |table: TableId| plural(&index.tables[table].words.join(" "));
    let passed = |way: &[Step]| -> Vec<TableId> { way.iter().skip(1).map(|step| step.from).collect() };
    let others: Vec<String> =
        passed(&taken).into_iter().filter(|table| !passed(&used).contains(table)).map(table_words).collect();
    if !others.is_empty() {
        return Some(others.join(" and "));
    }
    let step = taken.iter().find(|step| !used.contains(step))?;
    let join = &index.joins[step.join];
    let own: Vec<&str> = join.columns.iter().map(|(left, _)| left.as_str()).collect();
    let name = own.join(" ").to_lowercase().replace('_', " ");
    let name = name.strip_suffix(" id").or_else(|| name.strip_suffix(" key")).unwrap_or(&name);
    Some(format!("{name} of {}", table_words(join.left)))
}

/// Takes the way out of a question that states it as restatements do.
pub fn take_way(asked: &mut Vec<Word>) -> Option<Vec<String>> {
    let is_stated = |window: &[Word]| window.iter().zip(BY_WAY).all(|(word, stated)| word.lower == stated);
    let at = asked.windows(BY_WAY.len()).rposition(is_stated)?;
    let named = spelled(&asked[at + BY_WAY.len()..]);
    asked.truncate(at);
    while asked.last().is_some_and(|word| word.kind == WordKind::Mark) {
        asked.pop();
    }
    (!named.is_empty()).then_some(named)
}

/// The query over the way that a question states.
#[must_use]
pub fn over_stated_way(index: &ModelIndex, query: &Query, stated: &[String]) -> Option<Query> {
    let ways = other_ways(index, query).into_iter().map(|way| way.query);
    ways.into_iter().find(|other| way_in_words(index, other).is_some_and(|way| spelled(&words(&way)) == stated))
}

/// The query over the one other way that the question names.
#[must_use]
pub fn over_named_way(index: &ModelIndex, query: &Query, asked: &[Word]) -> Option<Query> {
    if !may_name_way(index, asked) {
        return None;
    }
    let mut named = other_ways(index, query).into_iter().filter(|way| way.is_named(index, asked));
    let only = named.next()?;
    named.next().is_none().then_some(only.query)
}

/// Whether words of the question tell references apart, or name a table that lies between others.
fn may_name_way(index: &ModelIndex, asked: &[Word]) -> bool {
    let says = |words: Vec<String>| says_any(asked, &words.into_iter().collect());
    index.joins.iter().any(|join| {
        let mut columns = join.columns.iter().filter_map(|(left, _)| index.column_named(join.left, left));
        let is_between = index.joins.iter().any(|other| other.right == join.left);
        columns.any(|column| says(words_of_column(index, column, join.right)))
            || is_between && says(index.tables[join.left].words.clone())
    })
}

/// A restatement with the way that a query takes, where it is not the usual one.
#[must_use]
pub fn with_way(index: &ModelIndex, query: &Query, restated: String) -> String {
    match way_in_words(index, query) {
        Some(way) => format!("{}, {} {way}.", restated.trim_end_matches('.'), BY_WAY.join(" ")),
        None => restated,
    }
}

fn spelled(named: &[Word]) -> Vec<String> {
    named.iter().filter(|word| word.kind != WordKind::Mark).map(|word| word.lower.clone()).collect()
}

/// The words of the references on a way that are not the name of what they refer to, and of the tables that it passes.
fn words_of_way(index: &ModelIndex, way: &[Step]) -> Vec<String> {
    let mut found = Vec::new();
    for (place, step) in way.iter().enumerate() {
        let join = &index.joins[step.join];
        let columns = join.columns.iter().filter_map(|(left, _)| index.column_named(join.left, left));
        found.extend(columns.flat_map(|column| words_of_column(index, column, join.right)));
        if place > 0 {
            found.extend(index.tables[step.from].words.iter().cloned());
        }
    }
    found
}

fn words_of_column(index: &ModelIndex, column: ColumnId, to: TableId) -> Vec<String> {
    let name = index.columns[column].name.to_lowercase();
    let is_telling =
        |word: &&str| !FUNCTION_WORDS.contains(word) && !index.tables[to].words.iter().any(|own| own == *word);
    name.split('_').filter(is_telling).map(str::to_owned).collect()
}

/// The tables of the query and of each query in it.
fn levels_of(index: &ModelIndex, query: &Query) -> Vec<Vec<TableId>> {
    let mut levels = vec![needed_tables(index, query)];
    if let Some((_, other)) = &query.combined {
        levels.extend(levels_of(index, other));
    }
    for condition in query.conditions.iter().chain(&query.having) {
        note_levels(index, condition, &mut levels);
    }
    levels
}

fn note_levels(index: &ModelIndex, condition: &Condition, levels: &mut Vec<Vec<TableId>>) {
    match condition {
        Condition::Compare(_, _, Operand::Query(query) | Operand::PercentOf(_, query)) | Condition::In(_, query) => {
            levels.extend(levels_of(index, query));
        }
        Condition::Any(all) | Condition::All(all) => all.iter().for_each(|one| note_levels(index, one, levels)),
        Condition::Not(inner) => note_levels(index, inner, levels),
        _ => {}
    }
}

/// The references by which a query shows and compares rows that are referred to.
fn references_of(query: &Query) -> BTreeSet<ColumnId> {
    let mut found = BTreeSet::new();
    let mut note = |expr: &Expr| {
        if let Expr::Referred(reference, _) = expr {
            found.insert(*reference);
        }
    };
    query.select.iter().chain(&query.group).chain(query.order.iter().map(|(expr, _)| expr)).for_each(&mut note);
    query.conditions.iter().chain(&query.having).for_each(|condition| condition.each_compared(&mut note));
    found
}

/// Calls back with each expression that is shown, grouped by, ordered by or compared.
fn each_expr(query: &mut Query, change: &mut dyn FnMut(&mut Expr)) {
    let ordered = query.order.iter_mut().map(|(expr, _)| expr);
    query.select.iter_mut().chain(&mut query.group).chain(ordered).for_each(&mut *change);
    query.conditions.iter_mut().chain(&mut query.having).for_each(|condition| each_compared(condition, change));
}

fn each_compared(condition: &mut Condition, change: &mut dyn FnMut(&mut Expr)) {
    match condition {
        Condition::Compare(left, _, right) => {
            change(left);
            if let Operand::Expr(right) = right {
                change(right);
            }
        }
        Condition::Between(expr, ..) => change(expr),
        Condition::Any(all) | Condition::All(all) => all.iter_mut().for_each(|one| each_compared(one, change)),
        Condition::Not(inner) => each_compared(inner, change),
        _ => {}
    }
}
