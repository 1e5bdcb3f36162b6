//! From the dialect's syntax tree to one the engine understands. The passes run in one walk over the
//! tree, children before parents; each pass is one file with one idea.

mod aggregates;
mod alias_chains;
mod arithmetic;
mod asof_joins;
pub(crate) mod build;
mod call_rewrites;
mod casts;
mod coercions;
mod collated;
mod columns;
mod constant_texts;
mod conversions;
mod date_parts;
mod decimal_scale;
mod deep_calls;
mod deep_chains;
mod distinct_wildcards;
mod flatten;
mod function_names;
mod geo;
mod implicit_casts;
mod input_formats;
mod instants;
mod intervals;
mod join_aliases;
mod join_constraints;
mod kinds;
mod lambda_columns;
mod lambdas;
mod lateral_aliases;
mod letter_case;
mod literal_values;
mod literals;
mod long_lists;
mod lowered_types;
mod name_search;
mod null_texts;
mod numbers;
mod outer_names;
mod outside_subqueries;
mod overload_lambdas;
mod patterns;
mod recursive_branches;
mod recursive_columns;
pub(crate) mod relations;
pub(crate) mod rewrite_context;
mod row_numbers;
mod scoped_passes;
mod search;
mod select_items;
mod semi_structured;
mod session_texts;
mod set_branches;
mod set_columns;
mod shadowed_names;
mod single_walk;
mod strip_macros;
mod structured_access;
mod subquery_nesting;
mod table_functions;
mod tried_values;
mod type_checks;
mod type_names;
mod using_join_columns;
mod variant_equality;
mod variant_functions;
mod variant_groups;
mod variant_sets;
mod variants;
mod vectors;
mod volatile_projection;
mod weeks;
mod wide_integers;
mod wide_views;
mod wildcards;
mod windows;

use std::ops::ControlFlow;
use std::rc::Rc;

use firn_binder::{Bound, NodeId};
use firn_engine::{EngineError, Integers};
use firn_sql::expression_growth::ExpressionGrowth;
use firn_sql::tree::Walk;
use firn_sql::tree::{Tree, outcome};
use firn_sql::{Failure, ast};

use asof_joins::AsofJoins;
use coercions::Coercions;
use collated::Collated;
use columns::Columns;
use deep_calls::DeepCalls;
use geo::GeoChecks;
use implicit_casts::ImplicitCasts;
use input_formats::InputFormatTexts;
use kinds::Kinds;
use lambda_columns::LambdaColumns;
use long_lists::LongLists;
use lowered_types::Types;
use numbers::Numbers;
use overload_lambdas::OverloadLambdas;
use session_texts::SessionTexts;
use structured_access::StructuredColumns;
use subquery_nesting::SubqueryNesting;
use variant_equality::VariantEquality;
use variant_groups::VariantKeys;
use variants::Variants;
use vectors::Vectors;
use wide_integers::WideIntegers;

pub use build::{call, call_name, cast, number, quoted, text};
pub use casts::{as_vector, is_plain_clock, is_plain_instant, is_plain_numeral, structured_value, truncated};
pub use flatten::{is_flatten, is_generator};
pub use literal_values::text_of;
pub use name_search::{find_identifier, relations_of};
pub use relations::{engine_relation, full_name};
pub use rewrite_context::{RewriteContext, Visibility};
pub use set_branches::says_by_name;
pub use strip_macros::without_macros;
pub use wide_views::{Purpose, ViewQuery, view_query};

/// Lowers a query, a statement or an expression in place, and returns the bound statement.
pub fn rewrite(node: &mut dyn Tree, rewrite_context: &RewriteContext<'_>) -> Result<Rc<Bound>, EngineError> {
    if rewrite_context.inputs.has_models() {
        outcome(node.walk_mut(&mut InputFormatTexts))?;
    }
    let mut columns = bind_columns(node, rewrite_context)?;
    if columns.has_small_letters() {
        letter_case::check(node, &columns)?;
    }
    if columns.has_row_number() {
        row_numbers::hide(node, &columns, rewrite_context)?;
    }
    columns.bind(node, rewrite_context)?;
    outcome(node.walk_mut(&mut ImplicitCasts { kinds: Kinds::of(&columns), columns: &columns }))?;
    let mut rewriter = Rewriter {
        rewrite_context,
        types: Types::of(&columns),
        variants: Variants::of(&columns),
        variant_equality: VariantEquality::of(&columns),
        group_keys: Vec::new(),
        numbers: Numbers::of(&columns),
        geo_checks: GeoChecks::of(&columns),
        coercions: Coercions::of(&columns),
        collated: Collated::of(&columns),
        vectors: Vectors::of(&columns),
        structured: StructuredColumns::of(&columns),
        flattened: 0,
        sorted: Vec::new(),
        has_asof_join: false,
        has_long_list: false,
        growth: ExpressionGrowth::default(),
    };
    outcome(node.walk_mut(&mut rewriter))?;
    let Rewriter { has_asof_join, has_long_list, .. } = rewriter;
    if let Some(mut overload_lambdas) = OverloadLambdas::of(node, &columns) {
        outcome(node.walk_mut(&mut overload_lambdas))?;
    }
    if rewrite_context.formats.turns_cells_into_text() {
        outcome(node.walk_mut(&mut SessionTexts(rewrite_context.formats)))?;
    }
    if rewrite_context.integers == Integers::Wide {
        outcome(node.walk_mut(&mut WideIntegers))?;
        wide_views::open(node, rewrite_context.lookup)?;
    }
    shadowed_names::rewrite(node, &columns)?;
    outcome(node.walk(&mut SubqueryNesting::default()))?;
    let mut deep_calls = DeepCalls::default();
    outcome(node.walk_mut(&mut deep_calls))?;
    if deep_calls.found_lambda {
        outcome(node.walk_mut(&mut LambdaColumns::default()))?;
    }
    if has_asof_join {
        outcome(node.walk_mut(&mut AsofJoins))?;
    }
    if has_long_list {
        outcome(node.walk_mut(&mut LongLists::of(&columns)))?;
    }
    Ok(columns.bound().clone())
}

/// Runs the passes that depend on scopes, and returns the columns of the rewritten statement.
fn bind_columns(node: &mut dyn Tree, rewrite_context: &RewriteContext<'_>) -> Result<Columns, EngineError> {
    let mut search = scoped_passes::Search::default();
    let mut columns = Columns::reader(rewrite_context);
    single_walk::read(node, [&mut search, &mut columns]);
    if search.found() {
        search.rewrite(node, rewrite_context.lookup)?;
        columns = Columns::reader(rewrite_context);
        single_walk::read(node, [&mut columns]);
    }
    columns.columns()
}

type ExpressionPass = fn(&mut ast::Expr) -> Result<(), Failure>;

/// In this order at every expression.
const EXPRESSION_PASSES: &[ExpressionPass] = &[
    literals::rewrite,
    table_functions::rewrite,
    semi_structured::rewrite,
    intervals::rewrite,
    date_parts::rewrite,
    patterns::rewrite,
    windows::rewrite,
    call_rewrites::rewrite,
    function_names::rewrite,
    casts::rewrite,
    arithmetic::rewrite,
    wildcards::rewrite,
];

struct Rewriter<'rewrite_context> {
    rewrite_context: &'rewrite_context RewriteContext<'rewrite_context>,
    types: Types,
    variants: Variants,
    variant_equality: VariantEquality,
    /// For every query around, the semi-structured keys of its groups.
    group_keys: Vec<VariantKeys>,
    numbers: Numbers,
    geo_checks: GeoChecks,
    coercions: Coercions,
    collated: Collated,
    vectors: Vectors,
    structured: StructuredColumns,
    /// How many FLATTENs were rewritten.
    flattened: usize,
    /// For every query around, whether it has its rows sorted.
    sorted: Vec<bool>,
    has_asof_join: bool,
    has_long_list: bool,
    growth: ExpressionGrowth,
}

impl Rewriter<'_> {
    /// A stored definition is only read by other queries.
    fn reader(&self) -> flatten::Reader {
        let is_stored = matches!(self.rewrite_context.visibility, Visibility::Refused);
        match self.sorted[..] {
            [_] if !is_stored => flatten::Reader::Caller,
            [.., true] => flatten::Reader::SortedQuery,
            _ => flatten::Reader::Query,
        }
    }

    fn flow(outcome: Result<(), Failure>) -> ControlFlow<Failure> {
        match outcome {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    }
}

impl ast::VisitorMut for Rewriter<'_> {
    type Break = Failure;

    fn pre_visit_relation(&mut self, relation: &mut ast::ObjectName) -> ControlFlow<Self::Break> {
        relations::redirect_name(relation, self.rewrite_context);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &mut ast::TableFactor) -> ControlFlow<Self::Break> {
        relations::redirect_table(table, self.rewrite_context);
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, table: &mut ast::TableFactor) -> ControlFlow<Self::Break> {
        let outcome = relations::open_information_schema(table, self.rewrite_context);
        let outcome = outcome.and_then(|()| decimal_scale::align_unpivot(table, &self.numbers));
        let outcome = outcome.and_then(|()| alias_chains::hold_steps(table));
        Self::flow(outcome.and_then(|()| table_functions::open(table)))
    }

    fn pre_visit_expr(&mut self, expr: &mut ast::Expr) -> ControlFlow<Self::Break> {
        self.growth.enter();
        self.has_long_list |= long_lists::is_long_list(expr);
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut ast::Expr) -> ControlFlow<Self::Break> {
        let id = NodeId::of(expr);
        let may_be_null_text = constant_texts::joins_computed_constant(expr) && self.types.is_text(expr);
        relations::shorten_qualifier(expr, self.rewrite_context);
        let outcome = self.collated.rewrite(expr);
        self.variant_equality.rewrite(expr);
        let outcome = outcome.and_then(|()| self.variants.rewrite(expr));
        let outcome = outcome.and_then(|()| self.geo_checks.check(expr));
        let outcome = outcome.and_then(|()| self.vectors.rewrite(expr));
        let outcome = outcome.and_then(|()| self.structured.rewrite(expr));
        self.coercions.rewrite(expr);
        self.numbers.rewrite(expr);
        decimal_scale::align(expr, &self.numbers);
        weeks::rewrite(expr, self.rewrite_context.weeks);
        let outcome = outcome.and_then(|()| EXPRESSION_PASSES.iter().try_for_each(|pass| pass(expr)));
        if may_be_null_text {
            constant_texts::as_text(expr);
        }
        // What a call is lowered to has its type.
        if let Some(id) = id {
            id.put(expr);
        }
        Self::flow(outcome.and_then(|()| self.growth.leave(expr)))
    }

    fn pre_visit_query(&mut self, query: &mut ast::Query) -> ControlFlow<Self::Break> {
        self.sorted.push(query.order_by.is_some());
        self.group_keys.push(VariantKeys::default());
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut ast::Query) -> ControlFlow<Self::Break> {
        self.sorted.pop();
        if let (Some(keys), Some(order)) = (self.group_keys.pop(), &mut query.order_by) {
            self.variant_equality.order_groups(order, &keys);
        }
        if self.flattened > 0
            && let Some(order) = &mut query.order_by
        {
            // The visitor never breaks.
            let _ = order.rewrite(&mut flatten::Names);
        }
        decimal_scale::align_query(query, &self.numbers);
        deep_chains::rewrite(query);
        let outcome = self.variant_equality.unite(query);
        self.variant_equality.order_positions(query);
        Self::flow(outcome.and_then(|()| recursive_branches::rewrite(query)))
    }

    fn post_visit_order_by_expr(&mut self, order: &mut ast::OrderByExpr) -> ControlFlow<Self::Break> {
        order_by_place(&mut order.expr);
        self.variants.order(&mut order.expr);
        Self::flow(self.geo_checks.check_order(&order.expr))
    }

    fn pre_visit_select(&mut self, select: &mut ast::Select) -> ControlFlow<Self::Break> {
        Self::flow(flatten::push_down_predicates(select))
    }

    fn post_visit_select(&mut self, select: &mut ast::Select) -> ControlFlow<Self::Break> {
        relations::shorten_wildcards(select);
        self.has_asof_join |= asof_joins::is_in(select);
        let outcome = self.variant_equality.group(select).map(|keys| {
            if let Some(of_query) = self.group_keys.last_mut() {
                *of_query = keys;
            }
        });
        let outcome = outcome.and_then(|()| self.geo_checks.check_select(select));
        Self::flow(outcome.and_then(|()| flatten::rewrite(select, self.reader(), &mut self.flattened)))
    }
}

/// `#2` alone would be a column of the result, not of the table.
fn order_by_place(expr: &mut ast::Expr) {
    if matches!(expr, ast::Expr::Identifier(name) if overload_lambdas::is_place(name)) {
        *expr = call("coalesce", vec![expr.clone()]);
    }
}

#[cfg(test)]
pub mod testing {
    //! One `check` for the before/after tables of all passes.

    use firn_engine::{
        CellFormats, EngineError, InputFormats, Integers, ObjectDescription, RepeatedMatches, WeekRules,
    };
    use firn_sql::ast;
    use sqlparser::dialect::SnowflakeDialect;
    use sqlparser::parser::Parser;

    use std::sync::Arc;

    use firn_sql::ObjectName;

    use super::{RewriteContext, Visibility, rewrite};
    use crate::lookup::Lookup;
    use crate::stored::StoredObject;
    use crate::temporary::TemporaryTables;

    /// A catalog without tables.
    struct Nothing;

    impl Lookup for Nothing {
        fn find(&self, _: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
            Ok(None)
        }

        fn find_view(&self, _: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
            Ok(None)
        }
    }

    /// Rewrites a query of the dialect and compares the engine's text.
    pub fn check(before: &str, after: &str) {
        let temporary = TemporaryTables::default();
        check_with(
            before,
            after,
            &RewriteContext {
                temporary: &temporary,
                visibility: Visibility::All,
                account_rows: &[],
                views_of_owners: &[],
                lookup: &Nothing,
                formats: &CellFormats::default(),
                weeks: WeekRules::default(),
                inputs: &InputFormats::default(),
                repeated_matches: RepeatedMatches::default(),
                integers: Integers::Narrow,
            },
        );
    }

    pub fn check_with(before: &str, after: &str, rewrite_context: &RewriteContext<'_>) {
        let mut statements: Vec<ast::Statement> = match Parser::parse_sql(&SnowflakeDialect, before) {
            Ok(statements) => statements,
            Err(error) => panic!("{before}: {error}"),
        };
        match rewrite(&mut statements[0], rewrite_context) {
            Ok(_) => assert_eq!(statements[0].to_string(), after, "for {before}"),
            Err(error) => assert_eq!(error.to_string(), after, "for {before}"),
        }
    }
}
