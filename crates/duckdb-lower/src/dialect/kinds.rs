//! What an expression of the dialect is, as far as its text, the declared columns and the names given in
//! subqueries tell. A column of a table is known by its scope; any other name that means two things is unknown.

use std::ops::ControlFlow;
use std::rc::Rc;

use firn_binder::Bound;
use firn_sql::ast::{
    self, BinaryOperator, CastKind, Expr, Ident, Query, Select, SelectItem, SetExpr, TableFactor, UnaryOperator, Value,
    Visitor,
};
use firn_sql::command::DataType;
use firn_sql::tree::Tree;
use firn_sql::{Failure, type_in_tree};
use foldhash::HashMap;

use super::columns::Columns;
use super::flatten;
use super::instants::is_comparison;
use super::kinds_of_calls;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Text,
    Exact,
    Float,
    Boolean,
    Date,
    Time,
    TimestampNtz,
    TimestampLtz,
    TimestampTz,
    Binary,
    SemiStructured,
    Shape,
    Vector,
}

impl Kind {
    pub(super) fn is_temporal(self) -> bool {
        matches!(self, Self::Date | Self::Time | Self::TimestampNtz | Self::TimestampLtz | Self::TimestampTz)
    }

    /// A date, or a date and time.
    fn is_instant(self) -> bool {
        self.is_temporal() && self != Self::Time
    }

    fn wider_instant(self, other: Self) -> Self {
        const NARROWEST_FIRST: [Kind; 4] = [Kind::Date, Kind::TimestampNtz, Kind::TimestampLtz, Kind::TimestampTz];
        let place = |kind: Self| NARROWEST_FIRST.iter().position(|known| *known == kind);
        if place(self) > place(other) { self } else { other }
    }

    /// The type of the dialect a text is read as where this kind is wanted.
    pub(super) fn data_type(self) -> Option<DataType> {
        Some(match self {
            Self::Exact => DataType::Number { precision: 38, scale: 12 },
            Self::Float => DataType::Float,
            Self::Boolean => DataType::Boolean,
            Self::Date => DataType::Date,
            Self::Time => DataType::Time { scale: 9 },
            Self::TimestampNtz => DataType::TimestampNtz { scale: 9 },
            Self::TimestampLtz => DataType::TimestampLtz { scale: 9 },
            Self::TimestampTz => DataType::TimestampTz { scale: 9 },
            Self::Null | Self::Text | Self::Binary | Self::SemiStructured | Self::Shape | Self::Vector => return None,
        })
    }

    pub(super) fn of_type(data_type: &DataType) -> Self {
        match data_type {
            DataType::Number { .. } | DataType::Integer => Self::Exact,
            DataType::Float => Self::Float,
            DataType::Varchar { .. } => Self::Text,
            DataType::Boolean => Self::Boolean,
            DataType::Date => Self::Date,
            DataType::Time { .. } => Self::Time,
            DataType::TimestampNtz { .. } => Self::TimestampNtz,
            DataType::TimestampLtz { .. } => Self::TimestampLtz,
            DataType::TimestampTz { .. } => Self::TimestampTz,
            DataType::Binary { .. } => Self::Binary,
            DataType::Variant | DataType::Object | DataType::Array | DataType::Structured(_) => Self::SemiStructured,
            DataType::Geography | DataType::Geometry => Self::Shape,
            DataType::Vector { .. } => Self::Vector,
        }
    }
}

/// `None` where one name means two things.
#[derive(Default)]
pub(super) struct Kinds {
    names: HashMap<String, Option<Kind>>,
    bound: Rc<Bound>,
}

impl Kinds {
    pub(super) fn of(tree: &dyn Tree, columns: &Columns) -> Self {
        let mut found = Self { bound: columns.bound().clone(), ..Self::default() };
        for (name, data_type) in columns.iter() {
            found.learn(name, Some(Kind::of_type(data_type)));
        }
        let mut aliases = Aliases { found };
        // The collector never breaks.
        let _ = tree.walk(&mut aliases);
        aliases.found
    }

    pub(super) fn kind(&self, expr: &Expr) -> Option<Kind> {
        match expr {
            Expr::Value(value) => of_literal(&value.value),
            Expr::Identifier(ident) => self.kind_of_name(std::slice::from_ref(ident)),
            Expr::CompoundIdentifier(parts) => self.kind_of_name(parts),
            Expr::Nested(inside) => self.kind(inside),
            Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr } => match self.kind(expr)? {
                Kind::Text => Some(Kind::Exact),
                Kind::SemiStructured => Some(Kind::Float),
                kind => Some(kind),
            },
            Expr::UnaryOp { op: UnaryOperator::Not, .. }
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::IsTrue(_)
            | Expr::IsFalse(_)
            | Expr::Like { .. }
            | Expr::ILike { .. }
            | Expr::RLike { .. }
            | Expr::InList { .. }
            | Expr::InSubquery { .. }
            | Expr::Between { .. }
            | Expr::Exists { .. } => Some(Kind::Boolean),
            Expr::BinaryOp { left, op, right } => self.operation(left, op, right),
            Expr::Cast { data_type, .. } => of_tree_type(data_type),
            Expr::Case { conditions, else_result, .. } => {
                self.common(conditions.iter().map(|branch| &branch.result).chain(else_result.as_deref()))
            }
            Expr::Subquery(query) => single_projection(query).and_then(|expr| self.kind(expr)),
            Expr::JsonAccess { .. } => Some(Kind::SemiStructured),
            Expr::Function(function) => kinds_of_calls::kind(self, function),
            _ => None,
        }
    }

    fn kind_of_name(&self, name: &[Ident]) -> Option<Kind> {
        match self.bound.stored_type(name) {
            Some(data_type) => Some(Kind::of_type(data_type)),
            None => self.names.get(&name.last()?.value).copied().flatten(),
        }
    }

    fn operation(&self, left: &Expr, op: &BinaryOperator, right: &Expr) -> Option<Kind> {
        if is_comparison(op) || matches!(op, BinaryOperator::And | BinaryOperator::Or) {
            return Some(Kind::Boolean);
        }
        if matches!(right, Expr::Interval(_)) {
            return self.kind(left).filter(|kind| kind.is_temporal() && *kind != Kind::Date);
        }
        let (left, right) = (self.kind(left)?, self.kind(right)?);
        if *op == BinaryOperator::StringConcat {
            return Some(if left == Kind::Binary && right == Kind::Binary { Kind::Binary } else { Kind::Text });
        }
        match (left, right) {
            (Kind::Date, Kind::Date) => Some(Kind::Exact),
            (temporal, _) | (_, temporal) if temporal.is_temporal() => Some(temporal),
            (Kind::Float | Kind::SemiStructured, _) | (_, Kind::Float | Kind::SemiStructured) => Some(Kind::Float),
            (Kind::Exact | Kind::Text, Kind::Exact | Kind::Text) => Some(Kind::Exact),
            _ => None,
        }
    }

    /// What values that become one column are together; NULLs do not count.
    pub(super) fn common<'expr>(&self, exprs: impl Iterator<Item = &'expr Expr>) -> Option<Kind> {
        let kinds: Vec<Kind> = exprs.map(|expr| self.kind(expr)).collect::<Option<_>>()?;
        common_kind(&kinds)
    }

    fn learn(&mut self, name: &str, kind: Option<Kind>) {
        match self.names.get_mut(name) {
            Some(known) if *known != kind => *known = None,
            Some(_) => {}
            None => {
                self.names.insert(name.to_owned(), kind);
            }
        }
    }
}

/// A text beside another kind is read as that.
pub(super) fn common_kind(kinds: &[Kind]) -> Option<Kind> {
    let mut common = Kind::Null;
    for kind in kinds {
        common = match (common, *kind) {
            (one, other) if one == other => one,
            (Kind::Null, other) | (other, Kind::Null) => other,
            (Kind::SemiStructured, _) | (_, Kind::SemiStructured) => Kind::SemiStructured,
            (Kind::Float, Kind::Exact) | (Kind::Exact, Kind::Float) => Kind::Float,
            (one, other) if one.is_instant() && other.is_instant() => one.wider_instant(other),
            (Kind::Text, other) | (other, Kind::Text) if !matches!(other, Kind::Binary | Kind::Shape) => other,
            _ => return None,
        };
    }
    Some(common)
}

fn of_literal(value: &Value) -> Option<Kind> {
    Some(match value {
        Value::Number(digits, _) if digits.contains(['e', 'E']) => Kind::Float,
        Value::Number(..) => Kind::Exact,
        Value::SingleQuotedString(_) => Kind::Text,
        Value::Boolean(_) => Kind::Boolean,
        Value::Null => Kind::Null,
        _ => return None,
    })
}

/// Types have one spelling in the tree.
fn of_tree_type(data_type: &ast::DataType) -> Option<Kind> {
    Some(match data_type {
        ast::DataType::Decimal(_) | ast::DataType::BigInt(_) => Kind::Exact,
        ast::DataType::Double(_) => Kind::Float,
        ast::DataType::Varchar(_) => Kind::Text,
        ast::DataType::Boolean => Kind::Boolean,
        ast::DataType::Date => Kind::Date,
        ast::DataType::Time(..) => Kind::Time,
        ast::DataType::TimestampNtz(_) => Kind::TimestampNtz,
        ast::DataType::Binary(_) => Kind::Binary,
        ast::DataType::Custom(name, _) => match name.to_string().as_str() {
            "TIMESTAMP_LTZ" => Kind::TimestampLtz,
            "TIMESTAMP_TZ" => Kind::TimestampTz,
            "VARIANT" | "OBJECT" | "ARRAY" => Kind::SemiStructured,
            "GEOGRAPHY" | "GEOMETRY" => Kind::Shape,
            _ => return None,
        },
        _ => return None,
    })
}

/// `expr::data_type`, as if it had been written.
pub(super) fn dialect_cast(expr: Expr, data_type: &DataType) -> Expr {
    Expr::Cast { kind: CastKind::DoubleColon, expr: Box::new(expr), data_type: type_in_tree(data_type), format: None }
}

/// What the only column of a query shows.
pub(super) fn single_projection(query: &Query) -> Option<&Expr> {
    let SetExpr::Select(select) = &*query.body else { return None };
    match &select.projection[..] {
        [SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }] => Some(expr),
        _ => None,
    }
}

/// The names subqueries give to what they compute, inner ones first.
struct Aliases {
    found: Kinds,
}

impl Aliases {
    fn forget(&mut self, name: &str) {
        self.found.names.insert(name.to_owned(), None);
    }

    fn set(&mut self, name: &str, kind: Kind) {
        self.found.names.insert(name.to_owned(), Some(kind));
    }
}

impl Visitor for Aliases {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        if let Expr::Lambda(lambda) = expr {
            for parameter in lambda.params.iter() {
                let given = parameter.data_type.as_ref().and_then(of_tree_type);
                self.set(&parameter.name.value, given.unwrap_or(Kind::SemiStructured));
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<Failure> {
        if flatten::is_flatten(table) {
            self.set("VALUE", Kind::SemiStructured);
            self.set("THIS", Kind::SemiStructured);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<Failure> {
        let (TableFactor::Derived { alias: Some(alias), .. } | TableFactor::Table { alias: Some(alias), .. }) = table
        else {
            return ControlFlow::Continue(());
        };
        let values = match table {
            TableFactor::Derived { subquery, .. } => match &*subquery.body {
                SetExpr::Values(values) => Some(values),
                _ => None,
            },
            _ => None,
        };
        for (place, column) in alias.columns.iter().enumerate() {
            match values {
                Some(values) => {
                    let kind = self.found.common(values.rows.iter().filter_map(|row| row.content.get(place)));
                    self.found.learn(&column.name.value, kind);
                }
                None => self.forget(&column.name.value),
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &Select) -> ControlFlow<Failure> {
        for item in &select.projection {
            if let SelectItem::ExprWithAlias { expr, alias } = item
                && !names_itself(expr, &alias.value)
            {
                let kind = self.found.kind(expr);
                self.found.learn(&alias.value, kind);
            }
        }
        ControlFlow::Continue(())
    }

    /// What a set operation shows under a name may differ from what its first branch has.
    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<Failure> {
        for column in query.with.iter().flat_map(|with| &with.cte_tables).flat_map(|table| &table.alias.columns) {
            self.forget(&column.name.value);
        }
        if let SetExpr::SetOperation { .. } = &*query.body {
            let mut branches = Vec::new();
            branches_of(&query.body, &mut branches);
            for (place, name) in branches.first().map(|first| output_names(first)).unwrap_or_default() {
                let kinds = branches.iter().map(|select| match select.projection.get(place) {
                    Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) => {
                        self.found.kind(expr)
                    }
                    _ => None,
                });
                let kinds: Vec<Option<Kind>> = kinds.filter(|kind| *kind != Some(Kind::Null)).collect();
                if kinds.windows(2).any(|pair| pair[0] != pair[1]) {
                    self.forget(&name);
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// `a AS a` says nothing new.
pub(super) fn names_itself(expr: &Expr, alias: &str) -> bool {
    match expr {
        Expr::Identifier(ident) => ident.value == alias,
        Expr::CompoundIdentifier(parts) => parts.last().is_some_and(|last| last.value == alias),
        _ => false,
    }
}

pub(super) fn branches_of<'query>(body: &'query SetExpr, branches: &mut Vec<&'query Select>) {
    match body {
        SetExpr::Select(select) => branches.push(select),
        SetExpr::Query(query) => branches_of(&query.body, branches),
        SetExpr::SetOperation { left, right, .. } => {
            branches_of(left, branches);
            branches_of(right, branches);
        }
        _ => {}
    }
}

fn output_names(select: &Select) -> Vec<(usize, String)> {
    let named = select.projection.iter().enumerate().filter_map(|(place, item)| match item {
        SelectItem::ExprWithAlias { alias, .. } => Some((place, alias.value.clone())),
        SelectItem::UnnamedExpr(Expr::Identifier(ident)) => Some((place, ident.value.clone())),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => {
            parts.last().map(|last| (place, last.value.clone()))
        }
        _ => None,
    });
    named.collect()
}
