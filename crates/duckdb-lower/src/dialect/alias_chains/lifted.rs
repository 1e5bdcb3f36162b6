//! Expressions of a select whose FROM has become a derived table.

use std::ops::ControlFlow;

use firn_binder::SelectRelation;
use firn_sql::ast::{Expr, Ident, SelectItem, VisitorMut};
use firn_sql::tree::Walk;
use foldhash::HashMap;

use super::super::build::quoted;
use super::super::lateral_aliases::makes_one_of_many;

/// Where a select is cut in two.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// The select has no groups.
    Rows,
    /// Before its rows are grouped: a key or an argument of an aggregate is too long.
    BeforeGroups,
    /// Once its rows are grouped.
    AfterGroups,
}

/// Where an alias is the column of the derived table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AliasPlaces {
    Anywhere,
    /// Outside of aggregates it is still the item of the select.
    Aggregates,
}

impl AliasPlaces {
    pub(super) fn of(cut: Cut) -> Self {
        match cut {
            Cut::Rows | Cut::AfterGroups => Self::Anywhere,
            Cut::BeforeGroups => Self::Aggregates,
        }
    }
}

/// Replaces aliases, columns of FROM and, where the derived table is grouped, aggregates by columns of the derived table.
pub(super) struct Lifted<'a> {
    relations: &'a [SelectRelation],
    aliases: HashMap<String, Ident>,
    cut: Cut,
    /// How many columns the derived table has before those that are put into it here.
    before: usize,
    level: usize,
    columns: Vec<(Expr, Ident)>,
}

impl<'a> Lifted<'a> {
    pub(super) fn new(
        relations: &'a [SelectRelation],
        aliases: HashMap<String, Ident>,
        cut: Cut,
        before: usize,
        level: usize,
    ) -> Self {
        Self { relations, aliases, cut, before, level, columns: Vec::new() }
    }

    /// In the derived table itself.
    pub(super) fn rename(&self, expr: &mut Expr) {
        // The visitor never breaks.
        let _ = expr.rewrite(&mut Renaming(&self.aliases));
    }

    pub(super) fn lift(&mut self, expr: &mut Expr, places: AliasPlaces) {
        // The visitor never breaks.
        let _ = expr.rewrite(&mut Lifting { lifted: self, places, aggregates: 0, parameters: Vec::new() });
    }

    /// What the derived table has to show besides its steps.
    pub(super) fn columns(self) -> impl Iterator<Item = SelectItem> {
        self.columns.into_iter().map(|(expr, alias)| SelectItem::ExprWithAlias { expr, alias })
    }

    fn column(&mut self, expr: &Expr) -> Ident {
        if let Some((_, name)) = self.columns.iter().find(|(known, _)| known == expr) {
            return name.clone();
        }
        let name = quoted(&format!("firn step {} {}", self.level, self.before + self.columns.len()));
        let mut value = expr.clone();
        self.rename(&mut value);
        self.columns.push((value, name.clone()));
        name
    }

    fn is_column(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Identifier(name) => self.relations.iter().any(|relation| relation.has(&name.value)),
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [.., relation, column] => {
                    self.relations.iter().any(|known| known.name == relation.value && known.has(&column.value))
                }
                _ => false,
            },
            _ => false,
        }
    }
}

struct Renaming<'a>(&'a HashMap<String, Ident>);

impl VisitorMut for Renaming<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Identifier(name) = expr
            && let Some(column) = self.0.get(&name.value)
        {
            *name = column.clone();
        }
        ControlFlow::Continue(())
    }
}

struct Lifting<'lifted, 'a> {
    lifted: &'lifted mut Lifted<'a>,
    places: AliasPlaces,
    aggregates: usize,
    parameters: Vec<String>,
}

impl Lifting<'_, '_> {
    fn below(&mut self, expr: &Expr) -> Option<Ident> {
        match expr {
            Expr::Identifier(name) if self.parameters.contains(&name.value) => None,
            Expr::Identifier(name) if self.lifted.aliases.contains_key(&name.value) => {
                let is_below = self.places == AliasPlaces::Anywhere || self.aggregates > 0;
                self.lifted.aliases.get(&name.value).filter(|_| is_below).cloned()
            }
            Expr::Function(function) if self.lifted.cut == Cut::AfterGroups && makes_one_of_many(function) => {
                Some(self.lifted.column(expr))
            }
            _ => self.lifted.is_column(expr).then(|| self.lifted.column(expr)),
        }
    }
}

impl VisitorMut for Lifting<'_, '_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(name) = self.below(expr) {
            *expr = Expr::Identifier(name);
        }
        match expr {
            Expr::Function(function) => self.aggregates += usize::from(makes_one_of_many(function)),
            Expr::Lambda(lambda) => {
                self.parameters.extend(lambda.params.iter().map(|parameter| parameter.name.value.clone()));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        match expr {
            Expr::Function(function) => self.aggregates -= usize::from(makes_one_of_many(function)),
            Expr::Lambda(lambda) => {
                let before = self.parameters.len().saturating_sub(lambda.params.iter().count());
                self.parameters.truncate(before);
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
