//! The references, aggregates, window functions and subqueries of select items.

use std::ops::ControlFlow;

use firn_engine::EngineError;
use firn_sql::Failure;
use firn_sql::ast::{Expr, Ident, Query, SelectItem, Value, Visitor};
use firn_sql::names::display_identifier;
use firn_sql::tree::Walk;
use foldhash::{HashMap, HashMapExt};

use super::super::lateral_aliases::makes_one_of_many;
use super::super::literal_values::integer_of;
use super::super::overload_lambdas::is_place;
use super::super::select_items::shown_value;

/// How many operations one item may have after inlining: some milliseconds of planning.
const COPIES_MAX: usize = 64;
/// How many all items may have, and how many each of them has then. The engine's planning time of an item grows with the
/// square of its operations.
const ALL_COPIES_MAX: usize = 400;
pub(super) const COPIES_OF_MANY_MAX: usize = 16;
/// How many references to aliases a select may have.
const REFERENCES_MAX: usize = 10_000;
/// What no select may have where it cannot be split: planning would take seconds, and with every alias more.
const COPIES_LIMIT: usize = 2_000;
const ALL_COPIES_LIMIT: usize = 20_000;

fn too_deep(item: &Found) -> EngineError {
    let alias = display_identifier(item.alias.as_deref().unwrap_or_default());
    let text = format!(
        "SQL compilation error: the aliases behind '{alias}' are nested too deeply to be expanded here; compute the first of \
         them in a subquery."
    );
    Failure::new("000603", "54001", text).into()
}

/// An item of a select list, or a clause.
#[derive(Default)]
pub(super) struct Found {
    /// What other items may call it.
    pub(super) alias: Option<String>,
    /// How many operations it has once every alias is inlined.
    pub(super) copies: usize,
    /// How many aliases it names one behind the other.
    steps: usize,
    /// The places of the items that it names, once for each time.
    pub(super) aliases: Vec<usize>,
    /// Those among them that are named inside of an aggregate.
    pub(super) in_aggregates: Vec<usize>,
    /// Whether it has an aggregate, itself or through aliases.
    pub(super) aggregates: bool,
    /// Whether it has a window function, itself or through aliases.
    pub(super) windows: bool,
    /// Whether it holds a query.
    pub(super) asks: bool,
}

impl Found {
    pub(super) fn in_expr(expr: &Expr, items: &Items) -> Self {
        let mut search = Search { items, found: Self::default(), aggregates: 0, queries: 0, is_ambiguous: false };
        // The visitor never breaks.
        let _ = expr.inspect(&mut search);
        search.found
    }
}

#[derive(Default)]
pub(super) struct Items {
    pub(super) list: Vec<Found>,
    /// The places of aliases that no column and no other item is called by.
    places: HashMap<String, usize>,
    /// Whether a name may refer to something else than a column of FROM or an earlier item.
    pub(super) is_ambiguous: bool,
    /// How many operations one item may have after inlining.
    copies_max: usize,
}

impl Items {
    pub(super) fn of(projection: &[SelectItem], is_column: &dyn Fn(&str) -> bool) -> Self {
        let mut items = Self {
            list: Vec::with_capacity(projection.len()),
            places: HashMap::new(),
            is_ambiguous: false,
            copies_max: COPIES_MAX,
        };
        let aliased = || projection.iter().enumerate().filter_map(|(place, item)| Some((place, value_of(item)?.0?)));
        // Two items have one alias that can be named, and the second names it once.
        if aliased().nth(2).is_none() {
            return items;
        }
        for (place, alias) in aliased().filter(|(_, alias)| !is_column(&alias.value)) {
            // An alias of two items is ambiguous.
            items.is_ambiguous |= items.places.insert(alias.value.clone(), place).is_some();
        }
        for item in projection {
            let found = match value_of(item) {
                Some((alias, expr)) => items.found_in(expr, alias.map(|alias| alias.value.as_str())),
                None => {
                    items.is_ambiguous = true;
                    Found::default()
                }
            };
            items.list.push(found);
        }
        if items.all_copies() > ALL_COPIES_MAX {
            items.copies_max = COPIES_OF_MANY_MAX;
        }
        items
    }

    fn all_copies(&self) -> usize {
        self.list.iter().fold(0, |all, item| all.saturating_add(item.copies))
    }

    /// Refuses a select that is not worth splitting, or that cannot be split often enough.
    pub(super) fn check_references(&self, steps_max: usize) -> Result<(), EngineError> {
        let references = self.list.iter().map(|item| item.aliases.len()).sum::<usize>();
        if references > REFERENCES_MAX {
            return Err(Failure::limit_exceeded("number of references to aliases", REFERENCES_MAX).into());
        }
        match self.list.iter().max_by_key(|item| item.steps).filter(|item| item.steps > steps_max) {
            Some(item) => Err(too_deep(item)),
            None => Ok(()),
        }
    }

    /// Refuses a select that the engine would plan for too long.
    pub(super) fn check_bounds(&self) -> Result<(), EngineError> {
        let most = self.list.iter().max_by_key(|item| item.copies);
        match most.filter(|item| item.copies > COPIES_LIMIT || self.all_copies() > ALL_COPIES_LIMIT) {
            Some(item) => Err(too_deep(item)),
            None => Ok(()),
        }
    }

    fn found_in(&mut self, expr: &Expr, alias: Option<&str>) -> Found {
        let mut search =
            Search { items: self, found: Found::default(), aggregates: 0, queries: 0, is_ambiguous: false };
        // The visitor never breaks.
        let _ = expr.inspect(&mut search);
        let (mut found, mut is_ambiguous) = (search.found, search.is_ambiguous);
        found.copies = 1;
        for place in &found.aliases {
            match self.list.get(*place) {
                Some(named) => {
                    found.copies = found.copies.saturating_add(named.copies);
                    found.steps = found.steps.max(named.steps + 1);
                    found.aggregates |= named.aggregates;
                    found.windows |= named.windows;
                }
                None => is_ambiguous = true,
            }
        }
        self.is_ambiguous |= is_ambiguous;
        found.alias = alias.filter(|alias| self.places.contains_key(*alias)).map(str::to_owned);
        found
    }

    /// Whether one of the items has too many operations after inlining.
    pub(super) fn is_long(&self) -> bool {
        self.list.iter().any(|item| item.copies > self.copies_max)
    }

    pub(super) fn any_long(&self, places: &[usize]) -> bool {
        places.iter().any(|place| self.is_long_at(*place))
    }

    pub(super) fn is_long_at(&self, place: usize) -> bool {
        self.list.get(place).is_some_and(|item| item.copies > self.copies_max)
    }

    /// Of each item, whether an aggregate or one of these places needs it, be it through others.
    pub(super) fn needed_by_aggregates<'places>(&self, places: impl Iterator<Item = &'places usize>) -> Vec<bool> {
        let mut needed = vec![false; self.list.len()];
        let named = self.list.iter().flat_map(|item| &item.in_aggregates).copied().chain(places.copied());
        named.for_each(|place| needed[place] = true);
        for (place, item) in self.list.iter().enumerate().rev() {
            if needed[place] {
                item.aliases.iter().for_each(|named| needed[*named] = true);
            }
        }
        needed
    }

    /// The item that a key of GROUP BY is.
    pub(super) fn place_of_key(&self, key: &Expr) -> Option<usize> {
        match key {
            Expr::Identifier(name) => self.places.get(&name.value).copied(),
            _ => position_of(key).filter(|place| *place < self.list.len()),
        }
    }
}

struct Search<'items> {
    items: &'items Items,
    found: Found,
    /// How many aggregates the walk is in.
    aggregates: usize,
    queries: usize,
    is_ambiguous: bool,
}

impl Visitor for Search<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries += 1;
        self.found.asks = true;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(name) => {
                self.is_ambiguous |= is_place(name);
                if let Some(place) = self.items.places.get(&name.value) {
                    // It may be a column of the query, or a parameter.
                    self.is_ambiguous |= self.queries > 0;
                    self.found.aliases.push(*place);
                    if self.aggregates > 0 {
                        self.found.in_aggregates.push(*place);
                    }
                }
            }
            Expr::Value(value) => self.is_ambiguous |= matches!(value.value, Value::Placeholder(_)),
            Expr::Function(function) if self.queries == 0 => {
                self.found.windows |= function.over.is_some();
                if makes_one_of_many(function) {
                    self.found.aggregates = true;
                    self.aggregates += 1;
                }
            }
            // Parameters hide aliases.
            Expr::Lambda(_) => self.queries += 1,
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Function(function) if self.queries == 0 && makes_one_of_many(function) => self.aggregates -= 1,
            Expr::Lambda(_) => self.queries -= 1,
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The place that a key of GROUP BY is: counted from zero.
fn position_of(key: &Expr) -> Option<usize> {
    usize::try_from(integer_of(key)?).ok()?.checked_sub(1)
}

/// What an item shows.
pub(super) fn value_of(item: &SelectItem) -> Option<(Option<&Ident>, &Expr)> {
    Some((alias_of(item), shown_value(item)?))
}

pub(super) fn alias_of(item: &SelectItem) -> Option<&Ident> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias),
        _ => None,
    }
}
