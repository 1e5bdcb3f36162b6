//! What an expression of the dialect is, by the types that the binder has for names and calls.

use firn_binder::Type;
use firn_sql::ast::{CastKind, Expr, Query, Select, SelectItem, SetExpr};
use firn_sql::command::DataType;
use firn_sql::type_in_tree;

use super::columns::Columns;
use super::lowered_types::Types;

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
    types: Types,
}

impl Kinds {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { types: Types::of(columns) }
    }

    pub(super) fn kind(&self, expr: &Expr) -> Option<Kind> {
        Kind::of_bound(&self.types.type_of(expr))
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
