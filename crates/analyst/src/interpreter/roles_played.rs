//! People in a role that the question names: `French owners` are not all French people, and where several ways lead to
//! people, the one of the role is meant.

use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand, Query};
use crate::links::model_index::{ColumnId, ModelIndex, TableId};
use crate::links::person_roles::PersonRole;
use crate::question::words::Word;
use crate::sql_generation::join_paths::connect;
use crate::sql_generation::needed_tables;

/// Whether a query can stand for the roles of the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Played {
    Rightly,
    Wrongly,
}

/// Makes the people of a query those of the role that the question names.
pub(super) fn play_roles(index: &ModelIndex, words: &[Word], query: &mut Query) -> Played {
    let is_said = |role: &&PersonRole| (0..words.len()).any(|at| role.is_said(words, at));
    let said: Vec<&PersonRole> = index.person_roles.iter().filter(is_said).collect();
    for role in &said {
        // `owner id` is the key, not the people.
        let names_key = |pair: &[Word]| role.is_called(&pair[0]) && matches!(pair[1].lower.as_str(), "id" | "ids");
        if words.windows(2).any(names_key) && needed_tables(index, query).contains(&role.persons) {
            return Played::Wrongly;
        }
        // Which of two roles is meant where, no column tells.
        if said.iter().any(|other| other.persons == role.persons && other.reference != role.reference) {
            match needed_tables(index, query).contains(&role.persons) {
                true => return Played::Wrongly,
                false => continue,
            }
        }
        if play(index, role, words, query).is_none() {
            return Played::Wrongly;
        }
    }
    Played::Rightly
}

fn play(index: &ModelIndex, role: &PersonRole, words: &[Word], query: &mut Query) -> Option<()> {
    refer_anew(index, role, query);
    let tables = needed_tables(index, query);
    if !tables.contains(&role.persons) {
        return Some(());
    }
    let steps = connect(index, &tables)?;
    if steps.iter().any(|step| step.join == role.join) {
        return Some(());
    }
    if steps.is_empty() {
        let of_kind = kind_condition(index, role, words);
        let membership = if of_kind.is_some() { Membership::Given } else { Membership::Referred };
        restrict(index, role, membership, query)?;
        query.conditions.extend(of_kind.filter(|condition| !query.conditions.contains(condition)));
        return Some(());
    }
    let mut referred = query.clone();
    refer(index, role, &mut referred);
    let tables = needed_tables(index, &referred);
    (!tables.contains(&role.persons) && connect(index, &tables).is_some()).then(|| *query = referred)
}

/// `pilots who never guided the Juno`: the data call people by the noun of the role.
fn kind_condition(index: &ModelIndex, role: &PersonRole, words: &[Word]) -> Option<Condition> {
    let called = (0..words.len()).filter(|at| role.is_called(&words[*at]));
    let mut hits = called.flat_map(|at| index.values.starting_at(words, at));
    let hit = hits.find(|hit| {
        let is_own = index.columns[hit.column].table == role.persons && hit.length == 1;
        is_own && role.nouns.contains(&hit.value.to_lowercase())
    })?;
    let value = Operand::Literal(Literal::Text(hit.value));
    Some(Condition::Compare(Expr::Column(hit.column), Comparison::Equal, value))
}

/// Whether people must be referred to in the role, or are of it anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Membership {
    Referred,
    Given,
}

/// Only people that some row refers to in the role.
fn restrict(index: &ModelIndex, role: &PersonRole, membership: Membership, query: &mut Query) -> Option<()> {
    let (_, key) = index.joins[role.join].columns.first()?;
    let key = index.column_named(role.persons, key)?;
    let is_rival = |reference: ColumnId| {
        index.columns[reference].table == role.from && index.referred_table(reference) == Some(role.persons)
    };
    let mut is_met = false;
    for condition in &mut query.conditions {
        let Some(nested) = nested_of(condition, key) else { continue };
        is_met = true;
        if let [Expr::Column(reference)] = nested.select[..]
            && is_rival(reference)
        {
            rename(nested, reference, role.reference);
        }
    }
    if !is_met && membership == Membership::Referred {
        let playing = Query { select: vec![Expr::Column(role.reference)], ..Query::default() };
        query.conditions.push(Condition::In(key, Box::new(playing)));
    }
    Some(())
}

/// The query that tells which rows have a key.
fn nested_of(condition: &mut Condition, key: ColumnId) -> Option<&mut Query> {
    match condition {
        Condition::In(column, nested) if *column == key => Some(nested),
        Condition::Not(inner) => nested_of(inner, key),
        _ => None,
    }
}

/// Rows by another reference of theirs.
fn rename(nested: &mut Query, from: ColumnId, to: ColumnId) {
    nested.select = vec![Expr::Column(to)];
    for condition in &mut nested.conditions {
        if let Condition::Not(inner) = condition
            && **inner == Condition::Missing(from)
        {
            **inner = Condition::Missing(to);
        }
    }
}

/// What another reference between the same tables was taken for is of the role.
fn refer_anew(index: &ModelIndex, role: &PersonRole, query: &mut Query) {
    let is_rival = |reference: ColumnId| {
        index.columns[reference].table == role.from && index.referred_table(reference) == Some(role.persons)
    };
    each_expr(query, &mut |expr| {
        if let Expr::Referred(reference, _) = expr
            && is_rival(*reference)
        {
            *reference = role.reference;
        }
    });
}

/// Calls back with each plain expression that is shown, grouped by, ordered by or compared.
fn each_expr(query: &mut Query, change: &mut dyn FnMut(&mut Expr)) {
    let ordered = query.order.iter_mut().map(|(expr, _)| expr);
    query.select.iter_mut().chain(&mut query.group).chain(ordered).for_each(&mut *change);
    query.conditions.iter_mut().for_each(|condition| each_compared(condition, change));
}

fn each_compared(condition: &mut Condition, change: &mut dyn FnMut(&mut Expr)) {
    match condition {
        Condition::Compare(expr, _, Operand::Literal(_)) => change(expr),
        Condition::Any(all) | Condition::All(all) => all.iter_mut().for_each(|one| each_compared(one, change)),
        Condition::Not(inner) => each_compared(inner, change),
        _ => {}
    }
}

/// Columns of people as those of the row that the role's reference leads to.
fn refer(index: &ModelIndex, role: &PersonRole, query: &mut Query) {
    query.joined.retain(|table| *table != role.persons);
    each_expr(query, &mut |expr| {
        if let Expr::Column(column) = expr
            && is_of(index, *column, role.persons)
        {
            *expr = Expr::Referred(role.reference, *column);
        }
    });
}

fn is_of(index: &ModelIndex, column: ColumnId, table: TableId) -> bool {
    index.columns[column].table == table
}
