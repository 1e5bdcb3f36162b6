//! `SELECT d, AGG(m) FROM v GROUP BY d`: a semantic view asked like a table. The view's own query takes the table's place;
//! it has grouped the rows already.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, ObjectName, OrderByKind,
    Query, Select, SelectItem, SetExpr, TableFactor, Value, Visitor, VisitorMut,
};
use firn_sql::tree::Tree;
use firn_sql::tree::Walk;

/// What a query asks of a semantic view.
pub(super) struct Aggregated {
    pub(super) view: ObjectName,
    pub(super) dimensions: Vec<Expr>,
    pub(super) metrics: Vec<Expr>,
    pub(super) condition: Option<Expr>,
}

/// Takes what is asked of the view out of a query; `None` where nothing is asked with AGG.
pub(super) fn taken_from(query: &mut Query) -> Result<Option<Aggregated>, Failure> {
    let SetExpr::Select(select) = query.body.as_ref() else { return Ok(None) };
    if !select.projection.iter().any(has_agg) {
        return Ok(None);
    }
    if let [only] = select.from.as_slice()
        && let TableFactor::Table { name, alias, .. } = &only.relation
    {
        let own = alias.as_ref().map(|alias| alias.name.value.clone());
        let last = name.0.last().and_then(|part| part.as_ident()).map(|ident| ident.value.clone());
        let own = own.or(last).unwrap_or_default();
        let _ = query.walk_mut(&mut Unqualified { own });
    }
    let SetExpr::Select(select) = query.body.as_mut() else { return Ok(None) };
    let mut metrics = Metrics { found: Vec::new(), failed: None };
    let mut dimensions = Vec::new();
    for item in &mut select.projection {
        metrics.take(item, &mut dimensions)?;
    }
    let view = view_of(select)?;
    group(select, &mut dimensions)?;
    let condition = select.selection.take();
    if let Some(mut having) = select.having.take() {
        metrics.replace(&mut having)?;
        select.selection = Some(having);
    }
    if let Some(order) = &mut query.order_by
        && let OrderByKind::Expressions(list) = &mut order.kind
    {
        list.iter_mut().try_for_each(|order| metrics.replace(&mut order.expr))?;
    }
    Ok(Some(Aggregated { view, dimensions, metrics: metrics.found, condition }))
}

/// Whether an item of the list calls AGG; subqueries in it are selects of their own.
fn has_agg(item: &SelectItem) -> bool {
    let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else { return false };
    expr.inspect(&mut AggFinder { queries: 0 }).is_break()
}

struct AggFinder {
    /// How many subqueries are open around the expression.
    queries: usize,
}

impl Visitor for AggFinder {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.queries -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Function(function) if self.queries == 0 && is_agg_call(function) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn is_agg_call(function: &Function) -> bool {
    function.name.to_string().eq_ignore_ascii_case("AGG")
}

/// Puts what answers in the place of the view.
pub(super) fn put_in(query: &mut Query, mut answer: TableFactor) {
    let SetExpr::Select(select) = query.body.as_mut() else { return };
    for table in &mut select.from {
        if let TableFactor::Table { alias, .. } = &table.relation {
            if let TableFactor::Derived { alias: own, .. } | TableFactor::SemanticView { alias: own, .. } = &mut answer
            {
                own.clone_from(alias);
            }
            table.relation = answer;
            return;
        }
    }
}

fn view_of(select: &Select) -> Result<ObjectName, Failure> {
    match select.from.as_slice() {
        [only] if only.joins.is_empty() => match &only.relation {
            TableFactor::Table { name, args: None, .. } => Ok(name.clone()),
            _ => Err(Failure::unsupported("AGG of anything but a semantic view")),
        },
        _ => Err(Failure::unsupported("AGG of a semantic view beside other tables")),
    }
}

/// The groups are dimensions of the view, and what is not asked with AGG is grouped by.
fn group(select: &mut Select, dimensions: &mut Vec<Expr>) -> Result<(), Failure> {
    let none = GroupByExpr::Expressions(Vec::new(), Vec::new());
    match std::mem::replace(&mut select.group_by, none) {
        GroupByExpr::All(_) => {}
        GroupByExpr::Expressions(groups, _) => {
            if let (true, Some(dimension)) = (groups.is_empty(), dimensions.first()) {
                let message = format!("SQL compilation error:\n[{dimension}] is not a valid group by expression");
                return Err(Failure::new("000979", "42601", message));
            }
            for group in groups {
                match group {
                    Expr::Value(value) if matches!(value.value, Value::Number(..)) => {}
                    Expr::Identifier(_) | Expr::CompoundIdentifier(_) => note(dimensions, group),
                    other => {
                        return Err(Failure::unsupported(&format!("AGG grouped by {other}, which is no dimension")));
                    }
                }
            }
        }
    }
    Ok(())
}

fn note(dimensions: &mut Vec<Expr>, dimension: Expr) {
    if !dimensions.iter().any(|known| last_name(known) == last_name(&dimension)) {
        dimensions.push(dimension);
    }
}

fn last_name(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Identifier(name) => Some(name),
        Expr::CompoundIdentifier(parts) => parts.last(),
        _ => None,
    }
}

/// Takes the view's own name from before the names of its items.
struct Unqualified {
    own: String,
}

impl VisitorMut for Unqualified {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::CompoundIdentifier(parts) = expr
            && let [view, item] = parts.as_slice()
            && view.value.eq_ignore_ascii_case(&self.own)
        {
            *expr = Expr::Identifier(item.clone());
        }
        ControlFlow::Continue(())
    }
}

struct Metrics {
    found: Vec<Expr>,
    failed: Option<Failure>,
}

impl Metrics {
    /// What an item of the list asks for: metrics, or a dimension.
    fn take(&mut self, item: &mut SelectItem, dimensions: &mut Vec<Expr>) -> Result<(), Failure> {
        let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else { return Ok(()) };
        let title = expr.to_string().to_uppercase();
        let before = self.found.len();
        let is_metric = self.replace(expr).map(|()| self.found.len() > before || is_agg(&title))?;
        let plain = last_name(expr).cloned();
        match (is_metric, plain) {
            (true, _) => {
                if let SelectItem::UnnamedExpr(expr) = item {
                    let alias = Ident::with_quote('"', title);
                    *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
                }
            }
            (false, Some(name)) => {
                note(dimensions, expr.clone());
                *expr = Expr::Identifier(name);
            }
            (false, None) => {}
        }
        Ok(())
    }

    fn replace(&mut self, expr: &mut Expr) -> Result<(), Failure> {
        let _ = expr.walk_mut(self);
        self.failed.take().map_or(Ok(()), Err)
    }

    fn metric(&mut self, function: &Function) -> Result<Expr, Failure> {
        let wrong = || Failure::unsupported("AGG of anything but a metric's name");
        let FunctionArguments::List(list) = &function.args else { return Err(wrong()) };
        let [FunctionArg::Unnamed(FunctionArgExpr::Expr(metric))] = list.args.as_slice() else { return Err(wrong()) };
        let name = last_name(metric).cloned().ok_or_else(wrong)?;
        note(&mut self.found, metric.clone());
        Ok(Expr::Identifier(name))
    }
}

fn is_agg(title: &str) -> bool {
    title.starts_with("AGG(")
}

impl VisitorMut for Metrics {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        if !is_agg_call(function) {
            return ControlFlow::Continue(());
        }
        match self.metric(function) {
            Ok(metric) => {
                *expr = metric;
                ControlFlow::Continue(())
            }
            Err(failure) => {
                self.failed = Some(failure.clone());
                ControlFlow::Break(failure)
            }
        }
    }
}
