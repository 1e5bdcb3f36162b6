//! What an expression of the dialect is, by the types that the binder has for names and calls.

use std::rc::Rc;

use firn_binder::{Bound, Type};
use firn_sql::ast::{
    self, BinaryOperator, CastKind, Expr, Ident, Query, Select, SelectItem, SetExpr, UnaryOperator, Value,
};
use firn_sql::command::DataType;
use firn_sql::type_in_tree;

use super::build::call_name;
use super::columns::Columns;
use super::instants::{ZONED_CALLS, is_comparison};

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

    fn of_bound(data_type: &Type) -> Option<Self> {
        match data_type {
            Type::Unknown => None,
            Type::Null => Some(Self::Null),
            Type::Of(data_type) => Some(Self::of_type(data_type)),
        }
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

pub(super) struct Kinds {
    bound: Rc<Bound>,
}

impl Kinds {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { bound: columns.bound().clone() }
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
            // A part of a structured value has its declared type.
            Expr::JsonAccess { .. } => {
                Kind::of_bound(&self.bound.type_of(expr).data_type).or(Some(Kind::SemiStructured))
            }
            Expr::Function(function) if call_name(function).is_some_and(|name| ZONED_CALLS.contains(&name)) => {
                Some(Kind::TimestampTz)
            }
            Expr::Function(_) => Kind::of_bound(&self.bound.node(expr)?.value.data_type),
            _ => None,
        }
    }

    fn kind_of_name(&self, name: &[Ident]) -> Option<Kind> {
        Kind::of_bound(self.bound.type_of_name(name)?)
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
