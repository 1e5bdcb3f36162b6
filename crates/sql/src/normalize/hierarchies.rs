//! `START WITH … CONNECT BY …`: the relation becomes a recursive query over itself, whose rows also have
//! LEVEL and a hidden column for every CONNECT_BY_ROOT and SYS_CONNECT_BY_PATH.

use std::ops::ControlFlow;

use super::hierarchy_joins;
use super::refusals::refuse;
use crate::ast::{
    BinaryOperator, ConnectByKind, ExcludeSelectItem, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    Ident, ObjectName, Query, Select, SelectItem, SetExpr, TableFactor, TableWithJoins, Value, Visitor, VisitorMut,
};
use crate::build::{call, cast};
use crate::clause_tokens::{PRIOR, ROOT};
use crate::data_types::{DataType, type_in_tree};
use crate::query_parts::{derived, name_of, same_name, skeleton};
use crate::tree::Tree;
use crate::{Failure, dual};

const PARENT: &str = "__PARENT";
const LEVEL: &str = "LEVEL";
const MARK: &str = "__MARK";

pub(super) fn rewrite(select: &mut Select) -> Result<(), Failure> {
    if select.connect_by.is_empty() {
        return Ok(());
    }
    if select.from.is_empty() {
        let relation = dual::one_row(Ident::with_quote('"', dual::NAME))?;
        select.from = vec![TableWithJoins { relation, joins: Vec::new() }];
    }
    hierarchy_joins::rewrite(select)?;
    let [TableWithJoins { relation, .. }] = select.from.as_slice() else {
        return Err(Failure::unsupported("CONNECT BY over several relations"));
    };
    let node = name_of(relation).unwrap_or_else(|| Ident::with_quote('"', "__NODE"));
    let relation = with_name(relation.clone(), &node);
    let (start, connect) = clauses(std::mem::take(&mut select.connect_by))?;
    let mut hidden = Hidden { node: node.clone(), columns: Vec::new(), failure: None };
    replace_in(select, &mut hidden);
    if let Some(failure) = hidden.failure {
        return Err(failure);
    }
    if recurses_in_cycles(&connect) {
        hidden.columns.push(cycle_mark(&node));
    }
    let query = recursive_query(relation, &node, start, connect, &hidden.columns)?;
    select.from = vec![TableWithJoins { relation: derived(query, node), joins: Vec::new() }];
    hide(select, &hidden.columns)
}

fn with_name(mut relation: TableFactor, name: &Ident) -> TableFactor {
    if let TableFactor::Derived { alias: alias @ None, .. } = &mut relation {
        *alias = Some(crate::ast::TableAlias { explicit: true, name: name.clone(), columns: Vec::new(), at: None });
    }
    relation
}

fn clauses(kinds: Vec<ConnectByKind>) -> Result<(Option<Expr>, Vec<Expr>), Failure> {
    let (mut start, mut connect) = (None, Vec::new());
    for kind in kinds {
        match kind {
            ConnectByKind::StartWith { condition, .. } => start = Some(*condition),
            ConnectByKind::ConnectBy { nocycle, relationships, .. } => {
                refuse(nocycle, "NOCYCLE")?;
                connect = relationships;
            }
        }
    }
    Ok((start, connect))
}

/// One hidden column: its value at a root, and below one.
struct HiddenColumn {
    name: String,
    at_root: Expr,
    below: Expr,
}

/// Whether a row that is its own ancestor recurses without end: its children depend on nothing but itself.
fn recurses_in_cycles(connect: &[Expr]) -> bool {
    #[derive(Default)]
    struct Search {
        prior: bool,
        level: bool,
    }
    impl Visitor for Search {
        type Break = Failure;

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
            self.prior |= matches!(expr, Expr::Prior(_));
            self.level |= matches!(expr, Expr::Identifier(name) if is_level(name));
            ControlFlow::Continue(())
        }
    }
    let mut search = Search::default();
    for condition in connect {
        // The visitor never breaks.
        let _ = condition.walk(&mut search);
    }
    search.prior && !search.level
}

/// Brent's cycle detection: the hash of the ancestor at the last level that is a power of two. A row with the same hash
/// raises an error; every cycle reaches such a row.
fn cycle_mark(node: &Ident) -> HiddenColumn {
    let mut hash = call("HASH", Vec::new());
    if let Expr::Function(function) = &mut hash
        && let FunctionArguments::List(list) = &mut function.args
    {
        let all = FunctionArgExpr::QualifiedWildcard(ObjectName::from(vec![node.clone()]));
        list.args.push(FunctionArg::Unnamed(all));
    }
    let below = call("__MARKED", vec![parent_column(MARK), hash.clone(), parent_column(LEVEL)]);
    HiddenColumn { name: MARK.to_owned(), at_root: hash, below }
}

/// Puts hidden columns in the place of the operators that need them.
struct Hidden {
    node: Ident,
    columns: Vec<HiddenColumn>,
    failure: Option<Failure>,
}

impl Hidden {
    fn column(&mut self, at_root: Expr, below: impl FnOnce(&str) -> Expr) -> Expr {
        let name = format!("__HIDDEN{}", self.columns.len() + 1);
        let below = below(&name);
        self.columns.push(HiddenColumn { name: name.clone(), at_root, below });
        Expr::Identifier(Ident::with_quote('"', name))
    }

    /// The parent's value; NULL at a root.
    fn prior(&mut self, function: &Function) -> Result<Expr, Failure> {
        let FunctionArguments::List(list) = &function.args else { return Err(bad_path()) };
        let value = list.args.first().and_then(plain).cloned().ok_or_else(bad_path)?;
        let of_parent = qualified(value.clone(), &self.node, &Ident::with_quote('"', PARENT))?;
        let own = qualified(value, &self.node, &self.node)?;
        // A NULL of the column's type.
        let none = call("NULLIF", vec![own.clone(), own]);
        Ok(self.column(none, |_| of_parent))
    }

    /// The value of the ancestor at the top.
    fn root(&mut self, function: &Function) -> Result<Expr, Failure> {
        let FunctionArguments::List(list) = &function.args else { return Err(bad_path()) };
        let value = list.args.first().and_then(plain).cloned().ok_or_else(bad_path)?;
        let root = qualified(value, &self.node, &self.node)?;
        Ok(self.column(root, parent_column))
    }

    fn path(&mut self, function: &Function) -> Result<Expr, Failure> {
        let FunctionArguments::List(list) = &function.args else { return Err(bad_path()) };
        let arguments: Vec<&Expr> = list.args.iter().filter_map(plain).collect();
        let [value, separator] = arguments[..] else { return Err(bad_path()) };
        let value = qualified(value.clone(), &self.node, &self.node)?;
        let text = cast(value, type_in_tree(&DataType::Varchar { length: None }));
        let step = concatenated(separator.clone(), text);
        Ok(self.column(step.clone(), |name| concatenated(parent_column(name), step)))
    }
}

pub(super) fn is_called(function: &Function, operator: &str) -> bool {
    matches!(function.name.0.as_slice(), [part] if part.as_ident().is_some_and(|name| name.value == operator))
}

fn plain(argument: &FunctionArg) -> Option<&Expr> {
    match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    }
}

fn bad_path() -> Failure {
    Failure::new("001002", "42601", "SQL compilation error:\nSYS_CONNECT_BY_PATH takes a column and a separator.")
}

impl VisitorMut for Hidden {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let replaced = match expr {
            Expr::Prefixed { prefix, value } if prefix.value.eq_ignore_ascii_case("CONNECT_BY_ROOT") => {
                qualified((**value).clone(), &self.node, &self.node).map(|root| Some(self.column(root, parent_column)))
            }
            Expr::Prior(value) => qualified((**value).clone(), &self.node, &Ident::with_quote('"', PARENT))
                .map(|prior| Some(self.column(Expr::value(Value::Null), |_| prior))),
            Expr::Function(function) if is_called(function, PRIOR) => self.prior(function).map(Some),
            Expr::Function(function) if is_called(function, ROOT) => self.root(function).map(Some),
            Expr::Function(function) if function.name.to_string() == "SYS_CONNECT_BY_PATH" => {
                self.path(function).map(Some)
            }
            _ => Ok(None),
        };
        match replaced {
            Ok(Some(replacement)) => *expr = replacement,
            Ok(None) => {}
            Err(failure) => self.failure = Some(failure),
        }
        ControlFlow::Continue(())
    }
}

fn replace_in(select: &mut Select, hidden: &mut Hidden) {
    let mut all: Vec<&mut Expr> = Vec::new();
    for item in &mut select.projection {
        if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item {
            all.push(expr);
        }
    }
    all.extend(select.selection.as_mut());
    all.extend(select.having.as_mut());
    all.extend(select.qualify.as_mut());
    if let crate::ast::GroupByExpr::Expressions(expressions, _) = &mut select.group_by {
        all.extend(expressions.iter_mut());
    }
    for expr in all {
        // The visitor never breaks.
        let _ = expr.walk_mut(hidden);
    }
}

fn recursive_query(
    relation: TableFactor,
    node: &Ident,
    start: Option<Expr>,
    connect: Vec<Expr>,
    hidden: &[HiddenColumn],
) -> Result<Box<Query>, Failure> {
    let parent = Ident::with_quote('"', PARENT);
    let mut query = skeleton(&format!(
        "WITH RECURSIVE \"{PARENT}\" AS (SELECT 1 AS \"{LEVEL}\" UNION ALL SELECT \"{PARENT}\".\"{LEVEL}\" + 1 FROM \"{PARENT}\") \
         SELECT * FROM \"{PARENT}\""
    ))?;
    let broken = || Failure::new("000603", "XX000", "a skeleton has another shape");
    let with = query.with.as_mut().and_then(|with| with.cte_tables.first_mut()).ok_or_else(broken)?;
    let SetExpr::SetOperation { left, right, .. } = with.query.body.as_mut() else { return Err(broken()) };
    let (SetExpr::Select(roots), SetExpr::Select(below)) = (left.as_mut(), right.as_mut()) else {
        return Err(broken());
    };
    let all = || {
        let kind = crate::ast::SelectItemQualifiedWildcardKind::ObjectName(vec![node.clone()].into());
        SelectItem::QualifiedWildcard(kind, Default::default())
    };
    let named =
        |expr: &Expr, name: &str| SelectItem::ExprWithAlias { expr: expr.clone(), alias: Ident::with_quote('"', name) };
    roots.projection.insert(0, all());
    roots.projection.extend(hidden.iter().map(|column| named(&column.at_root, &column.name)));
    roots.from = vec![TableWithJoins { relation: relation.clone(), joins: Vec::new() }];
    roots.selection = start;
    below.projection.insert(0, all());
    below.projection.extend(hidden.iter().map(|column| named(&column.below, &column.name)));
    below.from.insert(0, TableWithJoins { relation, joins: Vec::new() });
    let conditions = connect.into_iter().map(|condition| connection(condition, node, &parent));
    let conditions = conditions.collect::<Result<Vec<_>, _>>()?;
    below.selection = conditions.into_iter().reduce(|left, right| Expr::BinaryOp {
        left: Box::new(left),
        op: BinaryOperator::And,
        right: Box::new(right),
    });
    Ok(query)
}

/// A condition of CONNECT BY: columns after PRIOR are the parent's, all others the child's.
fn connection(mut condition: Expr, node: &Ident, parent: &Ident) -> Result<Expr, Failure> {
    let mut priors = Priors { parents: Vec::new(), node, parent, failure: None };
    // The visitor never breaks.
    let _ = condition.walk_mut(&mut priors);
    let (parents, failure) = (priors.parents, priors.failure);
    failure.map_or(Ok(()), Err)?;
    let mut condition = qualified(condition, node, node)?;
    // The visitor never breaks.
    let _ = condition.walk_mut(&mut Restored(parents));
    Ok(condition)
}

/// Takes every PRIOR out, so that the rest can be given to the child.
struct Priors<'a> {
    parents: Vec<Expr>,
    node: &'a Ident,
    parent: &'a Ident,
    failure: Option<Failure>,
}

impl VisitorMut for Priors<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let taken = match expr {
            Expr::Prior(value) => qualified((**value).clone(), self.node, self.parent),
            Expr::Identifier(name) if is_level(name) => Ok(Expr::Nested(Box::new(Expr::BinaryOp {
                left: Box::new(parent_column(LEVEL)),
                op: BinaryOperator::Plus,
                right: Box::new(crate::build::number("1")),
            }))),
            _ => return ControlFlow::Continue(()),
        };
        match taken {
            Ok(value) => {
                *expr = Expr::value(Value::Placeholder(format!("__PRIOR{}", self.parents.len())));
                self.parents.push(value);
            }
            Err(failure) => self.failure = Some(failure),
        }
        ControlFlow::Continue(())
    }
}

struct Restored(Vec<Expr>);

impl VisitorMut for Restored {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::Value(value) = expr
            && let Value::Placeholder(name) = &value.value
            && let Some(index) = name.strip_prefix("__PRIOR").and_then(|index| index.parse::<usize>().ok())
            && let Some(value) = self.0.get(index)
        {
            *expr = value.clone();
        }
        ControlFlow::Continue(())
    }
}

fn is_level(name: &Ident) -> bool {
    name.quote_style.is_none() && name.value.eq_ignore_ascii_case(LEVEL)
}

fn parent_column(name: &str) -> Expr {
    Expr::CompoundIdentifier(vec![Ident::with_quote('"', PARENT), Ident::with_quote('"', name)])
}

fn concatenated(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::StringConcat, right: Box::new(right) }
}

/// Every column of `node` in the expression, qualified with `table`.
fn qualified(mut expr: Expr, node: &Ident, table: &Ident) -> Result<Expr, Failure> {
    struct HasQuery(bool);
    impl Visitor for HasQuery {
        type Break = Failure;

        fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Failure> {
            self.0 = true;
            ControlFlow::Continue(())
        }
    }
    let mut search = HasQuery(false);
    // The visitors never break.
    let _ = expr.walk(&mut search);
    refuse(search.0, "subquery in CONNECT BY")?;
    let _ = expr.walk_mut(&mut Qualification { node, table });
    Ok(expr)
}

struct Qualification<'a> {
    node: &'a Ident,
    table: &'a Ident,
}

impl VisitorMut for Qualification<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Identifier(name) => {
                *expr = Expr::CompoundIdentifier(vec![self.table.clone(), name.clone()]);
            }
            Expr::CompoundIdentifier(parts) => {
                if let [qualifier, _] = parts.as_mut_slice()
                    && same_name(qualifier, self.node)
                {
                    *qualifier = self.table.clone();
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// `*` shows neither LEVEL nor the hidden columns.
fn hide(select: &mut Select, hidden: &[HiddenColumn]) -> Result<(), Failure> {
    for item in &mut select.projection {
        let (SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options)) = item else { continue };
        let mut names: Vec<ObjectName> = match options.opt_exclude.take() {
            Some(ExcludeSelectItem::Single(name)) => vec![name],
            Some(ExcludeSelectItem::Multiple(names)) => names,
            None => Vec::new(),
        };
        let added = std::iter::once(LEVEL).chain(hidden.iter().map(|column| column.name.as_str()));
        names.extend(added.map(|name| ObjectName::from(vec![Ident::with_quote('"', name)])));
        options.opt_exclude = Some(ExcludeSelectItem::Multiple(names));
    }
    Ok(())
}
