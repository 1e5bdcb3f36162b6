//! Calls of functions: arguments are coerced as the function table of the dialect says, and the call is made from a template of
//! `function_table.rs` or by code where it depends on types. What neither has is refused by its name.

use firn_binder::{Family, Type};
use firn_sql::ast::{
    DuplicateTreatment, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArgumentList,
    FunctionArguments, NullTreatment,
};
use firn_sql::command::DataType;
use firn_sql::functions::{FunctionEntry, Parameter, find};

use super::function_table::template;
use super::selects::last_part;
use super::{Lowering, Text, refused};
use crate::types::spark_type;

impl Lowering<'_> {
    pub(super) fn call(&self, whole: &Expr, function: &Function) -> Text {
        let written = last_part(&function.name).filter(|_| function.name.0.len() == 1);
        let shown = written.unwrap_or("of a user");
        let unknown = || refused(&format!("function {shown}"));
        let entry = written.and_then(find).ok_or_else(unknown)?;
        let empty = FunctionArgumentList { duplicate_treatment: None, args: Vec::new(), clauses: Vec::new() };
        let list = match &function.args {
            FunctionArguments::List(list) => list,
            FunctionArguments::None => &empty,
            FunctionArguments::Subquery(_) => return Err(unknown()),
        };
        let call = Call { whole, entry, list, values: values_of(list) };
        let sql = match self.special(&call)? {
            Some(sql) => sql,
            None => self.templated(&call)?.ok_or_else(unknown)?,
        };
        let sql = match (&function.within_group[..], entry.name) {
            ([], _) => sql,
            (keys, "LISTAGG" | "PERCENTILE_CONT" | "PERCENTILE_DISC") => {
                format!("{sql} WITHIN GROUP (ORDER BY {})", self.order_keys(keys)?)
            }
            _ => return Err(refused(&format!("WITHIN GROUP of {}", entry.name))),
        };
        let sql = match function.null_treatment {
            Some(NullTreatment::IgnoreNulls) => format!("{sql} IGNORE NULLS"),
            _ => sql,
        };
        let sql = match &function.over {
            Some(window) => format!("{sql}{}", self.over(entry.name, window)?),
            None => sql,
        };
        // No text is the empty one.
        let sql = if entry.name == "LISTAGG" { format!("coalesce({sql}, '')") } else { sql };
        Ok(self.of_its_type(whole, entry, sql))
    }

    /// Spark's functions have types of their own.
    fn of_its_type(&self, whole: &Expr, entry: &FunctionEntry, sql: String) -> String {
        const KEEP_THEIR_TYPE: [&str; 8] =
            ["MIN", "MAX", "ANY_VALUE", "FIRST_VALUE", "LAST_VALUE", "NTH_VALUE", "LAG", "LEAD"];
        match self.bound.type_of(whole).data_type {
            _ if KEEP_THEIR_TYPE.contains(&entry.name) => sql,
            Type::Of(ref data_type @ (DataType::Number { .. } | DataType::Float))
                if !matches!(data_type, DataType::Number { scale: 0, .. }) =>
            {
                format!("CAST({sql} AS {})", spark_type(data_type).unwrap_or_default())
            }
            _ => sql,
        }
    }

    fn templated(&self, call: &Call<'_>) -> Result<Option<String>, firn_sql::Failure> {
        let Some(template) = template(call.entry.name, call.values.len()) else { return Ok(None) };
        let mut arguments = Vec::with_capacity(call.values.len());
        for (place, value) in call.values.iter().enumerate() {
            arguments.push(self.coerced(call, place, value)?);
        }
        let distinct = match call.list.duplicate_treatment {
            Some(DuplicateTreatment::Distinct) => "DISTINCT ",
            _ => "",
        };
        if let Some(clause) = call.list.clauses.iter().find(|clause| !is_nulls(clause)) {
            return Err(refused(&format!("{clause} of {}", call.entry.name)));
        }
        Ok(Some(filled(template, distinct, &arguments)))
    }

    /// An argument as the function takes it.
    pub(super) fn coerced(&self, call: &Call<'_>, place: usize, value: &Expr) -> Text {
        let parameters = call.entry.parameters;
        let parameter = parameters.get(place).or(parameters.last()).copied().unwrap_or(Parameter::Any);
        match parameter {
            Parameter::Text => self.as_text(value),
            Parameter::TextOrBinary if self.bound.type_of(value).family() != Family::Binary => self.as_text(value),
            Parameter::Float => self.as_float(value),
            Parameter::Integer => self.int_of(value),
            Parameter::Numeric | Parameter::Summand => self.number_of(value),
            Parameter::Boolean => self.condition(value),
            Parameter::Instant => self.instant_of(value),
            Parameter::Variant | Parameter::Array | Parameter::Object => self.as_variant(value),
            Parameter::Lambda | Parameter::Geo | Parameter::File | Parameter::Stage => {
                Err(refused(&format!("function {}", call.entry.name)))
            }
            _ => self.expression(value),
        }
    }
}

/// A call that is lowered.
pub(super) struct Call<'a> {
    pub(super) whole: &'a Expr,
    pub(super) entry: &'static FunctionEntry,
    pub(super) list: &'a FunctionArgumentList,
    /// The arguments that are plain expressions; `*` is none.
    pub(super) values: Vec<&'a Expr>,
}

impl Call<'_> {
    pub(super) fn is_distinct(&self) -> bool {
        self.list.duplicate_treatment == Some(DuplicateTreatment::Distinct)
    }

    pub(super) fn has_star(&self) -> bool {
        self.list.args.iter().any(|argument| matches!(argument, FunctionArg::Unnamed(FunctionArgExpr::Wildcard)))
    }
}

fn values_of(list: &FunctionArgumentList) -> Vec<&Expr> {
    let value = |argument| match argument {
        &FunctionArg::Unnamed(FunctionArgExpr::Expr(ref expr)) => Some(expr),
        _ => None,
    };
    list.args.iter().filter_map(value).collect()
}

fn is_nulls(clause: &FunctionArgumentClause) -> bool {
    matches!(clause, FunctionArgumentClause::IgnoreOrRespectNulls(_))
}

/// `{0}` is the first argument, `{*}` all of them, `{d}` DISTINCT where it is asked for.
fn filled(template: &str, distinct: &str, arguments: &[String]) -> String {
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((place, after)) = after.split_once('}') else { break };
        match place {
            "*" => out.push_str(&arguments.join(", ")),
            "d" => out.push_str(distinct),
            _ => out.push_str(
                place.parse::<usize>().ok().and_then(|place| arguments.get(place)).map_or("", String::as_str),
            ),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}
