//! Features of how the parts of a query relate to each other: over which table rows meet, whether things that the question
//! lists side by side have the same role, and whether groups that it asks for are there.

use std::collections::BTreeSet;

use super::features::{Feature, Features};
use crate::accounting::{Accounting, Usage, opens_group};
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Expr, Query};
use crate::lattice::{Item, Lattice, Meaning};
use crate::links::model_index::{ColumnId, DataKind, JoinEdge, ModelIndex, TableId};
use crate::question::time::YEARS;

pub(super) fn relations(
    index: &ModelIndex,
    lattice: &Lattice<'_>,
    query: &Query,
    usage: &Usage,
    accounting: &Accounting,
    found: &mut Features,
) {
    let used = accounting.used_items(lattice);
    shared_parents(index, usage, &used, found);
    for (at, pair) in used.windows(2).enumerate() {
        if are_listed(lattice, pair[0], pair[1]) {
            same_role(index, usage, pair, found);
            same_function(usage, &used[..=at], pair, found);
        }
    }
    years(index, usage, &used, found);
    hidden_groups(index, lattice, usage, &used, found);
    left_groups(lattice, accounting, found);
    dates_as_measures(index, query, &used, found);
}

/// Tables that no word names and that several others refer to: rows meet there only because they belong to the same thing.
fn shared_parents(index: &ModelIndex, usage: &Usage, used: &[&Item], found: &mut Features) {
    let named: BTreeSet<TableId> = used
        .iter()
        .filter_map(|item| match item.meaning {
            Meaning::Table(table) => Some(table),
            Meaning::Column(column) | Meaning::Value(column, _) => Some(index.columns[column].table),
            _ => None,
        })
        .collect();
    let refers = |other: TableId, table: TableId| {
        let is_reference = |join: &JoinEdge| join.left == other && join.right == table;
        other != table && index.joins.iter().any(|join| is_reference(join) && !join.one_to_one)
    };
    let is_shared = |table: &&TableId| {
        let referring = usage.joined.iter().filter(|other| refers(**other, **table));
        !named.contains(table) && referring.count() > 1
    };
    found.set(Feature::SharedParent, usage.joined.iter().filter(is_shared).count() as f32);
}

/// Whether nothing but a connective stands between two names.
fn are_listed(lattice: &Lattice<'_>, first: &Item, second: &Item) -> bool {
    let between = lattice.words.get(first.end..second.start).unwrap_or_default();
    let is_connective = |word: &str| matches!(word, "and" | "," | "&");
    let is_article = |word: &str| matches!(word, "the" | "their" | "its" | "his" | "her" | "respective" | "also");
    between.iter().any(|word| is_connective(&word.lower))
        && between.iter().all(|word| is_connective(&word.lower) || is_article(&word.lower))
}

/// What the question lists side by side is shown together, or compared together.
fn same_role(index: &ModelIndex, usage: &Usage, pair: &[&Item], found: &mut Features) {
    let roles = |item: &Item| -> Option<[bool; 3]> {
        match item.meaning {
            Meaning::Column(column) => Some([
                usage.selected.contains(&column),
                usage.compared.contains(&column),
                usage.ordered.contains(&column) || usage.grouped.contains(&column),
            ]),
            Meaning::Table(table) => {
                let label = index.label(table);
                let is_shown = label.iter().any(|column| usage.selected.contains(column));
                let is_grouped = label.iter().any(|column| usage.grouped.contains(column));
                Some([is_shown || usage.counted.contains(&table), false, is_grouped])
            }
            _ => None,
        }
    };
    let (Some(first), Some(second)) = (roles(pair[0]), roles(pair[1])) else { return };
    let is_same = first.iter().zip(second).any(|(left, right)| *left && right);
    found.add(if is_same { Feature::ListedAlike } else { Feature::ListedApart }, 1.0);
}

/// `average price and score`: the function goes with both.
fn same_function(usage: &Usage, before: &[&Item], pair: &[&Item], found: &mut Features) {
    let (Meaning::Column(first), Meaning::Column(second)) = (&pair[0].meaning, &pair[1].meaning) else { return };
    let said = before.iter().rev().nth(1).and_then(|item| match item.meaning {
        Meaning::Operator(Operator::Aggregate(function)) => Some(function),
        _ => None,
    });
    let Some(function) = said else { return };
    let has = |column: ColumnId| usage.functions.contains(&(function, Some(column)));
    if has(*first) {
        found.add(if has(*second) { Feature::FunctionOfBoth } else { Feature::FunctionOfOne }, 1.0);
    }
}

fn is_of_time(index: &ModelIndex, column: ColumnId) -> bool {
    let entry = &index.columns[column];
    let is_word = |word: &String| matches!(word.as_str(), "year" | "date" | "time" | "day" | "founded" | "since");
    entry.data == DataKind::Date || entry.words.iter().any(is_word)
}

/// A year that is compared with something else, though the tables have years.
fn years(index: &ModelIndex, usage: &Usage, used: &[&Item], found: &mut Features) {
    let is_year = |item: &&Item| match item.meaning {
        Meaning::Number(number) => number.fract() == 0.0 && YEARS.contains(&number),
        Meaning::Period(_) => true,
        _ => false,
    };
    if !used.iter().any(is_year) || usage.compared.iter().any(|column| is_of_time(index, *column)) {
        return;
    }
    let columns = usage.joined.iter().flat_map(|table| &index.tables[*table].columns);
    let has_time = columns.into_iter().any(|column| is_of_time(index, *column));
    found.set(Feature::YearElsewhere, f32::from(u8::from(has_time)));
}

/// Groups that the question asks for by name and the query does not show.
fn hidden_groups(index: &ModelIndex, lattice: &Lattice<'_>, usage: &Usage, used: &[&Item], found: &mut Features) {
    for item in used {
        let is_hidden = |is_meant: &dyn Fn(&ColumnId) -> bool| {
            usage.grouped.iter().any(is_meant) && !usage.selected.iter().any(is_meant)
        };
        let is_hidden = match item.meaning {
            Meaning::Column(column) => is_hidden(&|other| *other == column),
            Meaning::Table(table) => is_hidden(&|other| index.columns[*other].table == table),
            _ => false,
        };
        let Some(before) = word_before(lattice, item.start).filter(|_| is_hidden) else { continue };
        if opens_group(before) {
            found.add(Feature::GroupedByHidden, 1.0);
        } else if matches!(before, "each" | "every") {
            found.add(Feature::GroupedEachHidden, 1.0);
        }
    }
}

/// The word before another one, articles left out.
fn word_before<'a>(lattice: &'a Lattice<'_>, at: usize) -> Option<&'a str> {
    let mut before = lattice.words[..at].iter().rev().map(|word| word.lower.as_str());
    before.find(|word| !matches!(*word, "the" | "its" | "their"))
}

/// `by country` where the query has no country.
fn left_groups(lattice: &Lattice<'_>, accounting: &Accounting, found: &mut Features) {
    let is_behind = |at: usize| word_before(lattice, at).is_some_and(opens_group);
    let left = accounting.unused.iter().filter(|(at, _)| is_behind(*at)).count();
    found.set(Feature::LeftGroup, left as f32);
}

/// `the most` of something that is the latest of it: dates are no quantities.
fn dates_as_measures(index: &ModelIndex, query: &Query, used: &[&Item], found: &mut Features) {
    let is_date = match query.order.first() {
        Some((Expr::Column(column), _)) => index.columns[*column].data == DataKind::Date,
        _ => false,
    };
    let is_quantity = |item: &&Item| matches!(item.meaning, Meaning::Operator(Operator::Superlative(_)));
    let is_measure = is_date && query.limit.is_some() && used.iter().any(is_quantity);
    found.set(Feature::DateAsMeasure, f32::from(u8::from(is_measure)));
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use chrono::NaiveDate;

    use crate::accounting::{Usage, account, losses};
    use crate::evidence::NoEvidence;
    use crate::interpretation::query::{Comparison, Condition, Direction, Expr, Function, Literal, Operand, Query};
    use crate::judge::{Feature, Features, features};
    use crate::lattice::Lattice;
    use crate::links::model_index::ModelIndex;
    use crate::question::words::words;
    use crate::semantic_model::read_yaml;

    const MODEL: &str = "
name: harbour
tables:
- name: ports
  base_table: {table: PORTS}
  primary_key: {columns: [port_id]}
  dimensions:
  - {name: port_id, data_type: NUMBER, unique: true}
  - {name: country, data_type: TEXT}
- name: ships
  base_table: {table: SHIPS}
  primary_key: {columns: [ship_id]}
  dimensions:
  - {name: ship_id, data_type: NUMBER, unique: true}
  - {name: full_name, data_type: TEXT}
  - {name: port_id, data_type: NUMBER}
  - {name: tonnage, data_type: NUMBER}
  - {name: fee, data_type: NUMBER}
  - {name: building_year, data_type: NUMBER}
  time_dimensions:
  - {name: launched, data_type: DATE}
- name: pilots
  base_table: {table: PILOTS}
  primary_key: {columns: [pilot_id]}
  dimensions:
  - {name: pilot_id, data_type: NUMBER, unique: true}
  - {name: nickname, data_type: TEXT}
  - {name: port_id, data_type: NUMBER}
relationships:
- {name: r, left_table: ships, right_table: ports, relationship_columns: [{left_column: port_id, right_column: port_id}]}
- {name: s, left_table: pilots, right_table: ports, relationship_columns: [{left_column: port_id, right_column: port_id}]}
";

    fn index() -> ModelIndex {
        ModelIndex::new(&read_yaml(MODEL).unwrap().model, &NoEvidence)
    }

    fn column(table: &str, name: &str) -> usize {
        let index = index();
        index.column_named(index.table_named(table).unwrap(), name).unwrap()
    }

    fn shown(exprs: Vec<Expr>) -> Query {
        Query { select: exprs, ..Query::default() }
    }

    fn features_of(question: &str, query: &Query) -> Features {
        let (index, words) = (index(), words(question));
        let lattice = Lattice::new(&index, &words, NaiveDate::default());
        let usage = Usage::of(&index, query);
        let accounting = account(&index, &lattice, &losses(&lattice), &usage);
        features(&index, &lattice, query, &usage, &accounting)
    }

    /// The feature is there for the first query and not for the second one.
    fn check(question: &str, feature: Feature, with: &Query, without: &Query) {
        let values = [with, without].map(|query| features_of(question, query).get(feature));
        assert_eq!(values, [1.0, 0.0], "{feature:?} of {question}");
    }

    #[test]
    fn a_group_that_is_left_out_or_hidden_is_seen() {
        let (fee, name) = (column("ships", "fee"), column("ships", "full_name"));
        let sum = Expr::Aggregate(Function::Sum, fee);
        let question = "What is the total fee by full name?";
        let grouped = shown(vec![Expr::Column(name), sum.clone()]);
        let hidden = Query { group: vec![Expr::Column(name)], ..shown(vec![sum.clone()]) };
        let left = shown(vec![sum]);
        check(question, Feature::GroupedByHidden, &hidden, &grouped);
        check(question, Feature::LeftGroup, &left, &grouped);
        let share = |query: &Query| features_of(question, query).get(Feature::ShareUsed);
        assert!(share(&left) < 0.8 && share(&grouped) == 1.0, "{} {}", share(&left), share(&grouped));
    }

    #[test]
    fn rows_that_meet_only_at_what_both_belong_to_are_seen() {
        let (name, nickname) = (column("ships", "full_name"), column("pilots", "nickname"));
        let both = shown(vec![Expr::Column(name), Expr::Column(nickname)]);
        check("ships and nicknames", Feature::SharedParent, &both, &shown(vec![Expr::Column(name)]));
        let named = "ships, ports and nicknames";
        assert_eq!(features_of(named, &both).get(Feature::SharedParent), 0.0);
    }

    #[test]
    fn what_is_listed_side_by_side_goes_together() {
        let (fee, tonnage) = (column("ships", "fee"), column("ships", "tonnage"));
        let average = |column| Expr::Aggregate(Function::Average, column);
        let (one, both) =
            (shown(vec![average(fee), Expr::Column(tonnage)]), shown(vec![average(fee), average(tonnage)]));
        check("average fee and tonnage of ships", Feature::FunctionOfOne, &one, &both);
        let ordered =
            Query { order: vec![(Expr::Column(tonnage), Direction::Ascending)], ..shown(vec![Expr::Column(fee)]) };
        let listed = shown(vec![Expr::Column(fee), Expr::Column(tonnage)]);
        check("show the fee and the tonnage of ships", Feature::ListedApart, &ordered, &listed);
    }

    #[test]
    fn years_and_quantities_are_compared_with_their_like() {
        let equal = |name: &str| {
            let year = Operand::Literal(Literal::Number(1995.0));
            let condition = Condition::Compare(Expr::Column(column("ships", name)), Comparison::Equal, year);
            Query { conditions: vec![condition], ..shown(vec![Expr::Column(column("ships", "fee"))]) }
        };
        check("fee of ships of 1995", Feature::YearElsewhere, &equal("tonnage"), &equal("building_year"));
        let first = |name: &str| Query {
            order: vec![(Expr::Column(column("ships", name)), Direction::Descending)],
            limit: Some(1),
            ..shown(vec![Expr::Column(column("ships", "full_name"))])
        };
        check("which ship has the most tonnage", Feature::DateAsMeasure, &first("launched"), &first("tonnage"));
    }
}
