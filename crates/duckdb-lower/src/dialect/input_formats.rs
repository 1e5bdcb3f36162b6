//! With non-default input formats of the session, the engine's own parsing of date and time literals does not apply:
//! literals are marked as texts, so that they are parsed by the macros that know the formats. Texts of bound values and
//! of results (`CastKind::SafeCast`) are in the canonical format.

use std::ops::ControlFlow;

use firn_sql::ast::{CastKind, Expr, VisitorMut};
use firn_sql::command::DataType;
use firn_sql::{Failure, declared_type};

use super::build::{call, cast, text};
use super::casts::{is_null, is_plain_clock, is_plain_instant};

pub(super) struct InputFormatTexts;

impl VisitorMut for InputFormatTexts {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::Cast { kind: kind @ CastKind::SafeCast, expr: inside, data_type, .. } = expr
            && let Some(reader) = declared_type(data_type).ok().as_ref().and_then(reader)
        {
            *kind = CastKind::Cast;
            **inside = call(reader, vec![(**inside).clone(), text("AUTO")]);
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if !is_null(expr) && (is_plain_instant(expr) || is_plain_clock(expr)) {
            *expr = cast(expr.clone(), "VARCHAR");
        }
        ControlFlow::Continue(())
    }
}

fn reader(data_type: &DataType) -> Option<&'static str> {
    match data_type {
        DataType::Date => Some("firn_date_by"),
        DataType::Time { .. } => Some("firn_time_by"),
        DataType::TimestampNtz { .. } => Some("firn_timestamp_ntz_by"),
        DataType::TimestampLtz { .. } => Some("firn_timestamp_ltz_by"),
        DataType::TimestampTz { .. } => Some("firn_timestamp_tz_by"),
        _ => None,
    }
}
