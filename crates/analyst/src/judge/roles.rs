//! Features of roles: whether what the question asks to be shown is shown, and what it restricts by is compared.

use std::collections::BTreeSet;

use super::features::{Feature, Features};
use crate::accounting::{Accounting, Usage};
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Comparison, Condition, Expr, Function, Literal, Operand, Query};
use crate::lattice::{Item, Lattice, Meaning};
use crate::links::model_index::{ColumnId, DataKind, ModelIndex, TableId};
use crate::links::synonyms::is_person;

pub(super) fn roles(
    index: &ModelIndex,
    lattice: &Lattice<'_>,
    query: &Query,
    usage: &Usage,
    accounting: &Accounting,
    found: &mut Features,
) {
    let used = accounting.used_items(lattice);
    head(index, lattice, query, &used, found);
    mentions(query, usage, &used, found);
    groups(index, query, usage, found);
    counts(query, &used, found);
    question_words(index, lattice, query, found);
    conditions(query, usage, &used, found);
    measured(usage, &used, found);
}

/// Columns that are shown, also inside an aggregate.
fn shown_columns(query: &Query) -> BTreeSet<ColumnId> {
    let mut columns = Vec::new();
    query.select.iter().for_each(|expr| expr.columns(&mut columns));
    columns.into_iter().collect()
}

fn is_clause(word: &str) -> bool {
    matches!(word, "whose" | "who" | "that" | "where" | "having" | "with" | "when" | "if")
}

/// Operators behind which a column is not asked to be shown.
fn turns_away(operator: Operator) -> bool {
    matches!(
        operator,
        Operator::OrderBy
            | Operator::Sorted(_)
            | Operator::Alphabetical
            | Operator::Superlative(_)
            | Operator::SuperlativeBy(_)
            | Operator::Compare(_)
            | Operator::Top(_)
            | Operator::Not
            | Operator::Without
            | Operator::Except
            | Operator::AboveAverage(_)
            | Operator::Contains
            | Operator::StartsWith
            | Operator::EndsWith
            | Operator::Between
    )
}

/// What stands before the first clause, comparison or order is what is asked for.
fn head(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, used: &[&Item], found: &mut Features) {
    let shown = shown_columns(query);
    let tables: BTreeSet<TableId> = shown.iter().map(|column| index.columns[*column].table).collect();
    let clause = (2..lattice.words.len()).find(|at| is_clause(&lattice.words[*at].lower)).unwrap_or(usize::MAX);
    let mut is_first_table = true;
    for item in used {
        if item.start > clause {
            break;
        }
        match &item.meaning {
            Meaning::Operator(operator) if turns_away(*operator) => break,
            Meaning::Column(column) => {
                let feature = if shown.contains(column) { Feature::HeadColumnShown } else { Feature::HeadColumnHidden };
                found.add(feature, 1.0);
            }
            Meaning::Table(table) => {
                let counted = query.select.contains(&Expr::CountRows(*table));
                if is_first_table && (tables.contains(table) || counted) {
                    found.add(Feature::HeadTableShown, 1.0);
                }
                is_first_table = false;
            }
            _ => {}
        }
    }
}

/// A column that is named twice has two roles.
fn mentions(query: &Query, usage: &Usage, used: &[&Item], found: &mut Features) {
    let mut named: Vec<ColumnId> = Vec::new();
    let mut tables_named: BTreeSet<TableId> = BTreeSet::new();
    let mut values = 0;
    for item in used {
        match &item.meaning {
            Meaning::Column(column) => named.push(*column),
            Meaning::Value(..) | Meaning::Quoted(_) | Meaning::Number(_) | Meaning::Date(_) | Meaning::Period(_) => {
                values += 1
            }
            Meaning::Table(table) => {
                tables_named.insert(*table);
            }
            Meaning::Operator(_) => {}
        }
    }
    let distinct: BTreeSet<ColumnId> = named.iter().copied().collect();
    for column in &distinct {
        let said = named.iter().filter(|other| *other == column).count();
        let roles =
            [&usage.selected, &usage.compared, &usage.ordered].iter().filter(|role| role.contains(column)).count();
        let grouped = usize::from(usage.grouped.contains(column) && !usage.selected.contains(column));
        found.add(Feature::RoleDeficit, said.saturating_sub(roles + grouped) as f32);
    }
    let shown = query.select.iter().filter(|expr| matches!(expr, Expr::Column(_))).count();
    found.set(Feature::ShownOverMentions, shown.saturating_sub(distinct.len() + tables_named.len()) as f32);
    let literals = usage.texts.len() + usage.numbers.len() + usage.dates.len() + usage.patterns.len();
    found.set(Feature::ConditionsOverMentions, literals.saturating_sub(values) as f32);
}

fn groups(index: &ModelIndex, query: &Query, usage: &Usage, found: &mut Features) {
    let shown = shown_columns(query);
    let is_key = |column: &ColumnId| index.is_key(*column);
    let hidden = usage.grouped.iter().filter(|column| !shown.contains(column) && !is_key(column)).count();
    let visible = usage.grouped.iter().filter(|column| shown.contains(column)).count();
    let keys = usage.grouped.iter().filter(|column| !shown.contains(column) && is_key(column)).count();
    let measured = query.select.iter().any(Expr::is_aggregate);
    if measured {
        found.set(Feature::GroupHidden, hidden as f32);
        found.set(Feature::GroupShown, visible as f32);
    }
    found.set(Feature::KeysGrouped, keys as f32);
    let ordered_shown =
        query.order.iter().filter(|(expr, _)| expr.is_aggregate() && query.select.contains(expr)).count();
    found.set(Feature::OrderShown, ordered_shown as f32);
    let tables: BTreeSet<TableId> = shown.iter().map(|column| index.columns[*column].table).collect();
    found.set(Feature::SelectTables, tables.len() as f32);
    let of_shown = query.having.iter().filter(|having| match having {
        Condition::Compare(Expr::CountRows(table), ..) => tables.contains(table),
        _ => false,
    });
    found.set(Feature::HavingOfNamed, of_shown.count() as f32);
}

fn counts(query: &Query, used: &[&Item], found: &mut Features) {
    let said =
        used.iter().filter(|item| matches!(item.meaning, Meaning::Operator(Operator::Count | Operator::CountTimes)));
    let said = said.count();
    let is_count = |expr: &Expr| {
        matches!(
            expr,
            Expr::CountRows(_) | Expr::Aggregate(Function::Count | Function::CountDistinct | Function::Sum, _)
        )
    };
    let shown = query.select.iter().filter(|expr| is_count(expr)).count();
    let used_elsewhere = query.having.len() + query.order.iter().filter(|(expr, _)| is_count(expr)).count();
    let elsewhere = used_elsewhere.min(said);
    found.set(Feature::CountSaidHidden, said.saturating_sub(shown + elsewhere) as f32);
    let averaged = used.iter().any(|item| matches!(item.meaning, Meaning::Operator(Operator::Aggregate(_))));
    let unsaid = shown.saturating_sub(said) as f32;
    found.set(Feature::CountShownUnsaid, if averaged { 0.0 } else { unsaid });
}

/// `when` asks for a time, `where` for a place, `who` for a name.
fn question_words(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, found: &mut Features) {
    let Some(first) = lattice.words.first() else { return };
    let shown = shown_columns(query);
    let has_word = |wanted: &[&str]| {
        shown.iter().any(|column| index.columns[*column].words.iter().any(|word| wanted.contains(&word.as_str())))
    };
    let pair = match first.lower.as_str() {
        "when" => {
            let is_time = shown.iter().any(|column| index.columns[*column].data == DataKind::Date)
                || has_word(&["date", "time", "year", "day", "month"]);
            Some((is_time, Feature::WhenAnswered, Feature::WhenMissed))
        }
        "where" => {
            let is_place = has_word(&[
                "city",
                "country",
                "location",
                "address",
                "state",
                "place",
                "venue",
                "region",
                "town",
                "hometown",
                "county",
                "street",
                "district",
                "headquarter",
                "origin",
                "destination",
            ]);
            Some((is_place, Feature::WhereAnswered, Feature::WhereMissed))
        }
        "who" | "whose" => {
            let of_person = |column: &ColumnId| {
                let table = index.columns[*column].table;
                index.label(table).contains(column) || index.tables[table].words.iter().any(|word| is_person(word))
            };
            Some((shown.iter().any(of_person), Feature::WhoAnswered, Feature::WhoMissed))
        }
        _ => None,
    };
    if let Some((is_answered, answered, missed)) = pair {
        found.set(if is_answered { answered } else { missed }, 1.0);
    }
}

/// What a condition wants a column to equal.
fn equality(condition: &Condition) -> Option<(ColumnId, &Literal)> {
    match condition {
        Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Literal(value)) => Some((*column, value)),
        _ => None,
    }
}

/// Conditions that cannot hold and parts that change nothing, also in what the query is combined with.
fn contradictions(query: &Query) -> usize {
    let combined = query.combined.as_ref().map_or(0, |(_, other)| contradictions(other));
    excluded_values(query) + idle_orders(query) + fixed_counts(query) + combined
}

/// One column cannot equal two values at once, also where one of them is a branch of a disjunction.
fn excluded_values(query: &Query) -> usize {
    let equal: Vec<(ColumnId, &Literal)> = query.conditions.iter().filter_map(equality).collect();
    let denies = |known: &[(ColumnId, &Literal)], (column, value): (ColumnId, &Literal)| {
        known.iter().any(|(other, against)| *other == column && *against != value)
    };
    let twice = (1..equal.len()).filter(|place| denies(&equal[..*place], equal[*place])).count();
    let branches = query.conditions.iter().filter_map(|condition| match condition {
        Condition::Any(branches) => Some(branches.iter().filter_map(equality)),
        _ => None,
    });
    twice + branches.flatten().filter(|branch| denies(&equal, *branch)).count()
}

/// Rows cannot be sorted by one thing twice, and totals of all rows are one row.
fn idle_orders(query: &Query) -> usize {
    let repeated = |place: &usize| query.order[..*place].iter().any(|(expr, _)| *expr == query.order[*place].0);
    let is_one_row = query.group.is_empty() && query.summary.is_none() && query.select.iter().all(Expr::is_aggregate);
    let is_idle = is_one_row && !query.select.is_empty() && !query.order.is_empty();
    (1..query.order.len()).filter(repeated).count() + usize::from(is_idle)
}

/// Different values of a column that equals one value are one.
fn fixed_counts(query: &Query) -> usize {
    let is_fixed = |column: ColumnId| query.conditions.iter().filter_map(equality).any(|(other, _)| other == column);
    let counts = query.select.iter().filter(|expr| match expr {
        Expr::Aggregate(Function::CountDistinct, column) => is_fixed(*column),
        _ => false,
    });
    counts.count()
}

fn conditions(query: &Query, usage: &Usage, used: &[&Item], found: &mut Features) {
    found.set(Feature::Contradiction, contradictions(query) as f32);
    let or = used.iter().any(|item| item.meaning == Meaning::Operator(Operator::Or));
    found.set(Feature::OrUnsaid, f32::from(u8::from(or && usage.disjunctions + usage.unions == 0)));
}

/// Columns that are summed up or compared by size, though no word names them.
fn measured(usage: &Usage, used: &[&Item], found: &mut Features) {
    let named = |column: &ColumnId| used.iter().any(|item| item.meaning == Meaning::Column(*column));
    let adjective = used
        .iter()
        .any(|item| matches!(item.meaning, Meaning::Operator(Operator::SuperlativeBy(_) | Operator::CompareBy(_))));
    let unnamed = usage.functions.iter().filter(|(function, column)| {
        !matches!(function, Function::CountDistinct | Function::Count) && column.is_some_and(|column| !named(&column))
    });
    let count = unnamed.count().saturating_sub(usize::from(adjective));
    found.set(Feature::UnnamedMeasured, count as f32);
}
