//! Features of what else the words could have meant: a longer name that was cut in two, the same column of a table that is
//! in use anyway, a part of a text, another role.

use std::collections::BTreeSet;

use super::features::{Feature, Features};
use crate::accounting::{Accounting, Usage};
use crate::chart::edits::{named_roles, says_part};
use crate::interpretation::query::{Comparison, Condition, Expr, Operand, Query};
use crate::lattice::{Item, Lattice, Meaning};
use crate::links::model_index::{ColumnId, DataKind, ModelIndex, TableId};

/// From this quality on words are a name, not like one.
const EXACT: f32 = 0.95;

pub(super) fn ambiguity(
    index: &ModelIndex,
    lattice: &Lattice<'_>,
    query: &Query,
    usage: &Usage,
    accounting: &Accounting,
    found: &mut Features,
) {
    let used = accounting.used_items(lattice);
    split_names(lattice, &used, found);
    siblings(index, lattice, usage, &used, found);
    namesakes(index, query, found);
    roles(index, lattice, query, usage, found);
    patterns(lattice, usage, found);
}

fn is_name(item: &Item) -> bool {
    matches!(item.meaning, Meaning::Table(_) | Meaning::Column(_) | Meaning::Value(..))
}

/// Names of several words of which the reading takes only a part, for another name.
fn split_names(lattice: &Lattice<'_>, used: &[&Item], found: &mut Features) {
    let is_split = |whole: &&Item| {
        let is_part = |part: &&&Item| {
            whole.start <= part.start && part.end <= whole.end && part.length() < whole.length() && is_name(part)
        };
        let is_taken = used.iter().any(|other| (other.start, other.end) == (whole.start, whole.end));
        !is_taken && used.iter().any(|part| is_part(&part))
    };
    let names = lattice.items.iter().filter(|item| item.length() > 1 && item.quality >= EXACT && is_name(item));
    let spans: BTreeSet<(usize, usize)> = names.filter(is_split).map(|item| (item.start, item.end)).collect();
    found.set(Feature::NameSplit, spans.len() as f32);
}

/// Columns and values for whose sake a table is joined that no word names.
fn siblings(index: &ModelIndex, lattice: &Lattice<'_>, usage: &Usage, used: &[&Item], found: &mut Features) {
    let named: BTreeSet<TableId> = used
        .iter()
        .filter_map(|item| if let Meaning::Table(table) = item.meaning { Some(table) } else { None })
        .collect();
    let columns = usage.columns();
    let has_other = |table: TableId, column: ColumnId| {
        columns.iter().any(|other| *other != column && index.columns[*other].table == table)
    };
    for item in used {
        let (Meaning::Column(column) | Meaning::Value(column, _)) = item.meaning else { continue };
        let table = index.columns[column].table;
        if named.contains(&table) || has_other(table, column) {
            continue;
        }
        if matches!(item.meaning, Meaning::Value(..)) && usage.joined.len() > 1 {
            found.add(Feature::FarValue, 1.0);
        }
        let is_nearer = |other: &Item| match other.meaning {
            Meaning::Column(rival) | Meaning::Value(rival, _) => {
                let own = index.columns[rival].table;
                own != table && (named.contains(&own) || has_other(own, rival)) && usage.joined.contains(&own)
            }
            _ => false,
        };
        let mut same = lattice.items.iter().filter(|other| (other.start, other.end) == (item.start, item.end));
        if same.any(is_nearer) {
            found.add(Feature::NearerSibling, 1.0);
        }
    }
}

/// Rows that are counted though a number of theirs has the table's name, and groups that have to have all rows of a table.
fn namesakes(index: &ModelIndex, query: &Query, found: &mut Features) {
    let is_namesake = |table: TableId| {
        index.tables[table].columns.iter().any(|column| {
            let entry = &index.columns[*column];
            let is_number = entry.data == DataKind::Number && !index.is_key(*column) && !index.is_reference(*column);
            is_number && entry.words == index.tables[table].words
        })
    };
    let counts = query.select.iter().filter(|expr| matches!(expr, Expr::CountRows(table) if is_namesake(*table)));
    found.set(Feature::CountOfNamesake, counts.count() as f32);
    let divides = |condition: &&Condition| {
        matches!(condition, Condition::Compare(_, Comparison::Equal, Operand::Query(nested))
            if nested.select.iter().any(Expr::is_aggregate))
    };
    found.set(Feature::Division, query.having.iter().filter(divides).count() as f32);
}

/// References to rows whose role the question names, and roles that it names though rows are reached by another one.
fn roles(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, usage: &Usage, found: &mut Features) {
    let mut references: BTreeSet<ColumnId> = BTreeSet::new();
    let mut note = |expr: &Expr| {
        if let Expr::Referred(reference, _) = expr {
            references.insert(*reference);
        }
    };
    query.select.iter().for_each(&mut note);
    query.conditions.iter().for_each(|condition| condition.each_compared(&mut note));
    let roles = named_roles(index, lattice);
    let named = roles.iter().filter(|(role, _)| references.contains(role)).count();
    let missed = roles.iter().filter(|(role, referred)| !usage.has_column(*role) && usage.joined.contains(referred));
    found.set(Feature::RoleNamed, named as f32);
    found.set(Feature::RoleMissed, missed.count() as f32);
}

/// Words for a part of a text without a pattern in the query.
fn patterns(lattice: &Lattice<'_>, usage: &Usage, found: &mut Features) {
    let is_missed = usage.patterns.is_empty() && !usage.texts.is_empty() && says_part(lattice);
    found.set(Feature::PatternMissed, f32::from(u8::from(is_missed)));
}
