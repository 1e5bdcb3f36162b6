//! The functions of INFORMATION_SCHEMA in FROM: each becomes a query over a view, its arguments conditions.

mod call;
mod loads;
mod logins;
mod metering;
mod past_statements;
mod policies;
mod tags;
mod unsupported_services;

use call::Call;

use crate::ast::{Expr, ObjectNamePart, TableFactor};
use crate::names::INFORMATION_SCHEMA;
use crate::{Failure, print};

/// The query that a call stands for; `None` for a function of another view.
type View = fn(&Call<'_>) -> Result<Option<String>, Failure>;

/// Puts the query in the place of the function.
pub(super) fn open(factor: &mut TableFactor) -> Result<(), Failure> {
    let TableFactor::TableFunction { expr: Expr::Function(function), alias } = factor else { return Ok(()) };
    let parts: Vec<String> = function.name.0.iter().filter_map(name_part).collect();
    let [before @ .., schema, name] = &parts[..] else { return Ok(()) };
    if schema != INFORMATION_SCHEMA || before.len() > 1 {
        return Ok(());
    }
    let call = Call { name, database: before.first().map(String::as_str), function };
    let views: [View; 7] = [
        past_statements::query,
        loads::query,
        policies::query,
        tags::query,
        logins::query,
        metering::query,
        unsupported_services::query,
    ];
    let mut sql = None;
    for query in views {
        sql = query(&call)?;
        if sql.is_some() {
            break;
        }
    }
    let Some(sql) = sql else { return Ok(()) };
    let alias = alias.take();
    *factor =
        TableFactor::Derived { lateral: false, subquery: Box::new(print::read_query(&sql)?), alias, sample: None };
    Ok(())
}

fn name_part(part: &ObjectNamePart) -> Option<String> {
    part.as_ident().map(|name| match name.quote_style {
        None => name.value.to_ascii_uppercase(),
        Some(_) => name.value.clone(),
    })
}
