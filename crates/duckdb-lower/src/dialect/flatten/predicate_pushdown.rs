//! Pushes the predicates of WHERE that do not depend on the rows of a FLATTEN below it. The engine would compute the
//! lists of all rows first, of a whole cross product if the predicate is the join condition, and reverse the rows of a
//! list. A predicate on one table is moved into a subquery of it, one on several tables to the join of the last of them.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, Expr, Join, JoinConstraint, JoinOperator, ObjectNamePart, Query, Select, SelectItem, SetExpr,
    TableFactor, TableWithJoins, Visitor, VisitorMut,
};
use firn_sql::determinism::is_volatile;
use firn_sql::print;
use firn_sql::tree::Walk;

use super::conditions::COLUMNS;
use super::expanded::{also, can_follow, cross_join, is_expanded, is_list};
use crate::materialize_sources::alias_of;

pub(in crate::dialect) fn push_down_predicates(select: &mut Select) -> Result<(), Failure> {
    let Some(first_list) = select.from.iter().position(is_list) else { return Ok(()) };
    shorten_names(select);
    if select.selection.is_none() || !select.from.iter().all(|table| table.joins.iter().all(keeps_left_rows)) {
        return Ok(());
    }
    let scope = Scope::of(select, first_list);
    let mut parts = Vec::new();
    select.selection.take().into_iter().for_each(|condition| split(condition, &mut parts));
    let mut rest = Vec::new();
    let mut of_one: BTreeMap<usize, Vec<Expr>> = BTreeMap::new();
    let mut of_several = Vec::new();
    for part in parts {
        match scope.tables_of(&part).as_deref() {
            Some(&[table]) => of_one.entry(table).or_default().push(part),
            Some(&[.., last]) => of_several.push((last, part)),
            _ => rest.push(part),
        }
    }
    if of_several.is_empty() || in_one_row(&mut select.from, first_list) {
        of_several.into_iter().for_each(|(last, part)| rest.extend(join_by(&mut select.from, last, part)));
    } else {
        rest.extend(of_several.into_iter().map(|(_, part)| part));
    }
    for (table, parts) in of_one {
        if let (Some(relation), Some(condition)) = (relation_at(&mut select.from, table), balanced(parts)) {
            narrow(relation, condition)?;
        }
    }
    select.selection = balanced(rest);
    Ok(())
}

/// `DB.SCHEMA.T.A` would not be found any more once the table is a subquery; `T.A` is.
fn shorten_names(select: &mut Select) {
    let relations = select
        .from
        .iter()
        .flat_map(|table| std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation)));
    let mut names: Vec<String> = relations.filter_map(name_of).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    if names.len() == count {
        // The visitor never breaks.
        let _ = select.rewrite(&mut Names);
    }
}

/// Leaves the last two parts of names.
pub(in crate::dialect) struct Names;

impl VisitorMut for Names {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(parts) = expr
            && matches!(parts.len(), 3 | 4)
        {
            parts.drain(..parts.len() - 2);
        }
        ControlFlow::Continue(())
    }
}

/// Whether predicates on the left side may be evaluated before the join.
pub(super) fn keeps_left_rows(join: &Join) -> bool {
    is_inner(join) || matches!(join.join_operator, JoinOperator::Left(_) | JoinOperator::LeftOuter(_))
}

fn is_inner(join: &Join) -> bool {
    matches!(
        join.join_operator,
        JoinOperator::Join(JoinConstraint::None | JoinConstraint::On(_))
            | JoinOperator::Inner(JoinConstraint::None | JoinConstraint::On(_))
            | JoinOperator::CrossJoin(JoinConstraint::None)
    )
}

fn split(condition: Expr, parts: &mut Vec<Expr>) {
    match condition {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            split(*left, parts);
            split(*right, parts);
        }
        Expr::Nested(inside) if matches!(*inside, Expr::BinaryOp { op: BinaryOperator::And, .. }) => {
            split(*inside, parts);
        }
        other => parts.push(other),
    }
}

fn balanced(mut parts: Vec<Expr>) -> Option<Expr> {
    if parts.len() < 2 {
        return parts.pop();
    }
    let right = parts.split_off(parts.len() / 2);
    balanced(parts).zip(balanced(right)).map(|(left, right)| also(left, right))
}

/// The tables before the first list, by their names and in their order.
pub(super) struct Scope {
    tables: HashMap<String, usize>,
    /// How many relations there are before the first list, also those that have no names.
    count: usize,
    /// Names that may refer to something else than a column of the only table.
    others: Option<Vec<String>>,
}

impl Scope {
    pub(super) fn of(select: &Select, first_list: usize) -> Self {
        let mut tables = HashMap::new();
        let mut count = 0;
        for table in &select.from[..=first_list] {
            let joined = table.joins.iter().map(|join| (&join.relation, is_inner(join)));
            for (relation, is_inner) in std::iter::once((&table.relation, true)).chain(joined) {
                if is_expanded(relation) {
                    break;
                }
                if let Some(name) = name_of(relation).filter(|_| is_inner) {
                    tables.insert(name, count);
                }
                count += 1;
            }
        }
        let all = select.from.iter().map(|table| 1 + table.joins.len()).sum::<usize>();
        let lists = select
            .from
            .iter()
            .flat_map(|table| std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation)));
        let lists = lists.filter(|relation| is_expanded(relation));
        let has_one_table = all - lists.clone().count() == 1 && tables.len() == 1;
        Self { tables, count, others: has_one_table.then(|| other_names(select, lists)) }
    }

    /// The only table before the first list, if an expression references no columns of other relations.
    pub(super) fn only_table_of(&self, expr: &Expr) -> Option<String> {
        if self.count != 1 {
            return None;
        }
        let &[place] = &self.tables_of(expr)?[..] else { return None };
        self.tables.iter().find(|(_, known)| **known == place).map(|(name, _)| name.clone())
    }

    /// The places of the tables whose columns a condition names, if it names no others.
    fn tables_of(&self, condition: &Expr) -> Option<Vec<usize>> {
        let mut finder = Finder { scope: self, found: Vec::new() };
        if condition.inspect(&mut finder).is_break() || finder.found.is_empty() {
            return None;
        }
        finder.found.sort_unstable();
        finder.found.dedup();
        Some(finder.found)
    }
}

/// The columns of lists, and aliases of the select.
fn other_names<'a>(select: &Select, lists: impl Iterator<Item = &'a TableFactor>) -> Vec<String> {
    let aliases = select.projection.iter().filter_map(|item| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        _ => None,
    });
    let renamed = lists.flat_map(|list| match list {
        TableFactor::Function { alias: Some(alias), .. } => {
            alias.columns.iter().map(|column| column.name.value.clone()).collect()
        }
        _ => Vec::new(),
    });
    COLUMNS.map(str::to_owned).into_iter().chain(aliases).chain(renamed).collect()
}

pub(super) fn name_of(relation: &TableFactor) -> Option<String> {
    match relation {
        TableFactor::Table { alias: Some(alias), args: None, sample: None, .. }
        | TableFactor::Derived { alias: Some(alias), lateral: false, sample: None, .. } => {
            Some(alias.name.value.clone())
        }
        TableFactor::Table { alias: None, name, args: None, sample: None, .. } => {
            name.0.last().and_then(ObjectNamePart::as_ident).map(|name| name.value.clone())
        }
        _ => None,
    }
}

struct Finder<'scope> {
    scope: &'scope Scope,
    found: Vec<usize>,
}

impl Visitor for Finder<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let place = match expr {
            Expr::Identifier(name) => match &self.scope.others {
                Some(others) if !others.contains(&name.value) => self.scope.tables.values().next(),
                _ => None,
            },
            Expr::CompoundIdentifier(parts) => match &parts[..] {
                [table, _] => self.scope.tables.get(&table.value),
                _ => None,
            },
            Expr::Function(function) if is_volatile(&function.name.to_string()) => None,
            _ => return ControlFlow::Continue(()),
        };
        match place {
            Some(place) => {
                self.found.push(*place);
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        }
    }
}

fn relation_at(from: &mut [TableWithJoins], place: usize) -> Option<&mut TableFactor> {
    let relations = from.iter_mut().flat_map(|table| {
        std::iter::once(&mut table.relation).chain(table.joins.iter_mut().map(|join| &mut join.relation))
    });
    relations.into_iter().nth(place)
}

/// Gives the condition back if the table at `last` is not joined.
fn join_by(from: &mut [TableWithJoins], last: usize, condition: Expr) -> Option<Expr> {
    let Some(join) = from.first_mut().and_then(|row| row.joins.get_mut(last.checked_sub(1)?)) else {
        return Some(condition);
    };
    let on = match std::mem::replace(&mut join.join_operator, JoinOperator::CrossJoin(JoinConstraint::None)) {
        JoinOperator::Join(JoinConstraint::On(on)) | JoinOperator::Inner(JoinConstraint::On(on)) => also(on, condition),
        _ => condition,
    };
    join.join_operator = JoinOperator::Inner(JoinConstraint::On(on));
    None
}

/// Turns the comma-separated relations before the first list and its table into a single chain of joins.
fn in_one_row(from: &mut Vec<TableWithJoins>, first_list: usize) -> bool {
    let end = if from.get(first_list).is_some_and(|table| is_expanded(&table.relation)) {
        first_list
    } else {
        first_list + 1
    };
    if from.len() <= 1 || end <= 1 {
        return true;
    }
    if !from[1..end].iter().all(|table| table.joins.iter().all(can_follow)) {
        return false;
    }
    let followers: Vec<TableWithJoins> = from.drain(1..end).collect();
    if let Some(first) = from.first_mut() {
        for TableWithJoins { relation, joins } in followers {
            first.joins.push(cross_join(relation));
            first.joins.extend(joins);
        }
    }
    true
}

/// `(SELECT * FROM t WHERE …) AS t`.
fn narrow(relation: &mut TableFactor, condition: Expr) -> Result<(), Failure> {
    let mut rows: Query = print::read_query("SELECT * FROM t")?;
    if let SetExpr::Select(select) = &mut *rows.body
        && let Some(from) = select.from.first_mut()
    {
        select.selection = Some(condition);
        std::mem::swap(&mut from.relation, relation);
        let alias = alias_of(&from.relation);
        *relation = TableFactor::Derived { lateral: false, subquery: Box::new(rows), alias, sample: None };
    }
    Ok(())
}
